/*
 * cumsum.c
 *		The running totals of an array argument, one after another.
 *
 * An inclusive total contains its own element; a NULL element repeats the total
 * so far, which is NULL before the first element that is not.  An exclusive
 * total is of the elements before its own, and begins with zero.  So the last
 * element does not count for an exclusive total, and cannot overflow it.
 * Totals may begin with an exact sum instead of nothing.
 *
 * Owns a GaCumsum from ga_cumsum_open() to ga_cumsum_close().  Called by
 * cumsum_rows.c and cumsum_array.c.
 */
#include "postgres.h"
#include "miscadmin.h"

#include "cumsum.h"
#include "extension/engine/choice.h"
#include "extension/engine/session_counters.h"
#include "extension/offload/offload.h"
#include "exactsum.h"
#include "extension/error.h"
#include "mean.h"
#include "part.h"

/*
 * The arguments: an array, an exact sum to start with where there are three or
 * the bounds of a part where there are four, and whether totals are exclusive.
 */
#define ARRAY_ARG			  0
#define START_ARG			  1
#define N_ARGS_WITH_START	  3
#define FIRST_ARG			  1
#define N_ARGS_WITH_PART	  4
#define EXCLUSIVE_ARG(fcinfo) ((fcinfo)->nargs - 1)

/* Is there an argument that is NULL, so that there are no totals? */
bool
ga_cumsum_has_null(FunctionCallInfo fcinfo)
{
	return PG_ARGISNULL(ARRAY_ARG) || PG_ARGISNULL(EXCLUSIVE_ARG(fcinfo));
}

/* Begin with the exact sum that is given, if there is one. */
static void
begin_with_start(GaCumsum *cumsum, FunctionCallInfo fcinfo)
{
	const GaElementType type = cumsum->array.type;
	GaFullSum full;
	const GaExactSum *start;

	cumsum->has_total = false;
	cumsum->is_start_out = false;
	memset(&cumsum->total, 0, sizeof(cumsum->total));
	if (PG_NARGS() != N_ARGS_WITH_START || PG_ARGISNULL(START_ARG))
		return;
	start = ga_exactsum_read(PG_GETARG_DATUM(START_ARG), &full);
	if (start->n == 0)
		return;
	(void) ga_exact_sum_merge(ga_totals_sum(&cumsum->totals), start);
	cumsum->has_total = true;
	cumsum->is_start_out =
		(type == GA_float4 ?
			 ga_exact_sum_float4(start, &cumsum->total.float4) :
			 ga_exact_sum_float8(start, &cumsum->total.float8)) != GA_OK;
}

/*
 * Open a part of the array argument, whose totals are an array as
 * array[first:last] is one.  Returns why the CPU is to compute, if not all of a
 * stored array is to be loaded for it.
 */
static GaReason
open_part(GaCumsum *cumsum, Datum array, GaElementType type, GaPart part)
{
	const GaReason reason =
		ga_offload_choose_part(array, true, ga_part_bytes(part, type));
	struct varatt_external pointer;
	uint64 n_bytes;

	ga_array_open_part(&cumsum->array, array, type, part, NULL);
	n_bytes =
		(uint64) ga_array_n_selected(&cumsum->array) * ga_element_size(type);
	cumsum->first = cumsum->array.next;
	cumsum->end = cumsum->array.end;
	ga_array_reshape(&cumsum->array);
	if (reason == GA_NO_REASON && ga_toast_pointer(array, &pointer) &&
		ga_choose_is_small(n_bytes, pointer.va_rawsize))
		return GA_REASON_PART;
	return reason;
}

/* Open the array argument.  Returns why the CPU is to compute, if it is. */
static GaReason
open_whole(GaCumsum *cumsum, Datum array, GaElementType type)
{
	const GaReason reason = ga_offload_choose(array, true);
	struct varatt_external pointer;

	/* the device may have its elements */
	if (reason == GA_NO_REASON && ga_toast_pointer(array, &pointer))
		ga_array_open_shape(&cumsum->array, &pointer, type);
	else
		ga_array_open(&cumsum->array, array, type);
	cumsum->first = 0;
	cumsum->end = cumsum->array.n_items;
	return reason;
}

/*
 * Begin to read the totals of a call without NULLs, in memory of the current
 * context.  Errors as ga_array_open and ga_offload_choose; XX001 for a damaged
 * exact sum.
 */
void
ga_cumsum_open(GaCumsum *cumsum, FunctionCallInfo fcinfo, GaElementType type)
{
	const Datum array = PG_GETARG_DATUM(ARRAY_ARG);
	const GaReason reason =
		PG_NARGS() == N_ARGS_WITH_PART ?
			open_part(cumsum, array, type, ga_part_arg(fcinfo, FIRST_ARG)) :
			open_whole(cumsum, array, type);

	cumsum->context = CurrentMemoryContext;
	cumsum->exclusive = PG_GETARG_BOOL(EXCLUSIVE_ARG(fcinfo));
	cumsum->item = cumsum->first;
	ga_totals_begin_array(&cumsum->totals, &cumsum->array, array, reason);
	begin_with_start(cumsum, fcinfo);
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
	cumsum->is_start_out = false;
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

	if (item >= cumsum->end)
		return false;

	/* no engine checks for interrupts while there are only NULLs */
	if (item % GA_GATHER == 0)
		CHECK_FOR_INTERRUPTS();
	if (cumsum->exclusive)
	{
		if (item > cumsum->first && !ga_array_is_null(&cumsum->array, item - 1))
			advance(cumsum);
		*is_null = false;
	}
	else
	{
		if (!ga_array_is_null(&cumsum->array, item))
			advance(cumsum);
		*is_null = !cumsum->has_total;
	}
	if (unlikely(cumsum->is_start_out))
		ga_report(GA_OVERFLOW, ga_total_type(cumsum->array.type));
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
