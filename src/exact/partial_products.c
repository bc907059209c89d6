/*
 * partial_products.c
 *		Records of sums of pairs of integers.
 */
#include "partial_products.h"

/* Write the sums, which always fit. */
void
ga_partial_products_from_ints(GaPartialSum *records,
							  const GaIntProducts *products)
{
	const GaIntSum weights = {products->n, products->weight[0],
							  (int64_t) products->weight[1]};

	records[0] = ga_partial_from_int_sum(&weights);
	records[1] = (GaPartialSum){.kind = GA_PARTIAL_COMPACT};
	memcpy(records[1].limb, products->product, sizeof(products->product));
}

/* Add the records of n pairs. */
void
ga_partial_merge_int_products(GaIntProducts *products, int64_t n,
							  const GaPartialSum *records)
{
	GaIntProducts other = {
		.n = n,
		.weight = {records[0].limb[0], records[0].limb[1]},
	};

	memcpy(other.product, records[1].limb, sizeof(other.product));
	ga_int_products_merge(products, &other);
}
