/*
 * kinds.c
 *		The kinds of devices that this program was built with.
 *
 * Compiled with GA_WITH_CUDA where the kernels are linked.  The emulated
 * device is always there.
 */
#include "kinds.h"

#ifdef GA_WITH_CUDA
const GaDeviceKind *const ga_kind_cuda = &ga_device_cuda;
#else
const GaDeviceKind *const ga_kind_cuda = NULL;
#endif
