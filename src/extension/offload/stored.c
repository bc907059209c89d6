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
 * is reset, or its subtransaction is aborted; loads that were promised to
 * gpuaggd are cancelled then, since other sessions may wait for them.
 */
#include "postgres.h"

#include "extension/engine/session_counters.h"
#include "client.h"
#include "stored_ahead.h"
#include "stored_list.h"

/* How often an array is asked for at most: it was evicted as often. */
#define MAX_TRIES 8

/* A next step, and for STEP_COMPUTE a reason. */
typedef struct Next
{
	GaStoredStep step;
	GaReason reason;
} Next;

#define COMPUTE(reason) ((Next){STEP_COMPUTE, reason})

/* What gpuaggd answered about an array, or about both of a pair. */
typedef struct Answer
{
	uint32 state; /* a GaStoredState */
	uint32 n;	  /* elements that were reduced, if it is resident */
	bool has_result;
} Answer;

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

/* Cancel deferred arrays: of an owner, or (NULL) of a level and deeper. */
static void
cancel_deferred(const GaOwner *owner, int level)
{
	bool has_promised = false;
	uint32 i;

	for (i = 0; i < ga_stored_list.n; i++)
	{
		GaStored *array = &ga_stored_list.arrays[i];

		if (array->state == NULL ||
			(owner != NULL ? array->owner != owner : array->level < level))
			continue;
		has_promised = has_promised || array->step == STEP_LOAD;
		ga_stored_set_done(array);
	}
	if (has_promised)
		ga_stored_cancel_loads();
}

/* Cancel the deferred arrays of an owner.  Never throws. */
void
ga_stored_cancel(const GaOwner *owner)
{
	cancel_deferred(owner, 0);
}

/* Cancel the arrays of a level of transactions, and deeper.  Never throws. */
void
ga_stored_cancel_level(int level)
{
	if (ga_stored_list.deepest < level)
		return;
	ga_slots_cancel_level(level);
	cancel_deferred(NULL, level);
}

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
		case GA_STORED_MISSING:
			return (Next){STEP_RETRY};
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
 * Count which arrays of a pair are resident, each once.  One that is missing is
 * counted when it is asked for by itself.
 */
static void
count_lookups(GaSlotEntry *entry, const uint32 states[2])
{
	int k;

	for (k = 0; k < 2 && entry->target != NULL; k++)
	{
		if ((entry->counted >> k & 1) != 0 ||
			(states[k] != GA_STORED_RESIDENT && states[k] != GA_STORED_BUSY))
			continue;
		ga_session_count_lookup(entry->owner->counters,
								states[k] == GA_STORED_RESIDENT);
		entry->counted |= 1 << k;
	}
}

/*
 * Return the answer about a pair of a slot, which gpuaggd can change: it is
 * read once.  It is resident without a result if both arrays are, but not of
 * one length, or no lines and have to be.
 */
static Answer
pair_answer(const GaSlotFill *slot, GaSlotEntry *entry,
			const volatile GaStoredRef *refs)
{
	const bool lines = slot->kind != &ga_stored_seen_kind;
	const uint32 states[2] = {refs[0].state, refs[1].state};
	const uint32 n[2] = {refs[0].n, refs[1].n};
	uint32 state = states[0];

	count_lookups(entry, states);
	if (states[0] == GA_STORED_DOUBT || states[1] == GA_STORED_DOUBT)
		return (Answer){GA_STORED_DOUBT};
	entry->missing =
		(states[0] == GA_STORED_STREAM) | (states[1] == GA_STORED_STREAM) << 1;
	if (entry->missing != 0)
		state = GA_STORED_STREAM;
	else if (state == GA_STORED_RESIDENT)
		state = states[1];
	return (Answer){state, n[0],
					state == GA_STORED_RESIDENT && n[0] == n[1] &&
						(n[0] > 0 || !lines)};
}

/* Return the next step with a pair that has no result. */
static Next
next_of_pair(const GaSlotEntry *entry, Answer answer)
{
	switch ((GaStoredState) answer.state)
	{
		case GA_STORED_RESIDENT:
			return (Next){STEP_LOOK};
		case GA_STORED_BUSY:
			return (Next){STEP_WAIT};
		case GA_STORED_DOUBT:
			return (Next){STEP_CHECK};
		case GA_STORED_STREAM:
			if (!entry->has_loaded)
				return (Next){STEP_FETCH};
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
		.keys = {entry->of.keys[0], entry->of.keys[1]},
		.wanted = entry->wanted,
		.type = ga_slots[i].type,
		.reduction = ga_slots[i].reduction,
		.owner = entry->owner,
		.state = entry->target,
		.step = next.step,
		.reason = next.reason,
		.n_tries = entry->n_tries + 1,
		.only_loads = entry->only_loads,
		.missing = entry->missing,
		.counted = entry->counted,
		.has_loaded = entry->has_loaded,
		.is_missed = entry->is_missed || next.step == STEP_ASK,
		.level = entry->level,
	};

	if (entry->target == NULL)
		return next.step == STEP_LOAD;
	if (!array.is_missed && is_miss(next) &&
		!ga_reduction_has_pairs((GaReduction) array.reduction))
	{
		ga_session_count_lookup(entry->owner->counters, false);
		array.is_missed = true;
	}
	if (array.n_tries > MAX_TRIES)
	{
		array.step = STEP_COMPUTE;
		array.reason = GA_REASON_CACHE;
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

	return n_part > 0 ?
			   n == n_part :
			   n <= entry->of.keys[0].raw_bytes / ga_element_size(type);
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
	const uint32 n_arrays = ga_reduction_arrays(slot->reduction);
	const GaState state = {entry->target, slot->type, slot->reduction};

	if (entry->target != NULL && !entry->is_missed && n_arrays == 1)
		ga_session_count_lookup(entry->owner->counters, true);
	if (entry->target == NULL || entry->only_loads)
		return;
	if (is_plausible(entry, slot->type, n) &&
		ga_state_merge_records(state, n, records, lookup->full,
							   lookup->shape.n_full))
		ga_session_count(entry->owner->counters, GA_NO_REASON, slot->type,
						 n_arrays, n_arrays * (int64) n);
	else
		(void) defer_entry(i, j, next_of_records(records));
}

/* Return the answer about an array, which is read once, too. */
static Answer
single_answer(const volatile GaStoredRef *ref)
{
	const uint32 state = ref->state;

	return (Answer){state, ref->n, state == GA_STORED_RESIDENT};
}

/*
 * Add the results of a slot's resident arrays, and defer the other arrays.
 * What gpuaggd wrote about an array is read once.
 */
void
ga_stored_receive(int i, const GaReply *reply)
{
	const GaSlotFill *slot = &ga_slots[i];
	const GaLookupSlot lookup = ga_client_lookup(i);
	const uint32 n_records = ga_reduction_records(slot->reduction);
	const bool has_pairs = ga_reduction_has_pairs(slot->reduction);
	const volatile GaStoredRef *refs = lookup.refs;
	GaAhead *ahead = ga_stored_ahead(i);
	bool has_promised = false;
	uint32 n_resident = 0;
	uint32 j;

	for (j = 0; j < slot->n_entries; j++)
	{
		GaSlotEntry *entry = &slot->entries[j];
		const Answer answer = has_pairs ?
								  pair_answer(slot, entry, &refs[2 * j]) :
								  single_answer(&refs[j]);

		if (answer.has_result)
			take_records(i, j, answer.n, &lookup.sums[n_resident++ * n_records],
						 &lookup);
		else
			has_promised |=
				defer_entry(i, j,
							has_pairs ? next_of_pair(entry, answer) :
										next_of_state(answer.state, slot));
	}
	if (ahead != NULL && n_resident == 1)
		ga_stored_keep_ahead(ahead, i, reply);
	if (slot->kind == &ga_stored_kind || slot->kind == &ga_stored_later_kind ||
		slot->kind == &ga_stored_pair_kind)
		ga_stored_list.is_warm = n_resident == slot->n_entries;
	if (has_promised)
		ga_stored_cancel_loads();
}

void
ga_stored_fall_back(int i, GaReason reason)
{
	GaAhead *ahead = ga_stored_ahead(i);
	uint32 j;

	if (ahead != NULL)
		ga_ahead_failed(ahead);
	for (j = 0; j < ga_slots[i].n_entries; j++)
		(void) defer_entry(i, j, COMPUTE(reason));
}
