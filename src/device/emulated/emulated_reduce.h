/*
 * emulated_reduce.h
 *		The emulated device's reductions other than sums.
 */
#ifndef GA_EMULATED_REDUCE_H
#define GA_EMULATED_REDUCE_H

#include "device/device.h"

/* Returns false if there is no memory. */
extern bool ga_emulated_reduce(GaReduceRequest *request);

#endif /* GA_EMULATED_REDUCE_H */
