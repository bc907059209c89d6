/*
 * aggregate.c
 *		Arrays that a transition function comes to, and when they are read.
 *
 * Stored arrays of one query are read together, some time before its states
 * are.  Until then a function in the query might truncate, rewrite or drop the
 * table, but for the tables that the query itself has open: PostgreSQL refuses
 * that.  So an array of any other table, which such a function returned, is
 * read at once.
 */
#include "postgres.h"
#include "nodes/execnodes.h"
#include "utils/rel.h"

#include "extension/input/toast.h"
#include "aggregate.h"
#include "engine_pairs.h"
#include "engine_reduce.h"
#include "part.h"

/* Does the plan that an aggregate is of have the table of a TOAST table open? */
static bool
has_open(const EState *estate, Oid toast_relation)
{
	static Index last = 0; /* most often it is the one of the array before */
	Index i;

	for (i = 0; i < estate->es_range_table_size; i++)
	{
		const Index at = (last + i) % estate->es_range_table_size;
		const Relation relation = estate->es_relations[at];

		if (relation != NULL &&
			relation->rd_rel->reltoastrelid == toast_relation)
		{
			last = at;
			return true;
		}
	}
	return false;
}

/*
 * Can an array be read as long as the query runs?  If it is stored, but not in
 * a table of the query, it is to be read before another row is.
 */
bool
ga_aggregate_may_wait(FunctionCallInfo fcinfo, Datum array)
{
	struct varatt_external pointer;

	return !ga_toast_pointer(array, &pointer) ||
		   (fcinfo->context != NULL &&
			has_open(((PlanState *) fcinfo->context)->state,
					 pointer.va_toastrelid));
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
