/*
 * staging.h
 *		Staging memory, and the leases of its slots.
 */
#ifndef GA_STAGING_H
#define GA_STAGING_H

#include <stdbool.h>
#include <sys/queue.h>

#include "wire/slot.h"

/* A slot of staging memory. */
typedef struct GaStagingSlot
{
	uint64_t offset; /* in the memfd */
	GaSlot *start;	 /* its address here */
	bool is_leased;
	bool is_busy; /* a device may write to it: not free even if no session has
				   * a lease of it */
	SLIST_ENTRY(GaStagingSlot) next_free;
} GaStagingSlot;

/* What a session has leased. */
typedef struct GaLease
{
	uint32_t n_slots; /* 0: there is no lease */
	GaStagingSlot *slots[GA_LEASE_SLOTS];
} GaLease;

extern void ga_staging_open(int64_t n_mb);
extern int ga_staging_fd(void);
extern bool ga_staging_lease(GaLease *lease, uint32_t n_slots);
extern void ga_staging_release(GaLease *lease);
extern void ga_staging_idle(GaStagingSlot *slot);
extern bool ga_staging_keeps(void);
extern uint32_t ga_staging_n_leases(void);
extern uint32_t ga_staging_n_slots(void);

#endif /* GA_STAGING_H */
