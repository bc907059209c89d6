/*
 * int_state.h
 *		The aggregate state of integer sums: a total of 128 bits.
 */
#ifndef GA_INT_STATE_H
#define GA_INT_STATE_H

#include "fmgr.h"

#include "exact/element.h"
#include "exact/int_sum.h"

extern GaIntSum *ga_int_state_create(FunctionCallInfo fcinfo);
extern Datum ga_int_sum_result(FunctionCallInfo fcinfo, const GaIntSum *sum,
							   GaElementType type);

/* Return the state in argument 0, or a new one in the aggregate's context. */
static inline GaIntSum *
ga_int_state_arg(FunctionCallInfo fcinfo)
{
	if (likely(!PG_ARGISNULL(0)))
		return (GaIntSum *) PG_GETARG_POINTER(0);
	return ga_int_state_create(fcinfo);
}

#endif /* GA_INT_STATE_H */
