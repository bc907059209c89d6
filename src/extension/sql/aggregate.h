/*
 * aggregate.h
 *		What all support functions of aggregates ask first.
 */
#ifndef GA_AGGREGATE_H
#define GA_AGGREGATE_H

#include "fmgr.h"

#include "extension/error.h"

/* The context that the aggregate's states live in.  Errors: 55000 outside. */
static inline MemoryContext
ga_aggregate_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		ga_report_not_aggregate();
	return context;
}

#endif /* GA_AGGREGATE_H */
