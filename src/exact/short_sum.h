/*
 * short_sum.h
 *		The sum of a few floats, without an exact sum where that is possible.
 *
 * Called by backends; keeps no state.
 */
#ifndef GA_SHORT_SUM_H
#define GA_SHORT_SUM_H

#include "element.h"

/*
 * Store the sum of n > 0 elements of a float type, maybe unaligned, as it is
 * after one rounding.  False if only an exact sum can tell it.
 */
extern bool ga_short_sum(GaElementType type, const void *data, size_t n,
						 void *result);

#endif /* GA_SHORT_SUM_H */
