/*
 * memory_backoff.h
 *		How long not to ask a device for memory that it did not have.
 *
 * To be refused takes a driver milliseconds; gpuaggd does nothing else then.
 * If another program has the memory, that would be the price of each request,
 * before the CPU computes it.  So after two failures in a row the next requests
 * are refused at once: for 100 ms, and for twice as long after each further
 * failure.  One success ends that.
 */
#ifndef GA_MEMORY_BACKOFF_H
#define GA_MEMORY_BACKOFF_H

#include "device/device.h"

/* Initially all zero. */
typedef struct GaMemoryBackoff
{
	int64_t until_ns;
	int64_t delay_ns;
	uint32_t n_failures; /* in a row */
	GaDeviceFailure failure;
} GaMemoryBackoff;

extern bool ga_memory_backoff_holds(const GaMemoryBackoff *backoff,
									GaDeviceFailure *failure);
extern void ga_memory_backoff_note(GaMemoryBackoff *backoff, GaStatus status,
								   const GaDeviceFailure *failure);

#endif /* GA_MEMORY_BACKOFF_H */
