/*
 * aggregate.h
 *		What the support functions of all aggregates share.
 */
#ifndef GA_AGGREGATE_H
#define GA_AGGREGATE_H

#include "fmgr.h"

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

/* Return a final function's state, complete; NULL if there is none. */
static inline void *
ga_aggregate_final_arg(FunctionCallInfo fcinfo)
{
	ga_offload_finish();
	return PG_ARGISNULL(0) ? NULL : PG_GETARG_POINTER(0);
}

#endif /* GA_AGGREGATE_H */
