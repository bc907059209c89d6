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

#include "batch.h"
#include "client.h"
#include "engine.h"

typedef struct Entry
{
	void	   *sum;			/* NULL if it is wanted no more */
	GaOwner    *owner;
	bool		begins;			/* here an array begins, for the statistics */
} Entry;

typedef enum SlotState
{
	SLOT_FREE = 0,
	SLOT_OPEN,					/* is being filled */
	SLOT_SENT					/* is gpuaggd's until it replies */
} SlotState;

typedef struct Slot
{
	SlotState	state;
	GaElementType type;
	uint32		n_entries;
	uint32		n_bytes;
	uint32		n_wanted;		/* entries with a sum */
	Entry	   *entries;		/* as many as the slot has arrays */
} Slot;

static Slot slots[GA_WINDOW_SLOTS];
static int	n_sent = 0;			/* slots in this state */
static int	oldest = 0;			/* replies come in this order from here */
static int	sent_order[GA_WINDOW_SLOTS];
static GaOwner *owners = NULL;

/* Is there anything that a reply will change? */
bool
ga_batch_is_pending(void)
{
	int			i;

	for (i = 0; i < GA_WINDOW_SLOTS; i++)
	{
		if (slots[i].n_wanted > 0)
			return true;
	}
	return false;
}

static void
free_slot(Slot *slot)
{
	slot->state = SLOT_FREE;
	slot->n_entries = 0;
	slot->n_bytes = 0;
	slot->n_wanted = 0;
}

/* Forget all that is in the slots, and with it the connection. */
static void
forget_all(void)
{
	int			i;

	for (i = 0; i < GA_WINDOW_SLOTS; i++)
		free_slot(&slots[i]);
	n_sent = 0;
	ga_client_close();
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
		for (j = 0; j < slots[i].n_entries; j++)
		{
			Entry	   *entry = &slots[i].entries[j];

			if (entry->owner != owner || entry->sum == NULL)
				continue;
			entry->sum = NULL;
			slots[i].n_wanted--;
		}
		if (slots[i].state == SLOT_OPEN && slots[i].n_wanted == 0)
			free_slot(&slots[i]);
	}
	for (link = &owners; *link != NULL; link = &(*link)->next)
	{
		if (*link == owner)
		{
			*link = owner->next;
			break;
		}
	}
	if (n_sent > 0 && !ga_batch_is_pending())
		forget_all();
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
				if (slots[i].state == SLOT_OPEN)
					free_slot(&slots[i]);
			}
			if (n_sent > 0)
				forget_all();
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
		if (slots[i].entries == NULL)
			slots[i].entries = MemoryContextAlloc(TopMemoryContext,
												  GA_SLOT_ARRAYS *
												  sizeof(Entry));
	}
	RegisterXactCallback(transaction_ends, NULL);
	has_begun = true;
}

/* An entry's elements, where they were copied to. */
static const char *
entry_data(int i, uint32 j)
{
	return ga_client_slot_data(i) + ga_client_slot(i)->arrays[j].at;
}

/* Let the CPU do what a slot holds. */
static void
compute(int i, GaReason reason)
{
	Slot	   *slot = &slots[i];
	uint32		j;

	for (j = 0; j < slot->n_entries; j++)
	{
		Entry	   *entry = &slot->entries[j];
		uint32		n = ga_client_slot(i)->arrays[j].n;

		if (entry->sum == NULL)
			continue;
		ga_cpu_add(entry->sum, slot->type, entry_data(i, j), n);
		ga_engine_count(reason, entry->begins, n);
	}
	free_slot(slot);
}

/*
 * The connection is gone, or of no use: the CPU does all that is in the slots.
 */
static void
compute_all(GaReason reason)
{
	int			i;

	for (i = 0; i < GA_WINDOW_SLOTS; i++)
	{
		if (slots[i].state != SLOT_FREE)
			compute(i, reason);
	}
	forget_all();
	ga_engine_report(reason);
}

/* Add the sums of a slot that the device did. */
static void
take_sums(int i)
{
	const GaSlot *answer = ga_client_slot(i);
	Slot	   *slot = &slots[i];
	uint32		j;

	for (j = 0; j < slot->n_entries; j++)
	{
		Entry	   *entry = &slot->entries[j];
		const GaPartialSum *sum = &answer->sums[j];
		uint32		n = answer->arrays[j].n;
		GaReason	reason = GA_NO_REASON;

		if (entry->sum == NULL)
			continue;
		if (!ga_element_is_float(slot->type))
			ga_partial_merge_int(entry->sum, n, sum);
		else if (sum->kind == GA_PARTIAL_NO_ROOM ||
				 (sum->kind == GA_PARTIAL_WIDE &&
				  sum->limb[0] >= GA_SLOT_WIDE) ||
				 ga_partial_merge(entry->sum, n, sum, answer->wide) != GA_OK)
		{
			ga_cpu_add(entry->sum, slot->type, entry_data(i, j), n);
			reason = GA_REASON_WIDE;
		}
		ga_engine_count(reason, entry->begins, n);
	}
	free_slot(slot);
}

/* What a status of a reply comes to. */
static GaReason
reason_of(int32 status)
{
	switch (status)
	{
		case GA_OK:
			return GA_NO_REASON;
		case GA_NO_MEMORY:
			return GA_REASON_MEMORY;
		default:
			return GA_REASON_FAILED;
	}
}

/*
 * Take a reply: of the slot that was sent first.  False if it does not wait,
 * and there is none, or if there is no connection any more.
 */
static bool
take_reply(bool waits)
{
	GaReply		reply;
	bool		is_there = false;
	GaReason	reason = ga_client_receive(&reply, waits, &is_there);
	int			i = sent_order[oldest];

	if (reason == GA_NO_REASON && !is_there)
		return false;
	if (reason == GA_NO_REASON &&
		(reply.operation != GA_SUM || reply.slot != i))
		reason = GA_REASON_GONE;
	if (reason != GA_NO_REASON)
	{
		compute_all(reason);
		return false;
	}
	oldest = (oldest + 1) % GA_WINDOW_SLOTS;
	n_sent--;
	reason = reason_of(reply.status);
	if (reason == GA_NO_REASON)
		take_sums(i);
	else
	{
		compute(i, reason);
		ga_engine_report(reason);
	}
	return true;
}

/* Send a slot, and take the replies that are there. */
static void
send_slot(int i)
{
	Slot	   *slot = &slots[i];
	GaRequest	request = {.operation = GA_SUM};

	request.slot = i;
	request.u.sum.type = slot->type;
	request.u.sum.n_arrays = slot->n_entries;
	request.u.sum.n_data_bytes = slot->n_bytes;
	if (!ga_client_send(&request))
	{
		/* what it said before it went */
		while (n_sent > 0 && take_reply(false))
			;
		if (ga_client_window != NULL)
			compute_all(GA_REASON_GONE);
		return;
	}
	slot->state = SLOT_SENT;
	sent_order[(oldest + n_sent) % GA_WINDOW_SLOTS] = i;
	n_sent++;
	while (n_sent > 0 && take_reply(false))
		;
}

/* Room for one more array, or for more elements of the last one? */
static bool
has_room(const Slot *slot, GaElementType type)
{
	return slot->n_entries < GA_SLOT_ARRAYS &&
		slot->n_bytes + ga_element_size(type) <= GA_SLOT_DATA_BYTES;
}

/* A slot that is being filled with this type, in a given state; or -1. */
static int
find_slot(SlotState state, GaElementType type)
{
	int			i;

	for (i = 0; i < GA_WINDOW_SLOTS; i++)
	{
		if (slots[i].state == state &&
			(state == SLOT_FREE || slots[i].type == type))
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

	if (i >= 0 && has_room(&slots[i], type))
		return i;
	if (i >= 0)
		send_slot(i);
	while (ga_client_window != NULL)
	{
		GaElementType other;

		i = find_slot(SLOT_FREE, type);
		if (i >= 0)
		{
			slots[i].state = SLOT_OPEN;
			slots[i].type = type;
			return i;
		}
		for (other = 0; other < GA_N_ELEMENT_TYPES && n_sent == 0; other++)
		{
			i = find_slot(SLOT_OPEN, other);
			if (i >= 0)
				send_slot(i);
		}
		if (n_sent > 0)
			(void) take_reply(true);
	}
	return -1;
}

/* Put elements into a slot that has room; returns how many there was room for. */
static size_t
fill(int i, GaOwner *owner, void *sum, const char *data, size_t n,
	 bool begins)
{
	Slot	   *slot = &slots[i];
	GaSlot	   *shared = ga_client_slot(i);
	size_t		size = ga_element_size(slot->type);
	size_t		room = (GA_SLOT_DATA_BYTES - slot->n_bytes) / size;
	Entry	   *entry = &slot->entries[slot->n_entries];

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
		if (slots[i].state == SLOT_OPEN)
			send_slot(i);
	}
	while (n_sent > 0)
		(void) take_reply(true);
}
