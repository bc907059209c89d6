/*
 * wide_sum.h
 *		Exact sums of many floats whose exponents lie far apart.
 */
#ifndef GA_WIDE_SUM_H
#define GA_WIDE_SUM_H

#include "exact_sum.h"

/* The least number of elements for which this pays. */
#define GA_WIDE_SUM_MIN		4096

/* The most elements in one call. */
#define GA_WIDE_SUM_MAX		65536

extern size_t ga_wide_sum_float4(GaExactSum *sum, const void *data, size_t n);
extern size_t ga_wide_sum_float8(GaExactSum *sum, const void *data, size_t n);

#endif							/* GA_WIDE_SUM_H */
