/*
 * variance.c
 *		gpu_var_samp, gpu_var_pop, gpu_stddev_samp and gpu_stddev_pop, also of
 *		one array.
 *
 * For each element type: transition functions over columns and over arrays,
 * their inverses for moving frames, and the functions of one array.  All
 * aggregates of an argument type have the same transitions and state, so a
 * query with several of them runs the transition once.
 *
 * Called by the executor.  The states are those of variance_int.c and
 * variance_float.c; nothing else of its own is kept between two calls.
 */
#include "postgres.h"
#include "fmgr.h"

#include "aggregate.h"
#include "extension/element_datum.h"
#include "engine_reduce.h"
#include "float_pair_state.h"
#include "part.h"
#include "variance.h"

/* Add an element to an integer state, or remove it (by = -1). */
static inline Datum
apply_int(FunctionCallInfo fcinfo, int64 x, int by)
{
	GaIntMoments *moments = ga_int_moments_arg(fcinfo);

	ga_int_moments_apply(moments, x, by);
	PG_RETURN_POINTER(moments);
}

/* Add an element to a float state, or remove it (by = -1). */
static inline Datum
apply_float(FunctionCallInfo fcinfo, double x, int by)
{
	GaMoments *moments = ga_float_pair_arg(fcinfo);

	while (unlikely(ga_moments_apply(moments, x, by) != GA_OK))
		moments = ga_float_pair_grow(moments);
	PG_RETURN_POINTER(moments);
}

/* Return the state as it is, for a NULL. */
#define keep_int(fcinfo)   PG_RETURN_POINTER(ga_int_moments_arg(fcinfo))
#define keep_float(fcinfo) PG_RETURN_POINTER(ga_float_pair_arg(fcinfo))

/* Return moments as a state. */
static inline GaState
state_of(void *moments, GaElementType type)
{
	return (GaState){moments, type, GA_REDUCE_MOMENTS};
}

/* Add an array or a part of it to moments, which may move. */
static void *
add_array(FunctionCallInfo fcinfo, void *moments, GaElementType type)
{
	return ga_aggregate_add_array(fcinfo, state_of(moments, type));
}

/*
 * Compute the moments of an array or a part of it, which is to be removed from
 * a state; all is in that then that was added.
 */
static void
compute_removed(FunctionCallInfo fcinfo, void *removed, GaElementType type)
{
	ga_aggregate_finish(fcinfo);
	ga_node_enter(fcinfo);
	ga_engine_reduce_array(NULL, state_of(removed, type), PG_GETARG_DATUM(1),
						   ga_part_arg(fcinfo, 2));
}

/* Add an array or a part of it to an integer state, or remove it (by = -1). */
static Datum
apply_int_array(FunctionCallInfo fcinfo, GaElementType type, int by)
{
	GaIntMoments *moments = ga_int_moments_arg(fcinfo);
	GaIntMoments removed = {0};

	if (by > 0)
		PG_RETURN_POINTER(add_array(fcinfo, moments, type));
	compute_removed(fcinfo, &removed, type);
	ga_int_moments_unmerge(moments, &removed);
	PG_RETURN_POINTER(moments);
}

/* Add an array or a part of it to a float state, or remove it (by = -1). */
static Datum
apply_float_array(FunctionCallInfo fcinfo, GaElementType type, int by)
{
	GaMoments *moments = ga_float_pair_arg(fcinfo);
	GaFullSumPair full;

	if (by > 0)
		PG_RETURN_POINTER(add_array(fcinfo, moments, type));
	compute_removed(fcinfo, ga_full_sum_pair_init(&full), type);
	while (ga_sum_pair_unmerge(moments, ga_full_sum_pair(&full)) != GA_OK)
		moments = ga_float_pair_grow(moments);
	PG_RETURN_POINTER(moments);
}

#define X(name, family, ctype)                                           \
	GA_TRANSITION(                                                       \
		name, family, gpu_moments_accum_##name,                          \
		apply_##family(fcinfo, ga_datum_##name(PG_GETARG_DATUM(1)), 1))  \
	GA_TRANSITION(                                                       \
		name, family, gpu_moments_remove_##name,                         \
		apply_##family(fcinfo, ga_datum_##name(PG_GETARG_DATUM(1)), -1)) \
	GA_TRANSITION(name, family, gpu_moments_accum_##name##_array,        \
				  apply_##family##_array(fcinfo, GA_##name, 1))          \
	GA_TRANSITION(name, family, gpu_moments_remove_##name##_array,       \
				  apply_##family##_array(fcinfo, GA_##name, -1))
GA_ELEMENT_TYPES(X)
#undef X

#define ARRAY_FUNCTION(name, family, function, dispersion)                    \
	GA_ARRAY_FUNCTION(gpu_array_##function##_##name, name, GA_REDUCE_MOMENTS, \
					  ga_##family##_moments_result, GA_##dispersion)

#define X(name, family, ctype)                             \
	ARRAY_FUNCTION(name, family, var_samp, var_samp)       \
	ARRAY_FUNCTION(name, family, var_pop, var_pop)         \
	ARRAY_FUNCTION(name, family, variance, var_samp)       \
	ARRAY_FUNCTION(name, family, stddev_samp, stddev_samp) \
	ARRAY_FUNCTION(name, family, stddev_pop, stddev_pop)   \
	ARRAY_FUNCTION(name, family, stddev, stddev_samp)
GA_ELEMENT_TYPES(X)
#undef X
