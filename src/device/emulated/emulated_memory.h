/*
 * emulated_memory.h
 *		The memory of the emulated device: the process's own, within a budget.
 *
 * The callers hold the device's lock.
 */
#ifndef GA_EMULATED_MEMORY_H
#define GA_EMULATED_MEMORY_H

#include "device/device.h"

struct GaEmulatedAllocation;

/* Initially all zero. */
typedef struct GaEmulatedMemory
{
	struct GaEmulatedAllocation *allocations;
	uint64_t used_bytes;
	uint32_t n_allocations; /* attempts since the device was opened */
} GaEmulatedMemory;

/* Return an address of the emulated device, which is a pointer, as one. */
static inline void *
ga_emulated_pointer(GaDeviceAddress address)
{
	return (void *) (uintptr_t) address;
}

extern GaStatus ga_emulated_allocate(GaEmulatedMemory *memory,
									 const GaDeviceOptions *options,
									 uint64_t n_bytes, GaDeviceAddress *address,
									 GaDeviceFailure *failure);
extern void ga_emulated_free(GaEmulatedMemory *memory, GaDeviceAddress address);
extern void ga_emulated_memory_clear(GaEmulatedMemory *memory);

#endif /* GA_EMULATED_MEMORY_H */
