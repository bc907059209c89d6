/*
 * kinds.h
 *		The kinds of devices that this program was built with.
 */
#ifndef GA_KINDS_H
#define GA_KINDS_H

#include "device.h"

/* NULL if it was built without CUDA. */
extern const GaDeviceKind *const ga_kind_cuda;

#endif							/* GA_KINDS_H */
