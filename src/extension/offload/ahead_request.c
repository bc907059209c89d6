/*
 * ahead_request.c
 *		Requests for the results of arrays that a query has not come to.
 *
 * A request about an array brings the results of others that follow (ahead.c).
 * While the query uses them, another request is under way, which names the last
 * one of them, for those behind.  If it still is when half of them are used, a
 * second one follows, for the arrays behind the first one's: so neither the
 * device nor the session waits for the other.  Both are sent at once where a
 * query is expected to use many arrays.  Requests stay in their slots
 * between two calls of the function, and belong to what is known ahead: when
 * that ends, their replies do nothing.  What fails is asked for again, when the
 * query comes to it.
 *
 * windows_ahead.c and stored_ahead.c have one kind of slot each, whose only
 * entry is the array that is named.  Called by them.
 */
#include "postgres.h"

#include "ahead_request.h"
#include "client.h"
#include "wire/route.h"

/* Requests of a call that are under way on a device. */
#define MOST_UNDER_WAY 2

/* What is asked for next: the arrays behind one, or behind a request's. */
typedef struct Behind
{
	GaAheadArray last;
	uint32 device;
	int slot; /* of the request that is under way; -1: none */
} Behind;

/*
 * Return how many requests of a kind are under way on a device, and set the
 * slot of one of them; -1: none.
 */
static int
n_under_way(const GaAhead *ahead, const GaSlotKind *kind, uint32 device,
			int *slot)
{
	int n = 0;
	int i;

	*slot = -1;
	for (i = 0; i < GA_SLOTS; i++)
	{
		if (ga_slots[i].state != GA_SLOT_SENT || ga_slots[i].kind != kind ||
			ga_slots[i].device != device ||
			ga_slots[i].entries[0].target != ahead)
			continue;
		*slot = i;
		n++;
	}
	return n;
}

/*
 * Return the result of an array, until the next call, and set how many elements
 * it has.  While requests are under way that may bring it, wait for them.  NULL
 * if none does.  Throws if the query is cancelled.
 */
const void *
ga_ahead_await(GaAhead *ahead, const GaSlotKind *kind, const GaStoredKey *key,
			   uint32 *n)
{
	const uint32 device = ga_route(key, ga_client_devices);
	const void *result = ga_ahead_take(ahead, key, n);
	int slot;

	while (result == NULL && n_under_way(ahead, kind, device, &slot) > 0)
	{
		ga_slots_receive();
		result = ga_ahead_take(ahead, key, n);
	}
	return result;
}

/* Find what is to be asked for now.  False: nothing. */
static bool
find_next(const GaAhead *ahead, const GaSlotKind *kind, Behind *next)
{
	int n;

	if (!ga_ahead_last(ahead, false, &next->last) &&
		!ga_ahead_last(ahead, true, &next->last))
		return false;
	next->device = ga_route(&next->last.key, ga_client_devices);
	n = n_under_way(ahead, kind, next->device, &next->slot);
	return n < MOST_UNDER_WAY && ga_ahead_last(ahead, n > 0, &next->last);
}

/*
 * Open a slot for a request, if one is free, and nobody else waits for it.  Two
 * requests are under way only where all that is at hand keeps its slots.
 * Returns the slot, or -1.  May throw.
 */
static int
open_slot(GaAhead *ahead, const GaSlotKind *kind, const Behind *next)
{
	const GaAheadUse use = ga_ahead_use_of(ahead);

	if (!ga_slots_have_free(kind, next->slot >= 0) ||
		(!kind->is_lookup && ga_client_lease_is_wanted()))
		return -1;
	return ga_slots_open(kind, use.type, ga_ahead_reduction(use), next->device);
}

/* Send an open slot for what is to be asked for.  May throw. */
static void
send_slot(GaAhead *ahead, int i, const Behind *next, bool has_own)
{
	GaSlotEntry *entry = ga_slots_add(i, ahead, ga_ahead_owner(ahead), 0);

	entry->of.keys[0] = next->last.key;
	entry->wanted.elements = (GaStoredPart){0, next->last.n};
	entry->has_own = has_own;
	if (next->slot >= 0)
		ga_slots[next->slot].entries[0].is_followed = true;
	ga_slots_send(i);
}

/* Have lookup slots that are large enough.  May throw. */
static void
reserve(const GaAhead *ahead, const GaSlotKind *kind)
{
	const uint32 n_records =
		ga_reduction_records(ga_ahead_reduction(ga_ahead_use_of(ahead)));

	if (kind->is_lookup)
		ga_slots_reserve_lookups((1 + GA_AHEAD_MOST) * n_records);
}

/*
 * The query came to an array that is not known ahead.  If many are expected
 * behind it, ask for it and a few of them, and for more behind these, and do
 * not wait.  Returns false if nothing was sent.  May throw.
 */
bool
ga_ahead_send_many(GaAhead *ahead, const GaSlotKind *kind, GaAheadArray array)
{
	Behind next = {array, ga_route(&array.key, ga_client_devices), -1};
	int n;

	if (!ga_ahead_expects_many(ahead, &array.key))
		return false;
	reserve(ahead, kind);
	for (n = 0; n < MOST_UNDER_WAY; n++)
	{
		int i;

		/* where its reply is there, what is behind it is asked for soon */
		if (n > 0 && ga_slots[next.slot].state != GA_SLOT_SENT)
			break;
		i = open_slot(ahead, kind, &next);
		if (i < 0)
			break;
		ga_ahead_plan_many(ahead, &array.key, (uint32) (next.slot + 1));
		send_slot(ahead, i, &next, n == 0);
		next.slot = i;
	}
	return next.slot >= 0;
}

/*
 * Ask for the arrays behind those that the query is at, or behind those that
 * are under way, if that was not done yet, and do not wait.  What was taken is
 * of no use any more.  May throw.
 */
void
ga_ahead_send_behind(GaAhead *ahead, const GaSlotKind *kind)
{
	Behind next;
	int i;

	if (!find_next(ahead, kind, &next))
		return;
	if (next.slot >= 0)
		ga_slots_poll();
	reserve(ahead, kind);
	i = open_slot(ahead, kind, &next);
	if (i < 0)
		return;
	/* a reply that came meanwhile may have ended what the query has */
	if (!find_next(ahead, kind, &next))
	{
		ga_slots_release_open(kind);
		return;
	}
	ga_ahead_plan_behind(ahead, (uint32) (next.slot + 1));
	send_slot(ahead, i, &next, false);
}
