/*
 * exponent_bins.h
 *		Exact sums of many floats whose exponents lie far apart.
 *
 * Called by the CPU engine for tiles that levels cannot sum.  The functions
 * add up to GA_EXPONENT_BINS_MAX of n elements, which may be unaligned, and
 * return how many; 0 if the sum has not capacity for all cells.
 */
#ifndef GA_EXPONENT_BINS_H
#define GA_EXPONENT_BINS_H

#include "exact_sum.h"

/* Fewer elements are faster to add one by one. */
#define GA_EXPONENT_BINS_MIN 4096

/* Most elements in one call. */
#define GA_EXPONENT_BINS_MAX 65536

extern size_t ga_exponent_bins_float4(GaExactSum *sum, const void *data,
									  size_t n);
extern size_t ga_exponent_bins_float8(GaExactSum *sum, const void *data,
									  size_t n);

#endif /* GA_EXPONENT_BINS_H */
