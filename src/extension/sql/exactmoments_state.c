/*
 * exactmoments_state.c
 *		gpu_moments_state, gpu_array_moments_state, casts, and what a value
 *		tells.
 *
 * gpu_moments_state has the transitions and states of gpu_var_samp, so a query
 * with both of one argument runs the transition once; here are its final
 * functions.
 *
 * Called by the executor; keeps nothing between two calls.
 */
#include "postgres.h"
#include "fmgr.h"

#include "aggregate.h"
#include "engine_reduce.h"
#include "exact/exact_sum_value.h"
#include "exact/moments_value.h"
#include "exactmoments.h"
#include "exactsum.h"
#include "extension/element_datum.h"
#include "extension/error.h"
#include "variance.h"

PG_FUNCTION_INFO_V1(exactmoments_exactsum);
PG_FUNCTION_INFO_V1(gpu_count_exactmoments);
PG_FUNCTION_INFO_V1(gpu_avg_exactmoments);

/* Return moments of integers as a value; NULL without input. */
static Datum
int_value(FunctionCallInfo fcinfo, const GaIntMoments *moments)
{
	GaFullSumPair full;

	if (moments == NULL || moments->sum.n == 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(
		ga_exactmoments_datum(ga_moments_from_ints(&full, moments)));
}

/* Return moments of floats as a value; NULL without input. */
static Datum
float_value(FunctionCallInfo fcinfo, const GaMoments *moments)
{
	if (moments == NULL || ga_moments_n(moments) == 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(ga_exactmoments_datum(moments));
}

GA_FUNCTION(gpu_moments_state_int_final,
			int_value(fcinfo, ga_aggregate_final_arg(fcinfo)))
GA_FUNCTION(gpu_moments_state_float_final,
			float_value(fcinfo, ga_aggregate_final_arg(fcinfo)))

/* Return the moments of one integer. */
static Datum
of_int(int64 x)
{
	GaIntMoments moments = {0};
	GaFullSumPair full;

	ga_int_moments_apply(&moments, x, 1);
	return ga_exactmoments_datum(ga_moments_from_ints(&full, &moments));
}

#define of_float(x) ga_exactmoments_of_float(x)

#define X(name, family, ctype)                                                 \
	GA_ARRAY_FUNCTION(gpu_array_moments_state_##name, name, GA_REDUCE_MOMENTS, \
					  family##_value)                                          \
	PG_FUNCTION_INFO_V1(exactmoments_from_##name);                             \
	Datum exactmoments_from_##name(PG_FUNCTION_ARGS)                           \
	{                                                                          \
		return of_##family(ga_datum_##name(PG_GETARG_DATUM(0)));               \
	}
GA_ELEMENT_TYPES(X)
#undef X

/* Return the sum of a value's inputs, not rounded. */
Datum
exactmoments_exactsum(PG_FUNCTION_ARGS)
{
	GaFullSumPair full;
	const GaMoments *moments = ga_exactmoments_read(PG_GETARG_DATUM(0), &full);

	return ga_exactsum_datum(ga_sum_pair_single(moments));
}

/* Return the number of a value's inputs. */
Datum
gpu_count_exactmoments(PG_FUNCTION_ARGS)
{
	GaFullSumPair full;

	PG_RETURN_INT64(
		ga_moments_n(ga_exactmoments_read(PG_GETARG_DATUM(0), &full)));
}

/* Return the mean of a value's inputs, rounded once.  Errors: 22003. */
Datum
gpu_avg_exactmoments(PG_FUNCTION_ARGS)
{
	GaFullSumPair full;
	const GaMoments *moments = ga_exactmoments_read(PG_GETARG_DATUM(0), &full);
	double mean;

	if (ga_moments_n(moments) == 0)
		PG_RETURN_NULL();
	ga_check(ga_exact_sum_mean(ga_sum_pair_single(moments), &mean), GA_float8);
	PG_RETURN_FLOAT8(mean);
}

/* Return the variance or deviation of a value's inputs, rounded once. */
#define DEFINE_DISPERSION(name)                                      \
	PG_FUNCTION_INFO_V1(gpu_##name##_exactmoments);                  \
	Datum gpu_##name##_exactmoments(PG_FUNCTION_ARGS)                \
	{                                                                \
		GaFullSumPair full;                                          \
                                                                     \
		return ga_float_moments_result(                              \
			fcinfo, ga_exactmoments_read(PG_GETARG_DATUM(0), &full), \
			GA_##name);                                              \
	}
DEFINE_DISPERSION(var_samp)
DEFINE_DISPERSION(var_pop)
DEFINE_DISPERSION(stddev_samp)
DEFINE_DISPERSION(stddev_pop)
