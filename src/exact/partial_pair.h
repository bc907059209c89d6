/*
 * partial_pair.h
 *		Two records of a device: a sum, and a sum of products beside it.
 *
 * Moments (partial_moments.h) and sums of pairs (partial_products.h) are such
 * records (reduction.h).  The sum is as partial_sum.h has it.  The sum of
 * products is a number of 192 bits: for floats in units of 2^(unit - 2148), for
 * integers of 1.  It has a sign (is_signed), or is one of squares.  Merging is
 * exact and commutes.  Where one of the two does not fit, or a float is NaN or
 * infinite, both are GA_PARTIAL_REFUSED, and the CPU computes them.
 *
 * Called by the emulated device and by backends, on the host alone.  These
 * functions keep no state, lock nothing and do not allocate.
 */
#ifndef GA_PARTIAL_PAIR_H
#define GA_PARTIAL_PAIR_H

#include "element.h"
#include "partial_sum.h"
#include "sum_pair.h"

extern bool ga_partial_pair_from_sums(GaPartialSum *records,
									  const GaSumPair *pair, bool is_signed);
extern bool ga_partial_are_pair(GaElementType type, int64_t n,
								const GaPartialSum *records, bool is_signed);
extern GaStatus ga_partial_merge_pair(GaSumPair *pair, int64_t n,
									  const GaPartialSum *records,
									  bool is_signed);

/* Did the device leave these sums to the CPU? */
static inline bool
ga_partial_are_refused(const GaPartialSum *records)
{
	return records[0].kind == GA_PARTIAL_REFUSED &&
		   records[1].kind == GA_PARTIAL_REFUSED;
}

#endif /* GA_PARTIAL_PAIR_H */
