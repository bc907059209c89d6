/*
 * numeric.c
 *		Aggregates of arrays of numeric, and functions of one such array.
 *
 * Each has a form for a part of an array.
 *
 * Those of columns are PostgreSQL's own functions, as sql/parts/numeric.sql
 * names them, and so are the states, the combining and the results of those of
 * arrays: the digits are PostgreSQL's.  Sum and mean share a transition, and
 * variances and deviations another.  The count has its own, which reads no
 * elements.
 *
 * Called by the executor; keeps nothing between two calls but the states.
 */
#include "postgres.h"
#include "fmgr.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"

#include "extension/engine/node_counters.h"
#include "numeric_state.h"
#include "part.h"

/* Transitions of aggregates: each element of an array to or from a state. */
#define TRANSITION(function, transition)                   \
	PG_FUNCTION_INFO_V1(function);                         \
	Datum function(PG_FUNCTION_ARGS)                       \
	{                                                      \
		return ga_numeric_apply_array(fcinfo, transition); \
	}
TRANSITION(gpu_sum_accum_numeric_array, numeric_avg_accum)
TRANSITION(gpu_sum_remove_numeric_array, numeric_accum_inv)
TRANSITION(gpu_variance_accum_numeric_array, numeric_accum)
TRANSITION(gpu_variance_remove_numeric_array, numeric_accum_inv)

/* Results of one array. */
#define OF_ARRAY(name, transition, final)                      \
	PG_FUNCTION_INFO_V1(gpu_array_##name##_numeric);           \
	Datum gpu_array_##name##_numeric(PG_FUNCTION_ARGS)         \
	{                                                          \
		return ga_numeric_of_array(fcinfo, transition, final); \
	}
OF_ARRAY(sum, numeric_avg_accum, numeric_sum)
OF_ARRAY(avg, numeric_avg_accum, numeric_avg)
OF_ARRAY(var_samp, numeric_accum, numeric_var_samp)
OF_ARRAY(var_pop, numeric_accum, numeric_var_pop)
OF_ARRAY(variance, numeric_accum, numeric_var_samp)
OF_ARRAY(stddev_samp, numeric_accum, numeric_stddev_samp)
OF_ARRAY(stddev_pop, numeric_accum, numeric_stddev_pop)
OF_ARRAY(stddev, numeric_accum, numeric_stddev_samp)

/*
 * Return what is chosen of what was before, (Datum) 0 for nothing, and an array
 * argument's elements: that itself, or a copy of an element.  Errors as
 * ga_array_open.
 */
static Datum
choose_of(Datum before, Datum value, GaPart part, PGFunction choose)
{
	Datum chosen = before;
	GaNumericElements elements;
	Datum element;

	ga_numeric_elements_begin(&elements, value, &part);
	while (ga_numeric_elements_next(&elements, &element))
		chosen = chosen == (Datum) 0 ?
					 element :
					 DirectFunctionCall2(choose, chosen, element);
	MemoryContextSwitchTo(elements.caller);
	if (chosen != before)
		chosen = datumCopy(chosen, false, -1);
	ga_numeric_elements_end(&elements);
	return chosen;
}

/*
 * Return the extreme of what is in argument 0, if there is anything, and of the
 * array in argument 1, or of a part of it; NULL for none.
 */
static Datum
extreme(FunctionCallInfo fcinfo, PGFunction choose)
{
	Datum extreme = PG_ARGISNULL(0) ? (Datum) 0 : PG_GETARG_DATUM(0);

	ga_node_enter(fcinfo);
	if (!ga_part_is_null(fcinfo))
		extreme = choose_of(extreme, PG_GETARG_DATUM(1), ga_part_arg(fcinfo, 2),
							choose);
	if (extreme == (Datum) 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(extreme);
}

/* Return the extreme of the array in argument 0, or of a part, or NULL. */
static Datum
array_extreme(FunctionCallInfo fcinfo, PGFunction choose)
{
	Datum extreme;

	ga_node_enter(fcinfo);
	extreme = choose_of((Datum) 0, PG_GETARG_DATUM(0), ga_part_arg(fcinfo, 1),
						choose);
	if (extreme == (Datum) 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(extreme);
}

#define EXTREME(name, choose)                          \
	PG_FUNCTION_INFO_V1(gpu_##name##_accum_numeric);   \
	Datum gpu_##name##_accum_numeric(PG_FUNCTION_ARGS) \
	{                                                  \
		return extreme(fcinfo, choose);                \
	}                                                  \
	PG_FUNCTION_INFO_V1(gpu_array_##name##_numeric);   \
	Datum gpu_array_##name##_numeric(PG_FUNCTION_ARGS) \
	{                                                  \
		return array_extreme(fcinfo, choose);          \
	}
EXTREME(min, numeric_smaller)
EXTREME(max, numeric_larger)

PG_FUNCTION_INFO_V1(gpu_count_accum_numeric);
PG_FUNCTION_INFO_V1(gpu_count_remove_numeric);
PG_FUNCTION_INFO_V1(gpu_array_count_numeric);

/* Return the number of elements of the array in argument i, or of a part. */
static int64
count(FunctionCallInfo fcinfo, int i)
{
	GaPart part;

	return ga_numeric_array_count(PG_GETARG_DATUM(i),
								  ga_part_if_any(fcinfo, i + 1, &part));
}

/* Add the number of elements of an array that are not NULL; strict. */
Datum
gpu_count_accum_numeric(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(PG_GETARG_INT64(0) + count(fcinfo, 1));
}

/* Subtract the number of elements of an array that are not NULL; strict. */
Datum
gpu_count_remove_numeric(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(PG_GETARG_INT64(0) - count(fcinfo, 1));
}

/* Return the number of elements of an array that are not NULL. */
Datum
gpu_array_count_numeric(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(count(fcinfo, 0));
}
