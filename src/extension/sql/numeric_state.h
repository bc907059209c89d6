/*
 * numeric_state.h
 *		States of PostgreSQL's aggregates of numeric.
 */
#ifndef GA_NUMERIC_STATE_H
#define GA_NUMERIC_STATE_H

#include "fmgr.h"
#include "nodes/execnodes.h"

#include "numeric_elements.h"

/* A call of a transition or final function. */
typedef union GaNumericCall
{
	FunctionCallInfoBaseData info;
	char bytes[SizeForFunctionCallInfo(2)];
} GaNumericCall;

/* A state outside of an aggregate, in a memory context. */
typedef struct GaNumericState
{
	PGFunction transition;
	WindowAggState aggregate; /* has the context */
	GaNumericCall call;		  /* the state is its first argument */
} GaNumericState;

extern FunctionCallInfo ga_numeric_call(GaNumericCall *call,
										PGFunction transition, Node *aggregate,
										NullableDatum state);
extern WindowAggState ga_numeric_aggregate(MemoryContext context);
extern void ga_numeric_state_begin(GaNumericState *state, PGFunction transition,
								   MemoryContext context);
extern void ga_numeric_state_reset(GaNumericState *state);
extern void ga_numeric_state_add(GaNumericState *state, Datum element);
extern bool ga_numeric_state_remove(GaNumericState *state, Datum element);
extern Datum ga_numeric_state_result(GaNumericState *state, PGFunction final,
									 bool *is_null);
extern Datum ga_numeric_apply_array(FunctionCallInfo fcinfo,
									PGFunction transition);
extern Datum ga_numeric_of_array(FunctionCallInfo fcinfo, PGFunction transition,
								 PGFunction final);

#endif /* GA_NUMERIC_STATE_H */
