/*
 * engine_resident.c
 *		Functions of stored arrays, by the engine that the settings choose.
 *
 * For functions whose results are many, or that take two arrays.  The device
 * computes them with the arrays resident, which it loads if they are not; where
 * it does not, the caller has the CPU read the arrays.
 */
#include "postgres.h"

#include "engine_resident.h"
#include "extension/engine/choice.h"
#include "extension/engine/session_counters.h"
#include "extension/offload/client.h"
#include "extension/offload/offload.h"
#include "extension/offload/stored.h"
#include "extension/offload/stored_key.h"

/*
 * Choose the engine for an array of which so many bytes are wanted.  Returns
 * GA_NO_REASON, and the key of the array, if it is the device and there is a
 * connection; or why the CPU computes.  Errors: as ga_offload_choose_part().
 */
GaReason
ga_resident_choose(Datum array, uint64 n_bytes, GaStoredKey *key)
{
	GaReason reason;

	if (ga_engine_is_gpu() && !ga_stored_key(array, key))
		return GA_REASON_FUNCTION;
	reason = ga_offload_choose_part(array, true, n_bytes);
	if (reason == GA_NO_REASON && !ga_stored_key(array, key))
		reason = GA_REASON_FUNCTION;
	return reason;
}

/* Count the arrays that are resident as found, once. */
static void
count_hits(GaResidentRun *run)
{
	const int n = ga_reduction_has_pairs(run->reduction) ? 2 : 1;
	int k;

	for (k = 0; k < n && !run->is_counted; k++)
	{
		if (!run->is_missing[k])
			ga_session_count_lookup(run->owner.counters, true);
	}
	run->is_counted = true;
}

/* Have what is missing loaded.  May throw. */
static void
load_missing(GaResidentRun *run)
{
	int k;

	count_hits(run);
	for (k = 0; k < 2; k++)
	{
		if (run->is_missing[k])
			ga_stored_load(&run->owner, run->type, &run->keys[k], 1);
	}
	run->reason = ga_client_open(false);
	run->has_loaded = true;
}

/* Ask, load what is missing, and ask again.  May throw. */
static void
ask_and_load(GaResidentRun *run)
{
	if (!ga_resident_has_device(run))
	{
		run->reason = GA_REASON_DEVICES;
		return;
	}
	ga_resident_ask(run);
	if (run->is_found)
		count_hits(run);
	if (run->reason == GA_NO_REASON && ga_resident_is_missing(run) &&
		!run->is_small && !run->has_loaded)
	{
		load_missing(run);
		if (run->reason == GA_NO_REASON)
			ga_resident_ask(run);
	}
	if (run->reason != GA_NO_REASON || !ga_resident_is_missing(run))
		return;
	if (run->is_small)
		ga_session_count_lookup(run->owner.counters, false);
	run->reason = run->is_small ? GA_REASON_PART : GA_REASON_CACHE;
}

/*
 * Have the device compute a run, of which the caller set what the run is of,
 * and zeroed the rest.  Returns GA_NO_REASON if all its states have their
 * results; or why the CPU computes, and the states are of no use.  Throws if
 * the query is cancelled.
 */
GaReason
ga_resident_compute(GaResidentRun *run)
{
	int i;

	for (i = 0; i < run->n; i++)
		ga_state_init(ga_resident_state(run, i));
	run->owner.counters = ga_node_counters;
	run->reason = ga_client_open(false);
	PG_TRY();
	{
		if (run->reason == GA_NO_REASON)
			ask_and_load(run);
	}
	PG_CATCH();
	{
		ga_offload_cancel(&run->owner);
		PG_RE_THROW();
	}
	PG_END_TRY();
	ga_session_report_failure(run->reason, ga_client_trouble());
	Assert(run->reason != GA_NO_REASON || run->n_done == run->n);
	return run->reason;
}
