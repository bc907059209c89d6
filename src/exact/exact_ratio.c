/*
 * exact_ratio.c
 *		Quotients of long numbers, and their square roots, rounded once.
 *
 * See exact_ratio.h for what they are and doc/numerics.md for why they are
 * right.
 */
#include <math.h>

#include "exact_ratio.h"

/* Bits of a quotient: that many, or one more. */
#define QUOTIENT_BITS	127
#define QUOTIENT_DIGITS 5

/* A quotient without its remainder: value * 2^exponent, and if there is one. */
typedef struct Quotient
{
	unsigned __int128 value;
	int exponent;
	bool is_more;
} Quotient;

/* Return an integer as a magnitude. */
GaMagnitude
ga_magnitude_of_int(unsigned __int128 value, uint32_t digits[4])
{
	GaMagnitude result = {digits, 0, 0};

	for (; value != 0; value >>= GA_CELL_BITS)
		digits[result.n++] = (uint32_t) value;
	return result;
}

/* Set to[] to a * b; returns the number of its digits without leading zeros. */
int
ga_digits_multiply(uint32_t *to, const uint32_t *a, int n_a, const uint32_t *b,
				   int n_b)
{
	int n = n_a + n_b;
	int i, j;

	memset(to, 0, (size_t) n * sizeof(*to));
	for (i = 0; i < n_a; i++)
	{
		uint64_t carry = 0;

		for (j = 0; j < n_b; j++)
		{
			carry += (uint64_t) a[i] * b[j] + to[i + j];
			to[i + j] = (uint32_t) carry;
			carry >>= GA_CELL_BITS;
		}
		to[i + n_b] = (uint32_t) carry;
	}
	while (n > 0 && to[n - 1] == 0)
		n--;
	return n;
}

/* Return the number of bits of n > 0 digits, the first of which is not 0. */
static int
count_bits(const uint32_t *digits, int n)
{
	return n * GA_CELL_BITS - __builtin_clz(digits[n - 1]);
}

/* Return the digit at index i, 0 outside. */
static uint32_t
digit_at(const GaMagnitude *x, int i)
{
	return i >= 0 && i < x->n ? x->digits[i] : 0;
}

/*
 * Set to[0 .. n_to-1] to the integer part of digits * 2^shift, where shift may
 * be negative; true if that cuts off a bit.
 */
static bool
shift_digits(uint32_t *to, int n_to, const GaMagnitude *x, int shift)
{
	/* bit 0 of to[0] is bit -shift of x */
	const int by = shift & (GA_CELL_BITS - 1);
	const int start = (by - shift) / GA_CELL_BITS;
	bool is_more;
	int i;

	for (i = 0; i < n_to; i++)
	{
		const uint64_t both = (uint64_t) digit_at(x, start + i) << 32 |
							  digit_at(x, start + i - 1);

		to[i] = (uint32_t) (both >> (GA_CELL_BITS - by));
	}
	is_more = by > 0 && (uint32_t) (digit_at(x, start - 1) << by) != 0;
	for (i = start - 1 - (by > 0); !is_more && i >= 0; i--)
		is_more = digit_at(x, i) != 0;
	return is_more;
}

/*
 * Subtract q * divisor from the n + 1 digits of rest; true if that went below
 * zero.
 */
static bool
subtract_times(uint32_t *rest, const uint32_t *divisor, int n, uint64_t q)
{
	uint64_t carry = 0;
	int64_t borrow = 0;
	int i;

	for (i = 0; i <= n; i++)
	{
		carry += i < n ? q * divisor[i] : 0;
		borrow += (int64_t) rest[i] - (int64_t) (uint32_t) carry;
		rest[i] = (uint32_t) borrow;
		borrow >>= GA_CELL_BITS;
		carry >>= GA_CELL_BITS;
	}
	return borrow < 0;
}

/* Add the divisor to the n + 1 digits of rest, modulo their range. */
static void
add_back(uint32_t *rest, const uint32_t *divisor, int n)
{
	uint64_t carry = 0;
	int i;

	for (i = 0; i <= n; i++)
	{
		carry += (uint64_t) rest[i] + (i < n ? divisor[i] : 0);
		rest[i] = (uint32_t) carry;
		carry >>= GA_CELL_BITS;
	}
}

/*
 * Divide: return the next digit of the quotient, and leave the remainder in the
 * n + 1 digits of rest.  The divisor has n >= 2 digits and its highest bit set;
 * the highest n digits of rest are below it.
 *
 * Method: Knuth, The Art of Computer Programming, volume 2, algorithm D.
 */
static uint32_t
divide_digit(uint32_t *rest, const uint32_t *divisor, int n)
{
	const uint64_t high = (uint64_t) rest[n] << 32 | rest[n - 1];
	uint64_t q = high / divisor[n - 1];
	uint64_t r = high % divisor[n - 1];

	/* q is too large by 2 at most */
	while (q > UINT32_MAX || q * divisor[n - 2] > (r << 32 | rest[n - 2]))
	{
		q--;
		r += divisor[n - 1];
		if (r > UINT32_MAX)
			break;
	}
	if (subtract_times(rest, divisor, n, q))
	{
		q--;
		add_back(rest, divisor, n);
	}
	return (uint32_t) q;
}

/*
 * Return the quotient of two magnitudes that are not zero, with QUOTIENT_BITS
 * bits or one more, or, for an even exponent, one less.
 */
static Quotient
divide(const GaMagnitude *dividend, const GaMagnitude *divisor,
	   bool is_even_exponent)
{
	uint32_t by[GA_RATIO_DIGITS + 1];
	uint32_t rest[GA_RATIO_DIGITS + 1 + QUOTIENT_DIGITS];
	const int n = divisor->n > 1 ? divisor->n : 2;
	const int bits = count_bits(divisor->digits, divisor->n);
	const int aligned = n * GA_CELL_BITS - bits;
	int shift =
		bits + QUOTIENT_BITS - count_bits(dividend->digits, dividend->n);
	Quotient quotient;
	int i;

	quotient.exponent = dividend->exponent - divisor->exponent - shift;
	if (is_even_exponent && (quotient.exponent & 1))
	{
		shift--;
		quotient.exponent++;
	}

	/* both times 2^aligned, so that the divisor's highest bit is set */
	(void) shift_digits(by, n, divisor, aligned);
	quotient.is_more =
		shift_digits(rest, n + QUOTIENT_DIGITS, dividend, shift + aligned);
	quotient.value = 0;
	for (i = QUOTIENT_DIGITS - 1; i >= 0; i--)
		quotient.value =
			quotient.value << GA_CELL_BITS | divide_digit(rest + i, by, n);
	for (i = 0; i < n; i++)
		quotient.is_more |= rest[i] != 0;
	return quotient;
}

/* Return the integer part of the square root of x >= 2^124. */
static uint64_t
integer_root(unsigned __int128 x)
{
	/* some 52 bits of it, which one step of Newton's method doubles */
	const double guess = sqrt((double) (uint64_t) (x >> 64)) * 0x1p32;
	uint64_t root = guess < 0x1p64 ? (uint64_t) guess : UINT64_MAX;
	const unsigned __int128 twice = root + x / root;

	root = twice >> 65 ? UINT64_MAX : (uint64_t) (twice >> 1);
	while ((unsigned __int128) root * root > x)
		root--;
	while (root < UINT64_MAX &&
		   (unsigned __int128) (root + 1) * (root + 1) <= x)
		root++;
	return root;
}

/* Round value * 2^exponent, and a bit more, to the fields of a float8. */
static GaStatus
round_value(unsigned __int128 value, int exponent, bool is_more, uint64_t *bits)
{
	uint32_t digits[4];
	const GaMagnitude magnitude = ga_magnitude_of_int(value, digits);

	/* beyond the exponents that ga_digits_round() takes */
	if (exponent + count_bits(digits, magnitude.n) > 1024)
		return GA_OVERFLOW;
	return ga_digits_round(digits, magnitude.n, exponent - GA_UNIT, is_more,
						   &ga_float8_format, bits);
}

static Quotient
quotient_of(const GaMagnitude *dividend, const GaMagnitude *divisor,
			bool is_even_exponent)
{
	uint32_t one = 1;
	const GaMagnitude unit = {&one, 1, 0};

	return divide(dividend, divisor ? divisor : &unit, is_even_exponent);
}

/*
 * Set *bits to the fields of dividend / divisor, rounded once to float8.  The
 * divisor is not zero; without it, it is 1.  GA_OVERFLOW if the result is out
 * of range.
 */
GaStatus
ga_ratio_round(const GaMagnitude *dividend, const GaMagnitude *divisor,
			   uint64_t *bits)
{
	Quotient quotient;

	*bits = 0;
	if (dividend->n == 0)
		return GA_OK;
	quotient = quotient_of(dividend, divisor, false);
	return round_value(quotient.value, quotient.exponent, quotient.is_more,
					   bits);
}

/* Set *bits to the fields of the square root of dividend / divisor. */
GaStatus
ga_ratio_root(const GaMagnitude *dividend, const GaMagnitude *divisor,
			  uint64_t *bits)
{
	Quotient quotient;
	uint64_t root;

	*bits = 0;
	if (dividend->n == 0)
		return GA_OK;
	quotient = quotient_of(dividend, divisor, true);
	root = integer_root(quotient.value);
	quotient.is_more |= (unsigned __int128) root * root != quotient.value;
	return round_value(root, quotient.exponent / 2, quotient.is_more, bits);
}
