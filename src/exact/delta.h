/*
 * delta.h
 *		Differences of elements, as the operator - of their type.
 *
 * Called by backends; keeps no state.
 */
#ifndef GA_DELTA_H
#define GA_DELTA_H

#include "element.h"

/*
 * Set out[i] to in[i] - before[i], where both may be unaligned.  Returns the
 * number of outputs: n, or the index of the first that overflows.  A float does
 * where the difference of finite numbers is infinite.
 */
extern size_t ga_delta(GaElementType type, const void *in, const void *before,
					   size_t n, void *out);

#endif /* GA_DELTA_H */
