/*
 * dot.c
 *		gpu_dot and gpu_weighted_avg, and those of arrays.
 *
 * For each element type: transition functions of the aggregates over columns
 * and over arrays, their inverses for moving frames, and the functions of
 * arrays.  gpu_dot and gpu_weighted_avg have the same transitions, so that a
 * query with both of the same arguments runs them once.  A transition creates
 * its state even for a NULL, since a moving aggregate must have one.
 *
 * Called by the executor.  The states are those of product_state.c.  The CPU
 * computes those of columns.
 */
#include "postgres.h"
#include "fmgr.h"

#include "aggregate.h"
#include "engine_pairs.h"
#include "extension/element_datum.h"
#include "extension/engine/cpu_products.h"
#include "float_pair_state.h"
#include "product_state.h"

/* Add a product to a float state, or remove it (by = -1). */
static inline Datum
apply_float(FunctionCallInfo fcinfo, double x, double y, int by)
{
	GaSumPair *pair = ga_float_pair_arg(fcinfo);

	while (unlikely(ga_weighted_sum_apply(pair, x, y, by) != GA_OK))
		pair = ga_float_pair_grow(pair);
	PG_RETURN_POINTER(pair);
}

/* Add a product to an integer state, or remove it (by = -1). */
static inline Datum
apply_int(FunctionCallInfo fcinfo, int64 x, int64 y, int by)
{
	GaIntProducts *sum = ga_int_products_arg(fcinfo);
	const GaInt128 product = (GaInt128) x * y;

	ga_int_products_add(sum, by < 0 ? -product : product,
						by < 0 ? -(GaInt128) y : y, by);
	PG_RETURN_POINTER(sum);
}

/* Add the pairs of two arrays, arguments from one on, to an empty state. */
static void
reduce(FunctionCallInfo fcinfo, GaState state, int first)
{
	ga_node_enter(fcinfo);
	ga_engine_add_pairs(state, PG_GETARG_DATUM(first),
						PG_GETARG_DATUM(first + 1));
}

/* Add the pairs of an aggregate's arguments to its state, now or later. */
static Datum
note(FunctionCallInfo fcinfo, GaState state)
{
	PG_RETURN_POINTER(ga_aggregate_add_pairs(fcinfo, state));
}

/* Return a state of an aggregate, which has the sum of weights, too. */
static inline GaState
weighted(void *state, GaElementType type)
{
	return (GaState){state, type, GA_REDUCE_PRODUCTS};
}

/* Add arrays to a float state, or remove them (by = -1). */
static Datum
apply_float_arrays(FunctionCallInfo fcinfo, GaElementType type, int by)
{
	GaSumPair *pair = ga_float_pair_arg(fcinfo);
	GaFullSumPair full;
	GaSumPair *removed;

	if (by > 0)
		return note(fcinfo, weighted(pair, type));
	removed = ga_full_sum_pair_init(&full);
	reduce(fcinfo, weighted(removed, type), 1);
	while (ga_sum_pair_unmerge(pair, removed) != GA_OK)
		pair = ga_float_pair_grow(pair);
	PG_RETURN_POINTER(pair);
}

/* Add arrays to an integer state, or remove them (by = -1). */
static Datum
apply_int_arrays(FunctionCallInfo fcinfo, GaElementType type, int by)
{
	GaIntProducts *sum = ga_int_products_arg(fcinfo);
	GaIntProducts removed = {0};

	if (by > 0)
		return note(fcinfo, weighted(sum, type));
	reduce(fcinfo, weighted(&removed, type), 1);
	ga_int_products_unmerge(sum, &removed);
	PG_RETURN_POINTER(sum);
}

/* Return the state as it is, for a NULL. */
#define keep_int(fcinfo)   PG_RETURN_POINTER(ga_int_products_arg(fcinfo))
#define keep_float(fcinfo) PG_RETURN_POINTER(ga_float_pair_arg(fcinfo))

/* A transition of two arguments, which keeps the state if one is NULL. */
#define PAIR_TRANSITION(family, function, apply) \
	PG_FUNCTION_INFO_V1(function);               \
	Datum function(PG_FUNCTION_ARGS)             \
	{                                            \
		if (PG_ARGISNULL(1) || PG_ARGISNULL(2))  \
			keep_##family(fcinfo);               \
		return apply;                            \
	}

#define X(name, family, ctype)                                               \
	PAIR_TRANSITION(family, gpu_dot_accum_##name,                            \
					apply_##family(fcinfo,                                   \
								   ga_datum_##name(PG_GETARG_DATUM(1)),      \
								   ga_datum_##name(PG_GETARG_DATUM(2)), 1))  \
	PAIR_TRANSITION(family, gpu_dot_remove_##name,                           \
					apply_##family(fcinfo,                                   \
								   ga_datum_##name(PG_GETARG_DATUM(1)),      \
								   ga_datum_##name(PG_GETARG_DATUM(2)), -1)) \
	PAIR_TRANSITION(family, gpu_dot_accum_##name##_array,                    \
					apply_##family##_arrays(fcinfo, GA_##name, 1))           \
	PAIR_TRANSITION(family, gpu_dot_remove_##name##_array,                   \
					apply_##family##_arrays(fcinfo, GA_##name, -1))
GA_ELEMENT_TYPES(X)
#undef X

#define FINAL(function, family, type, result)  \
	GA_FUNCTION(function,                      \
				ga_##family##_products_result( \
					fcinfo, ga_aggregate_final_arg(fcinfo), type, result))

FINAL(gpu_dot_bigint_final, int, GA_int4, GA_PRODUCT_SUM)
FINAL(gpu_dot_numeric_final, int, GA_int8, GA_PRODUCT_SUM)
FINAL(gpu_dot_float4_final, float, GA_float4, GA_PRODUCT_SUM)
FINAL(gpu_dot_float8_final, float, GA_float8, GA_PRODUCT_SUM)
FINAL(gpu_weighted_avg_int_final, int, GA_int8, GA_PRODUCT_MEAN)
FINAL(gpu_weighted_avg_float_final, float, GA_float8, GA_PRODUCT_MEAN)

/* Return the reduction that a result is made of. */
static inline GaReduction
reduction_of(GaProductResult result)
{
	return result == GA_PRODUCT_MEAN ? GA_REDUCE_PRODUCTS : GA_REDUCE_DOT;
}

/* Return a result of arrays of integers. */
static Datum
array_int(FunctionCallInfo fcinfo, GaElementType type, GaProductResult result)
{
	GaIntProducts sum = {0};

	reduce(fcinfo, (GaState){&sum, type, reduction_of(result)}, 0);
	return ga_int_products_result(fcinfo, &sum, type, result);
}

/* Return a result of arrays of floats. */
static Datum
array_float(FunctionCallInfo fcinfo, GaElementType type, GaProductResult result)
{
	GaFullSumPair full;
	GaSumPair *pair = ga_full_sum_pair_init(&full);

	reduce(fcinfo, (GaState){pair, type, reduction_of(result)}, 0);
	return ga_float_products_result(fcinfo, pair, type, result);
}

#define X(name, family, ctype)                                     \
	GA_FUNCTION(gpu_array_dot_##name,                              \
				array_##family(fcinfo, GA_##name, GA_PRODUCT_SUM)) \
	GA_FUNCTION(gpu_array_weighted_avg_##name,                     \
				array_##family(fcinfo, GA_##name, GA_PRODUCT_MEAN))
GA_ELEMENT_TYPES(X)
#undef X
