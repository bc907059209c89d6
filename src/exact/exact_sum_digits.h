/*
 * exact_sum_digits.h
 *		An exact sum as digits of 32 bits, and how a magnitude is rounded.
 *
 * For all that rounds exact results, on the host and on the device.
 */
#ifndef GA_EXACT_SUM_DIGITS_H
#define GA_EXACT_SUM_DIGITS_H

#include "exact_sum.h"

/* A result type, for rounding. */
typedef struct GaFloatFormat
{
	int precision;		 /* bits of the significand */
	int min_place;		 /* least exponent of its last bit, over -1074 */
	unsigned max_biased; /* exponent field of infinity */
} GaFloatFormat;

static GA_HOST_DEVICE const GaFloatFormat ga_float8_format = {53, 0, 2047};
static GA_HOST_DEVICE const GaFloatFormat ga_float4_format = {24, 1074 - 149,
															  255};

/*
 * Split the sum into sign and magnitude: digits of 32 bits, digits[0] for
 * cell sum->first.  Returns the number of digits without leading zeros.
 */
static inline GA_HOST_DEVICE int
ga_digits_of(const GaExactSum *sum, uint32_t *digits, bool *negative)
{
	int n = sum->n_cells;
	int64_t carry = 0;
	int i;

	for (i = 0; i < n; i++)
	{
		carry += sum->cells[i];
		digits[i] = (uint32_t) carry;
		carry >>= GA_CELL_BITS;
	}
	/* the bits above the stored cells: two more digits, with the sign */
	digits[n++] = (uint32_t) carry;
	digits[n++] = (uint32_t) (carry >> GA_CELL_BITS);

	*negative = carry < 0;
	if (*negative)
	{
		uint64_t borrow = 1;

		for (i = 0; i < n; i++)
		{
			borrow += (uint32_t) ~digits[i];
			digits[i] = (uint32_t) borrow;
			borrow >>= GA_CELL_BITS;
		}
	}
	while (n > 0 && digits[n - 1] == 0)
		n--;
	return n;
}

/*
 * Return the 64 leading bits of n > 0 digits, the first of which is 1.  Sets
 * *more if any bit below them is 1.
 */
static inline GA_HOST_DEVICE uint64_t
ga_digits_leading(const uint32_t *digits, int n, bool *more)
{
	int zeros = __builtin_clz(digits[n - 1]);
	uint64_t high =
		(uint64_t) digits[n - 1] << GA_CELL_BITS | (n > 1 ? digits[n - 2] : 0);
	uint64_t low = n > 2 ? (uint64_t) digits[n - 3] << zeros : 0;
	int i = n - 4;

	*more = (uint32_t) low != 0;
	while (!*more && i >= 0)
		*more = digits[i--] != 0;
	return high << zeros | low >> GA_CELL_BITS;
}

/*
 * Round a magnitude to nearest, ties to even: its 64 leading bits, the first of
 * which is 1 and has the exponent `first` over -1074, and whether any bit below
 * them is 1.  *result has the exponent and fraction fields of the format;
 * GA_OVERFLOW if it is out of range.
 */
static inline GA_HOST_DEVICE GaStatus
ga_leading_round(uint64_t bits, bool more, int first,
				 const GaFloatFormat *format, uint64_t *result)
{
	int last; /* exponent of the last bit kept, over -1074 */
	int dropped;
	uint64_t m, rest;

	*result = 0;
	last = first - (format->precision - 1);
	if (last < format->min_place)
		last = format->min_place;
	dropped = 63 - (first - last);

	/* less than half of the smallest number rounds to zero */
	if (dropped > 64)
		return GA_OK;
	m = dropped < 64 ? bits >> dropped : 0;
	rest = bits << (64 - dropped);
	if (rest > GA_FLOAT8_SIGN || (rest == GA_FLOAT8_SIGN && (more || m & 1)))
		m++;

	/* m's hidden bit, and a carry out of it, add to the exponent field */
	m += (uint64_t) (last - format->min_place) << (format->precision - 1);
	if ((m >> (format->precision - 1)) >= format->max_biased)
		return GA_OVERFLOW;
	*result = m;
	return GA_OK;
}

/*
 * The same of a magnitude of n > 0 digits.  The lowest bit of digits[0] has the
 * exponent `base` over -1074; is_more tells of bits below it.
 */
static inline GA_HOST_DEVICE GaStatus
ga_digits_round(const uint32_t *digits, int n, int base, bool is_more,
				const GaFloatFormat *format, uint64_t *result)
{
	bool more;
	const uint64_t bits = ga_digits_leading(digits, n, &more);
	const int first =
		base + n * GA_CELL_BITS - 1 - __builtin_clz(digits[n - 1]);

	return ga_leading_round(bits, more || is_more, first, format, result);
}

/*
 * Set the fields of a result that is NaN or infinite, which follows from the
 * counts of such inputs.  Return false if it is finite.
 */
static inline GA_HOST_DEVICE bool
ga_special_bits(const GaExactSum *sum, const GaFloatFormat *format,
				bool *negative, uint64_t *result)
{
	uint64_t infinity = (uint64_t) format->max_biased
						<< (format->precision - 1);

	*negative = false;
	if (sum->n_nan > 0 || (sum->n_pos_inf > 0 && sum->n_neg_inf > 0))
	{
		*result = infinity | UINT64_C(1) << (format->precision - 2);
		return true;
	}
	*negative = sum->n_neg_inf > 0;
	*result = infinity;
	return sum->n_pos_inf > 0 || sum->n_neg_inf > 0;
}

#endif /* GA_EXACT_SUM_DIGITS_H */
