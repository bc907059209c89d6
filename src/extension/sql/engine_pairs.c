/*
 * engine_pairs.c
 *		Sums of products of two arrays, by the engine that is chosen.
 *
 * The device computes them of two stored arrays without NULLs.  An aggregate
 * only notes a pair, which is added later, with others; a function of two
 * arrays waits for it.  Called by the SQL functions; keeps nothing.
 */
#include "postgres.h"

#include "engine_pairs.h"
#include "engine_resident.h"
#include "extension/engine/cpu_products.h"
#include "extension/engine/session_counters.h"
#include "extension/offload/client.h"
#include "extension/offload/helpers.h"
#include "extension/offload/offload.h"
#include "extension/offload/stored.h"
#include "extension/offload/stored_key.h"
#include "wire/route.h"

/*
 * Choose the engine for two arrays, whose result the query waits for if it
 * is_alone.  Returns GA_NO_REASON and their keys, or why the CPU computes.
 */
static GaReason
choose(Datum x, Datum y, bool is_alone, GaStoredKey keys[2])
{
	GaReason reason = ga_resident_choose(x, is_alone, UINT64_MAX, &keys[0]);

	if (reason == GA_NO_REASON)
		reason = ga_resident_choose(y, is_alone, UINT64_MAX, &keys[1]);
	if (reason == GA_NO_REASON && ga_route(&keys[0], ga_client_devices) !=
									  ga_route(&keys[1], ga_client_devices))
		reason = GA_REASON_DEVICES;
	return reason;
}

/*
 * Add the pairs of two arrays to a state of GA_REDUCE_PRODUCTS or _DOT, of full
 * capacity and empty, and wait for them.  Pairs with a NULL are skipped.
 * Errors: as ga_cpu_reduce_pairs, and 58000 if gpuagg.engine is gpu and there
 * is no device; then the state is of no use.
 */
void
ga_engine_add_pairs(GaState state, Datum x, Datum y)
{
	GaOwner owner = {.counters = ga_node_counters};
	GaStoredKey keys[2];
	const GaReason reason = choose(x, y, true, keys);

	if (reason != GA_NO_REASON)
	{
		(void) ga_cpu_reduce_pairs(ga_cpu_pair_reduction(state.reduction),
								   state.at, state.type, x, y, reason,
								   ga_node_counters);
		return;
	}
	PG_TRY();
	{
		ga_stored_add_pair(&owner, state, keys);
		ga_offload_finish_all();
	}
	PG_CATCH();
	{
		ga_offload_cancel(&owner);
		PG_RE_THROW();
	}
	PG_END_TRY();
}

/* Are two arrays for the CPU to be read later, when helpers can take part? */
static bool
is_noted(Datum x, Datum y, bool is_partial, GaStoredKey keys[2])
{
	return ga_stored_key(x, &keys[0]) && ga_stored_key(y, &keys[1]) &&
		   ga_helpers_may_read((uint64) keys[0].raw_bytes + keys[1].raw_bytes,
							   is_partial);
}

/*
 * Add the pairs of two arrays to an aggregate's state in its memory context,
 * now or later, as ga_engine_add_array() adds arrays.  Pairs with a NULL are
 * skipped.  Returns the state, which may have moved.  Errors: as
 * ga_engine_add_pairs.
 */
void *
ga_engine_note_pairs(GaState state, Datum x, Datum y, MemoryContext context,
					 bool is_partial)
{
	GaStoredKey keys[2];
	const GaReason reason = choose(x, y, false, keys);
	GaOwner *owner;

	if (reason != GA_NO_REASON && !is_noted(x, y, is_partial, keys))
		return ga_cpu_reduce_pairs(ga_cpu_pair_reduction(state.reduction),
								   state.at, state.type, x, y, reason,
								   ga_node_counters);
	owner = ga_offload_owner(context);
	owner->is_partial = is_partial;
	state.at = ga_state_fill(state, &owner->pool);
	if (reason == GA_NO_REASON)
		ga_stored_add_pair(owner, state, keys);
	else
		ga_stored_note_pair(owner, state, keys, reason);
	return state.at;
}
