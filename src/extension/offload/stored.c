/*
 * stored.c
 *		Stored arrays, reduced by the device without being read.
 *
 * A stored array is only named, by its TOAST pointer; thousands of them go in
 * one request.  The device answers with the results of those that are resident.
 * The others are deferred: they stand in a list with their next step, which
 * stored_load.c takes.
 *
 * The list is of all queries of the session that are running, one within the
 * other.  One that fails takes its own arrays out of the list when its memory
 * is reset; loads that were promised to gpuaggd are cancelled then, since other
 * sessions may wait for them.
 */
#include "postgres.h"
#include "utils/memutils.h"

#include "extension/engine/session_counters.h"
#include "client.h"
#include "stored_ahead.h"
#include "stored_key.h"
#include "stored_list.h"
#include "wire/route.h"

/* How often an array is asked for at most. */
#define MAX_TRIES 8

static void make_request(int i, GaRequest *request);
static void make_load_request(int i, GaRequest *request);
static void receive(int i, const GaReply *reply);
static void fall_back(int i, GaReason reason);
static void ignore_reply(int i, const GaReply *reply);
static void ignore_failure(int i, GaReason reason);

#define STORED_KIND                                                     \
	{                                                                   \
		.opcode = GA_REDUCE_STORED, .is_lookup = true,                  \
		.max_bytes = GA_STORED_ASK_BYTES, .make_request = make_request, \
		.reserve = ga_stored_reserve, .receive = receive,               \
		.fall_back = fall_back,                                         \
	}

const GaSlotKind ga_stored_kind = STORED_KIND;
const GaSlotKind ga_stored_again_kind = STORED_KIND;
const GaSlotKind ga_stored_part_kind = STORED_KIND;
const GaSlotKind ga_stored_wait_kind = STORED_KIND;
const GaSlotKind ga_stored_check_kind = STORED_KIND;

/* An array that was not loaded is asked for in vain, and is summed then. */
const GaSlotKind ga_segments_kind = {
	.opcode = GA_LOAD,
	.max_bytes = GA_SLOT_DATA_BYTES - GA_LOAD_ALIGN + 1,
	.n_slots = ga_stored_load_slots,
	.make_request = make_load_request,
	.receive = ignore_reply,
	.fall_back = ignore_failure,
};

static void
make_request(int i, GaRequest *request)
{
	const GaSlotKind *kind = ga_slots[i].kind;
	const bool is_check = kind == &ga_stored_check_kind;
	GaStoredLookup *lookup = &request->u.stored.lookup;
	GaAhead *ahead = ga_stored_ahead(i);

	request->u.stored.type = ga_slots[i].type;
	request->u.stored.reduction = ga_slots[i].reduction;
	request->u.stored.n_arrays = ga_slots[i].n_entries;
	lookup->loads = kind == &ga_stored_kind || is_check;
	lookup->waits = kind == &ga_stored_wait_kind;
	ga_stored_how(lookup, is_check ? &ga_slots[i].sample : NULL);
	ga_slots[i].sample = lookup->sample;
	if (ahead != NULL)
		request->u.stored.n_ahead = ga_ahead_n_wanted(ahead);
}

static void
make_load_request(int i, GaRequest *request)
{
	request->u.load.type = ga_slots[i].type;
	request->u.load.n_segments = ga_slots[i].n_entries;
	request->u.load.n_data_bytes = ga_slots[i].n_bytes;
}

static void
ignore_reply(int i, const GaReply *reply)
{
}

static void
ignore_failure(int i, GaReason reason)
{
}

/*
 * Report to gpuaggd that an array it lets us load will not come, or not all of
 * it.  That cancels all loads; other arrays are asked for again.  Never throws.
 */
void
ga_stored_cancel_loads(void)
{
	const GaRequest request = {.opcode = GA_CANCEL_LOADS};
	uint32 i;

	for (i = 0; i < ga_stored_list.n; i++)
	{
		if (ga_stored_list.arrays[i].step != STEP_LOAD)
			continue;
		ga_stored_list.arrays[i].step = STEP_RETRY;
		ga_stored_list.n_ready++;
	}
	ga_slots_release_open(&ga_segments_kind);
	if (ga_client_is_open)
		(void) ga_client_send(&request);
}

/* Cancel the deferred arrays of an owner.  Never throws. */
void
ga_stored_cancel(const GaOwner *owner)
{
	bool has_promised = false;
	uint32 i;

	for (i = 0; i < ga_stored_list.n; i++)
	{
		GaStored *array = &ga_stored_list.arrays[i];

		if (array->owner != owner || array->state == NULL)
			continue;
		has_promised = has_promised || array->step == STEP_LOAD;
		ga_stored_set_done(array);
	}
	if (has_promised)
		ga_stored_cancel_loads();
}

/*
 * Name an array in a slot of a kind.  Without a connection it is deferred to
 * the CPU.  May throw; then it is in no slot, nor in the list.
 */
void
ga_stored_ask(const GaStored *array, const GaSlotKind *kind)
{
	const int i = ga_slots_open(kind, array->type, array->reduction,
								ga_route(&array->key, ga_client_devices));
	GaSlotEntry *entry;
	GaStoredRef *ref;

	if (i < 0)
	{
		GaStored left = *array;

		left.step = STEP_COMPUTE;
		left.reason = GA_REASON_GONE;
		if (!left.only_loads)
			ga_stored_defer(&left);
		return;
	}
	ref = &ga_client_lookup(i).refs[ga_slots[i].n_entries];
	ref->key = array->key;
	ref->xmin = array->xmin;
	ref->is_settled = array->is_settled;
	ref->is_missed = array->is_missed;
	ref->part = array->wanted.elements;
	ref->state = GA_STORED_NO_ANSWER;
	entry = ga_slots_add(i, array->state, array->owner,
						 ga_stored_wanted_bytes(array));
	entry->of.key = array->key;
	entry->wanted = array->wanted;
	entry->is_first = true;
	entry->only_loads = array->only_loads;
	entry->n_tries = array->n_tries;
	entry->is_missed = array->is_missed;
	entry->level = array->level;
	ga_stored_list.deepest = Max(ga_stored_list.deepest, array->level);
}

/* A next step, and for STEP_COMPUTE a reason. */
typedef struct Next
{
	GaStoredStep step;
	GaReason reason;
} Next;

#define COMPUTE(reason) ((Next){STEP_COMPUTE, reason})

/*
 * Return the next step with an array of a slot that is not resident.  A small
 * part of it is for the CPU, and where the cache is full, all but sums.
 */
static Next
next_of_state(uint32 state, const GaSlotFill *slot)
{
	if (slot->kind == &ga_stored_part_kind && state != GA_STORED_DOUBT)
		return COMPUTE(GA_REASON_PART);
	switch ((GaStoredState) state)
	{
		case GA_STORED_LOAD:
			return (Next){STEP_LOAD};
		case GA_STORED_BUSY:
			return (Next){STEP_WAIT};
		case GA_STORED_DOUBT:
			return (Next){STEP_CHECK};
		case GA_STORED_STREAM:
			if (slot->reduction == GA_REDUCE_SUM)
				return (Next){STEP_STREAM};
			return COMPUTE(GA_REASON_CACHE);
		default:
			return COMPUTE(GA_REASON_FAILED);
	}
}

/*
 * Return the next step with a resident array of whose records nothing was
 * added.  The next reply has full records for others.
 */
static Next
next_of_records(const GaPartialSum *records)
{
	switch (((const volatile GaPartialSum *) records)->kind)
	{
		case GA_PARTIAL_NO_CAPACITY:
			return (Next){STEP_ASK};
		case GA_PARTIAL_REFUSED:
			return COMPUTE(GA_REASON_REFUSED);
		default:
			return COMPUTE(GA_REASON_RECORDS);
	}
}

/* Is an array missing in the cache that has this next step? */
static bool
is_miss(Next next)
{
	switch (next.step)
	{
		case STEP_LOAD:
		case STEP_WAIT:
		case STEP_STREAM:
			return true;
		case STEP_COMPUTE:
			return next.reason == GA_REASON_PART ||
				   next.reason == GA_REASON_CACHE;
		default:
			return false;
	}
}

/*
 * Defer entry j of slot i, with a next step.  One that is cancelled is left
 * out.  Returns true if gpuaggd waits for one that will not be loaded.
 */
static bool
defer_entry(int i, uint32 j, Next next)
{
	const GaSlotEntry *entry = &ga_slots[i].entries[j];
	GaStored array = {
		.key = entry->of.key,
		.wanted = entry->wanted,
		.type = ga_slots[i].type,
		.reduction = ga_slots[i].reduction,
		.owner = entry->owner,
		.state = entry->target,
		.step = next.step,
		.reason = next.reason,
		.n_tries = entry->n_tries + 1,
		.only_loads = entry->only_loads,
		.is_missed = entry->is_missed || next.step == STEP_ASK,
		.level = entry->level,
	};

	if (entry->target == NULL)
		return next.step == STEP_LOAD;
	if (!array.is_missed && is_miss(next))
	{
		ga_session_count_lookup(entry->owner->counters, false);
		array.is_missed = true;
	}
	if (array.n_tries > MAX_TRIES)
	{
		array.step = STEP_COMPUTE;
		array.reason = GA_REASON_FAILED;
	}
	if (!entry->only_loads || array.step == STEP_LOAD ||
		array.step == STEP_WAIT || array.step == STEP_CHECK ||
		array.step == STEP_ASK)
		ga_stored_defer(&array);
	return next.step == STEP_LOAD && array.step != STEP_LOAD;
}

/*
 * Can the number of elements that gpuaggd says it summed be right?  Of a part
 * it is known.
 */
static bool
is_plausible(const GaSlotEntry *entry, GaElementType type, uint32 n)
{
	const uint32 n_part = entry->wanted.elements.n;

	return n_part > 0 ? n == n_part :
						n <= entry->of.key.raw_bytes / ga_element_size(type);
}

/*
 * Add the records of entry j of slot i, an array of n elements that is
 * resident, to its state; where they are of no use, defer it.
 */
static void
take_records(int i, uint32 j, uint32 n, const GaPartialSum *records,
			 const GaLookupSlot *lookup)
{
	const GaSlotFill *slot = &ga_slots[i];
	const GaSlotEntry *entry = &slot->entries[j];
	const GaState state = {entry->target, slot->type, slot->reduction};

	if (entry->target != NULL && !entry->is_missed)
		ga_session_count_lookup(entry->owner->counters, true);
	if (entry->target == NULL || entry->only_loads)
		return;
	if (is_plausible(entry, slot->type, n) &&
		ga_state_merge_records(state, n, records, lookup->full,
							   lookup->shape.n_full))
		ga_session_count(entry->owner->counters, GA_NO_REASON, slot->type, 1,
						 n);
	else
		(void) defer_entry(i, j, next_of_records(records));
}

/*
 * Add the results of a slot's resident arrays, and defer the other arrays.
 * What gpuaggd wrote about an array is read once.
 */
static void
receive(int i, const GaReply *reply)
{
	const GaSlotFill *slot = &ga_slots[i];
	const GaLookupSlot lookup = ga_client_lookup(i);
	const uint32 n_records = ga_reduction_records(slot->reduction);
	const volatile GaStoredRef *refs = lookup.refs;
	GaAhead *ahead = ga_stored_ahead(i);
	bool has_promised = false;
	uint32 n_resident = 0;
	uint32 j;

	for (j = 0; j < slot->n_entries; j++)
	{
		const uint32 state = refs[j].state;
		const uint32 n = refs[j].n;

		if (state == GA_STORED_RESIDENT)
			take_records(i, j, n, &lookup.sums[n_resident++ * n_records],
						 &lookup);
		else
			has_promised |= defer_entry(i, j, next_of_state(state, slot));
	}
	if (ahead != NULL && n_resident == 1)
		ga_stored_keep_ahead(ahead, i, reply->u.sum.n_ahead);
	if (slot->kind == &ga_stored_kind)
		ga_stored_list.is_warm = n_resident == slot->n_entries;
	if (has_promised)
		ga_stored_cancel_loads();
}

static void
fall_back(int i, GaReason reason)
{
	GaAhead *ahead = ga_stored_ahead(i);
	uint32 j;

	if (ahead != NULL)
		ga_ahead_failed(ahead);
	for (j = 0; j < ga_slots[i].n_entries; j++)
		(void) defer_entry(i, j, COMPUTE(reason));
}
