/*
 * aggregate.c
 *		Arrays that a transition function comes to, and when they are read.
 *
 * Most can be read later, together with others.
 */
#include "postgres.h"

#include "aggregate.h"
#include "engine_pairs.h"
#include "engine_reduce.h"
#include "part.h"
#include "read_later.h"

/*
 * May an array be read after further rows?  If not, it is to be read before
 * another row is.
 */
bool
ga_aggregate_may_wait(FunctionCallInfo fcinfo, Datum array)
{
	const PlanState *plan = (const PlanState *) fcinfo->context;

	return ga_may_read_later(plan == NULL ? NULL : plan->state, array);
}

/*
 * Add the array in argument 1, or the part that the arguments behind it say, to
 * a state, now or later.  Returns the state, which may have moved.  Errors:
 * 55000 outside of an aggregate; as ga_engine_add_array.
 */
void *
ga_aggregate_add_array(FunctionCallInfo fcinfo, GaState state)
{
	const MemoryContext context = ga_aggregate_context(fcinfo);
	const bool may_wait = ga_aggregate_may_wait(fcinfo, PG_GETARG_DATUM(1));

	ga_node_enter(fcinfo);
	state.at = ga_engine_add_array(
		state, PG_GETARG_DATUM(1), ga_part_arg(fcinfo, 2), context,
		!may_wait || ga_aggregate_is_partial(fcinfo));
	if (!may_wait)
		ga_aggregate_finish(fcinfo);
	return state.at;
}

/* Add the pairs of the arrays in arguments 1 and 2, in the same way. */
void *
ga_aggregate_add_pairs(FunctionCallInfo fcinfo, GaState state)
{
	const MemoryContext context = ga_aggregate_context(fcinfo);
	const bool may_wait = ga_aggregate_may_wait(fcinfo, PG_GETARG_DATUM(1)) &&
						  ga_aggregate_may_wait(fcinfo, PG_GETARG_DATUM(2));

	ga_node_enter(fcinfo);
	state.at = ga_engine_note_pairs(
		state, PG_GETARG_DATUM(1), PG_GETARG_DATUM(2), context,
		!may_wait || ga_aggregate_is_partial(fcinfo));
	if (!may_wait)
		ga_aggregate_finish(fcinfo);
	return state.at;
}
