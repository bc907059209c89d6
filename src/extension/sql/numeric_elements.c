/*
 * numeric_elements.c
 *		The elements of an array of numeric, with memory for work on them.
 *
 * The caller owns a GaNumericElements; what is between begin and end leaves the
 * current context as it finds it.  Called by the functions of numeric.
 */
#include "postgres.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "extension/engine/node_counters.h"
#include "extension/engine/session_counters.h"
#include "numeric_elements.h"

/*
 * Begin with the elements of an array argument, or of a part of it, and switch
 * to the memory of a batch.  Errors as ga_array_open.
 */
void
ga_numeric_elements_begin(GaNumericElements *elements, Datum value,
						  const GaPart *part)
{
	ga_numeric_array_open(&elements->array, value, part);
	elements->items = elements->array.items;
	elements->n = elements->bytes = 0;
	elements->batch = NULL;
	elements->caller = CurrentMemoryContext;
	if (elements->items.n < GA_NUMERIC_BATCH)
		return;
	elements->batch = AllocSetContextCreate(
		CurrentMemoryContext, "gpuagg numeric batch", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(elements->batch);
}

/*
 * Go to the next item; returns false behind the last one.  Throws if the query
 * is cancelled.  Errors: XX001.
 */
bool
ga_numeric_elements_item(GaNumericElements *elements, Datum *element,
						 bool *is_null)
{
	if (unlikely(ga_numeric_batch_ends(&elements->items)))
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(elements->batch);
	}
	if (!ga_numeric_items_next(&elements->items, element, is_null))
		return false;
	if (!*is_null)
	{
		elements->n++;
		elements->bytes += VARSIZE_ANY(DatumGetPointer(*element));
	}
	return true;
}

/* Go to the next item that is not NULL; returns false behind the last one. */
bool
ga_numeric_elements_next(GaNumericElements *elements, Datum *element)
{
	bool is_null;

	do
	{
		if (!ga_numeric_elements_item(elements, element, &is_null))
			return false;
	} while (is_null);
	return true;
}

/*
 * Count the array and the elements that were read, free the memory, and switch
 * to the caller's.
 */
void
ga_numeric_elements_end(GaNumericElements *elements)
{
	MemoryContextSwitchTo(elements->caller);
	if (elements->batch != NULL)
		MemoryContextDelete(elements->batch);
	ga_numeric_array_close(&elements->array);
	ga_session_count_bytes(ga_node_counters, GA_REASON_NUMERIC, 1, elements->n,
						   elements->bytes);
}
