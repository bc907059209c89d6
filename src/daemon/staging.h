/*
 * staging.h
 *		Staging memory, and its leases.
 */
#ifndef GA_STAGING_H
#define GA_STAGING_H

#include <sys/queue.h>

#include "devices.h"
#include "wire/slot.h"

struct GaSession;
struct GaActiveRequest;

typedef struct GaLease
{
	uint64_t offset; /* in the memfd */
	char *start;	 /* its address here */
	const GaOpenDevice *device;
	struct GaSession *session;		/* that holds it, or NULL */
	struct GaActiveRequest *active; /* NULL before the first request */
	bool is_busy; /* the device may write to it: not free even if session is
				   * NULL */
	SLIST_ENTRY(GaLease) next_free;
} GaLease;

extern void ga_staging_open(int64_t n_mb);
extern int ga_staging_fd(void);
extern GaLease *ga_staging_lease(struct GaSession *session);
extern void ga_staging_release(GaLease *lease);
extern void ga_staging_idle(GaLease *lease);
extern bool ga_staging_keeps(void);
extern uint32_t ga_staging_n_taken(void);
extern uint32_t ga_staging_n_leases(void);

static inline GaSlot *
ga_lease_slot(const GaLease *lease, uint32_t i)
{
	return (GaSlot *) (lease->start + (size_t) i * GA_SLOT_BYTES);
}

#endif /* GA_STAGING_H */
