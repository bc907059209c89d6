/*
 * float_state.h
 *		The aggregate state of float sums: an exact sum.
 */
#ifndef GA_FLOAT_STATE_H
#define GA_FLOAT_STATE_H

#include "fmgr.h"

#include "exact/element.h"
#include "exact/exact_sum.h"

extern GaExactSum *ga_float_state_create(FunctionCallInfo fcinfo);
extern Datum ga_float_sum_result(FunctionCallInfo fcinfo, const GaExactSum *sum,
								 GaElementType type);

/* Return the state in argument 0, or a new one in the aggregate's context. */
static inline GaExactSum *
ga_float_state_arg(FunctionCallInfo fcinfo)
{
	if (likely(!PG_ARGISNULL(0)))
		return (GaExactSum *) PG_GETARG_POINTER(0);
	return ga_float_state_create(fcinfo);
}

#endif /* GA_FLOAT_STATE_H */
