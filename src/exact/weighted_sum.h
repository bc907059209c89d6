/*
 * weighted_sum.h
 *		The exact sum of weights, and of values times their weights.
 *
 * The weighted mean is the quotient of the two, rounded once.  A weighted sum
 * is a GaSumPair: sum_pair.h has its sizes, moving and merging.
 *
 * Serialized form:
 *
 *		bytes 0..2    magic, GA_WEIGHTED_SUM_KIND, GA_WEIGHTED_SUM_VERSION
 *		then          for the weights, and then for the products: n, n_nan,
 *					  n_pos_inf, n_neg_inf and n_neg_zero; index f of the
 *					  lowest limb and number of limbs, a byte each; and the
 *					  limbs, the lowest first
 *
 * Integers have 64 bits in network byte order.  Limb i counts in
 * 2^(64 * (f + i)) units of 2^-1074, and 2^-2148.  The form is canonical.
 *
 * Called by backends, on the host alone.
 */
#ifndef GA_WEIGHTED_SUM_H
#define GA_WEIGHTED_SUM_H

#include "exact_sum_io.h"
#include "sum_pair.h"

#define GA_WEIGHTED_SUM_KIND	4
#define GA_WEIGHTED_SUM_VERSION 1
#define GA_WEIGHTED_SUM_MAX_BYTES \
	(3 + 2 * (40 + 2) + 8 * (GA_MAX_CELLS / 2) + 8 * (GA_WIDE_CELLS / 2))

extern GaStatus ga_weighted_sum_apply(GaSumPair *pair, double value,
									  double weight, int64_t by);
extern GaStatus ga_weighted_sum_mean(const GaSumPair *pair, double *result);

extern size_t
ga_weighted_sum_serialize(const GaSumPair *pair,
						  uint8_t bytes[GA_WEIGHTED_SUM_MAX_BYTES]);
extern GaStatus ga_weighted_sum_deserialize(GaFullSumPair *full,
											const uint8_t *bytes,
											size_t n_bytes);

#endif /* GA_WEIGHTED_SUM_H */
