/*
 * slots_open.c
 *		Finding the slot that is filled next.
 *
 * Stored arrays are named in lookup slots, and data move in slots of a lease,
 * which is requested when the first of them is needed, and enlarged when one is
 * not enough.  Where no slot is free, one is sent, or a reply is waited for.
 */
#include "postgres.h"
#include "utils/memutils.h"

#include "extension/engine/choice.h"
#include "client.h"
#include "slots.h"

/* Why there was no slot of a lease, the last time. */
static GaReason lease_reason;

/*
 * Return the first slot that is free, or sent, or open, among the lookup slots
 * or those of the lease; or -1.
 */
static int
find_state(int state, bool is_lookup)
{
	int i = is_lookup ? GA_LEASE_SLOTS : 0;
	const int end = is_lookup ? GA_SLOTS : ga_client_memory.n_leased;

	for (; i < end; i++)
	{
		if (ga_slots[i].state == state)
			return i;
	}
	return -1;
}

/* Return a slot that is free, and whose data are of no use; or -1. */
static int
find_unused(bool is_lookup)
{
	int i = is_lookup ? GA_LEASE_SLOTS : 0;
	const int end = is_lookup ? GA_SLOTS : ga_client_memory.n_leased;

	for (; i < end; i++)
	{
		if (ga_slots[i].state == GA_SLOT_FREE && ga_slots[i].save == NULL)
			return i;
	}
	return -1;
}

/*
 * Return the bytes with which an open slot is full: as many as are under way on
 * its device, within the bounds of its kind.  So a device that has nothing to
 * do begins soon, and one that is at work gets few requests.  It is not sent
 * early where no other slot is free: then a reply would be waited for.
 */
static uint64
full_bytes(const GaSlotFill *open)
{
	const GaSlotKind *kind = open->kind;
	uint64 n_bytes = 0;
	int i;

	if (kind->min_bytes == 0 || open->n_bytes < kind->min_bytes ||
		find_state(GA_SLOT_FREE, kind->is_lookup) < 0)
		return kind->max_bytes;
	for (i = 0; i < GA_SLOTS; i++)
	{
		if (ga_slots[i].state == GA_SLOT_SENT &&
			ga_slots[i].device == open->device)
			n_bytes += ga_slots[i].n_bytes;
	}
	return Min(Max(n_bytes, kind->min_bytes), kind->max_bytes);
}

/* Does a slot take another entry, or more of its last one? */
static bool
has_capacity(const GaSlotFill *slot)
{
	return slot->n_entries < slot->capacity && slot->n_bytes < full_bytes(slot);
}

/* Return the open slot of a kind, type, reduction and device, or -1. */
static int
find_open(const GaSlotKind *kind, GaElementType type, GaReduction reduction,
		  uint32 device)
{
	int i;

	for (i = 0; i < GA_SLOTS; i++)
	{
		if (ga_slots[i].state == GA_SLOT_OPEN && ga_slots[i].kind == kind &&
			ga_slots[i].type == type && ga_slots[i].reduction == reduction &&
			ga_slots[i].device == device)
			return i;
	}
	return -1;
}

/*
 * Have as many entries in a slot as it has arrays, or as answers fit.  May
 * throw.
 */
static void
allocate_entries(int i)
{
	GaSlotFill *slot = &ga_slots[i];
	const uint32 n =
		i < GA_LEASE_SLOTS ? GA_SLOT_ARRAYS : ga_client_memory.shape.n_arrays;

	if (slot->n_allocated < n)
	{
		GaSlotEntry *entries =
			MemoryContextAlloc(TopMemoryContext, n * sizeof(GaSlotEntry));

		if (slot->n_entries > 0)
			memcpy(entries, slot->entries,
				   slot->n_entries * sizeof(GaSlotEntry));
		if (slot->entries != NULL)
			pfree(slot->entries);
		slot->entries = entries;
		slot->n_allocated = n;
	}
	/* after a new connection there may be fewer */
	slot->capacity = n / ga_reduction_records(slot->reduction);
}

/*
 * With nothing under way, ask for a lease of n slots, or for large lookup slots
 * (0).  If that fails, or the query is cancelled meanwhile, the connection
 * ends, and what is in open slots is left to the CPU.  May throw.
 */
static GaReason
ask_for_slots(int n)
{
	GaReason reason;

	PG_TRY();
	{
		reason = n > 0 ? ga_client_lease(n, ga_engine_is_gpu()) :
						 ga_client_enlarge_lookups();
	}
	PG_CATCH();
	{
		ga_slots_leave(GA_REASON_ERROR);
		PG_RE_THROW();
	}
	PG_END_TRY();
	if (reason != GA_NO_REASON && reason != GA_REASON_STAGING)
		ga_slots_fall_back(reason);
	return reason;
}

/*
 * Make the lookup slots large, unless they are, or are in use.  False if that
 * is not possible now.  May throw.
 */
static bool
enlarge_lookups(void)
{
	int i;

	if (ga_client_memory.shape.n_arrays == GA_SLOT_ARRAYS)
		return false;
	/* what was made ahead for a query that has ended */
	ga_slots_poll();
	if (ga_slots_n_sent > 0 || !ga_client_is_open)
		return false;
	if (ask_for_slots(0) != GA_NO_REASON)
		return false;
	for (i = GA_LEASE_SLOTS; i < GA_SLOTS; i++)
	{
		if (ga_slots[i].state == GA_SLOT_OPEN)
			allocate_entries(i);
	}
	return true;
}

/* Make an open lookup slot large that is full.  As enlarge_lookups(). */
static bool
enlarge(int full)
{
	return full >= GA_LEASE_SLOTS &&
		   ga_slots[full].n_entries >= ga_slots[full].capacity &&
		   enlarge_lookups() && has_capacity(&ga_slots[full]);
}

/* Have lookup slots with so many results, if that is possible.  May throw. */
void
ga_slots_reserve_lookups(uint32 n_results)
{
	if (ga_client_is_open && n_results > ga_client_memory.shape.n_arrays)
		(void) enlarge_lookups();
}

/*
 * Have a lease, or more slots of it, since all are in use.  Waits for what is
 * under way.  False if there are no more, and none is free.  May throw.
 */
static bool
extend_lease(const GaSlotKind *kind)
{
	const int n = ga_client_memory.n_leased;
	const int n_wanted =
		n > 0 || kind->n_slots == NULL ? GA_LEASE_SLOTS : kind->n_slots();

	lease_reason = GA_REASON_STAGING;
	if (n == GA_LEASE_SLOTS || ga_client_lease_is_refused())
		return false;
	ga_slots_drain();
	if (!ga_client_is_open)
		return false;
	lease_reason = ask_for_slots(n_wanted);
	return find_state(GA_SLOT_FREE, false) >= 0;
}

/* Wait until a slot is free that was in use.  May throw. */
static void
free_one(bool is_lookup)
{
	const int open = find_state(GA_SLOT_OPEN, is_lookup);

	if (open >= 0 && find_state(GA_SLOT_SENT, is_lookup) < 0)
		ga_slots_send(open);
	else
		ga_slots_receive();
}

/*
 * Return an open slot with capacity for another entry of a kind, type and
 * reduction, for a device; -1 if there is no connection any more, or no lease.
 * Sends slots, and waits for replies, if none is free.  May throw.
 */
int
ga_slots_open(const GaSlotKind *kind, GaElementType type, GaReduction reduction,
			  uint32 device)
{
	int i = find_open(kind, type, reduction, device);

	if (i >= 0 && (has_capacity(&ga_slots[i]) || enlarge(i)))
		return i;
	if (i >= 0 && ga_slots[i].state == GA_SLOT_OPEN)
		ga_slots_send(i);
	lease_reason = GA_REASON_GONE;
	while (ga_client_is_open)
	{
		i = find_unused(kind->is_lookup);
		if (i < 0)
			i = find_state(GA_SLOT_FREE, kind->is_lookup);
		if (i >= 0)
		{
			ga_slots_save(i);
			ga_slots[i].reduction = reduction;
			allocate_entries(i);
			ga_slots[i].state = GA_SLOT_OPEN;
			ga_slots[i].kind = kind;
			ga_slots[i].type = type;
			ga_slots[i].device = device;
			return i;
		}
		if (!kind->is_lookup && extend_lease(kind))
			continue;
		if (!kind->is_lookup && ga_client_memory.n_leased == 0)
			return -1;
		free_one(kind->is_lookup);
	}
	return -1;
}

/* Return why ga_slots_open() had no slot. */
GaReason
ga_slots_lease_reason(void)
{
	return ga_client_is_open ? lease_reason : GA_REASON_GONE;
}

/*
 * Is a slot free that a kind can use, so that none has to be waited for?
 * is_unused: one whose data are of no use.
 */
bool
ga_slots_have_free(const GaSlotKind *kind, bool is_unused)
{
	return (is_unused ? find_unused(kind->is_lookup) :
						find_state(GA_SLOT_FREE, kind->is_lookup)) >= 0;
}

/*
 * If other sessions wait for a lease, let them have this one's, after what is
 * in it, and queue for it again when it is needed.  May throw.
 */
void
ga_slots_share_lease(void)
{
	int i;

	if (!ga_client_lease_is_wanted())
		return;
	while ((i = find_state(GA_SLOT_OPEN, false)) >= 0)
		ga_slots_send(i);
	ga_slots_drain();
	if (!ga_client_is_open || ga_client_release_lease())
		return;
	ga_client_set_trouble("%s", "");
	ga_slots_fall_back(GA_REASON_GONE);
}
