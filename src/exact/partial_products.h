/*
 * partial_products.h
 *		The sums of pairs of elements, as a device returns them.
 *
 * They are two records (partial_pair.h): the sum of the second factors, the
 * weights of a mean, and the sum of the products.
 */
#ifndef GA_PARTIAL_PRODUCTS_H
#define GA_PARTIAL_PRODUCTS_H

#include "int_products.h"
#include "partial_pair.h"

extern void ga_partial_products_from_ints(GaPartialSum *records,
										  const GaIntProducts *products);
extern void ga_partial_merge_int_products(GaIntProducts *products, int64_t n,
										  const GaPartialSum *records);

static inline bool
ga_partial_products_from_floats(GaPartialSum *records, const GaSumPair *pair)
{
	return ga_partial_pair_from_sums(records, pair, true);
}

static inline bool
ga_partial_are_products(GaElementType type, int64_t n,
						const GaPartialSum *records)
{
	return ga_partial_are_pair(type, n, records, true);
}

static inline GaStatus
ga_partial_merge_products(GaSumPair *pair, int64_t n,
						  const GaPartialSum *records)
{
	return ga_partial_merge_pair(pair, n, records, true);
}

#endif /* GA_PARTIAL_PRODUCTS_H */
