/*
 * mean.c
 *		Means and totals of integers as numeric.
 *
 * Results are those of int8 / int8 as numeric, digit for digit and bit for bit,
 * since they are what AVG returns.  PostgreSQL's numeric_div() makes them of
 * any two numerics; here the dividend has 128 bits and the divisor 64, and the
 * digits are written in the format in which numerics are stored, which takes a
 * fraction of the time.  That format is the short one of utils/adt/numeric.c:
 * after the length a header, and then the digits in base 10000 without zeros at
 * either end.
 *
 * Called by functions whose results are arrays, and by final functions.
 */
#include "postgres.h"
#include "utils/numeric.h"

#include "extension/pg_compat.h"
#include "mean.h"

/* The header of the short format; the rest of it is the weight, in 7 bits. */
#define SHORT_FORMAT	   0x8000
#define SHORT_NEGATIVE	   0x2000
#define SHORT_SCALE_SHIFT  7
#define SHORT_WEIGHT_MASK  0x007f
#define NUMERIC_BASE	   10000
#define NUMERIC_BASE_WIDTH 4
#define FOUR_DIGITS		   UINT64_C(10000000000000000) /* 10000^4 */

/* Digits of 2^127, and behind the point: as many as 1 / 2^63 has. */
#define INTEGER_DIGITS	10
#define FRACTION_DIGITS 9

typedef unsigned __int128 Uint128;

/* The first digit of an integer in base 10000, and its weight. */
typedef struct Leading
{
	int weight;
	int digit;
} Leading;

/* Divide x by n, which is not 0. */
static inline Uint128
divide(Uint128 x, uint64 n, uint64 *rest)
{
	if ((x >> 64) == 0)
	{
		*rest = (uint64) x % n;
		return (uint64) x / n;
	}
	*rest = (uint64) (x % n);
	return x / n;
}

static inline Leading
leading(Uint128 x)
{
	Leading result = {0};
	uint64 low;

	for (; (x >> 64) != 0; x /= NUMERIC_BASE)
		result.weight++;
	for (low = (uint64) x; low >= NUMERIC_BASE; low /= NUMERIC_BASE)
		result.weight++;
	result.digit = (int) low;
	return result;
}

/*
 * Return the number of digits behind the point that numeric_div() has for
 * integers: 16 decimal digits are significant, by an estimate.
 */
static inline int
fraction_digits(Uint128 total, uint64 n)
{
	const Leading t = leading(total);
	const Leading d = leading(n);
	int weight = t.weight - d.weight;

	if (t.digit <= d.digit)
		weight--;
	return Max(NUMERIC_MIN_SIG_DIGITS / NUMERIC_BASE_WIDTH - weight, 0);
}

/* Write the digits of x before `end`; returns the first of them. */
static inline int16 *
put_integer(Uint128 x, int16 *end)
{
	uint64 low;
	int i;

	while ((x >> 64) != 0)
	{
		const Uint128 above = x / FOUR_DIGITS;

		low = (uint64) x - (uint64) above * FOUR_DIGITS;
		for (i = 0; i < 4; i++, low /= NUMERIC_BASE)
			*--end = (int16) (low % NUMERIC_BASE);
		x = above;
	}
	for (low = (uint64) x; low > 0; low /= NUMERIC_BASE)
		*--end = (int16) (low % NUMERIC_BASE);
	return end;
}

/*
 * Write so many digits of rest / n, which is less than 1, to `to`; returns what
 * rest is left.
 */
static inline uint64
put_fraction(uint64 rest, uint64 n, int n_digits, int16 *to)
{
	int i = 0;

	for (; i + 2 <= n_digits; i += 2)
	{
		const uint32 two = (uint32) divide(
			(Uint128) rest * NUMERIC_BASE * NUMERIC_BASE, n, &rest);

		to[i] = (int16) (two / NUMERIC_BASE);
		to[i + 1] = (int16) (two % NUMERIC_BASE);
	}
	if (i < n_digits)
		to[i] = (int16) divide((Uint128) rest * NUMERIC_BASE, n, &rest);
	return rest;
}

/* Write a numeric of the digits before `end`; that of weight 0 is at `ones`. */
static struct varlena *
put_numeric(bool is_negative, int scale, const int16 *first, const int16 *ones,
			const int16 *end, GaIntNumeric *to)
{
	int weight;

	while (first < end && *first == 0)
		first++;
	while (end > first && end[-1] == 0)
		end--;
	weight = first < end ? (int) (ones - first) : 0;
	to->header =
		(uint16) (SHORT_FORMAT | (is_negative ? SHORT_NEGATIVE : 0) |
				  scale << SHORT_SCALE_SHIFT | (weight & SHORT_WEIGHT_MASK));
	memcpy(to->digits, first, (end - first) * sizeof(int16));
	SET_VARSIZE(to,
				offsetof(GaIntNumeric, digits) + (end - first) * sizeof(int16));
	return (struct varlena *) to;
}

/* Write a total as numeric. */
struct varlena *
ga_total_numeric(GaInt128 total, GaIntNumeric *to)
{
	int16 digits[INTEGER_DIGITS];
	int16 *end = digits + INTEGER_DIGITS;
	const int16 *first =
		put_integer(total < 0 ? -(Uint128) total : (Uint128) total, end);

	return put_numeric(total < 0, 0, first, end - 1, end, to);
}

/* Divide a total by the number of its inputs, which is not 0, as AVG does. */
struct varlena *
ga_mean_numeric(GaInt128 total, int64 n, GaIntNumeric *to)
{
	const Uint128 dividend = total < 0 ? -(Uint128) total : (Uint128) total;
	const int n_fraction = fraction_digits(dividend, (uint64) n);
	int16 digits[1 + INTEGER_DIGITS + FRACTION_DIGITS];
	int16 *point = digits + 1 + INTEGER_DIGITS;
	int16 *end = point + n_fraction;
	int16 *first;
	uint64 rest;

	Assert(n > 0 && n_fraction <= FRACTION_DIGITS);
	first = put_integer(divide(dividend, (uint64) n, &rest), point);
	rest = put_fraction(rest, (uint64) n, n_fraction, point);
	*--first = 0; /* for a carry */
	if (rest >= (uint64) n - rest)
	{
		int16 *last = end - 1;

		for (; *last == NUMERIC_BASE - 1; last--)
			*last = 0;
		++*last;
	}
	return put_numeric(total < 0, n_fraction * NUMERIC_BASE_WIDTH, first,
					   point - 1, end, to);
}

/* Return the numeric of ga_mean_numeric() in the current context. */
Datum
ga_mean_get_numeric(GaInt128 total, int64 n)
{
	return PointerGetDatum(
		ga_mean_numeric(total, n, palloc(sizeof(GaIntNumeric))));
}

/* Return the numeric of ga_total_numeric() in the current context. */
Datum
ga_int128_get_numeric(GaInt128 total)
{
	return PointerGetDatum(
		ga_total_numeric(total, palloc(sizeof(GaIntNumeric))));
}
