/*
 * numeric_cumsum.c
 *		gpu_cumsum and gpu_array_cumsum of numeric, by PostgreSQL's addition.
 *
 * Totals of rows, arrays and windows have the meaning of those of cumsum.c: an
 * inclusive total contains its own element, a NULL element repeats the total so
 * far, and exclusive totals begin with zero.
 *
 * Owns a Totals as long as its memory context.  Called by the executor.
 */
#include "postgres.h"
#include "catalog/pg_type_d.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/tuplestore.h"
#include "windowapi.h"

#include "extension/engine/session_counters.h"
#include "extension/input/array_result.h"
#include "extension/pg_compat.h"
#include "numeric_elements.h"
#include "part.h"

PG_FUNCTION_INFO_V1(gpu_cumsum_numeric);
PG_FUNCTION_INFO_V1(gpu_cumsum_numeric_array);
PG_FUNCTION_INFO_V1(gpu_array_cumsum_numeric);

/* How often the executor is told that earlier rows are not needed. */
#define ROWS_TO_MARK 64

/* A running total. */
typedef struct Total
{
	Numeric value; /* in the context; NULL before the first element */
	MemoryContext context;
} Total;

/* Running totals of an array, one after another. */
typedef struct Totals
{
	GaNumericArray array;
	Total total;
	bool exclusive;
	bool has_begun;
} Totals;

/* Add an element to a total. */
static void
add(Total *total, Datum element)
{
	MemoryContext caller = MemoryContextSwitchTo(total->context);
	Numeric before = total->value;

	if (before == NULL)
		total->value = DatumGetNumericCopy(element);
	else
	{
		total->value = DatumGetNumeric(
			DirectFunctionCall2(numeric_add, NumericGetDatum(before), element));
		pfree(before);
	}
	MemoryContextSwitchTo(caller);
}

/*
 * Begin to read the totals of a call, (array [, first, last], exclusive), in
 * memory of the current context.
 */
static void
open_totals(Totals *totals, FunctionCallInfo fcinfo)
{
	const int exclusive_arg = PG_NARGS() - 1;
	GaPart part;

	ga_numeric_array_open(&totals->array, PG_GETARG_DATUM(0),
						  exclusive_arg > 1 ? ga_part_if_any(fcinfo, 1, &part) :
											  NULL);
	totals->exclusive = PG_GETARG_BOOL(exclusive_arg);
	totals->has_begun = false;
	totals->total.context = CurrentMemoryContext;
	totals->total.value = totals->exclusive ? int64_to_numeric(0) : NULL;
	ga_session_count_bytes(NULL, GA_REASON_NUMERIC, 1, 0, 0);
}

/* Add the next item to the total; returns false behind the last one. */
static bool
add_next(Totals *totals)
{
	Datum element;
	bool is_null;

	if (unlikely(ga_numeric_batch_ends(&totals->array.items)))
		CHECK_FOR_INTERRUPTS();
	if (!ga_numeric_items_next(&totals->array.items, &element, &is_null))
		return false;
	if (is_null)
		return true;
	add(&totals->total, element);
	ga_session_count_bytes(NULL, GA_REASON_NUMERIC, 0, 1,
						   VARSIZE_ANY(DatumGetPointer(element)));
	return true;
}

/*
 * Go to the next item's total, which is NULL if there is none; returns false
 * behind the last one.  The last element is not added to an exclusive total.
 */
static bool
next_total(Totals *totals)
{
	if (!totals->exclusive)
		return add_next(totals);
	if (!totals->has_begun)
	{
		totals->has_begun = true;
		return totals->array.items.n > 0;
	}
	return totals->array.items.next + 1 < totals->array.items.n &&
		   add_next(totals);
}

/* Return the total as a Datum in the current context. */
static Datum
total_datum(const Total *total)
{
	return datumCopy(NumericGetDatum(total->value), false, -1);
}

/* Free the memory of reading. */
static void
close_totals(Totals *totals)
{
	ga_numeric_array_close(&totals->array);
	if (totals->total.value != NULL)
		pfree(totals->total.value);
}

/* Return all totals in a tuplestore. */
static void
all_rows(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Totals totals;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	open_totals(&totals, fcinfo);
	while (next_total(&totals))
	{
		bool is_null = totals.total.value == NULL;
		Datum value = is_null ? (Datum) 0 : NumericGetDatum(totals.total.value);

		tuplestore_putvalues(result->setResult, result->setDesc, &value,
							 &is_null);
	}
	close_totals(&totals);
}

/* Create the reader of totals, in memory for all calls. */
static Totals *
first_row(FunctionCallInfo fcinfo, FuncCallContext *calls)
{
	MemoryContext caller = MemoryContextSwitchTo(calls->multi_call_memory_ctx);
	Totals *totals = palloc(sizeof(*totals));

	open_totals(totals, fcinfo);
	MemoryContextSwitchTo(caller);
	return totals;
}

/* Return the next total, or all, as the caller prefers. */
Datum
gpu_cumsum_numeric_array(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	FuncCallContext *calls;
	Totals *totals;

	if (SRF_IS_FIRSTCALL())
	{
		if (result != NULL && IsA(result, ReturnSetInfo) &&
			result->allowedModes & SFRM_Materialize_Preferred &&
			result->expectedDesc != NULL)
		{
			all_rows(fcinfo);
			return (Datum) 0;
		}
		calls = SRF_FIRSTCALL_INIT();
		calls->user_fctx = first_row(fcinfo, calls);
	}
	calls = SRF_PERCALL_SETUP();
	totals = calls->user_fctx;
	if (!next_total(totals))
	{
		close_totals(totals);
		SRF_RETURN_DONE(calls);
	}
	if (totals->total.value == NULL)
		SRF_RETURN_NEXT_NULL(calls);
	SRF_RETURN_NEXT(calls, total_datum(&totals->total));
}

/* Return the number of NULLs that the array of totals begins with. */
static int
leading_nulls(const Totals *totals)
{
	const GaNumericItems *items = &totals->array.items;
	int n = 0;

	while (!totals->exclusive && n < items->n &&
		   ga_numeric_items_is_null(items, n))
		n++;
	return n;
}

/* Return the totals as an array of the same shape. */
Datum
gpu_array_cumsum_numeric(PG_FUNCTION_ARGS)
{
	Totals totals;
	GaArrayResult result;
	Datum array;

	open_totals(&totals, fcinfo);
	if (totals.array.items.n == 0)
		array = PointerGetDatum(construct_empty_array(NUMERICOID));
	else
	{
		int n_leading = leading_nulls(&totals);

		ga_array_result_init(
			&result, &totals.array.array, NUMERICOID, n_leading,
			(Size) (totals.array.items.n - n_leading) * sizeof(int64));
		while (next_total(&totals))
		{
			if (totals.total.value != NULL)
				ga_array_result_append(&result, totals.total.value,
									   VARSIZE(totals.total.value),
									   ALIGNOF_INT);
		}
		array = ga_array_result_datum(&result);
	}
	close_totals(&totals);
	PG_RETURN_DATUM(array);
}

/*
 * Return the total of a partition's rows up to the present one.  The executor
 * is told that earlier rows are not needed.  Errors: 0A000.
 */
Datum
gpu_cumsum_numeric(PG_FUNCTION_ARGS)
{
	WindowObject window = PG_WINDOW_OBJECT();
	Total *total = WinGetPartitionLocalMemory(window, sizeof(*total));
	const int64 position = WinGetCurrentPosition(window);
	bool is_null;
	Datum value;

	if (position == 0)
	{
		ga_window_refuse_ignore_nulls(window, fcinfo);
		total->context = GetMemoryChunkContext(total);
	}
	if (position % ROWS_TO_MARK == 0)
		WinSetMarkPosition(window, position);
	value = WinGetFuncArgCurrent(window, 0, &is_null);

	/* aligned in the row's memory, not in the partition's */
	if (!is_null)
		add(total, NumericGetDatum(DatumGetNumeric(value)));
	if (total->value == NULL)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(total_datum(total));
}
