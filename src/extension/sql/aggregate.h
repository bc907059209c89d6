/*
 * aggregate.h
 *		What the support functions of all aggregates share.
 */
#ifndef GA_AGGREGATE_H
#define GA_AGGREGATE_H

#include "fmgr.h"

#include "extension/engine/node_counters.h"
#include "extension/engine/reduction_state.h"
#include "extension/error.h"
#include "extension/offload/offload.h"

/* Return the context of the states.  Errors: 55000 outside of an aggregate. */
static inline MemoryContext
ga_aggregate_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		ga_report_not_aggregate();
	return context;
}

/* Is the aggregate's sum one of several, made by parallel workers, too? */
static inline bool
ga_aggregate_is_partial(FunctionCallInfo fcinfo)
{
	Node *node = fcinfo->context;

	return node != NULL && IsA(node, AggState) &&
		   DO_AGGSPLIT_SKIPFINAL(((AggState *) node)->aggsplit);
}

/* Wait for what the device does, before a state is read.  May throw. */
static inline void
ga_aggregate_finish(FunctionCallInfo fcinfo)
{
	if (unlikely(ga_offload_has_pending))
	{
		ga_node_enter(fcinfo);
		ga_offload_finish_all();
	}
}

/* Return a final function's state, complete; NULL if there is none. */
static inline void *
ga_aggregate_final_arg(FunctionCallInfo fcinfo)
{
	ga_aggregate_finish(fcinfo);
	return PG_ARGISNULL(0) ? NULL : PG_GETARG_POINTER(0);
}

/* Define an SQL-callable function of fcinfo by the call that it is. */
#define GA_FUNCTION(function, call)  \
	PG_FUNCTION_INFO_V1(function);   \
	Datum function(PG_FUNCTION_ARGS) \
	{                                \
		return call;                 \
	}

extern bool ga_aggregate_may_wait(FunctionCallInfo fcinfo, Datum array);
extern void *ga_aggregate_add_array(FunctionCallInfo fcinfo, GaState state);
extern void *ga_aggregate_add_pairs(FunctionCallInfo fcinfo, GaState state);

#endif /* GA_AGGREGATE_H */
