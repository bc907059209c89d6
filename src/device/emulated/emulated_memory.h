/*
 * emulated_memory.h
 *		The memory of the emulated device: the process's own, within a budget.
 *
 * Not locked: the device's lock is held by who calls these.
 */
#ifndef GA_EMULATED_MEMORY_H
#define GA_EMULATED_MEMORY_H

#include "device/device.h"

struct GaEmulatedAllocation;

/* All zero is none. */
typedef struct GaEmulatedMemory
{
	struct GaEmulatedAllocation *allocations;
	uint64_t used_bytes;
	uint32_t n_allocations; /* ever asked for */
} GaEmulatedMemory;

extern GaStatus ga_emulated_allocate(GaEmulatedMemory *memory,
									 const GaDeviceOptions *options,
									 uint64_t n_bytes, GaDeviceAddress *address,
									 GaDeviceFailure *failure);
extern void ga_emulated_free(GaEmulatedMemory *memory, GaDeviceAddress address);
extern void ga_emulated_memory_clear(GaEmulatedMemory *memory);

#endif /* GA_EMULATED_MEMORY_H */
