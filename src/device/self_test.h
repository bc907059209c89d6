/*
 * self_test.h
 *		Does a device compute as another one does?
 */
#ifndef GA_SELF_TEST_H
#define GA_SELF_TEST_H

#include "device.h"

/*
 * Reductions, a bit each: 1 << GA_REDUCE_SUM, and so on; or GA_ELEM_SUMS,
 * GA_WINDOW_VALUES, GA_PACKED_VECTORS.
 */
typedef uint32_t GaReductionSet;

extern GaStatus ga_self_test(const GaDeviceKind *kind, GaDevice *device,
							 const GaDeviceKind *reference,
							 GaReductionSet *wrong, GaDeviceFailure *failure);

#endif /* GA_SELF_TEST_H */
