/*
 * weighted_sum.c
 *		The exact sum of weights, and of values times their weights.
 */
#include "exact_limbs.h"
#include "weighted_sum.h"

static const uint8_t kind[] = {GA_EXACT_SUM_MAGIC, GA_WEIGHTED_SUM_KIND,
							   GA_WEIGHTED_SUM_VERSION};

/*
 * Add a value with its weight (by = 1), or remove what was added before
 * (by = -1).  GA_NO_CAPACITY if the cells do not fit.
 */
GaStatus
ga_weighted_sum_apply(GaSumPair *pair, double value, double weight, int64_t by)
{
	if (ga_sum_pair_reserve(pair, weight) != GA_OK ||
		ga_product_sum_apply(ga_sum_pair_products(pair), value, weight, by) !=
			GA_OK)
		return GA_NO_CAPACITY;
	return ga_exact_sum_apply(ga_sum_pair_single(pair), weight, by);
}

/*
 * Set *result to the weighted mean, rounded once.  GA_ZERO_DIVISOR if the
 * weights add up to zero, GA_OVERFLOW if the mean is out of range.
 */
GaStatus
ga_weighted_sum_mean(const GaSumPair *pair, double *result)
{
	return ga_product_sum_quotient(ga_sum_pair_products(pair),
								   ga_sum_pair_single(pair), result);
}

/* Write a weighted sum in its canonical form; returns the number of bytes. */
size_t
ga_weighted_sum_serialize(const GaSumPair *pair,
						  uint8_t bytes[GA_WEIGHTED_SUM_MAX_BYTES])
{
	uint8_t *to = bytes + sizeof(kind);
	GaLimbs limbs;
	int i;

	memcpy(bytes, kind, sizeof(kind));
	for (i = 0; i < 2; i++)
	{
		ga_limbs_from_sum(&limbs, i == 0 ? ga_sum_pair_single(pair) :
										   ga_sum_pair_products(pair));
		to = ga_limbs_put_counts(to, &limbs);
		to = ga_limbs_put_total(to, &limbs);
	}
	return (size_t) (to - bytes);
}

/* Read one of both sums. */
static bool
read_sum(GaExactSum *sum, GaBytesIn *in)
{
	GaLimbs limbs = {.is_wide = sum->is_wide};

	if (!ga_limbs_get_counts(&limbs, in) || !ga_limbs_get_total(&limbs, in) ||
		!ga_limbs_are_in_range(&limbs, ga_limbs_n_finite(&limbs)))
		return false;
	ga_limbs_to_sum(sum, &limbs);
	return true;
}

/*
 * Read the output of ga_weighted_sum_serialize() into full.  GA_BAD_VERSION or
 * GA_BAD_STATE if the bytes cannot be such an output.
 */
GaStatus
ga_weighted_sum_deserialize(GaFullSumPair *full, const uint8_t *bytes,
							size_t n_bytes)
{
	GaSumPair *pair = ga_full_sum_pair_init(full);
	GaBytesIn in = {bytes, bytes + n_bytes};
	const GaStatus status = ga_limbs_check_kind(&in, kind);

	if (status != GA_OK)
		return status;
	return read_sum(ga_sum_pair_single(pair), &in) &&
				   read_sum(ga_sum_pair_products(pair), &in) &&
				   in.next == in.end &&
				   ga_sum_pair_single(pair)->n ==
					   ga_sum_pair_products(pair)->n ?
			   GA_OK :
			   GA_BAD_STATE;
}
