/*
 * sum.c
 *		gpu_sum and gpu_array_sum.
 *
 * For each element type: transition functions of the aggregates over plain
 * columns and over array columns, their inverses for moving frames, and the
 * sum of one array.  A transition creates its state even for a NULL, since a
 * moving aggregate must have one.
 */
#include "postgres.h"
#include "fmgr.h"

#include "aggregate.h"
#include "extension/engine/choice.h"
#include "extension/engine/float_sum.h"
#include "engine_sum.h"
#include "float_state.h"
#include "int_state.h"

/* One value into a float state, or out of it (by = -1). */
static inline Datum
apply_float(FunctionCallInfo fcinfo, double x, int by)
{
	GaExactSum *sum = ga_float_state_arg(fcinfo);

	while (unlikely(ga_exact_sum_apply(sum, x, by) != GA_OK))
		sum = ga_float_sum_grow(sum);
	PG_RETURN_POINTER(sum);
}

/* One value into an integer state, or out of it (by = -1). */
static inline Datum
apply_int(FunctionCallInfo fcinfo, int64 x, int by)
{
	GaIntSum *sum = ga_int_state_arg(fcinfo);

	ga_int_sum_add(sum, by < 0 ? -(GaInt128) x : x, by);
	PG_RETURN_POINTER(sum);
}

/* The state as it is, for a NULL. */
#define keep_float(fcinfo) PG_RETURN_POINTER(ga_float_state_arg(fcinfo))
#define keep_int(fcinfo)   PG_RETURN_POINTER(ga_int_state_arg(fcinfo))

/* One value into a state of either kind, if gpuagg.engine is gpu. */
static pg_noinline Datum
apply_by_device(FunctionCallInfo fcinfo, void *sum, GaElementType type,
				const void *value)
{
	PG_RETURN_POINTER(
		ga_engine_add_element(sum, type, value, ga_aggregate_context(fcinfo)));
}

/* An array into a float state, or out of it. */
static Datum
apply_float_array(FunctionCallInfo fcinfo, GaElementType type, int by)
{
	GaExactSum *sum = ga_float_state_arg(fcinfo);
	GaFullSum full;
	GaExactSum *taken;

	if (by > 0)
		PG_RETURN_POINTER(ga_engine_add_array(sum, type, PG_GETARG_DATUM(1),
											  ga_aggregate_context(fcinfo)));

	taken = ga_full_sum_init(&full);
	ga_engine_sum_array(taken, type, PG_GETARG_DATUM(1));
	while (ga_exact_sum_unmerge(sum, taken) != GA_OK)
		sum = ga_float_sum_grow(sum);
	PG_RETURN_POINTER(sum);
}

/* An array into an integer state, or out of it. */
static Datum
apply_int_array(FunctionCallInfo fcinfo, GaElementType type, int by)
{
	GaIntSum *sum = ga_int_state_arg(fcinfo);
	GaIntSum taken = {0};

	if (by > 0)
		(void) ga_engine_add_array(sum, type, PG_GETARG_DATUM(1),
								   ga_aggregate_context(fcinfo));
	else
	{
		ga_engine_sum_array(&taken, type, PG_GETARG_DATUM(1));
		ga_int_sum_add(sum, -ga_int_sum_total(&taken), -taken.n);
	}
	PG_RETURN_POINTER(sum);
}

#define GETARG_int2	  PG_GETARG_INT16
#define GETARG_int4	  PG_GETARG_INT32
#define GETARG_int8	  PG_GETARG_INT64
#define GETARG_float4 PG_GETARG_FLOAT4
#define GETARG_float8 PG_GETARG_FLOAT8

#define TRANSITION(name, family, function, apply) \
	PG_FUNCTION_INFO_V1(function);                \
	Datum function(PG_FUNCTION_ARGS)              \
	{                                             \
		if (PG_ARGISNULL(1))                      \
			keep_##family(fcinfo);                \
		return apply;                             \
	}

/* A value, by whom the setting says. */
#define ACCUM(name, family, ctype)                                          \
	PG_FUNCTION_INFO_V1(gpu_sum_accum_##name);                              \
	Datum gpu_sum_accum_##name(PG_FUNCTION_ARGS)                            \
	{                                                                       \
		ctype value;                                                        \
                                                                            \
		if (PG_ARGISNULL(1))                                                \
			keep_##family(fcinfo);                                          \
		value = GETARG_##name(1);                                           \
		if (ga_engine_is_gpu())                                             \
			return apply_by_device(fcinfo, ga_##family##_state_arg(fcinfo), \
								   GA_##name, &value);                      \
		return apply_##family(fcinfo, value, 1);                            \
	}

#define X(name, family, ctype)                               \
	ACCUM(name, family, ctype)                               \
	TRANSITION(name, family, gpu_sum_remove_##name,          \
			   apply_##family(fcinfo, GETARG_##name(1), -1)) \
	TRANSITION(name, family, gpu_sum_accum_##name##_array,   \
			   apply_##family##_array(fcinfo, GA_##name, 1)) \
	TRANSITION(name, family, gpu_sum_remove_##name##_array,  \
			   apply_##family##_array(fcinfo, GA_##name, -1))
GA_ELEMENT_TYPES(X)
#undef X

/* The sum of one array of integers, to be given as bigint or numeric. */
static Datum
array_sum_int(FunctionCallInfo fcinfo, GaElementType type)
{
	GaIntSum sum = {0};

	ga_engine_sum_array(&sum, type, PG_GETARG_DATUM(0));
	return type == GA_int8 ? ga_int_sum_numeric(fcinfo, &sum) :
							 ga_int_sum_bigint(fcinfo, &sum);
}

/* The sum of one array of floats. */
static Datum
array_sum_float(FunctionCallInfo fcinfo, GaElementType type)
{
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);

	ga_engine_sum_array(sum, type, PG_GETARG_DATUM(0));
	return ga_float_sum_result(fcinfo, sum, type);
}

#define X(name, family, ctype)                        \
	PG_FUNCTION_INFO_V1(gpu_array_sum_##name);        \
	Datum gpu_array_sum_##name(PG_FUNCTION_ARGS)      \
	{                                                 \
		return array_sum_##family(fcinfo, GA_##name); \
	}
GA_ELEMENT_TYPES(X)
#undef X
