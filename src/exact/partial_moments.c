/*
 * partial_moments.c
 *		Records of moments of integers.
 */
#include "partial_moments.h"

/* Write the moments, which always fit. */
void
ga_partial_moments_from_ints(GaPartialSum *records, const GaIntMoments *moments)
{
	records[0] = ga_partial_from_int_sum(&moments->sum);
	records[1] = (GaPartialSum){.kind = GA_PARTIAL_COMPACT};
	memcpy(records[1].limb, moments->squares, sizeof(moments->squares));
}

/* Add the records of n integers. */
void
ga_partial_merge_int_moments(GaIntMoments *moments, int64_t n,
							 const GaPartialSum *records)
{
	GaIntMoments other = {
		.sum = {n, records[0].limb[0], (int64_t) records[0].limb[1]},
	};

	memcpy(other.squares, records[1].limb, sizeof(other.squares));
	ga_int_moments_merge(moments, &other);
}
