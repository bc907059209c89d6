/*
 * cumsum.c
 *		The running totals of an array argument, one after the other.
 *
 * An inclusive total has its own element in it; a NULL element repeats the
 * total so far, which is NULL before the first value.  An exclusive one is of
 * the elements before it, and begins with zero.  So the last element never
 * counts for an exclusive total, and its overflow is none.
 */
#include "postgres.h"
#include "miscadmin.h"

#include "cumsum.h"
#include "extension/engine/session_counters.h"
#include "extension/offload/offload.h"
#include "extension/error.h"
#include "int_state.h"

/*
 * Begin to read the totals of an array (not NULL), in memory of the current
 * context.  Errors as ga_array_open and ga_offload_choose.
 */
void
ga_cumsum_open(GaCumsum *cumsum, Datum array, GaElementType type,
			   bool exclusive)
{
	GaReason reason = ga_offload_choose(array, true);
	struct varatt_external pointer;

	/* the device may have its elements */
	if (reason == GA_NO_REASON && ga_toast_pointer(array, &pointer))
		ga_array_open_shape(&cumsum->array, &pointer, type);
	else
		ga_array_open(&cumsum->array, array, type);
	cumsum->context = CurrentMemoryContext;
	cumsum->exclusive = exclusive;
	cumsum->item = 0;
	cumsum->has_total = false;
	memset(&cumsum->total, 0, sizeof(cumsum->total));
	ga_totals_begin_array(&cumsum->totals, &cumsum->array, array, reason);
	cumsum->n_run = cumsum->n_ready = cumsum->next_ready = 0;
	cumsum->overflow = false;
	cumsum->room = GA_GATHER;
	cumsum->many = NULL;
	ga_session_count(cumsum->totals.reason, 1, 0);
}

/*
 * Where totals are computed to.  A request to the device takes as long as
 * thousands of totals, so it makes many; that room is made here, in the
 * context of the reader, when the first one is needed.
 */
static void *
ready_room(GaCumsum *cumsum)
{
	return cumsum->many != NULL ? (void *) cumsum->many : (void *) &cumsum->few;
}

static void
make_room(GaCumsum *cumsum)
{
	if (cumsum->totals.reason != GA_NO_REASON || cumsum->many != NULL ||
		cumsum->array.n_items <= GA_GATHER)
		return;
	cumsum->room = Min(cumsum->array.n_items, GA_TOTALS_AHEAD);
	cumsum->many =
		MemoryContextAlloc(cumsum->context, cumsum->room * sizeof(GaTotal));
}

/* Compute the totals of the next values; there is at least one more. */
static void
make_ready(GaCumsum *cumsum)
{
	GaElementType type = cumsum->array.type;
	const void *run;
	int n;

	if (cumsum->overflow)
		ga_report(GA_OVERFLOW, ga_total_type(type));
	make_room(cumsum);
	if (cumsum->n_run == 0)
	{
		cumsum->n_run =
			ga_totals_next_run(&cumsum->totals, &cumsum->array, &run);
		cumsum->run = run;
	}
	n = Min(cumsum->n_run, cumsum->room);
	cumsum->n_ready =
		ga_totals_compute(&cumsum->totals, cumsum->run, n, ready_room(cumsum));
	cumsum->next_ready = 0;
	cumsum->overflow = cumsum->n_ready < n;
	if (cumsum->n_ready == 0)
		ga_report(GA_OVERFLOW, ga_total_type(type));
	if (cumsum->run != NULL)
		cumsum->run += n * ga_element_size(type);
	cumsum->n_run -= n;
}

/* A total of many, as ga_totals_compute() makes them. */
GaTotal
ga_total_at(const void *totals, int i, GaElementType type)
{
	GaTotal total;

	memset(&total, 0, sizeof(total));
	switch (type)
	{
		case GA_float4:
			total.float4 = ((const float4 *) totals)[i];
			break;
		case GA_float8:
			total.float8 = ((const float8 *) totals)[i];
			break;
		case GA_int8:
			total.int16 = ((const GaInt128 *) totals)[i];
			break;
		default:
			total.int8 = ((const int64 *) totals)[i];
			break;
	}
	return total;
}

/* Add the next value to the total. */
static void
advance(GaCumsum *cumsum)
{
	if (cumsum->next_ready == cumsum->n_ready)
		make_ready(cumsum);
	cumsum->total = ga_total_at(ready_room(cumsum), cumsum->next_ready++,
								cumsum->array.type);
	cumsum->has_total = true;
}

/*
 * Go to the next item; false behind the last one.  *is_null tells if its
 * total is NULL; otherwise ga_cumsum_datum() gives it.  Errors: 22003.
 */
bool
ga_cumsum_next(GaCumsum *cumsum, bool *is_null)
{
	int item = cumsum->item++;

	if (item >= cumsum->array.n_items)
		return false;

	/* NULLs come by without an engine that would look for a cancellation */
	if (item % GA_GATHER == 0)
		CHECK_FOR_INTERRUPTS();
	if (cumsum->exclusive)
	{
		if (item > 0 && !ga_array_is_null(&cumsum->array, item - 1))
			advance(cumsum);
		*is_null = false;
	}
	else
	{
		if (!ga_array_is_null(&cumsum->array, item))
			advance(cumsum);
		*is_null = !cumsum->has_total;
	}
	return true;
}

/* A total of elements of a type; a numeric one is made in this context. */
Datum
ga_total_datum(GaTotal total, GaElementType type)
{
	switch (type)
	{
		case GA_float4:
			return Float4GetDatum(total.float4);
		case GA_float8:
			return Float8GetDatum(total.float8);
		case GA_int8:
			return ga_int128_get_numeric(total.int16);
		default:
			return Int64GetDatum(total.int8);
	}
}

/* The total at the present item. */
Datum
ga_cumsum_datum(const GaCumsum *cumsum)
{
	return ga_total_datum(cumsum->total, cumsum->array.type);
}

void
ga_cumsum_close(GaCumsum *cumsum)
{
	ga_array_close(&cumsum->array);
	if (cumsum->many != NULL)
		pfree(cumsum->many);
}
