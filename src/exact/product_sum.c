/*
 * product_sum.c
 *		The exact sum of products: adding, and its results.
 *
 * See product_sum.h for what it is and doc/numerics.md for why it is right.
 */
#include "exact_ratio.h"
#include "product_sum.h"

#define INFINITY_BITS (~GA_FLOAT8_SIGN ^ GA_FLOAT8_FRACTION)

/* A finite double: +-m * 2^(place - 1074). */
typedef struct Parts
{
	uint64_t m;
	unsigned place;
} Parts;

/* Initialize an empty sum with this capacity. */
void
ga_product_sum_init(GaExactSum *sum, int capacity)
{
	ga_exact_sum_init(sum, capacity);
	sum->is_wide = 1;
}

static inline Parts
parts_of(uint64_t bits)
{
	const unsigned biased = (unsigned) (bits >> 52) & 0x7ff;
	Parts parts;

	parts.m = (bits & GA_FLOAT8_FRACTION) | (biased ? GA_FLOAT8_HIDDEN : 0);
	parts.place = biased ? biased - 1 : 0;
	return parts;
}

/* Add m, below 2^106, times 2^place units, with a sign of 0 or -1. */
static inline GaStatus
add_magnitude(GaExactSum *sum, unsigned __int128 m, unsigned place,
			  int64_t sign)
{
	const unsigned shift = place % GA_CELL_BITS;
	const int cell = (int) (place / GA_CELL_BITS);
	const uint64_t low = (uint64_t) m;
	const uint64_t high = (uint64_t) (m >> 64);
	const uint64_t middle = (high << shift) | (low >> 1) >> (63 - shift);
	int64_t *at;

	/* four cells are changed, and a fifth above them takes the carries */
	if ((cell < sum->first || cell + 4 >= sum->first + sum->n_cells) &&
		ga_exact_sum_reserve(sum, cell, cell + 3) != GA_OK)
		return GA_NO_CAPACITY;
	if (sum->n_pending >= GA_MAX_PENDING && ga_exact_sum_carry(sum) != GA_OK)
		return GA_NO_CAPACITY;
	sum->n_pending++;

	/* no array: to write words and read vectors of them again would wait */
	at = sum->cells + (cell - sum->first);
	at[0] += ((int64_t) ((low << shift) & 0xffffffff) ^ sign) - sign;
	at[1] += ((int64_t) ((low << shift) >> 32) ^ sign) - sign;
	at[2] += ((int64_t) (middle & 0xffffffff) ^ sign) - sign;
	at[3] += ((int64_t) (high >> (32 - shift)) ^ sign) - sign;
	return GA_OK;
}

/* Add x * y (by = 1), or remove what was added before (by = -1). */
GaStatus
ga_product_sum_apply(GaExactSum *sum, double x, double y, int64_t by)
{
	const uint64_t infinity = INFINITY_BITS;
	const uint64_t a = ga_float8_bits(x) & ~GA_FLOAT8_SIGN;
	const uint64_t b = ga_float8_bits(y) & ~GA_FLOAT8_SIGN;
	const uint64_t sign =
		(ga_float8_bits(x) ^ ga_float8_bits(y)) & GA_FLOAT8_SIGN;
	Parts p, q;

	if (a >= infinity || b >= infinity)
	{
		bool is_nan = a > infinity || b > infinity || a == 0 || b == 0;

		ga_exact_sum_count_special(sum, infinity | (is_nan ? 1 : sign), by);
		return GA_OK;
	}
	p = parts_of(a);
	q = parts_of(b);
	if (p.m != 0 && q.m != 0 &&
		add_magnitude(sum, (unsigned __int128) p.m * q.m, p.place + q.place,
					  ((int64_t) sign >> 63) ^ (by >> 63)) != GA_OK)
		return GA_NO_CAPACITY;
	sum->n += by;
	if (sign != 0 && (p.m == 0 || q.m == 0))
		sum->n_neg_zero += by;
	return GA_OK;
}

/*
 * Return the finite part of a sum as a magnitude with its exponent; the digits
 * are the caller's, GA_RATIO_DIGITS.
 */
static GaMagnitude
magnitude_of(const GaExactSum *sum, uint32_t *digits, bool *negative)
{
	GaMagnitude result;

	result.digits = digits;
	result.n = ga_digits_of(sum, digits, negative);
	result.exponent = sum->first * GA_CELL_BITS + ga_exact_sum_unit(sum);
	return result;
}

/* Are all inputs, one at least, minus zero? */
static bool
is_neg_zero(const GaExactSum *sum)
{
	return sum->n > 0 && sum->n_neg_zero == sum->n;
}

/* Return the sum as fields of the format and a sign. */
static GaStatus
result_bits(const GaExactSum *sum, const GaFloatFormat *format, bool *negative,
			uint64_t *result)
{
	uint32_t digits[GA_RATIO_DIGITS];
	GaMagnitude total;

	if (ga_special_bits(sum, format, negative, result))
		return GA_OK;
	*result = 0;
	total = magnitude_of(sum, digits, negative);
	if (total.n > 0)
		return ga_digits_round(digits, total.n, total.exponent - GA_UNIT, false,
							   format, result);
	*negative = is_neg_zero(sum);
	return GA_OK;
}

/* Round the sum once to float8; GA_OVERFLOW if that is out of range. */
GaStatus
ga_product_sum_float8(const GaExactSum *sum, double *result)
{
	bool negative;
	uint64_t bits;
	GaStatus status = result_bits(sum, &ga_float8_format, &negative, &bits);

	if (status == GA_OK)
		*result = ga_float8_from_bits(bits | (uint64_t) negative << 63);
	return status;
}

/* Round the sum once to float4; GA_OVERFLOW if that is out of range. */
GaStatus
ga_product_sum_float4(const GaExactSum *sum, float *result)
{
	bool negative;
	uint64_t bits;
	GaStatus status = result_bits(sum, &ga_float4_format, &negative, &bits);

	if (status == GA_OK)
	{
		const uint32_t word = (uint32_t) bits | (uint32_t) negative << 31;

		memcpy(result, &word, sizeof(word));
	}
	return status;
}

/*
 * Set *result to the square root of the sum, rounded once.  The sum must be one
 * of squares; GA_BAD_STATE if it is below zero.
 */
GaStatus
ga_product_sum_root(const GaExactSum *sum, double *result)
{
	uint32_t digits[GA_RATIO_DIGITS];
	GaMagnitude total;
	bool negative;
	uint64_t bits;
	GaStatus status = GA_OK;

	if (!ga_special_bits(sum, &ga_float8_format, &negative, &bits))
	{
		total = magnitude_of(sum, digits, &negative);
		if (!negative)
			status = ga_ratio_root(&total, NULL, &bits);
	}
	if (negative)
		return GA_BAD_STATE;
	if (status == GA_OK)
		*result = ga_float8_from_bits(bits);
	return status;
}

/*
 * Set *result to sum / divisor, rounded once; the divisor is any exact sum.
 * Where one is NaN or infinite, the quotient is IEEE's.  GA_ZERO_DIVISOR if the
 * divisor is zero, unless the sum is NaN; GA_OVERFLOW if the quotient is out of
 * range.
 */
GaStatus
ga_product_sum_quotient(const GaExactSum *sum, const GaExactSum *divisor,
						double *result)
{
	uint32_t digits[GA_RATIO_DIGITS];
	uint32_t divisor_digits[GA_RATIO_DIGITS];
	GaMagnitude total = {digits, 0, 0};
	GaMagnitude by = {divisor_digits, 0, 0};
	bool negative, by_negative;
	uint64_t bits, by_bits;
	const bool is_special =
		ga_special_bits(sum, &ga_float8_format, &negative, &bits);
	const bool is_by_special =
		ga_special_bits(divisor, &ga_float8_format, &by_negative, &by_bits);
	GaStatus status = GA_OK;

	/* NaN has a bit in its fraction; an infinite pair gives NaN, too */
	if (((is_special ? bits : 0) | (is_by_special ? by_bits : 0)) &
			GA_FLOAT8_FRACTION ||
		(is_special && is_by_special))
	{
		*result = ga_float8_from_bits(INFINITY_BITS | GA_FLOAT8_HIDDEN / 2);
		return GA_OK;
	}
	if (!is_special)
	{
		total = magnitude_of(sum, digits, &negative);
		negative |= total.n == 0 && is_neg_zero(sum);
	}
	if (is_by_special)
		bits = 0;
	else
	{
		by = magnitude_of(divisor, divisor_digits, &by_negative);
		if (by.n == 0)
			return GA_ZERO_DIVISOR;
		if (!is_special)
			status = ga_ratio_round(&total, &by, &bits);
	}
	if (status == GA_OK)
		*result = ga_float8_from_bits(
			bits | (negative != by_negative ? GA_FLOAT8_SIGN : 0));
	return status;
}
