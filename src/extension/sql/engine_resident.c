/*
 * engine_resident.c
 *		Functions of stored arrays, by the engine that the settings choose.
 *
 * For functions whose results are many.  The device computes them with the
 * array resident, which it loads if it is not; where it does not, the caller
 * has the CPU read the array.
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
 * Choose the engine for an array of which so many bytes are wanted, and whose
 * result the query waits for if it is_alone.  Returns GA_NO_REASON, and the key
 * of the array, if it is the device and there is a connection; or why the CPU
 * computes.  Errors: as ga_offload_choose_part().
 */
GaReason
ga_resident_choose(Datum array, bool is_alone, uint64 n_bytes, GaStoredKey *key)
{
	GaReason reason;

	if (ga_engine_is_gpu() && !ga_stored_key(array, key))
		return GA_REASON_FUNCTION;
	reason = ga_offload_choose_part(array, is_alone, n_bytes);
	if (reason == GA_NO_REASON && !ga_stored_key(array, key))
		reason = GA_REASON_FUNCTION;
	return reason;
}

/* Count the array as a hit, unless it is counted. */
static void
count_hit(GaResidentRun *run)
{
	if (!run->is_counted)
		ga_session_count_lookup(run->owner.counters, true);
	run->is_counted = true;
}

/* Have the array loaded, which counts it as a miss.  May throw. */
static void
load_missing(GaResidentRun *run)
{
	run->is_counted = true;
	ga_stored_load(&run->owner, run->type, &run->key, 1);
	run->reason = ga_client_open(false);
	run->has_loaded = true;
}

/* Ask, load the array if it is missing, and ask again.  May throw. */
static void
ask_and_load(GaResidentRun *run)
{
	ga_resident_ask(run);
	if (run->is_found)
		count_hit(run);
	if (run->reason == GA_NO_REASON && run->is_missing && !run->is_small &&
		!run->has_loaded)
	{
		load_missing(run);
		if (run->reason == GA_NO_REASON)
			ga_resident_ask(run);
	}
	if (run->reason != GA_NO_REASON || !run->is_missing)
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
