/*
 * array_sum.h
 *		What the sum of one array, or of a part of it, gives as a result.
 */
#ifndef GA_ARRAY_SUM_H
#define GA_ARRAY_SUM_H

#include "fmgr.h"

#include "exact/element.h"
#include "exact/exact_sum.h"
#include "exact/int_sum.h"

/* Return the result of a sum of elements of a type; NULL without input. */
typedef Datum (*GaIntResult)(FunctionCallInfo fcinfo, const GaIntSum *sum,
							 GaElementType type);
typedef Datum (*GaFloatResult)(FunctionCallInfo fcinfo, const GaExactSum *sum,
							   GaElementType type);

extern Datum ga_array_sum_int(FunctionCallInfo fcinfo, GaElementType type,
							  GaIntResult result);
extern Datum ga_array_sum_float(FunctionCallInfo fcinfo, GaElementType type,
								GaFloatResult result);

/* Define the function of one array, or of a part of it, of an element type. */
#define GA_ARRAY_SUM(function, name, family, result)             \
	PG_FUNCTION_INFO_V1(function);                               \
	Datum function(PG_FUNCTION_ARGS)                             \
	{                                                            \
		return ga_array_sum_##family(fcinfo, GA_##name, result); \
	}

#endif /* GA_ARRAY_SUM_H */
