/*
 * lookup_memory.h
 *		The memory of sessions' lookup slots.
 */
#ifndef GA_LOOKUP_MEMORY_H
#define GA_LOOKUP_MEMORY_H

#include <stdbool.h>
#include <sys/queue.h>

#include "wire/slot.h"

/* The lookup slots of a session, or of none. */
typedef struct GaLookupMemory
{
	char *start; /* its address here */
	int fd;		 /* of the memfd that it lies in, */
	uint64_t offset;
	GaLookupShape shape;
	bool is_large;
	bool is_held;	 /* by a session */
	uint32_t n_busy; /* requests under way: not free even if not held */
	SLIST_ENTRY(GaLookupMemory) next_free;
} GaLookupMemory;

extern GaLookupMemory *ga_lookup_memory_take(bool is_large);
extern void ga_lookup_memory_release(GaLookupMemory *memory);
extern void ga_lookup_memory_idle(GaLookupMemory *memory);
extern bool ga_lookup_memory_keeps(const GaLookupMemory *memory);

/* Return lookup slot i of a session, by its number among all its slots. */
static inline GaLookupSlot
ga_lookup_memory_slot(const GaLookupMemory *memory, uint32_t i)
{
	return ga_lookup_slot(memory->start, memory->shape, i - GA_LEASE_SLOTS);
}

#endif /* GA_LOOKUP_MEMORY_H */
