/*
 * partial_products.h
 *		The sums of pairs of elements, as a device returns them.
 *
 * They are two records (reduction.h): the sum of the second factors, the
 * weights of a mean, as partial_sum.h has it, and the sum of the products.
 * Merging them is exact and commutes.  Where one of the two does not fit, or a
 * float is NaN or infinite, both are GA_PARTIAL_REFUSED, and the CPU computes
 * them.
 *
 * Called by the emulated device and by backends, on the host alone.  These
 * functions keep no state, lock nothing and do not allocate.
 */
#ifndef GA_PARTIAL_PRODUCTS_H
#define GA_PARTIAL_PRODUCTS_H

#include "element.h"
#include "int_products.h"
#include "partial_sum.h"
#include "sum_pair.h"

extern bool ga_partial_products_from_ints(GaPartialSum *records,
										  const GaIntProducts *products);
extern bool ga_partial_products_from_floats(GaPartialSum *records,
											const GaSumPair *pair);
extern bool ga_partial_are_products(GaElementType type, int64_t n,
									const GaPartialSum *records);
extern void ga_partial_merge_int_products(GaIntProducts *products, int64_t n,
										  const GaPartialSum *records);
extern GaStatus ga_partial_merge_products(GaSumPair *pair, int64_t n,
										  const GaPartialSum *records);

#endif /* GA_PARTIAL_PRODUCTS_H */
