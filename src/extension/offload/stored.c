/*
 * stored.c
 *		Stored values that a batch asks for.
 *
 * A value that is to be summed is only named, by its TOAST pointer; thousands
 * of them go in one request.  Those that the device does not have come back,
 * and stand in a list until something is done about them (stored_load.c).
 *
 * The list is of all queries of the session that are running, one within the
 * other.  One that fails takes its own values out of it, when its memory goes;
 * what was promised to gpuaggd is given up then, for others may wait for it.
 */
#include "postgres.h"
#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_class.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "client.h"
#include "extension/engine/engine.h"
#include "extension/supervisor/oid_sample.h"
#include "extension/input/toast.h"
#include "stored.h"

/* How often a value is asked for at most. */
#define MOST_TRIES 8

GaStoredList ga_stored_list;

/* Are a TOAST relation's values of the kind that never change? */
static bool
is_heap(Oid relid)
{
	static Oid last = InvalidOid;
	static bool last_is_heap;
	HeapTuple tuple;

	if (relid == last)
		return last_is_heap;
	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	if (!HeapTupleIsValid(tuple))
		return false;
	last = relid;
	last_is_heap =
		((Form_pg_class) GETSTRUCT(tuple))->relam == HEAP_TABLE_AM_OID;
	ReleaseSysCache(tuple);
	return last_is_heap;
}

/* The key of a value that can stay on the device; false if it cannot. */
bool
ga_stored_key(Datum datum, GaStoredKey *key)
{
	struct varatt_external pointer;

	if (!ga_toast_pointer(datum, &pointer) || !is_heap(pointer.va_toastrelid))
		return false;
	key->relation = pointer.va_toastrelid;
	key->value_id = pointer.va_valueid;
	key->raw_bytes = (uint32) pointer.va_rawsize;
	key->ext_info = pointer.va_extinfo;
	return true;
}

/* Is there any that a sum waits for? */
bool
ga_stored_wanted(void)
{
	return ga_stored_list.n_wanted > 0;
}

/* Have room for n more. */
static void
reserve(uint32 n)
{
	uint32 room = Max(ga_stored_list.room, 256);

	while (room < ga_stored_list.n + n)
		room *= 2;
	if (room == ga_stored_list.room)
		return;
	if (ga_stored_list.values == NULL)
		ga_stored_list.values =
			MemoryContextAllocHuge(TopMemoryContext, room * sizeof(GaStored));
	else
		ga_stored_list.values =
			repalloc_huge(ga_stored_list.values, room * sizeof(GaStored));
	ga_stored_list.room = room;
}

/*
 * Have room for all that the slots name, so that no answer is lost for lack of
 * memory: nothing has been taken yet if this throws.
 */
void
ga_stored_reserve(void)
{
	uint32 n = 0;
	int i;

	for (i = 0; i < GA_LEASE_SLOTS; i++)
	{
		if (ga_slot_names_stored(ga_batch.slots[i].kind))
			n += ga_batch.slots[i].n_entries;
	}
	reserve(n);
}

/* One more in the list. */
void
ga_stored_defer(const GaStored *value)
{
	reserve(1);
	ga_stored_list.values[ga_stored_list.n++] = *value;
	ga_stored_list.n_wanted++;
	if (value->todo != TODO_WAIT)
		ga_stored_list.n_ready++;
}

/* Nothing is to be done any more; it is taken out of the list later. */
void
ga_stored_set_done(GaStored *value)
{
	if (value->sum != NULL)
		ga_stored_list.n_wanted--;
	value->sum = NULL;
	value->todo = TODO_NOTHING;
}

/*
 * What gpuaggd told us to load will not come, or not all of it.  Values that
 * are still wanted are streamed then.  Never throws.
 */
void
ga_stored_cancel_loads(void)
{
	const GaRequest request = {.opcode = GA_CANCEL_LOADS};
	int i;

	for (i = 0; i < GA_LEASE_SLOTS; i++)
	{
		if (ga_batch.slots[i].state == SLOT_OPEN &&
			ga_batch.slots[i].kind == SLOT_SEGMENTS)
			ga_batch_free_slot(&ga_batch.slots[i]);
	}
	if (ga_client_lease != NULL)
		(void) ga_client_send(&request);
}

/* Forget what an owner wanted.  Never throws. */
void
ga_stored_cancel(GaOwner *owner)
{
	bool was_to_load = false;
	uint32 i;

	for (i = 0; i < ga_stored_list.n; i++)
	{
		GaStored *value = &ga_stored_list.values[i];

		if (value->owner != owner || value->sum == NULL)
			continue;
		was_to_load = was_to_load || value->todo == TODO_LOAD;
		ga_stored_set_done(value);
	}
	if (was_to_load)
		ga_stored_cancel_loads();
}

/* The connection is gone, and with it what was promised. */
void
ga_stored_lost(void)
{
	uint32 i;

	for (i = 0; i < ga_stored_list.n; i++)
	{
		GaStored *value = &ga_stored_list.values[i];

		if (value->todo != TODO_LOAD)
			continue;
		if (value->only_loads)
			ga_stored_set_done(value);
		else
		{
			value->todo = TODO_COMPUTE;
			value->reason = GA_REASON_GONE;
		}
	}
}

/*
 * The transaction ends, and with it all that is to be done.  True if there was
 * anything.
 */
bool
ga_stored_end(void)
{
	bool is_left = ga_stored_list.n > 0;

	ga_stored_list.n = 0;
	ga_stored_list.n_wanted = 0;
	ga_stored_list.n_ready = 0;
	return is_left;
}

/* How values are asked for, now that all that are asked for are known. */
void
ga_stored_how(GaStoredLookup *how, bool loads, bool waits)
{
	how->statement_id = (uint64) GetCurrentStatementStartTimestamp();
	how->loads = loads;
	how->waits = waits;
	ga_oid_sample_take(&how->sample);
}

/*
 * Name a value in a slot of a kind.  May throw; then it is in no slot, nor in
 * the list.
 */
void
ga_stored_ask(const GaStored *value, GaSlotKind kind)
{
	int i = ga_batch_open_slot(kind, value->type);
	GaBatchSlot *slot;
	GaBatchEntry *entry;
	GaStoredRef *ref;

	if (i < 0)
	{
		GaStored left = *value;

		left.todo = TODO_COMPUTE;
		left.reason = GA_REASON_GONE;
		if (!left.only_loads)
			ga_stored_defer(&left);
		return;
	}
	slot = &ga_batch.slots[i];
	ref = (GaStoredRef *) ga_client_slot_data(i) + slot->n_entries;
	ref->key = value->key;
	ref->xmin = value->xmin;
	ref->is_settled = value->is_settled;
	entry = &slot->entries[slot->n_entries++];
	entry->sum = value->sum;
	entry->owner = value->owner;
	entry->begins = true;
	entry->only_loads = value->only_loads;
	entry->n_tries = value->n_tries;
	slot->n_bytes += value->key.raw_bytes;
	slot->n_wanted++;
}

/* What there is to do about a value that gpuaggd has not summed. */
static GaStoredTodo
todo_of(uint32 state)
{
	switch ((GaStoredState) state)
	{
		case GA_STORED_LOAD:
			return TODO_LOAD;
		case GA_STORED_BUSY:
			return TODO_WAIT;
		case GA_STORED_DOUBT:
			return TODO_CHECK;
		case GA_STORED_STREAM:
			return TODO_STREAM;
		default:
			return TODO_COMPUTE;
	}
}

/*
 * Put an entry of a slot off; one that nobody wants any more is forgotten, and
 * true is returned if gpuaggd waits for it.
 */
static bool
put_off_entry(int i, uint32 j, GaStoredTodo what, GaReason reason)
{
	const GaBatchSlot *slot = &ga_batch.slots[i];
	const GaBatchEntry *entry = &slot->entries[j];
	GaStored value = {
		.key = ((GaStoredRef *) ga_client_slot_data(i))[j].key,
		.type = slot->type,
		.owner = entry->owner,
		.sum = entry->sum,
		.todo = what,
		.reason = reason,
		.n_tries = entry->n_tries + 1,
		.only_loads = entry->only_loads,
	};

	if (entry->sum == NULL)
		return what == TODO_LOAD;
	if (value.n_tries > MOST_TRIES && what != TODO_LOAD)
	{
		value.todo = what = TODO_COMPUTE;
		value.reason = GA_REASON_FAILED;
	}
	if (!entry->only_loads || what == TODO_LOAD || what == TODO_WAIT ||
		what == TODO_CHECK)
		ga_stored_defer(&value);
	return false;
}

/* Take the answer about a slot's values. */
void
ga_stored_receive(int i)
{
	const GaSlot *answer = ga_client_slot(i);
	const GaStoredRef *refs = (GaStoredRef *) ga_client_slot_data(i);
	const GaFullRecord *wide =
		(GaFullRecord *) (ga_client_slot_data(i) + GA_STORED_FULL_AT);
	GaBatchSlot *slot = &ga_batch.slots[i];
	bool is_promised = false;
	uint32 n_sums = 0;
	uint32 j;

	for (j = 0; j < slot->n_entries; j++)
	{
		if (refs[j].state != GA_STORED_RESIDENT)
		{
			is_promised |=
				put_off_entry(i, j, todo_of(refs[j].state), GA_REASON_FAILED);
			continue;
		}
		if (slot->entries[j].sum == NULL || slot->entries[j].only_loads)
			n_sums++;
		else if (ga_batch_merge(slot->entries[j].sum, slot->type, refs[j].n,
								&answer->sums[n_sums++], wide, GA_STORED_FULL))
			ga_session_stat_count(GA_NO_REASON, 1, refs[j].n);
		else
			(void) put_off_entry(i, j, TODO_COMPUTE, GA_REASON_WIDE);
	}
	if (is_promised)
		ga_stored_cancel_loads();
}

/* A slot's values are not going to be summed by the device. */
void
ga_stored_return(int i, GaReason reason)
{
	uint32 j;

	for (j = 0; j < ga_batch.slots[i].n_entries; j++)
		(void) put_off_entry(i, j, TODO_COMPUTE, reason);
}
