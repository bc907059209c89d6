/*
 * moments_value.h
 *		Exact moments as a value: of integers.
 *
 * Called by the functions of the SQL type exactmoments, on the host alone.
 * Nothing here keeps a state, allocates or locks.
 */
#ifndef GA_MOMENTS_VALUE_H
#define GA_MOMENTS_VALUE_H

#include "int_moments.h"
#include "moments.h"

extern GaMoments *ga_moments_from_ints(GaFullSumPair *full,
									   const GaIntMoments *ints);

#endif /* GA_MOMENTS_VALUE_H */
