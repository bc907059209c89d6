/*
 * avg.c
 *		gpu_avg and gpu_array_avg: the exact sum divided by its inputs.
 *
 * Of the aggregate only the final functions.  Its transitions and states are
 * those of gpu_sum (sum.c, float_state.c, int_state.c): a sum keeps the number
 * of its inputs.  A query with gpu_sum, gpu_count and gpu_avg of one argument
 * runs the transition once.
 *
 * The mean of integers is numeric, with the digits that AVG gives it.  That of
 * floats is float8, of float4 too, and rounded once; it is in range even if the
 * sum is not.
 *
 * Called by the executor.  The states stay as they are.
 */
#include "postgres.h"
#include "fmgr.h"

#include "aggregate.h"
#include "engine_reduce.h"
#include "exact/exact_sum_value.h"
#include "mean.h"

/* Return the mean of a sum's inputs as AVG does; NULL without input. */
static Datum
mean_int(FunctionCallInfo fcinfo, const GaIntSum *sum)
{
	if (sum == NULL || sum->n == 0)
		PG_RETURN_NULL();
	return ga_mean_get_numeric(ga_int_sum_total(sum), sum->n);
}

/* Return the mean of a sum's inputs, rounded once; NULL without input. */
static Datum
mean_float(FunctionCallInfo fcinfo, const GaExactSum *sum)
{
	double mean;

	if (sum == NULL || sum->n == 0)
		PG_RETURN_NULL();
	Assert(ga_exact_sum_is_valid(sum));
	ga_check(ga_exact_sum_mean(sum, &mean), GA_float8);
	PG_RETURN_FLOAT8(mean);
}

GA_FUNCTION(gpu_avg_int_final, mean_int(fcinfo, ga_aggregate_final_arg(fcinfo)))
GA_FUNCTION(gpu_avg_float_final,
			mean_float(fcinfo, ga_aggregate_final_arg(fcinfo)))

/* gpu_array_avg */
#define X(name, family, ctype) \
	GA_ARRAY_FUNCTION(gpu_array_avg_##name, name, GA_REDUCE_SUM, mean_##family)
GA_ELEMENT_TYPES(X)
#undef X
