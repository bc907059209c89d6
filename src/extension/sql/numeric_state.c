/*
 * numeric_state.c
 *		Arrays of numeric, by PostgreSQL's own functions of aggregates.
 *
 * The states are PostgreSQL's: its transition functions are called for one
 * element after another, its final functions make the results, so these have
 * the same digits as those of sum(), avg() and the others.  Nothing goes to the
 * device.
 *
 * Called by numeric.c.  Keeps nothing between two calls but the states.
 */
#include "postgres.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "aggregate.h"
#include "extension/engine/session_counters.h"
#include "numeric_state.h"

/* The elements of an array, one after another, and what they are. */
typedef struct Elements
{
	GaNumericArray array;
	int64 n;	 /* that were not NULL, so far ... */
	int64 bytes; /* ... and their bytes */
	MemoryContext caller;
	MemoryContext batch; /* of a long array, emptied now and then; or NULL */
} Elements;

/*
 * Begin with the elements of an array argument.  Functions of numeric leave
 * some bytes behind for each, in the current context: it is a batch's, if they
 * are many, until end_elements().
 */
static void
begin_elements(Elements *elements, Datum value)
{
	ga_numeric_array_open(&elements->array, value);
	elements->n = elements->bytes = 0;
	elements->batch = NULL;
	elements->caller = CurrentMemoryContext;
	if (elements->array.array.n_items < GA_NUMERIC_BATCH)
		return;
	elements->batch = AllocSetContextCreate(
		CurrentMemoryContext, "gpuagg numeric batch", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(elements->batch);
}

/*
 * Go to the next element that is not NULL; returns false behind the last one.
 * Throws if the query is cancelled.
 */
static bool
next_element(Elements *elements, Datum *element)
{
	bool is_null;

	do
	{
		if (unlikely(ga_numeric_batch_ends(&elements->array)))
		{
			CHECK_FOR_INTERRUPTS();
			MemoryContextReset(elements->batch);
		}
		if (!ga_numeric_array_next(&elements->array, element, &is_null))
			return false;
	} while (is_null);
	elements->n++;
	elements->bytes += VARSIZE_ANY(DatumGetPointer(*element));
	return true;
}

/* Count the array and the elements that were read, and free the memory. */
static void
end_elements(Elements *elements)
{
	MemoryContextSwitchTo(elements->caller);
	if (elements->batch != NULL)
		MemoryContextDelete(elements->batch);
	ga_numeric_array_close(&elements->array);
	ga_session_count_bytes(ga_node_counters, GA_REASON_NUMERIC, 1, elements->n,
						   elements->bytes);
}

/*
 * Call a transition of an aggregate for each element of an array, as for the
 * rows of a column.  False if it returned NULL, since it cannot remove an
 * element.  Throws as ga_array_open, and if the query is cancelled.
 */
static bool
apply(FunctionCallInfo call, PGFunction transition, Datum value)
{
	NullableDatum *argument = &call->args[1];
	Elements elements;

	begin_elements(&elements, value);
	argument->isnull = false;
	while (!call->isnull && next_element(&elements, &argument->value))
	{
		call->args[0].value = transition(call);
		call->args[0].isnull = call->isnull;
	}
	end_elements(&elements);
	return !call->isnull;
}

/* Memory of a call with two arguments. */
typedef union Call
{
	FunctionCallInfoBaseData info;
	char bytes[SizeForFunctionCallInfo(2)];
} Call;

/*
 * Prepare calls of a transition for an aggregate with a state.  A transition
 * creates the state in its first call, for which a NULL will do.
 */
static FunctionCallInfo
begin_calls(Call *memory, PGFunction transition, Node *aggregate,
			NullableDatum state)
{
	FunctionCallInfo call = &memory->info;

	InitFunctionCallInfoData(*call, NULL, 2, InvalidOid, aggregate, NULL);
	call->args[0] = state;
	call->args[1].value = (Datum) 0;
	call->args[1].isnull = true;
	if (state.isnull)
	{
		call->args[0].value = transition(call);
		call->args[0].isnull = false;
	}
	return call;
}

/*
 * Return the state in argument 0 after one of PostgreSQL's transitions for each
 * element of the array in argument 1; NULL where that returns NULL, since it
 * cannot remove an element.  Errors: 55000 outside of an aggregate, those of
 * ga_array_open, and those of the transition.
 */
Datum
ga_numeric_apply_array(FunctionCallInfo fcinfo, PGFunction transition)
{
	Call memory;
	FunctionCallInfo call;

	(void) ga_aggregate_context(fcinfo);
	ga_node_enter(fcinfo);
	call = begin_calls(&memory, transition, fcinfo->context, fcinfo->args[0]);
	if (!PG_ARGISNULL(1) && !apply(call, transition, PG_GETARG_DATUM(1)))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(call->args[0].value);
}

/*
 * Return an aggregate's result of the array in argument 0, which is not NULL,
 * by its transition and final function.  Errors as ga_numeric_apply_array.
 */
Datum
ga_numeric_of_array(FunctionCallInfo fcinfo, PGFunction transition,
					PGFunction final)
{
	/* a transition asks its node for nothing but the context of the state */
	WindowAggState aggregate = {.ss.ps.type = T_WindowAggState,
								.curaggcontext = CurrentMemoryContext};
	const NullableDatum none = {.value = (Datum) 0, .isnull = true};
	Call memory;
	FunctionCallInfo call;
	Datum result;

	ga_node_enter(fcinfo);
	call = begin_calls(&memory, transition, (Node *) &aggregate, none);
	(void) apply(call, transition, PG_GETARG_DATUM(0));
	result = final(call);
	fcinfo->isnull = call->isnull;
	return result;
}

/*
 * Return what a function of two numerics chooses, again and again, of what was
 * chosen before, (Datum) 0 for nothing, and an array argument's elements: that
 * itself, or a copy of an element.  Errors as ga_array_open.
 */
Datum
ga_numeric_choose(Datum before, Datum value, PGFunction choose)
{
	Datum chosen = before;
	Elements elements;
	Datum element;

	begin_elements(&elements, value);
	while (next_element(&elements, &element))
		chosen = chosen == (Datum) 0 ?
					 element :
					 DirectFunctionCall2(choose, chosen, element);
	MemoryContextSwitchTo(elements.caller);
	if (chosen != before)
		chosen = datumCopy(chosen, false, -1);
	end_elements(&elements);
	return chosen;
}
