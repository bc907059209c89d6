/*
 * minmax.c
 *		gpu_min, gpu_max, gpu_array_min and gpu_array_max.
 *
 * Over arrays the state is that of minmax_state.c, to which the device adds
 * stored ones.  Over a column it is the least or the largest value so far, a
 * value of the element type: every engine can combine it, by the transition
 * itself.  That of integers is PostgreSQL's own; the one of floats is here,
 * since -0 is less than 0 (extremum.h), and is not strict, so that even of one
 * NaN the result has the usual bits.
 *
 * Called by the executor; keeps nothing of its own but states.
 */
#include "postgres.h"
#include "fmgr.h"

#include "aggregate.h"
#include "engine_reduce.h"
#include "exact/extremum.h"
#include "extension/element_datum.h"
#include "minmax.h"
#include "part.h"

/* Add an array, or a part of it, to the state in argument 0. */
static Datum
accum_array(FunctionCallInfo fcinfo, GaElementType type, bool is_max)
{
	GaExtremum *extremum =
		PG_ARGISNULL(0) ? NULL : (GaExtremum *) PG_GETARG_POINTER(0);
	MemoryContext context;

	if (ga_part_is_null(fcinfo))
	{
		if (extremum == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(extremum);
	}
	context = ga_aggregate_context(fcinfo);
	if (extremum == NULL)
		extremum = ga_extremum_create(context, type, is_max);
	PG_RETURN_POINTER(ga_aggregate_add_array(
		fcinfo,
		(GaState){extremum, type, is_max ? GA_REDUCE_MAX : GA_REDUCE_MIN}));
}

#define X(name, family, ctype)                                   \
	GA_FUNCTION(gpu_min_accum_##name##_array,                    \
				accum_array(fcinfo, GA_##name, false))           \
	GA_FUNCTION(gpu_max_accum_##name##_array,                    \
				accum_array(fcinfo, GA_##name, true))            \
	GA_ARRAY_FUNCTION(gpu_array_min_##name, name, GA_REDUCE_MIN, \
					  ga_extremum_result)                        \
	GA_ARRAY_FUNCTION(gpu_array_max_##name, name, GA_REDUCE_MAX, \
					  ga_extremum_result)
GA_ELEMENT_TYPES(X)
#undef X

/* Choose one of a value and a state, or of two states; NULL of two NULLs. */
#define CHOOSE(function, choose, name, ctype, macro)                   \
	PG_FUNCTION_INFO_V1(function);                                     \
	Datum function(PG_FUNCTION_ARGS)                                   \
	{                                                                  \
		ctype a, b;                                                    \
                                                                       \
		if (PG_ARGISNULL(0) && PG_ARGISNULL(1))                        \
			PG_RETURN_NULL();                                          \
		a = ga_datum_##name(PG_GETARG_DATUM(PG_ARGISNULL(0) ? 1 : 0)); \
		b = ga_datum_##name(PG_GETARG_DATUM(PG_ARGISNULL(1) ? 0 : 1)); \
		return macro##GetDatum(choose(a, b));                          \
	}

CHOOSE(gpu_min_accum_float4, ga_min_float4, float4, float4, Float4)
CHOOSE(gpu_max_accum_float4, ga_max_float4, float4, float4, Float4)
CHOOSE(gpu_min_accum_float8, ga_min_float8, float8, float8, Float8)
CHOOSE(gpu_max_accum_float8, ga_max_float8, float8, float8, Float8)
