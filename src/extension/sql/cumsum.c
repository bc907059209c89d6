/*
 * cumsum.c
 *		The running totals of an array argument, one after another.
 *
 * An inclusive total contains its own element; a NULL element repeats the total
 * so far, which is NULL before the first element that is not.  An exclusive
 * total is of the elements before its own, and begins with zero.  So the last
 * element does not count for an exclusive total, and cannot overflow it.
 *
 * Owns a GaCumsum from ga_cumsum_open() to ga_cumsum_close().  Called by
 * cumsum_rows.c and cumsum_array.c.
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
	cumsum->capacity = GA_GATHER;
	cumsum->many = NULL;
	ga_session_count(NULL, cumsum->totals.reason, type, 1, 0);
}

/* Return the memory that totals are computed in. */
static void *
ready_totals(GaCumsum *cumsum)
{
	return cumsum->many != NULL ? (void *) cumsum->many : (void *) &cumsum->few;
}

/*
 * Allocate memory for many totals, in the context of the reader, if the device
 * computes them: a request takes as long as thousands of totals.
 */
static void
allocate_many(GaCumsum *cumsum)
{
	if (cumsum->totals.reason != GA_NO_REASON || cumsum->many != NULL ||
		cumsum->array.n_items <= GA_GATHER)
		return;
	cumsum->capacity = Min(cumsum->array.n_items, GA_TOTALS_AHEAD);
	cumsum->many =
		MemoryContextAlloc(cumsum->context, cumsum->capacity * sizeof(GaTotal));
}

/* Compute totals of the next elements, of which there is at least one. */
static void
make_ready(GaCumsum *cumsum)
{
	GaElementType type = cumsum->array.type;
	const void *run;
	int n;

	if (cumsum->overflow)
		ga_report(GA_OVERFLOW, ga_total_type(type));
	allocate_many(cumsum);
	if (cumsum->n_run == 0)
	{
		cumsum->n_run =
			ga_totals_next_run(&cumsum->totals, &cumsum->array, &run);
		cumsum->run = run;
	}
	n = Min(cumsum->n_run, cumsum->capacity);
	cumsum->n_ready = ga_totals_compute(&cumsum->totals, cumsum->run, n,
										ready_totals(cumsum));
	cumsum->next_ready = 0;
	cumsum->overflow = cumsum->n_ready < n;
	if (cumsum->n_ready == 0)
		ga_report(GA_OVERFLOW, ga_total_type(type));
	if (cumsum->run != NULL)
		cumsum->run += n * ga_element_size(type);
	cumsum->n_run -= n;
}

/* Return total i of many, as ga_totals_compute() packs them. */
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

/* Go to the total with the next element that is not NULL. */
static void
advance(GaCumsum *cumsum)
{
	if (cumsum->next_ready == cumsum->n_ready)
		make_ready(cumsum);
	cumsum->total = ga_total_at(ready_totals(cumsum), cumsum->next_ready++,
								cumsum->array.type);
	cumsum->has_total = true;
}

/*
 * Go to the next item; returns false behind the last one.  *is_null tells
 * whether its total is NULL; if not, ga_cumsum_datum() returns it.  Errors:
 * 22003.
 */
bool
ga_cumsum_next(GaCumsum *cumsum, bool *is_null)
{
	int item = cumsum->item++;

	if (item >= cumsum->array.n_items)
		return false;

	/* no engine checks for interrupts while there are only NULLs */
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

/* Return a total as a Datum; a numeric one is in the current context. */
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

/* Return the total at the present item, as ga_total_datum() does. */
Datum
ga_cumsum_datum(const GaCumsum *cumsum)
{
	return ga_total_datum(cumsum->total, cumsum->array.type);
}

/* Free the memory of reading. */
void
ga_cumsum_close(GaCumsum *cumsum)
{
	ga_array_close(&cumsum->array);
	if (cumsum->many != NULL)
		pfree(cumsum->many);
}
