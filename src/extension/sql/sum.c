/*
 * sum.c
 *		gpu_sum and gpu_array_sum.
 *
 * For each element type: transition functions of the aggregates over columns
 * and over arrays, their inverses for moving frames, and the sum of one array.
 * Where it says array, that may be a part of one, with bounds as further
 * arguments.  A transition creates its state even for a NULL, since a moving
 * aggregate must have one.
 *
 * Called by the executor.  The states are those of float_state.c and
 * int_state.c; nothing is kept between two calls but in them.
 */
#include "postgres.h"
#include "fmgr.h"

#include "aggregate.h"
#include "extension/element_datum.h"
#include "extension/engine/choice.h"
#include "extension/engine/float_sum.h"
#include "engine_reduce.h"
#include "float_state.h"
#include "int_state.h"
#include "part.h"

/* Add an element to a float state, or remove it (by = -1). */
static inline Datum
apply_float(FunctionCallInfo fcinfo, double x, int by)
{
	GaExactSum *sum = ga_float_state_arg(fcinfo);

	while (unlikely(ga_exact_sum_apply(sum, x, by) != GA_OK))
		sum = ga_float_sum_grow(sum);
	PG_RETURN_POINTER(sum);
}

/* Add an element to an integer state, or remove it (by = -1). */
static inline Datum
apply_int(FunctionCallInfo fcinfo, int64 x, int by)
{
	GaIntSum *sum = ga_int_state_arg(fcinfo);

	ga_int_sum_add(sum, by < 0 ? -(GaInt128) x : x, by);
	PG_RETURN_POINTER(sum);
}

/* Return the state as it is, for a NULL. */
#define keep_float(fcinfo) PG_RETURN_POINTER(ga_float_state_arg(fcinfo))
#define keep_int(fcinfo)   PG_RETURN_POINTER(ga_int_state_arg(fcinfo))

/* Add an element to a state of either family, if gpuagg.engine is gpu. */
static pg_noinline Datum
apply_by_device(FunctionCallInfo fcinfo, void *sum, GaElementType type,
				const void *element)
{
	ga_node_enter(fcinfo);
	PG_RETURN_POINTER(ga_engine_add_element(sum, type, element,
											ga_aggregate_context(fcinfo)));
}

/* Add an array to a float state, or remove it (by = -1). */
static Datum
apply_float_array(FunctionCallInfo fcinfo, GaElementType type, int by)
{
	GaExactSum *sum = ga_float_state_arg(fcinfo);
	GaFullSum full;
	GaExactSum *removed;

	if (by > 0)
		PG_RETURN_POINTER(
			ga_aggregate_add_array(fcinfo, ga_sum_state(sum, type)));

	ga_node_enter(fcinfo);
	removed = ga_full_sum_init(&full);
	ga_engine_reduce_array(NULL, ga_sum_state(removed, type),
						   PG_GETARG_DATUM(1), ga_part_arg(fcinfo, 2));
	while (ga_exact_sum_unmerge(sum, removed) != GA_OK)
		sum = ga_float_sum_grow(sum);
	PG_RETURN_POINTER(sum);
}

/* Add an array to an integer state, or remove it (by = -1). */
static Datum
apply_int_array(FunctionCallInfo fcinfo, GaElementType type, int by)
{
	GaIntSum *sum = ga_int_state_arg(fcinfo);
	GaIntSum removed = {0};

	if (by > 0)
		(void) ga_aggregate_add_array(fcinfo, ga_sum_state(sum, type));
	else
	{
		ga_node_enter(fcinfo);
		ga_engine_reduce_array(NULL, ga_sum_state(&removed, type),
							   PG_GETARG_DATUM(1), ga_part_arg(fcinfo, 2));
		ga_int_sum_add(sum, -ga_int_sum_total(&removed), -removed.n);
	}
	PG_RETURN_POINTER(sum);
}

/* Add an element, by the engine that the setting says. */
#define ACCUM(name, family, ctype)                                          \
	PG_FUNCTION_INFO_V1(gpu_sum_accum_##name);                              \
	Datum gpu_sum_accum_##name(PG_FUNCTION_ARGS)                            \
	{                                                                       \
		ctype element;                                                      \
                                                                            \
		if (PG_ARGISNULL(1))                                                \
			keep_##family(fcinfo);                                          \
		element = ga_datum_##name(PG_GETARG_DATUM(1));                      \
		if (ga_engine_is_gpu())                                             \
			return apply_by_device(fcinfo, ga_##family##_state_arg(fcinfo), \
								   GA_##name, &element);                    \
		return apply_##family(fcinfo, element, 1);                          \
	}

#define X(name, family, ctype)                                           \
	ACCUM(name, family, ctype)                                           \
	GA_TRANSITION(                                                       \
		name, family, gpu_sum_remove_##name,                             \
		apply_##family(fcinfo, ga_datum_##name(PG_GETARG_DATUM(1)), -1)) \
	GA_TRANSITION(name, family, gpu_sum_accum_##name##_array,            \
				  apply_##family##_array(fcinfo, GA_##name, 1))          \
	GA_TRANSITION(name, family, gpu_sum_remove_##name##_array,           \
				  apply_##family##_array(fcinfo, GA_##name, -1))
GA_ELEMENT_TYPES(X)
#undef X

/* gpu_array_sum */
#define X(name, family, ctype)                                   \
	GA_ARRAY_FUNCTION(gpu_array_sum_##name, name, GA_REDUCE_SUM, \
					  ga_##family##_sum_result, GA_##name)
GA_ELEMENT_TYPES(X)
#undef X
