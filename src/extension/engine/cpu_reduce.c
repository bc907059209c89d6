/*
 * cpu_reduce.c
 *		Reductions of arrays by the CPU.
 *
 * Called by the SQL functions that compute where an array lies.  Keeps nothing
 * between two calls; no relation stays open.
 */
#include "postgres.h"
#include "miscadmin.h"

#include "cpu_reduce.h"
#include "session_counters.h"

/*
 * Add n elements in memory to a state, and return the state, which may have
 * moved.  Throws if the query is cancelled.
 */
void *
ga_cpu_reduce(GaReduceAdd add, void *state, GaElementType type,
			  const void *data, size_t n)
{
	const size_t size = ga_element_size(type);
	size_t done;

	for (done = 0; done < n; done += GA_REDUCE_ELEMENTS)
	{
		CHECK_FOR_INTERRUPTS();
		state = add(state, type, (const char *) data + done * size,
					Min(n - done, GA_REDUCE_ELEMENTS));
	}
	return state;
}

/*
 * Add the elements of a part of an array that are not NULL to a state, and
 * return the state, which may have moved.  Counts the array with the reason.
 * Throws as ga_array_open, and if the query is cancelled.
 */
void *
ga_cpu_reduce_array(GaReduceAdd add, void *state, GaElementType type,
					Datum array, GaPart part, GaReason reason)
{
	int64 n_elements = 0;
	GaToastRelation relation = GA_TOAST_CLOSED;
	GaArray reader;
	const void *run;
	int n;

	ga_array_open_part(&reader, array, type, part, &relation);
	while ((n = ga_array_next_run(&reader, &run)) > 0)
	{
		state = ga_cpu_reduce(add, state, type, run, n);
		n_elements += n;
	}
	ga_array_close(&reader);
	ga_toast_close(&relation);
	ga_session_count(ga_node_counters, reason, type, 1, n_elements);
	return state;
}
