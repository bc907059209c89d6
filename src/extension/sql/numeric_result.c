/*
 * numeric_result.c
 *		Arrays of numeric, made value by value.
 *
 * The caller owns a GaNumericResult, and computes values in memory that it
 * empties again and again; the array is in a context of its choice.  Called by
 * the functions of numeric.
 */
#include "postgres.h"
#include "catalog/pg_type_d.h"

#include "numeric_result.h"

/* What a value is expected to need; most have up to eight digits. */
#define VALUE_BYTES 10

/* Begin an array of a shape in a context.  Errors: 54000. */
void
ga_numeric_result_begin(GaNumericResult *result, MemoryContext context,
						const GaArrayShape *shape, bool may_have_nulls)
{
	MemoryContext caller = MemoryContextSwitchTo(context);

	result->context = context;
	result->is_empty = shape->n_items == 0;
	if (!result->is_empty)
		ga_array_result_begin(&result->array, shape, NUMERICOID, may_have_nulls,
							  (Size) shape->n_items * VALUE_BYTES);
	MemoryContextSwitchTo(caller);
}

/* Add the next value, or NULL if there may be any.  Errors: 54000. */
void
ga_numeric_result_add(GaNumericResult *result, Datum value, bool is_null)
{
	MemoryContext caller = MemoryContextSwitchTo(result->context);
	const void *numeric = is_null ? NULL : DatumGetPointer(value);

	ga_array_result_add(&result->array, numeric, is_null ? 0 : VARSIZE(numeric),
						ALIGNOF_INT);
	MemoryContextSwitchTo(caller);
}

/* Return the array, which has all of its values. */
Datum
ga_numeric_result_datum(GaNumericResult *result)
{
	MemoryContext caller = MemoryContextSwitchTo(result->context);
	Datum array = result->is_empty ?
					  PointerGetDatum(construct_empty_array(NUMERICOID)) :
					  ga_array_result_datum(&result->array);

	MemoryContextSwitchTo(caller);
	return array;
}
