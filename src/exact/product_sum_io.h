/*
 * product_sum_io.h
 *		Sums of products as bytes, for transport between processes and nodes.
 *
 *		byte  0        GA_EXACT_SUM_MAGIC
 *		byte  1        what it is: GA_PRODUCT_SUM_KIND
 *		byte  2        version, GA_PRODUCT_SUM_VERSION
 *		bytes 3..42    n, n_nan, n_pos_inf, n_neg_inf, n_neg_zero
 *		byte  43       index f of the lowest limb
 *		byte  44       number of limbs
 *		then           the limbs, the lowest first
 *
 * This is the form of exact_sum_io.h, in units of 2^-2148.  It is canonical.
 * Bytes may come from anywhere, so reading them checks all of them.
 */
#ifndef GA_PRODUCT_SUM_IO_H
#define GA_PRODUCT_SUM_IO_H

#include "exact_sum_io.h"
#include "product_sum.h"

#define GA_PRODUCT_SUM_KIND		 2
#define GA_PRODUCT_SUM_VERSION	 1
#define GA_PRODUCT_SUM_MAX_BYTES (45 + 8 * (GA_WIDE_CELLS / 2))

extern size_t ga_product_sum_serialize(const GaExactSum *sum,
									   uint8_t bytes[GA_PRODUCT_SUM_MAX_BYTES]);
extern GaStatus ga_product_sum_deserialize(GaFullProductSum *full,
										   const uint8_t *bytes,
										   size_t n_bytes);

#endif /* GA_PRODUCT_SUM_IO_H */
