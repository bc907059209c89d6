/*
 * bucket_windows.c
 *		Buckets as windows over an array, whose values the device makes.
 *
 * Of a query over many rows it makes them of several arrays at a time; those
 * that the query has not come to are kept by offload/ahead.c, with the call's
 * expression.  Called by bucket.c.
 */
#include "postgres.h"

#include "bucket.h"
#include "bucket_windows.h"
#include "extension/engine/session_counters.h"
#include "extension/offload/stored_key.h"
#include "extension/offload/windows_ahead.h"
#include "extension/settings.h"
#include "values_result.h"

/*
 * The widest buckets that are windows: each has a warp of the device, and parts
 * have all of it.
 */
#define MOST_WINDOW 16384

/* May buckets of a width be windows, of arrays without NULLs? */
static bool
may_be_windows(const GaBucket *bucket, int width)
{
	return width <= MOST_WINDOW &&
		   ga_window_has_form(bucket->type, ga_bucket_form(bucket->kind));
}

/*
 * Return what a call's expression has of all buckets of arrays; NULL if the
 * device makes none ahead.
 */
GaAhead *
ga_bucket_ahead(FunctionCallInfo fcinfo, const GaBucket *bucket, int width)
{
	if (ga_engine == GA_ENGINE_CPU || bucket->kind == GA_BUCKET_COUNT ||
		PG_NARGS() != 2 || !may_be_windows(bucket, width))
		return NULL;
	return ga_ahead_of(fcinfo->flinfo,
					   (GaAheadUse){bucket->type, ga_bucket_form(bucket->kind),
									(uint32) width});
}

/* Begin an array of the values of n buckets.  Errors: 54000. */
static void
begin_result(const GaBucket *bucket, int n, GaValuesResult *result)
{
	const GaArrayShape shape = ga_shape_line(n);

	ga_values_begin(result, &shape, ga_bucket_oid(bucket),
					GA_ARRAY_RESULT_HINT);
}

/*
 * Return the array of the values of the array with a key, and how many items it
 * has, if they were made ahead.  Else false.
 */
static bool
take(GaAhead *ahead, const GaBucket *bucket, int width, const GaStoredKey *key,
	 Datum *datum, uint32 *n_items)
{
	GaValuesResult result;
	const void *values = ga_windows_take(ahead, key, n_items);
	int n;

	if (values == NULL)
		return false;
	n = ga_bucket_count((int) *n_items, width);
	begin_result(bucket, n, &result);
	memcpy(result.values, values, n * sizeof(uint64));
	*datum = ga_values_end(&result);
	ga_windows_send_ahead(ahead);
	return true;
}

/*
 * Return the array of an array's values, if they were made ahead: nothing of it
 * is read.  Else false.
 */
bool
ga_bucket_take(GaAhead *ahead, const GaBucket *bucket, int width, Datum array,
			   Datum *datum)
{
	GaStoredKey key;
	uint32 n_items;

	if (ahead == NULL || !ga_stored_key(array, &key) ||
		!take(ahead, bucket, width, &key, datum, &n_items))
		return false;
	ga_session_count(ga_node_counters, GA_NO_REASON, bucket->type, 1, n_items);
	return true;
}

/*
 * Have the device make the values of all buckets of the items of an array that
 * a run names.  Returns GA_NO_REASON; GA_REASON_REFUSED if they have none, or
 * not all of them; or why the CPU computes.
 */
GaReason
ga_bucket_windows(const GaBucket *bucket, int width, const GaItems *items,
				  GaResidentRun *run, GaAhead *ahead, Datum *datum)
{
	GaValuesResult result;
	GaWindowsRun windows;
	GaReason reason;
	uint32 n_items;

	if (!may_be_windows(bucket, width) ||
		!ga_windows_begin(&windows, bucket->type, ga_bucket_form(bucket->kind),
						  items))
		return GA_REASON_REFUSED;
	if (ahead != NULL &&
		ga_windows_send_many(ahead,
							 (GaAheadArray){run->key, windows.windows.n}) &&
		take(ahead, bucket, width, &run->key, datum, &n_items))
		return GA_NO_REASON;
	begin_result(bucket, ga_bucket_count(items->shape.n_items, width), &result);
	windows.key = run->key;
	windows.windows.step = windows.windows.size = width;
	windows.values = result.values;
	windows.is_small = run->is_small;
	windows.ahead = ahead;
	if (ahead != NULL)
		(void) ga_ahead_plan(ahead, &run->key);
	reason = ga_windows_compute(&windows);
	if (ahead != NULL)
		ga_ahead_came_to(ahead, &run->key);
	run->is_counted = true;
	if (reason == GA_NO_REASON)
		*datum = ga_values_end(&result);
	else
		ga_values_discard(&result);
	return reason;
}
