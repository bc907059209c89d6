/*
 * exponent_bins.h
 *		Exact sums of many floats whose exponents lie far apart.
 */
#ifndef GA_EXPONENT_BINS_H
#define GA_EXPONENT_BINS_H

#include "exact_sum.h"

/* The least number of elements for which this pays. */
#define GA_EXPONENT_BINS_MIN 4096

/* The most elements in one call. */
#define GA_EXPONENT_BINS_MAX 65536

extern size_t ga_exponent_bins_float4(GaExactSum *sum, const void *data,
									  size_t n);
extern size_t ga_exponent_bins_float8(GaExactSum *sum, const void *data,
									  size_t n);

#endif /* GA_EXPONENT_BINS_H */
