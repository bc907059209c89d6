/*
 * numeric_state.c
 *		States of PostgreSQL's aggregates of numeric.
 *
 * PostgreSQL's transition functions are called for one element after another,
 * and its final functions make the results, so these have the same digits as
 * those of sum(), avg() and the others.  Nothing goes to the device.
 *
 * Called by the functions of numeric.  Keeps nothing between two calls but the
 * states.
 */
#include "postgres.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "aggregate.h"
#include "numeric_state.h"
#include "part.h"

/*
 * Prepare calls of a transition for an aggregate with a state.  A transition
 * creates the state in its first call, for which a NULL will do.
 */
FunctionCallInfo
ga_numeric_call(GaNumericCall *memory, PGFunction transition, Node *aggregate,
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
	call->args[1].isnull = false;
	return call;
}

/*
 * Return a node of an aggregate whose states are in a context: PostgreSQL's
 * functions ask it for nothing else.
 */
WindowAggState
ga_numeric_aggregate(MemoryContext context)
{
	return (WindowAggState){.ss.ps.type = T_WindowAggState,
							.curaggcontext = context};
}

/*
 * Begin an empty state in a context, which has to be of its own if it is ever
 * reset.
 */
void
ga_numeric_state_begin(GaNumericState *state, PGFunction transition,
					   MemoryContext context)
{
	const NullableDatum none = {.value = (Datum) 0, .isnull = true};

	state->aggregate = ga_numeric_aggregate(context);
	state->transition = transition;
	(void) ga_numeric_call(&state->call, transition, (Node *) &state->aggregate,
						   none);
}

/* Begin with an empty state again. */
void
ga_numeric_state_reset(GaNumericState *state)
{
	MemoryContext context = state->aggregate.curaggcontext;

	MemoryContextReset(context);
	ga_numeric_state_begin(state, state->transition, context);
}

/* Add an element. */
void
ga_numeric_state_add(GaNumericState *state, Datum element)
{
	FunctionCallInfo call = &state->call.info;

	call->args[1].value = element;
	call->args[0].value = state->transition(call);
}

/*
 * Remove an element that was added.  False, and the state is of no use any
 * more, if PostgreSQL cannot tell how many decimals the rest has.
 */
bool
ga_numeric_state_remove(GaNumericState *state, Datum element)
{
	FunctionCallInfo call = &state->call.info;

	call->args[1].value = element;
	(void) numeric_accum_inv(call);
	if (!call->isnull)
		return true;
	call->isnull = false;
	return false;
}

/* Return the result of a final function, which may be NULL. */
Datum
ga_numeric_state_result(GaNumericState *state, PGFunction final, bool *is_null)
{
	FunctionCallInfo call = &state->call.info;
	Datum result = final(call);

	*is_null = call->isnull;
	call->isnull = false;
	return result;
}

/*
 * Call a transition of an aggregate for each element of an array, as for the
 * rows of a column.  False if it returned NULL, since it cannot remove an
 * element.  Throws as ga_array_open, and if the query is cancelled.
 */
static bool
apply(FunctionCallInfo call, PGFunction transition, Datum value, GaPart part)
{
	NullableDatum *argument = &call->args[1];
	GaNumericElements elements;

	ga_numeric_elements_begin(&elements, value, &part);
	while (!call->isnull &&
		   ga_numeric_elements_next(&elements, &argument->value))
	{
		call->args[0].value = transition(call);
		call->args[0].isnull = call->isnull;
	}
	ga_numeric_elements_end(&elements);
	return !call->isnull;
}

/*
 * Return the state in argument 0 after one of PostgreSQL's transitions for each
 * element of the array in argument 1, or of a part of it; NULL where that
 * returns NULL, since it cannot remove an element.  Errors: 55000 outside of an
 * aggregate, those of ga_array_open, and those of the transition.
 */
Datum
ga_numeric_apply_array(FunctionCallInfo fcinfo, PGFunction transition)
{
	GaNumericCall memory;
	FunctionCallInfo call;

	(void) ga_aggregate_context(fcinfo);
	ga_node_enter(fcinfo);
	call =
		ga_numeric_call(&memory, transition, fcinfo->context, fcinfo->args[0]);
	if (!ga_part_is_null(fcinfo) &&
		!apply(call, transition, PG_GETARG_DATUM(1), ga_part_arg(fcinfo, 2)))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(call->args[0].value);
}

/*
 * Return an aggregate's result of the array in argument 0, which is not NULL,
 * or of a part of it, by its transition and final function.  Errors as
 * ga_numeric_apply_array.
 */
Datum
ga_numeric_of_array(FunctionCallInfo fcinfo, PGFunction transition,
					PGFunction final)
{
	GaNumericState state;
	Datum result;

	ga_node_enter(fcinfo);
	ga_numeric_state_begin(&state, transition, CurrentMemoryContext);
	(void) apply(&state.call.info, transition, PG_GETARG_DATUM(0),
				 ga_part_arg(fcinfo, 1));
	result = ga_numeric_state_result(&state, final, &fcinfo->isnull);
	return result;
}
