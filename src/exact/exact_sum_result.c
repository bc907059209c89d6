/*
 * exact_sum_result.c
 *		The result of an exact sum: rounded, or as a few exact doubles.
 *
 * See exact_sum.h for what it is and doc/numerics.md for why it is right.
 */
#include "exact_sum_digits.h"

/* Return the 64 bits from bit `at` on; bits outside of the digits are 0. */
static GA_HOST_DEVICE uint64_t
bits_from(const uint32_t *digits, int n, int at)
{
	uint64_t bits = 0;
	int i = at >= 0 ? at / GA_CELL_BITS : -((31 - at) / GA_CELL_BITS);
	int shift = at - i * GA_CELL_BITS;

	if (i >= 0 && i < n)
		bits = digits[i] >> shift;
	if (i + 1 >= 0 && i + 1 < n)
		bits |= (uint64_t) digits[i + 1] << (GA_CELL_BITS - shift);
	if (shift > 0 && i + 2 >= 0 && i + 2 < n)
		bits |= (uint64_t) digits[i + 2] << (2 * GA_CELL_BITS - shift);
	return bits;
}

/* Is a bit below bit `at` set? */
static GA_HOST_DEVICE bool
any_bit_below(const uint32_t *digits, int n, int at)
{
	int i;

	for (i = 0; i < n && at >= GA_CELL_BITS; at -= GA_CELL_BITS)
	{
		if (digits[i++] != 0)
			return true;
	}
	return at > 0 && i < n && (digits[i] & ((UINT32_C(1) << at) - 1)) != 0;
}

/* Round the finite part of a sum, as ga_digits_round() does. */
static inline GA_HOST_DEVICE GaStatus
round_to(const GaExactSum *sum, const GaFloatFormat *format, bool *negative,
		 uint64_t *result)
{
	uint32_t digits[GA_MAX_CELLS + 2];
	int n = ga_digits_of(sum, digits, negative);

	*result = 0;
	if (n == 0)
		return GA_OK;
	return ga_digits_round(digits, n, sum->first * GA_CELL_BITS, false, format,
						   result);
}

/*
 * Return the sum as fields of the format and a sign: special or rounded; the
 * sign of a zero follows from the count of negative zeros.
 */
static inline GA_HOST_DEVICE GaStatus
result_bits(const GaExactSum *sum, const GaFloatFormat *format, bool *negative,
			uint64_t *result)
{
	GaStatus status;

	if (ga_special_bits(sum, format, negative, result))
		return GA_OK;
	status = round_to(sum, format, negative, result);

	/* a sum of zero is -0 if all inputs are; a tiny sum keeps its sign */
	if (status == GA_OK && *result == 0 && !*negative)
		*negative = sum->n > 0 && sum->n_neg_zero == sum->n;
	return status;
}

/* Round the sum once to float8; GA_OVERFLOW if that is out of range. */
GA_HOST_DEVICE GaStatus
ga_exact_sum_float8(const GaExactSum *sum, double *result)
{
	bool negative;
	uint64_t bits;
	GaStatus status = result_bits(sum, &ga_float8_format, &negative, &bits);

	if (status == GA_OK)
		*result = ga_float8_from_bits(bits | (uint64_t) negative << 63);
	return status;
}

/* Round the sum once to float4; GA_OVERFLOW if that is out of range. */
GA_HOST_DEVICE GaStatus
ga_exact_sum_float4(const GaExactSum *sum, float *result)
{
	bool negative;
	uint64_t bits;
	GaStatus status = result_bits(sum, &ga_float4_format, &negative, &bits);

	if (status == GA_OK)
	{
		uint32_t word = (uint32_t) bits | (uint32_t) negative << 31;

		memcpy(result, &word, sizeof(word));
	}
	return status;
}

/*
 * Return the least e such that the sum, rounded to float8, is below 2^e in
 * magnitude; 1025 if it is out of range, infinite or NaN.
 */
GA_HOST_DEVICE int
ga_exact_sum_exponent(const GaExactSum *sum)
{
	double total;

	if (ga_exact_sum_float8(sum, &total) != GA_OK)
		return 1025;
	return (int) (ga_float8_bits(total) >> 52 & 0x7ff) - 1022;
}

/*
 * Write the finite part of a sum, exactly, as levels: n_levels doubles of which
 * the k-th is a multiple of 2^unit[k].  Units lie GA_SCALE_BITS apart, the
 * largest first; the last one is at least 2^-1074.  False if the sum does not
 * fit: it has bits below the last unit, or is 2^GA_SCALE_TOP of the first unit
 * or more.
 */
GA_HOST_DEVICE bool
ga_exact_sum_to_levels(const GaExactSum *sum, const int *unit, int n_levels,
					   double *levels)
{
	uint32_t digits[GA_MAX_CELLS + 2];
	bool negative;
	int n = ga_digits_of(sum, digits, &negative);
	int base = sum->first * GA_CELL_BITS - 1074;
	int k;

	for (k = 0; k < n_levels; k++)
		levels[k] = 0;
	if (n == 0)
		return true;
	if (any_bit_below(digits, n, unit[n_levels - 1] - base) ||
		base + n * GA_CELL_BITS - __builtin_clz(digits[n - 1]) >
			unit[0] + GA_SCALE_TOP)
		return false;
	for (k = 0; k < n_levels; k++)
	{
		uint64_t m = bits_from(digits, n, unit[k] - base);
		double scaled;

		if (k > 0)
			m &= (UINT64_C(1) << GA_SCALE_BITS) - 1;

		/* m units: the significand of a double near 2^52 units */
		scaled = ga_scale_anchor(unit[k]);
		scaled = ga_float8_from_bits(ga_float8_bits(scaled) + m) - scaled;
		levels[k] = negative ? 0 - scaled : scaled;
	}
	return true;
}
