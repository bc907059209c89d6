/*
 * int_products.h
 *		Sums of products of integers in 192 bits, and of their weights.
 *
 * A product of two int64 is at most 2^126 in magnitude, so 2^64 of them fit in
 * 192 bits: adding never overflows.  The second factor of each product is
 * summed, too, in 128 bits: it is the weight of a weighted mean.
 *
 * Serialized form: GA_INT_PRODUCTS_VERSION, then n, the sum of products and the
 * sum of weights, the upper parts first, in network byte order: 49 bytes.
 *
 * Called by backends.  These functions keep no state and must not allocate.
 */
#ifndef GA_INT_PRODUCTS_H
#define GA_INT_PRODUCTS_H

#include "int_sum.h"

/* With the alignment that palloc() guarantees. */
typedef struct GaIntProducts
{
	int64_t n;			 /* inputs */
	uint64_t product[3]; /* two's complement, the lowest limb first */
	uint64_t weight[2];
} GaIntProducts;

#define GA_INT_PRODUCTS_VERSION 1
#define GA_INT_PRODUCTS_BYTES	49
#define GA_INT_PRODUCTS_DIGITS	60 /* with a sign and an end */

extern void ga_int_products_add(GaIntProducts *sum, GaInt128 product,
								GaInt128 weight, int64_t n);
extern void ga_int_products_add_int2(GaIntProducts *sum, const void *x,
									 const void *weights, size_t n);
extern void ga_int_products_add_int4(GaIntProducts *sum, const void *x,
									 const void *weights, size_t n);
extern void ga_int_products_add_int8(GaIntProducts *sum, const void *x,
									 const void *weights, size_t n);
extern void ga_int_products_merge(GaIntProducts *sum,
								  const GaIntProducts *other);
extern void ga_int_products_unmerge(GaIntProducts *sum,
									const GaIntProducts *other);

extern GaStatus ga_int_products_int8(const GaIntProducts *sum, int64_t *result);
extern const char *ga_int_products_decimal(const GaIntProducts *sum,
										   char digits[GA_INT_PRODUCTS_DIGITS]);

extern size_t ga_int_products_serialize(const GaIntProducts *sum,
										uint8_t bytes[GA_INT_PRODUCTS_BYTES]);
extern GaStatus ga_int_products_deserialize(GaIntProducts *sum,
											const uint8_t *bytes,
											size_t n_bytes);

static inline GaInt128
ga_int_products_weight(const GaIntProducts *sum)
{
	return (GaInt128) ((unsigned __int128) sum->weight[1] << 64 |
					   sum->weight[0]);
}

#endif /* GA_INT_PRODUCTS_H */
