/*
 * emulated_memory.c
 *		The memory of the emulated device: the process's own, within a budget.
 *
 * A list of allocations, so that closing the device frees them all.  The
 * callers hold the device's lock.
 */
#include <stdlib.h>
#include <time.h>

#include "device/device_check.h"
#include "emulated_memory.h"

#define ALIGNMENT 256
#define CALL	  "emulated allocate"

typedef struct GaEmulatedAllocation
{
	struct GaEmulatedAllocation *next;
	void *start;
	uint64_t n_bytes;
} Allocation;

/* A driver takes so long to find that there is no memory. */
static void
search_in_vain(void)
{
	const struct timespec time = {.tv_nsec = 5 * 1000 * 1000};

	(void) nanosleep(&time, NULL);
}

/* Count an attempt to allocate; true if a fault or the budget refuses it. */
static bool
is_refused(GaEmulatedMemory *memory, const GaDeviceOptions *options,
		   uint64_t n_bytes, GaDeviceFailure *failure)
{
	const GaDeviceFaults *faults = &options->faults;
	uint64_t budget = options->budget_bytes;

	memory->n_allocations++;
	if (faults->no_memory_after > 0 &&
		memory->n_allocations >= faults->no_memory_after)
	{
		search_in_vain();
		ga_device_failure(failure, CALL,
						  "allocation %u: injected lack of memory",
						  (unsigned) memory->n_allocations);
	}
	else if (memory->n_allocations == faults->fail_allocation)
		ga_device_failure(failure, CALL, "allocation %u: injected failure",
						  (unsigned) memory->n_allocations);
	else if (budget > 0 && (memory->used_bytes > budget ||
							n_bytes > budget - memory->used_bytes))
		ga_device_failure(failure, CALL,
						  "%llu bytes on top of %llu are over "
						  "the budget of %llu",
						  (unsigned long long) n_bytes,
						  (unsigned long long) memory->used_bytes,
						  (unsigned long long) budget);
	else
		return false;
	return true;
}

/*
 * Allocate within the budget.  GA_NO_MEMORY, also by an injected fault, leaves
 * *address unchanged.
 */
GaStatus
ga_emulated_allocate(GaEmulatedMemory *memory, const GaDeviceOptions *options,
					 uint64_t n_bytes, GaDeviceAddress *address,
					 GaDeviceFailure *failure)
{
	Allocation *allocation;

	if (is_refused(memory, options, n_bytes, failure))
		return GA_NO_MEMORY;
	allocation = malloc(sizeof(*allocation));
	if (allocation == NULL || n_bytes > PTRDIFF_MAX ||
		posix_memalign(&allocation->start, ALIGNMENT,
					   n_bytes > 0 ? (size_t) n_bytes : 1) != 0)
	{
		free(allocation);
		ga_device_failure(failure, CALL, "out of memory for %llu bytes",
						  (unsigned long long) n_bytes);
		return GA_NO_MEMORY;
	}
	allocation->n_bytes = n_bytes;
	allocation->next = memory->allocations;
	memory->allocations = allocation;
	memory->used_bytes += n_bytes;
	*address = (GaDeviceAddress) (uintptr_t) allocation->start;
	return GA_OK;
}

/* Free the allocation at this address, if there is one. */
void
ga_emulated_free(GaEmulatedMemory *memory, GaDeviceAddress address)
{
	Allocation **link = &memory->allocations;
	Allocation *allocation;

	while (*link != NULL && (*link)->start != ga_emulated_pointer(address))
		link = &(*link)->next;
	allocation = *link;
	if (allocation == NULL)
		return;
	*link = allocation->next;
	memory->used_bytes -= allocation->n_bytes;
	free(allocation->start);
	free(allocation);
}

/* Free all allocations. */
void
ga_emulated_memory_clear(GaEmulatedMemory *memory)
{
	while (memory->allocations != NULL)
	{
		Allocation *next = memory->allocations->next;

		free(memory->allocations->start);
		free(memory->allocations);
		memory->allocations = next;
	}
	memory->used_bytes = 0;
}
