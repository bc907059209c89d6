/*
 * partial_moments.h
 *		The moments of one array, as a device returns them.
 *
 * They are two records (partial_pair.h): the sum, and the sum of squares.
 */
#ifndef GA_PARTIAL_MOMENTS_H
#define GA_PARTIAL_MOMENTS_H

#include "int_moments.h"
#include "moments.h"
#include "partial_pair.h"

extern void ga_partial_moments_from_ints(GaPartialSum *records,
										 const GaIntMoments *moments);
extern void ga_partial_merge_int_moments(GaIntMoments *moments, int64_t n,
										 const GaPartialSum *records);

static inline bool
ga_partial_moments_from_floats(GaPartialSum *records, const GaMoments *moments)
{
	return ga_partial_pair_from_sums(records, moments, false);
}

static inline bool
ga_partial_are_moments(GaElementType type, int64_t n,
					   const GaPartialSum *records)
{
	return ga_partial_are_pair(type, n, records, false);
}

static inline GaStatus
ga_partial_merge_moments(GaMoments *moments, int64_t n,
						 const GaPartialSum *records)
{
	return ga_partial_merge_pair(moments, n, records, false);
}

#endif /* GA_PARTIAL_MOMENTS_H */
