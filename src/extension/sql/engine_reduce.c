/*
 * engine_reduce.c
 *		Reductions of arrays, by the engine that the settings choose.
 *
 * Called by the SQL functions.  The CPU adds an array at once, unless helpers
 * can read it with others later; the device may still be at work when a
 * function here returns, until ga_offload_finish_all().  A function of one
 * array in each row keeps results that were made ahead (offload/ahead.c).
 */
#include "postgres.h"

#include "extension/engine/choice.h"
#include "extension/engine/cpu_sums.h"
#include "extension/engine/node_counters.h"
#include "extension/engine/session_counters.h"
#include "extension/offload/helpers.h"
#include "extension/offload/offload.h"
#include "extension/offload/stored.h"
#include "extension/offload/stored_ahead.h"
#include "extension/offload/stored_key.h"
#include "extension/offload/sums.h"
#include "extension/settings.h"
#include "engine_reduce.h"
#include "part.h"

/* An array that the device may find by its key. */
typedef struct Stored
{
	bool is_stored;
	GaStoredKey key;
	GaStoredWanted wanted;
} Stored;

/* Find what is wanted of a stored array by a part; reads the head. */
static GaStoredWanted
find_part(Datum array, GaElementType type, GaPart part, const GaStoredKey *key)
{
	GaStoredWanted wanted = {.part = part};
	GaArray reader;

	ga_array_open_items(&reader, array, type, part);
	wanted.elements.from = reader.n_returned;
	wanted.elements.n = ga_array_n_selected(&reader);
	ga_array_close(&reader);
	wanted.is_small = ga_choose_is_small(
		wanted.elements.n * ga_element_size(type), key->raw_bytes);
	return wanted;
}

/*
 * Choose the engine for a part of an array, as ga_offload_choose does.  If the
 * device is to find the array by its key, is_stored is set, and what is wanted
 * of it.  Of elements that are sent the device computes sums alone.
 */
static GaReason
choose(GaState state, Datum array, GaPart part, bool is_alone, Stored *stored)
{
	const bool is_sum = state.reduction == GA_REDUCE_SUM;
	GaReason reason;

	if (ga_engine_is_gpu() && !is_sum && !ga_stored_key(array, &stored->key))
		return GA_REASON_FUNCTION;
	reason = ga_offload_choose_part(array, is_alone,
									ga_part_bytes(part, state.type));
	stored->is_stored =
		reason == GA_NO_REASON && ga_stored_key(array, &stored->key);
	if (!stored->is_stored || ga_part_is_whole(part))
		stored->wanted = GA_WANTED_ALL;
	else
		stored->wanted = find_part(array, state.type, part, &stored->key);
	if (reason == GA_NO_REASON && !stored->is_stored && !is_sum)
		return GA_REASON_FUNCTION;
	return reason;
}

/* Have the device add a part of an array, which may be resident there. */
static void
add_by_device(GaState state, Datum array, GaPart part, const Stored *stored,
			  GaOwner *owner)
{
	if (!stored->is_stored)
		ga_sums_add_array(owner, state.at, state.type, array, part);
	else if (ga_part_is_whole(part) || stored->wanted.elements.n > 0)
		ga_stored_add(owner, state, &stored->key, &stored->wanted);
	else
		ga_session_count(owner->counters, GA_NO_REASON, state.type, 1, 0);
}

/*
 * Is a part of an array for the CPU to be read later, when helpers can take
 * part?  If so, find it.
 */
static bool
is_noted(Datum array, GaElementType type, GaPart part, bool is_partial,
		 Stored *stored)
{
	if (!ga_stored_key(array, &stored->key) ||
		!ga_helpers_may_read(
			Min(stored->key.raw_bytes, ga_part_bytes(part, type)), is_partial))
		return false;
	if (ga_part_is_whole(part))
		return true;
	stored->wanted = find_part(array, type, part, &stored->key);
	return stored->wanted.elements.n > 0;
}

/* Have the CPU add a part of an array now, for a reason. */
static void *
add_by_cpu(GaState state, Datum array, GaPart part, GaReason reason)
{
	return ga_cpu_reduce_array(ga_reductions[state.reduction].add, state.at,
							   state.type, array, part, reason);
}

/*
 * Add a part of an array to an aggregate's state in its memory context; if it
 * is_partial, other processes add what they have of the same plan's rows.
 * Returns the state, which has moved within the context if it had to grow.
 */
void *
ga_engine_add_array(GaState state, Datum array, GaPart part,
					MemoryContext context, bool is_partial)
{
	Stored stored;
	const GaReason reason = choose(state, array, part, false, &stored);
	GaOwner *owner;

	if (reason != GA_NO_REASON &&
		!is_noted(array, state.type, part, is_partial, &stored))
		return add_by_cpu(state, array, part, reason);
	owner = ga_offload_owner(context);
	owner->is_partial = is_partial;
	state.at = ga_state_fill(state, &owner->pool);
	if (reason == GA_NO_REASON)
		add_by_device(state, array, part, &stored, owner);
	else
		ga_stored_note(owner, state, &stored.key, &stored.wanted, reason);
	return state.at;
}

/*
 * Add an element of a plain column to an aggregate's sum in its memory context,
 * if gpuagg.engine is gpu.  Returns the sum, which may have moved.
 */
void *
ga_engine_add_element(void *sum, GaElementType type, const void *element,
					  MemoryContext context)
{
	GaOwner *owner = ga_offload_owner(context);

	sum = ga_state_fill(ga_sum_state(sum, type), &owner->pool);
	if (ga_offload_choose((Datum) 0, false) == GA_NO_REASON)
		ga_sums_add_element(owner, sum, type, element);
	else
		ga_cpu_add(sum, type, element, 1);
	return sum;
}

/*
 * Add the result of an array to a state that is empty, if the device makes it
 * ahead.  Throws if the query is cancelled.
 */
static bool
take_ahead(GaAhead *ahead, GaState state, const GaStoredKey *key)
{
	uint32 n;
	const void *records = ga_stored_take_ahead(ahead, key, &n);

	if (records == NULL || n > key->raw_bytes / ga_element_size(state.type) ||
		!ga_state_merge_records(state, n, records, NULL, 0))
		return false;
	ga_session_count_lookup(ga_node_counters, true);
	ga_session_count(ga_node_counters, GA_NO_REASON, state.type, 1, n);
	ga_stored_send_ahead(ahead);
	return true;
}

/*
 * Have the device add a part of an array to a state, and wait for it.  May
 * throw.  Not inlined: variables of the caller would be taken for those of
 * PG_TRY.
 */
static pg_noinline void
reduce_by_device(GaState state, Datum array, GaPart part, const Stored *stored,
				 GaOwner *owner)
{
	PG_TRY();
	{
		if (owner->ahead != NULL)
			ga_slots_reserve_lookups(
				(1 + ga_ahead_plan(owner->ahead, &stored->key)) *
				ga_reduction_records(state.reduction));
		add_by_device(state, array, part, stored, owner);
		ga_offload_finish_all();
		if (owner->ahead != NULL)
			ga_ahead_came_to(owner->ahead, &stored->key);
	}
	PG_CATCH();
	{
		ga_offload_cancel(owner);
		PG_RE_THROW();
	}
	PG_END_TRY();
}

/*
 * Add a part of an array to a state of full capacity that is empty, and wait
 * for it.  If it is the result of a function with an argument for each row, the
 * device may make those of further rows ahead; else function is NULL.  May
 * throw; then the state is of no use.
 */
void
ga_engine_reduce_array(FmgrInfo *function, GaState state, Datum array,
					   GaPart part)
{
	GaOwner owner = {.counters = ga_node_counters};
	GaStoredKey key;
	Stored stored;
	GaReason reason;

	if (function != NULL && ga_engine != GA_ENGINE_CPU &&
		ga_part_is_whole(part) && ga_stored_key(array, &key))
	{
		owner.ahead =
			ga_ahead_of(function, (GaAheadUse){state.type, state.reduction, 0});
		if (take_ahead(owner.ahead, state, &key))
			return;
	}
	reason = choose(state, array, part, true, &stored);
	if (reason != GA_NO_REASON)
		(void) add_by_cpu(state, array, part, reason);
	else if (owner.ahead == NULL || !ga_stored_send_many(owner.ahead, &key) ||
			 !take_ahead(owner.ahead, state, &key))
		reduce_by_device(state, array, part, &stored, &owner);
}

/*
 * Reduce the array in argument 0 of a function, or the part of it that the
 * arguments behind it say, to a state in the caller's memory, and return that.
 * May throw.
 */
void *
ga_engine_reduce_argument(FunctionCallInfo fcinfo, GaElementType type,
						  GaReduction reduction, GaAnyState *memory)
{
	const GaState state = {memory, type, reduction};

	ga_node_enter(fcinfo);
	ga_state_init(state);
	ga_engine_reduce_array(fcinfo->flinfo, state, PG_GETARG_DATUM(0),
						   ga_part_arg(fcinfo, 1));
	return memory;
}
