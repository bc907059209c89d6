/*
 * moments_io.c
 *		Exact moments as bytes; see moments.h for the format.
 */
#include "exact_limbs.h"
#include "moments.h"

static const uint8_t kind[] = {GA_EXACT_SUM_MAGIC, GA_MOMENTS_KIND,
							   GA_MOMENTS_VERSION};

/* Write moments in their canonical form; returns the number of bytes. */
size_t
ga_moments_serialize(const GaMoments *moments,
					 uint8_t bytes[GA_MOMENTS_MAX_BYTES])
{
	uint8_t *to = bytes + sizeof(kind);
	GaLimbs limbs;

	memcpy(bytes, kind, sizeof(kind));
	ga_limbs_from_sum(&limbs, ga_sum_pair_single(moments));
	to = ga_limbs_put_counts(to, &limbs);
	to = ga_limbs_put_total(to, &limbs);
	ga_limbs_from_sum(&limbs, ga_sum_pair_products(moments));
	to = ga_limbs_put_total(to, &limbs);
	return (size_t) (to - bytes);
}

/*
 * Read the output of ga_moments_serialize() into full.  GA_BAD_VERSION or
 * GA_BAD_STATE if the bytes cannot be such an output for any inputs.
 */
GaStatus
ga_moments_deserialize(GaFullSumPair *full, const uint8_t *bytes,
					   size_t n_bytes)
{
	GaMoments *moments = ga_full_sum_pair_init(full);
	GaBytesIn in = {bytes, bytes + n_bytes};
	GaLimbs sum = {.is_wide = false};
	GaLimbs squares = {.is_wide = true};
	const GaStatus status = ga_limbs_check_kind(&in, kind);
	int64_t n;

	if (status != GA_OK)
		return status;
	if (!ga_limbs_get_counts(&sum, &in) || !ga_limbs_get_total(&sum, &in) ||
		!ga_limbs_get_total(&squares, &in) || in.next != in.end)
		return GA_BAD_STATE;
	n = ga_limbs_n_finite(&sum);
	if (!ga_limbs_are_in_range(&sum, n) || !ga_limbs_are_in_range(&squares, n))
		return GA_BAD_STATE;
	squares.n = n + sum.n_neg_zero;
	ga_limbs_to_sum(ga_sum_pair_single(moments), &sum);
	ga_limbs_to_sum(ga_sum_pair_products(moments), &squares);
	return ga_moments_are_possible(moments) ? GA_OK : GA_BAD_STATE;
}
