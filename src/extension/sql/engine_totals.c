/*
 * engine_totals.c
 *		Running totals, by the engine that the settings choose.
 *
 * Called by the SQL functions, which pass elements in runs.  The device
 * computes the totals of a stored array with the array resident, if it fits in
 * the cache, and otherwise of elements that are sent.  What the device does not
 * compute, the CPU does, from the sum of all elements so far.
 */
#include "postgres.h"
#include "miscadmin.h"

#include "extension/engine/cpu_sums.h"
#include "extension/engine/session_counters.h"
#include "extension/offload/client.h"
#include "extension/offload/offload.h"
#include "extension/offload/stored_key.h"
#include "engine_totals.h"

/* Totals computed between two looks for a cancellation. */
#define CANCEL_ELEMENTS (1 << 20)

/* Begin, by the device if there is no reason why not. */
void
ga_totals_begin(GaTotalsState *totals, GaElementType type, GaReason reason)
{
	totals->type = type;
	totals->reason = reason;
	ga_full_sum_init(&totals->floats);
	memset(&totals->ints, 0, sizeof(totals->ints));
	totals->array = NULL;
	totals->is_resident = false;
	totals->n_before = totals->n_done = 0;
}

/*
 * Begin with an array argument, which is open in *array, perhaps for a part.
 * If it is stored and the device is to compute, its elements need not be read.
 */
void
ga_totals_begin_array(GaTotalsState *totals, GaArray *array, Datum given,
					  GaReason reason)
{
	ga_totals_begin(totals, array->type, reason);
	if (totals->reason == GA_NO_REASON && ga_stored_key(given, &totals->key))
	{
		totals->array = array;
		totals->is_resident = true;
		totals->n_before = totals->n_done = array->n_returned;
	}
}

/*
 * Return the length of the next run of elements to be passed, of the array that
 * was begun with; 0 behind the last one.  *run is NULL if they need not be
 * read.
 */
int
ga_totals_next_run(GaTotalsState *totals, GaArray *array, const void **run)
{
	if (totals->array == NULL)
		return ga_array_next_run(array, run);
	*run = NULL;
	return ga_array_n_not_null(array) - (int) totals->n_done;
}

/*
 * Compute totals by the device, as many as it does: with the array resident,
 * with its loading if it is missing, or else with its elements sent.
 */
static void
run_by_device(GaTotalsRun *run)
{
	ga_totals_by_device(run);
	if (run->totals->is_resident && run->n_out > 0 &&
		run->totals->n_done == run->totals->n_before)
		ga_session_count_lookup(NULL, true);
	while (run->reason == GA_NO_REASON && run->is_missing)
	{
		if (!run->has_loaded)
		{
			ga_offload_load(NULL, run->totals->type, &run->totals->key, 1);
			run->reason = ga_client_open(false);
		}
		else
			run->totals->is_resident = false;
		run->has_loaded = true;
		if (run->reason == GA_NO_REASON)
			ga_totals_by_device(run);
	}
}

/*
 * Compute totals by the device.  Returns how many; what is missing, unless the
 * next total overflows, is left to the CPU from now on, and totals->reason says
 * why.
 */
static size_t
compute_by_device(GaTotalsState *totals, const void *in, size_t n, void *out,
				  bool *overflow)
{
	GaTotalsRun run = {.totals = totals, .in = in, .out = out, .n = n};

	/* sums under way use the same slots */
	ga_offload_finish_all();
	run.reason = ga_client_open(false);
	if (run.reason == GA_NO_REASON)
		run_by_device(&run);
	totals->reason = run.reason;
	ga_session_count(NULL, GA_NO_REASON, totals->type, 0, run.n_out);
	ga_session_report_failure(run.reason, ga_client_trouble());
	*overflow = run.overflow;
	return run.n_out;
}

/* Compute totals by the CPU, of elements in memory. */
static size_t
compute_by_cpu(GaTotalsState *totals, const char *in, size_t n, char *out)
{
	size_t done = 0;
	size_t n_next = 0;
	size_t n_totals = 0;

	for (; done < n && n_totals == n_next; done += n_totals)
	{
		CHECK_FOR_INTERRUPTS();
		n_next = Min(n - done, CANCEL_ELEMENTS);
		n_totals =
			ga_cpu_scan(ga_totals_sum(totals), totals->type,
						in + done * ga_element_size(totals->type), n_next,
						out + done * ga_totals_size(totals->type));
		ga_session_count(NULL, totals->reason, totals->type, 0, n_totals);
	}
	return done;
}

/* Compute totals by the CPU, of the array's elements from n_done on. */
static size_t
compute_array_by_cpu(GaTotalsState *totals, size_t n, char *out)
{
	const size_t size = ga_element_size(totals->type);
	const size_t capacity = Min(n, GA_READ_BYTES / size);
	char *elements = palloc(capacity * size);
	size_t done = 0;
	size_t n_next = 0;
	size_t n_totals = 0;

	for (; done < n && n_totals == n_next; done += n_totals)
	{
		n_next = Min(n - done, capacity);
		ga_array_read(totals->array, totals->n_done + done, n_next, elements);
		n_totals = compute_by_cpu(totals, elements, n_next,
								  out + done * ga_totals_size(totals->type));
	}
	pfree(elements);
	return done;
}

/*
 * Compute the running totals of the next n elements.  in may be unaligned, and
 * is NULL for those of the array; out is of the floats' type, int64, or
 * GaInt128 for int8.  Returns the number of totals: n, or the index of the
 * element whose total overflows.  Throws if the query is cancelled.
 */
size_t
ga_totals_compute(GaTotalsState *totals, const void *in, size_t n, void *out)
{
	const size_t size = ga_element_size(totals->type);
	size_t done = 0;
	bool overflow = false;
	char *rest;

	ga_node_counters = NULL;
	if (totals->reason == GA_NO_REASON)
		done = compute_by_device(totals, in, n, out, &overflow);
	totals->n_done += done;
	rest = (char *) out + done * ga_totals_size(totals->type);
	if (done < n && !overflow)
	{
		size_t n_totals =
			in == NULL ? compute_array_by_cpu(totals, n - done, rest) :
						 compute_by_cpu(totals, (const char *) in + done * size,
										n - done, rest);

		totals->n_done += n_totals;
		done += n_totals;
	}
	return done;
}
