/*
 * product_sum.h
 *		The exact sum of products of two floating-point numbers, rounded once.
 *
 * A product sum is a wide GaExactSum: it counts in units of 2^-2148, the
 * product of the smallest doubles.  Its inputs are products x * y as real
 * numbers, of 106 bits at most; no one of them is rounded.  It is merged,
 * copied and enlarged as any exact sum (exact_sum.h), with others of its kind.
 *
 * A product that is NaN, also that of zero and infinity, or that is infinite
 * is counted, and so is a product of minus zero: an exact zero with the sign
 * that the signs of x and y give.
 *
 * Called by the CPU engine and by backends, on the host alone.
 */
#ifndef GA_PRODUCT_SUM_H
#define GA_PRODUCT_SUM_H

#include "exact_sum.h"

/* A product sum with capacity for all cells, in automatic storage. */
typedef struct GaFullProductSum
{
	_Alignas(GaExactSum) unsigned char bytes[GA_EXACT_SUM_SIZE(GA_WIDE_CELLS)];
} GaFullProductSum;

extern void ga_product_sum_init(GaExactSum *sum, int capacity);
extern GaStatus ga_product_sum_apply(GaExactSum *sum, double x, double y,
									 int64_t by);
extern GaStatus ga_product_sum_float8(const GaExactSum *sum, double *result);
extern GaStatus ga_product_sum_float4(const GaExactSum *sum, float *result);
extern GaStatus ga_product_sum_root(const GaExactSum *sum, double *result);
extern GaStatus ga_product_sum_quotient(const GaExactSum *sum,
										const GaExactSum *divisor,
										double *result);

static inline GaExactSum *
ga_full_product_sum(GaFullProductSum *full)
{
	return (GaExactSum *) full->bytes;
}

/* Initialize the caller's memory as an empty sum of full capacity. */
static inline GaExactSum *
ga_full_product_sum_init(GaFullProductSum *full)
{
	GaExactSum *sum = ga_full_product_sum(full);

	ga_product_sum_init(sum, GA_WIDE_CELLS);
	return sum;
}

/* Add x * y.  GA_NO_CAPACITY if its cells do not fit. */
static inline GaStatus
ga_product_sum_add(GaExactSum *sum, double x, double y)
{
	return ga_product_sum_apply(sum, x, y, 1);
}

/* Remove x * y, which was added before. */
static inline GaStatus
ga_product_sum_remove(GaExactSum *sum, double x, double y)
{
	return ga_product_sum_apply(sum, x, y, -1);
}

#endif /* GA_PRODUCT_SUM_H */
