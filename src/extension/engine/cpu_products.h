/*
 * cpu_products.h
 *		Sums of products by the CPU, of any element type.
 *
 * A state is a GaIntProducts, or a GaSumPair of floats.
 */
#ifndef GA_CPU_PRODUCTS_H
#define GA_CPU_PRODUCTS_H

#include "cpu_pairs.h"
#include "exact/reduction.h"

/* Reductions of pairs, as cpu_pairs.h describes them. */
extern void *ga_cpu_add_products(void *state, GaElementType type, const void *x,
								 const void *y, size_t n);
extern void *ga_cpu_add_weighted(void *state, GaElementType type, const void *x,
								 const void *weights, size_t n);

/* Return the one that adds what a reduction of pairs has a meaning for. */
static inline GaPairReduction
ga_cpu_pair_reduction(GaReduction reduction)
{
	return reduction == GA_REDUCE_DOT ? ga_cpu_add_products :
										ga_cpu_add_weighted;
}

#endif /* GA_CPU_PRODUCTS_H */
