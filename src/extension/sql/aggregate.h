/*
 * aggregate.h
 *		The memory context of an aggregate's states.
 */
#ifndef GA_AGGREGATE_H
#define GA_AGGREGATE_H

#include "fmgr.h"

#include "extension/error.h"

/* Return the context.  Errors: 55000 if the caller is no aggregate. */
static inline MemoryContext
ga_aggregate_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		ga_report_not_aggregate();
	return context;
}

#endif /* GA_AGGREGATE_H */
