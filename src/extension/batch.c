/*
 * batch.c
 *		Arrays on their way to the device, and their sums on the way back.
 *
 * Elements are copied to the slots of the session's window.  A slot is sent
 * when it is full, or when somebody wants its sums; so a request has many
 * arrays, and reading the next ones overlaps with it.  A reply adds the sums
 * of its arrays to what their entries point at: a GaIntSum, or a GaExactSum
 * that has room for everything and therefore stays where it is.
 *
 * If the device or gpuaggd fails, the CPU takes the elements that still lie
 * in the slot.  All additions are exact, so nobody can tell.
 *
 * Waiting may throw, when the query is cancelled.  Then its owners are dropped
 * with their memory, and the connection ends as soon as nobody waits for
 * anything that is under way.
 */
#include "postgres.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "batch_slots.h"
#include "client.h"

GaBatch		ga_batch;

static GaOwner *owners = NULL;

/* Is there anything that a reply will change? */
bool
ga_batch_is_pending(void)
{
	int			i;

	for (i = 0; i < GA_WINDOW_SLOTS; i++)
	{
		if (ga_batch.slots[i].n_wanted > 0)
			return true;
	}
	return false;
}

/* Forget what an owner wanted; never throws. */
void
ga_batch_drop(GaOwner *owner)
{
	GaOwner   **link;
	int			i;
	uint32		j;

	for (i = 0; i < GA_WINDOW_SLOTS; i++)
	{
		GaBatchSlot *slot = &ga_batch.slots[i];

		for (j = 0; j < slot->n_entries; j++)
		{
			GaBatchEntry *entry = &slot->entries[j];

			if (entry->owner != owner || entry->sum == NULL)
				continue;
			entry->sum = NULL;
			slot->n_wanted--;
		}
		if (slot->state == SLOT_OPEN && slot->n_wanted == 0)
			ga_batch_free_slot(slot);
	}
	for (link = &owners; *link != NULL; link = &(*link)->next)
	{
		if (*link == owner)
		{
			*link = owner->next;
			break;
		}
	}
	if (ga_batch.n_sent > 0 && !ga_batch_is_pending())
		ga_batch_forget();
}

static void
owner_goes(void *argument)
{
	ga_batch_drop(argument);
}

/* The owner of what lives in a context. */
GaOwner *
ga_batch_owner(MemoryContext context)
{
	GaOwner    *owner;

	for (owner = owners; owner != NULL; owner = owner->next)
	{
		if (owner->context == context)
			return owner;
	}
	owner = MemoryContextAlloc(context, sizeof(GaOwner));
	owner->context = context;
	owner->callback.func = owner_goes;
	owner->callback.arg = owner;
	owner->next = owners;
	MemoryContextRegisterResetCallback(context, &owner->callback);
	owners = owner;
	return owner;
}

/* At the end of a transaction there is nothing to be waited for. */
static void
transaction_ends(XactEvent event, void *argument)
{
	int			i;

	switch (event)
	{
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PARALLEL_ABORT:
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_PARALLEL_COMMIT:
		case XACT_EVENT_PREPARE:
			for (i = 0; i < GA_WINDOW_SLOTS; i++)
			{
				if (ga_batch.slots[i].state == SLOT_OPEN)
					ga_batch_free_slot(&ga_batch.slots[i]);
			}
			if (ga_batch.n_sent > 0)
				ga_batch_forget();
			else
				ga_client_rest();
			break;
		default:
			break;
	}
}

/*
 * Before a session has a connection: what it needs of its own, once.  From now
 * on the end of each transaction is looked after.
 */
void
ga_batch_begin(void)
{
	static bool has_begun = false;
	int			i;

	if (has_begun)
		return;
	for (i = 0; i < GA_WINDOW_SLOTS; i++)
	{
		if (ga_batch.slots[i].entries == NULL)
			ga_batch.slots[i].entries =
				MemoryContextAlloc(TopMemoryContext,
								   GA_SLOT_ARRAYS * sizeof(GaBatchEntry));
	}
	RegisterXactCallback(transaction_ends, NULL);
	has_begun = true;
}

/* Send a slot, and take the replies that are there. */
static void
send_slot(int i)
{
	GaBatchSlot *slot = &ga_batch.slots[i];
	GaRequest	request = {.operation = GA_SUM};
	int			last;

	request.slot = i;
	request.u.sum.type = slot->type;
	request.u.sum.n_arrays = slot->n_entries;
	request.u.sum.n_data_bytes = slot->n_bytes;
	if (!ga_client_send(&request))
	{
		/* what it said before it went */
		while (ga_batch.n_sent > 0 && ga_batch_take_reply(false))
			;
		if (ga_client_window != NULL)
			ga_batch_compute(GA_REASON_GONE);
		return;
	}
	slot->state = SLOT_SENT;
	last = (ga_batch.oldest + ga_batch.n_sent++) % GA_WINDOW_SLOTS;
	ga_batch.sent_order[last] = i;
	while (ga_batch.n_sent > 0 && ga_batch_take_reply(false))
		;
}

/* Room for one more array, or for more elements of the last one? */
static bool
has_room(const GaBatchSlot *slot, GaElementType type)
{
	return slot->n_entries < GA_SLOT_ARRAYS &&
		slot->n_bytes + ga_element_size(type) <= GA_SLOT_DATA_BYTES;
}

/* A slot that is being filled with this type, in a given state; or -1. */
static int
find_slot(GaSlotState state, GaElementType type)
{
	int			i;

	for (i = 0; i < GA_WINDOW_SLOTS; i++)
	{
		if (ga_batch.slots[i].state == state &&
			(state == SLOT_FREE || ga_batch.slots[i].type == type))
			return i;
	}
	return -1;
}

/*
 * A slot with room; -1 if there is no connection any more.  One type's
 * elements are in one open slot; those of others make room if they have to.
 */
static int
open_slot(GaElementType type)
{
	int			i = find_slot(SLOT_OPEN, type);

	if (i >= 0 && has_room(&ga_batch.slots[i], type))
		return i;
	if (i >= 0)
		send_slot(i);
	while (ga_client_window != NULL)
	{
		GaElementType other;

		i = find_slot(SLOT_FREE, type);
		if (i >= 0)
		{
			ga_batch.slots[i].state = SLOT_OPEN;
			ga_batch.slots[i].type = type;
			return i;
		}
		for (other = 0; other < GA_N_ELEMENT_TYPES; other++)
		{
			i = ga_batch.n_sent == 0 ? find_slot(SLOT_OPEN, other) : -1;
			if (i >= 0)
				send_slot(i);
		}
		if (ga_batch.n_sent > 0)
			(void) ga_batch_take_reply(true);
	}
	return -1;
}

/* Put elements into a slot that has room; returns for how many there was. */
static size_t
fill(int i, GaOwner *owner, void *sum, const char *data, size_t n,
	 bool begins)
{
	GaBatchSlot *slot = &ga_batch.slots[i];
	GaSlot	   *shared = ga_client_slot(i);
	size_t		size = ga_element_size(slot->type);
	size_t		room = (GA_SLOT_DATA_BYTES - slot->n_bytes) / size;
	GaBatchEntry *entry = &slot->entries[slot->n_entries];

	n = Min(n, room);
	memcpy(ga_client_slot_data(i) + slot->n_bytes, data, n * size);
	if (!begins && slot->n_entries > 0 && entry[-1].sum == sum)
	{
		/* more of the same sum */
		shared->arrays[slot->n_entries - 1].n += n;
	}
	else
	{
		shared->arrays[slot->n_entries].at = slot->n_bytes;
		shared->arrays[slot->n_entries].n = n;
		entry->sum = sum;
		entry->owner = owner;
		entry->begins = begins;
		slot->n_entries++;
		slot->n_wanted++;
	}
	slot->n_bytes += n * size;
	return n;
}

/*
 * Have n elements added to a sum, a GaIntSum or a GaExactSum with room for
 * everything.  data may be unaligned, and is copied.  Returns the number of
 * elements that were taken over, which is less than n if the connection is
 * lost on the way; the others are the caller's to add.  There has to be a
 * window.  May throw.
 */
size_t
ga_batch_add(GaOwner *owner, void *sum, GaElementType type, const void *data,
			 size_t n, bool is_array)
{
	size_t		size = ga_element_size(type);
	size_t		done = 0;

	while (done < n)
	{
		int			i = open_slot(type);

		if (i < 0)
			break;
		done += fill(i, owner, sum, (const char *) data + done * size,
					 n - done, is_array && done == 0);
	}
	return done;
}

/* Send all there is, and wait for all sums.  May throw. */
void
ga_batch_finish(void)
{
	int			i;

	for (i = 0; i < GA_WINDOW_SLOTS; i++)
	{
		if (ga_batch.slots[i].state == SLOT_OPEN)
			send_slot(i);
	}
	while (ga_batch.n_sent > 0)
		(void) ga_batch_take_reply(true);
}
