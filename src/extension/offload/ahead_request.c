/*
 * ahead_request.c
 *		Requests for the results of arrays that a query has not come to.
 *
 * A request about an array brings the results of others that follow (ahead.c).
 * While the query uses them, another request is under way, which names the last
 * one of them, for those behind: so neither the device nor the session waits
 * for the other.  It stays in its slot between two calls of the function, and
 * belongs to what is known ahead: when that ends, its reply does nothing.  What
 * fails is asked for again, when the query comes to it.
 *
 * windows_ahead.c and stored_ahead.c have one kind of slot each, whose only
 * entry is the array that is named.  Called by them.
 */
#include "postgres.h"

#include "ahead_request.h"
#include "client.h"
#include "wire/route.h"

/* Is a request of a kind under way, on a device? */
static bool
is_under_way(const GaAhead *ahead, const GaSlotKind *kind, uint32 device)
{
	int i;

	for (i = 0; i < GA_SLOTS; i++)
	{
		if (ga_slots[i].state == GA_SLOT_SENT && ga_slots[i].kind == kind &&
			ga_slots[i].device == device &&
			ga_slots[i].entries[0].target == ahead)
			return true;
	}
	return false;
}

/*
 * If a request is under way that may bring the result of an array, wait for it.
 * False if there is none.  Throws if the query is cancelled.
 */
bool
ga_ahead_receive(GaAhead *ahead, const GaSlotKind *kind, const GaStoredKey *key)
{
	const uint32 device = ga_route(key, ga_client_devices);

	if (!is_under_way(ahead, kind, device))
		return false;
	while (is_under_way(ahead, kind, device))
		ga_slots_receive();
	return true;
}

/*
 * Open a slot for a request, if one is free, and nobody else waits for it.
 * Returns it, or -1.  May throw.
 */
static int
open_slot(GaAhead *ahead, const GaSlotKind *kind, uint32 device)
{
	const GaAheadUse use = ga_ahead_use_of(ahead);

	if (!ga_slots_have_free(kind) ||
		(!kind->is_lookup && ga_client_lease_is_wanted()))
		return -1;
	return ga_slots_open(kind, use.type, ga_ahead_reduction(use), device);
}

/*
 * Ask for the arrays behind those that the query is at, if that was not done
 * yet, and do not wait.  What was taken is of no use any more.  May throw.
 */
void
ga_ahead_send_behind(GaAhead *ahead, const GaSlotKind *kind)
{
	const uint32 n_records =
		ga_reduction_records(ga_ahead_reduction(ga_ahead_use_of(ahead)));
	GaSlotEntry *entry;
	GaAheadArray last;
	uint32 device;
	int i;

	if (!ga_ahead_last(ahead, &last))
		return;
	device = ga_route(&last.key, ga_client_devices);
	if (is_under_way(ahead, kind, device))
		return;
	if (kind->is_lookup)
		ga_slots_reserve_lookups((1 + GA_AHEAD_MOST) * n_records);
	i = open_slot(ahead, kind, device);
	if (i < 0)
		return;
	/* a reply that came meanwhile may have ended what the query has */
	if (!ga_ahead_last(ahead, &last))
	{
		ga_slots_release_open(kind);
		return;
	}
	entry = ga_slots_add(i, ahead, ga_ahead_owner(ahead), 0);
	entry->of.keys[0] = last.key;
	entry->wanted.elements = (GaStoredPart){0, last.n};
	ga_ahead_plan_behind(ahead);
	ga_slots_send(i);
}
