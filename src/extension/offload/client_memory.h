/*
 * client_memory.h
 *		The slots of a session's connection to gpuaggd.
 *
 * Of the files that fill slots, and of client*.c.
 */
#ifndef GA_CLIENT_MEMORY_H
#define GA_CLIENT_MEMORY_H

#include "extension/engine/reason.h"
#include "wire/slot.h"

/* The slots that are mapped: those of the lease, and the lookup slots. */
typedef struct GaClientMemory
{
	int n_leased;
	GaSlot *leased[GA_LEASE_SLOTS];
	char *lookups; /* NULL: there are none */
	GaLookupShape shape;
} GaClientMemory;

extern GaClientMemory ga_client_memory;

/* What small lookup slots name. */
typedef GaStoredRef GaSmallRefs[GA_LOOKUP_COUNT][GA_LOOKUP_SMALL_ARRAYS];

extern void ga_client_save_refs(GaSmallRefs *refs);
extern GaReason ga_client_map_lookups(int memfd, const GaReply *reply,
									  const GaSmallRefs *refs);
extern GaReason ga_client_map_lease(int memfd, const GaReply *reply);
extern bool ga_client_may_keep_lease(void);
extern bool ga_client_may_keep_lookups(void);
extern void ga_client_before_unmap(void (*save)(void));
extern void ga_client_unmap_lease(void);
extern void ga_client_unmap_all(void);

/* Return a slot of the lease. */
static inline GaSlot *
ga_client_slot(int i)
{
	return ga_client_memory.leased[i];
}

/* Return the data of a slot of the lease. */
static inline char *
ga_client_slot_data(int i)
{
	return ga_slot_data(ga_client_slot(i));
}

/* Return a lookup slot. */
static inline GaLookupSlot
ga_client_lookup(int i)
{
	return ga_lookup_slot(ga_client_memory.lookups, ga_client_memory.shape,
						  i - GA_LEASE_SLOTS);
}

/* Return where the reply to a request about a slot comes. */
static inline GaSlotReply *
ga_client_slot_reply(int i)
{
	return i < GA_LEASE_SLOTS ? &ga_client_slot(i)->reply :
								ga_client_lookup(i).reply;
}

#endif /* GA_CLIENT_MEMORY_H */
