/*
 * emulated_zero.h
 *		Overwriting of the emulated device's memory, as late as a GPU may.
 */
#ifndef GA_EMULATED_ZERO_H
#define GA_EMULATED_ZERO_H

#include "emulated_queue.h"

/* See device.h. */
extern GaStatus ga_emulated_zero(GaDeviceQueue *queue, GaDeviceAddress at,
								 uint64_t n_bytes, GaDeviceFailure *failure);

extern bool ga_emulated_zero_now(GaDevice *device, const GaDeviceQueue *queue);

#endif /* GA_EMULATED_ZERO_H */
