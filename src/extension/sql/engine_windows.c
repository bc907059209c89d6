/*
 * engine_windows.c
 *		Values of windows, by the engine that the settings choose.
 *
 * The device makes them with the array resident, which is loaded if it is not;
 * else the caller has the CPU read the array.
 */
#include "postgres.h"

#include "engine_windows.h"
#include "extension/engine/choice.h"
#include "extension/engine/session_counters.h"
#include "extension/offload/client.h"
#include "extension/offload/offload.h"
#include "extension/offload/windows_ahead.h"

/*
 * Begin a run over all of the items, of which nothing was read yet; the caller
 * sets key, windows, values and is_small.  False if such values are not the
 * device's: there are NULLs, or the type has no such form.
 */
bool
ga_windows_begin(GaWindowsRun *run, GaElementType type, GaElemForm form,
				 const GaItems *items)
{
	if (!ga_window_has_form(type, form) || ga_items_may_have_nulls(items))
		return false;
	*run = (GaWindowsRun){.type = type,
						  .form = form,
						  .from = (uint32) items->array.n_returned,
						  .windows = {.n = (uint32) items->shape.n_items}};
	return true;
}

/* Ask, load what is missing, and ask again.  May throw. */
static void
ask_and_load(GaWindowsRun *run)
{
	ga_windows_by_device(run);
	if (run->n_done > 0 || run->is_refused)
		ga_session_count_lookup(ga_node_counters, true);
	else if (run->is_missing && run->is_small)
		ga_session_count_lookup(ga_node_counters, false);
	if (run->reason != GA_NO_REASON || !run->is_missing || run->is_small)
		return;
	ga_offload_load(ga_node_counters, run->type, &run->key, 1);
	run->has_loaded = true;
	run->reason = ga_client_open(false);
	if (run->reason == GA_NO_REASON)
		ga_windows_by_device(run);
}

/*
 * Have the device make all values of a run.  For a small part, is_small, the
 * array is not loaded.  Returns GA_NO_REASON, or why it did not, and then
 * the values are of no use.  Throws if the query is cancelled.
 */
GaReason
ga_windows_compute(GaWindowsRun *run)
{
	/* what is under way uses the same slots */
	ga_offload_finish_all();
	run->reason = ga_client_open(false);
	if (run->reason == GA_NO_REASON)
		ask_and_load(run);
	ga_slots_share_lease();
	ga_session_report_failure(run->reason, ga_client_trouble());
	if (run->reason != GA_NO_REASON)
		return run->reason;
	if (run->is_refused)
		return GA_REASON_REFUSED;
	if (run->is_missing)
		return run->is_small ? GA_REASON_PART : GA_REASON_CACHE;
	return GA_NO_REASON;
}

/*
 * Return the values of all buckets of an array, until the next call of one of
 * these functions, and set how many elements it has, if the device makes them
 * ahead; else NULL.  Throws if the query is cancelled.
 */
const void *
ga_windows_take(GaAhead *ahead, const GaStoredKey *key, uint32 *n)
{
	const void *values = ga_windows_take_ahead(ahead, key, n);

	if (values != NULL)
		ga_session_count_lookup(ga_node_counters, true);
	return values;
}
