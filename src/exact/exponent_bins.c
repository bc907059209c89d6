/*
 * exponent_bins.c
 *		Exact sums of many floats whose exponents lie far apart.
 *
 * There is a bin for each exponent, to which significands are added as
 * integers, in two halves so that neither can overflow.  That takes no shift
 * and no carry, and where exponents vary, consecutive additions do not depend
 * on one another.  At the end the bins are added to the exact sum.
 *
 * Method: a large superaccumulator (Neal, 2015), with its overflow counts
 * replaced by the second half.
 */
#include "exponent_bins.h"

#define N_BINS 2047 /* the biased exponents of finite doubles */

typedef struct Bin
{
	int64_t low;  /* sum of the significands' lower 32 bits */
	int64_t high; /* sum of the rest, with the sign */
} Bin;

/* Add the bins to the sum. */
static void
add_bins(GaExactSum *sum, const Bin *bins)
{
	int biased;

	for (biased = 1; biased < N_BINS; biased++)
	{
		if (bins[biased].low == 0 && bins[biased].high == 0)
			continue;
		(void) ga_exact_sum_add_scaled(sum, bins[biased].low, biased - 1075);
		(void) ga_exact_sum_add_scaled(sum, bins[biased].high,
									   biased - 1075 + 32);
	}
}

/* See exponent_bins.h; elements are float4 or float8. */
static inline size_t
sum_in_bins(GaExactSum *sum, const char *data, size_t n, bool is_float4)
{
	Bin bins[N_BINS];
	size_t i;

	if (sum->capacity < GA_MAX_CELLS)
		return 0;
	if (n > GA_EXPONENT_BINS_MAX)
		n = GA_EXPONENT_BINS_MAX;
	memset(bins, 0, sizeof(bins));
	for (i = 0; i < n; i++)
	{
		double x;
		uint64_t bits;
		unsigned biased;
		int64_t sign, m;

		if (is_float4)
		{
			float f;

			memcpy(&f, data + i * sizeof(f), sizeof(f));
			x = f;
		}
		else
			memcpy(&x, data + i * sizeof(x), sizeof(x));
		bits = ga_float8_bits(x);
		biased = (unsigned) (bits >> 52) & 0x7ff;

		/* zeros, subnormals, infinities and NaN */
		if (biased - 1 >= N_BINS - 1)
		{
			(void) ga_exact_sum_add(sum, x);
			continue;
		}
		sign = (int64_t) bits >> 63;
		m = (int64_t) ((bits & GA_FLOAT8_FRACTION) | GA_FLOAT8_HIDDEN);
		m = (m ^ sign) - sign;
		bins[biased].low += m & 0xffffffff;
		bins[biased].high += m >> 32;
		sum->n++;
	}
	add_bins(sum, bins);
	return n;
}

size_t
ga_exponent_bins_float4(GaExactSum *sum, const void *data, size_t n)
{
	return sum_in_bins(sum, data, n, true);
}

size_t
ga_exponent_bins_float8(GaExactSum *sum, const void *data, size_t n)
{
	return sum_in_bins(sum, data, n, false);
}
