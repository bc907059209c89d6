/*
 * partial_moments.h
 *		The moments of one array, as a device returns them.
 *
 * They are two records (reduction.h): the sum as partial_sum.h has it, and the
 * sum of squares as a number of 192 bits without a sign.  Merging them into
 * moments is exact and commutes.  Where one of the two does not fit, or there
 * are NaN or infinities among the inputs, both are GA_PARTIAL_REFUSED, and the
 * CPU computes the moments.
 *
 * Called by the emulated device and by backends, on the host alone.  These
 * functions keep no state, lock nothing and do not allocate.
 */
#ifndef GA_PARTIAL_MOMENTS_H
#define GA_PARTIAL_MOMENTS_H

#include "element.h"
#include "int_moments.h"
#include "moments.h"
#include "partial_sum.h"

extern bool ga_partial_moments_from_ints(GaPartialSum *records,
										 const GaIntMoments *moments);
extern bool ga_partial_moments_from_floats(GaPartialSum *records,
										   const GaMoments *moments);
extern bool ga_partial_are_moments(GaElementType type, int64_t n,
								   const GaPartialSum *records);
extern void ga_partial_merge_int_moments(GaIntMoments *moments, int64_t n,
										 const GaPartialSum *records);
extern GaStatus ga_partial_merge_moments(GaMoments *moments, int64_t n,
										 const GaPartialSum *records);

/* Did the device leave these moments to the CPU? */
static inline bool
ga_partial_are_refused(const GaPartialSum *records)
{
	return records[0].kind == GA_PARTIAL_REFUSED &&
		   records[1].kind == GA_PARTIAL_REFUSED;
}

#endif /* GA_PARTIAL_MOMENTS_H */
