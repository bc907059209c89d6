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
#include "stored.h"

/*
 * Values of so many bytes are asked for without waiting for more of them, so
 * that the device has something to do meanwhile.  While it has, the next ones
 * may be four times as many: each request costs it a pause.
 */
#define VALUES_BYTES	 (UINT64_C(2) << 30)
#define VALUES_GROW_BITS 2

GaBatch ga_batch;

static GaOwner *owners = NULL;

/* Is there anything that a reply will change? */
bool
ga_batch_is_pending(void)
{
	int i;

	for (i = 0; i < GA_LEASE_SLOTS; i++)
	{
		if (ga_batch.slots[i].n_wanted > 0)
			return true;
	}
	return ga_stored_wanted();
}

/* Is no reply under way? */
bool
ga_batch_is_idle(void)
{
	return ga_batch.n_sent == 0;
}

/* Forget what an owner wanted; never throws. */
void
ga_batch_cancel(GaOwner *owner)
{
	GaOwner **link;
	int i;
	uint32 j;

	for (i = 0; i < GA_LEASE_SLOTS; i++)
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
		if (slot->state == SLOT_OPEN && slot->n_wanted == 0 &&
			slot->kind != SLOT_SEGMENTS)
			ga_batch_free_slot(slot);
	}
	ga_stored_cancel(owner);
	for (link = &owners; *link != NULL; link = &(*link)->next)
	{
		if (*link == owner)
		{
			*link = owner->next;
			break;
		}
	}
	if (ga_batch.n_sent > 0 && !ga_batch_is_pending())
		ga_batch_reset();
}

static void
owner_goes(void *argument)
{
	ga_batch_cancel(argument);
}

/* The owner of what lives in a context. */
GaOwner *
ga_batch_owner(MemoryContext context)
{
	GaOwner *owner;

	for (owner = owners; owner != NULL; owner = owner->next)
	{
		if (owner->context == context)
			return owner;
	}
	owner = MemoryContextAllocZero(context, sizeof(GaOwner));
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
	int i;

	switch (event)
	{
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PARALLEL_ABORT:
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_PARALLEL_COMMIT:
		case XACT_EVENT_PREPARE:
			for (i = 0; i < GA_LEASE_SLOTS; i++)
			{
				if (ga_batch.slots[i].state == SLOT_OPEN)
					ga_batch_free_slot(&ga_batch.slots[i]);
			}
			if (ga_stored_end() || ga_batch.n_sent > 0)
				ga_batch_reset();
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
	int i;

	if (has_begun)
		return;
	for (i = 0; i < GA_LEASE_SLOTS; i++)
	{
		if (ga_batch.slots[i].entries == NULL)
			ga_batch.slots[i].entries = MemoryContextAlloc(
				TopMemoryContext, GA_SLOT_ARRAYS * sizeof(GaBatchEntry));
	}
	RegisterXactCallback(transaction_ends, NULL);
	has_begun = true;
}

/* What is asked about a slot. */
static void
make_request(int i, GaRequest *request)
{
	const GaBatchSlot *slot = &ga_batch.slots[i];

	memset(request, 0, sizeof(*request));
	request->opcode = ga_slot_opcode(slot->kind);
	request->slot = i;
	switch (slot->kind)
	{
		case SLOT_ARRAYS:
			request->u.sum.type = slot->type;
			request->u.sum.n_arrays = slot->n_entries;
			request->u.sum.n_data_bytes = slot->n_bytes;
			break;
		case SLOT_SEGMENTS:
			request->u.load.type = slot->type;
			request->u.load.n_segments = slot->n_entries;
			request->u.load.n_data_bytes = slot->n_bytes;
			break;
		default:
			request->u.stored.type = slot->type;
			request->u.stored.n_arrays = slot->n_entries;
			ga_stored_how(&request->u.stored.lookup, slot->kind == SLOT_STORED,
						  slot->kind == SLOT_STORED_WAIT);
			break;
	}
}

/* Send a slot, and take the replies that are there. */
void
ga_batch_send(int i)
{
	GaRequest request;
	int last;

	make_request(i, &request);
	if (!ga_client_send(&request))
	{
		/* what it said before it went */
		while (ga_batch.n_sent > 0 && ga_batch_take_reply(false))
			;
		if (ga_client_lease != NULL)
			ga_batch_compute(GA_REASON_GONE);
		return;
	}
	ga_batch.slots[i].state = SLOT_SENT;
	last = (ga_batch.oldest + ga_batch.n_sent++) % GA_LEASE_SLOTS;
	ga_batch.sent_order[last] = i;
	while (ga_batch.n_sent > 0 && ga_batch_take_reply(false))
		;
}

/* Send those slots of a kind that are being filled. */
void
ga_batch_send_open(GaSlotKind kind)
{
	int i;

	for (i = 0; i < GA_LEASE_SLOTS; i++)
	{
		if (ga_batch.slots[i].state == SLOT_OPEN &&
			ga_batch.slots[i].kind == kind)
			ga_batch_send(i);
	}
}

/* Wait for all replies that are under way.  May throw. */
void
ga_batch_drain(void)
{
	while (ga_batch.n_sent > 0)
		(void) ga_batch_take_reply(true);
}

/* Is there any slot of a kind that is in use? */
bool
ga_batch_has(GaSlotKind kind)
{
	int i;

	for (i = 0; i < GA_LEASE_SLOTS; i++)
	{
		if (ga_batch.slots[i].state != SLOT_FREE &&
			ga_batch.slots[i].kind == kind)
			return true;
	}
	return false;
}

/* Bytes of values that a slot is to name before it is sent. */
static uint64
values_bytes(void)
{
	return VALUES_BYTES << VALUES_GROW_BITS * ga_batch.n_sent;
}

/* Room for one more, or for more elements of the last one? */
static bool
has_room(const GaBatchSlot *slot)
{
	return slot->n_entries < GA_SLOT_ARRAYS &&
		   (ga_slot_names_stored(slot->kind) ?
				slot->n_bytes < values_bytes() :
				slot->n_bytes + GA_LOAD_ALIGN <= GA_SLOT_DATA_BYTES);
}

/* A slot that is being filled with this, or any that is; or -1. */
static int
find_open(GaSlotKind kind, GaElementType type, bool any)
{
	int i;

	for (i = 0; i < GA_LEASE_SLOTS; i++)
	{
		const GaBatchSlot *slot = &ga_batch.slots[i];

		if (slot->state == SLOT_OPEN &&
			(any || (slot->kind == kind && slot->type == type)))
			return i;
	}
	return -1;
}

static int
find_free(void)
{
	int i;

	for (i = 0; i < GA_LEASE_SLOTS; i++)
	{
		if (ga_batch.slots[i].state == SLOT_FREE)
			return i;
	}
	return -1;
}

/*
 * A slot with room; -1 if there is no connection any more.  What is of one kind
 * and type is in one open slot; others make room if they have to.
 */
int
ga_batch_open_slot(GaSlotKind kind, GaElementType type)
{
	int i = find_open(kind, type, false);

	if (i >= 0 && has_room(&ga_batch.slots[i]))
		return i;
	if (i >= 0)
		ga_batch_send(i);
	while (ga_client_lease != NULL)
	{
		i = find_free();
		if (i >= 0)
		{
			ga_batch.slots[i].state = SLOT_OPEN;
			ga_batch.slots[i].kind = kind;
			ga_batch.slots[i].type = type;
			return i;
		}
		if (ga_batch.n_sent == 0)
			ga_batch_send(find_open(kind, type, true));
		else
			(void) ga_batch_take_reply(true);
	}
	return -1;
}

/*
 * Put elements into a slot that has room; returns for how many there was.
 * Never throws.
 */
size_t
ga_batch_fill(int i, GaOwner *owner, void *sum, const char *data, size_t n,
			  bool begins)
{
	GaBatchSlot *slot = &ga_batch.slots[i];
	GaSlot *shared = ga_client_slot(i);
	size_t size = ga_element_size(slot->type);
	size_t room = (GA_SLOT_DATA_BYTES - slot->n_bytes) / size;
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
	size_t size = ga_element_size(type);
	size_t done = 0;

	while (done < n)
	{
		int i = ga_batch_open_slot(SLOT_ARRAYS, type);

		if (i < 0)
			break;
		done += ga_batch_fill(i, owner, sum, (const char *) data + done * size,
							  n - done, is_array && done == 0);
	}
	return done;
}

/*
 * Have the elements of a stored value added to a sum, as above.  If the
 * connection is lost, now or later, they will be read for the CPU.  May throw.
 */
void
ga_batch_add_stored(GaOwner *owner, void *sum, GaElementType type,
					const GaStoredKey *key)
{
	const GaStored value = {
		.key = *key, .type = type, .owner = owner, .sum = sum};

	ga_stored_ask(&value, SLOT_STORED);
	if (unlikely(ga_stored_list.n_ready > 0 || ga_batch.n_sent > 0))
		ga_stored_work();
}

/* Send all there is, and wait for all sums.  May throw. */
void
ga_batch_finish(void)
{
	ga_stored_finish();
	ga_batch_send_open(SLOT_ARRAYS);
	ga_batch_drain();
}
