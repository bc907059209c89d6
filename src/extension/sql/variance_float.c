/*
 * variance_float.c
 *		Variances and deviations of floats: the state, and results.
 *
 * The state is the exact sum and the exact sum of squares, and results are
 * rounded once from them (float_pair_state.c).
 */
#include "postgres.h"

#include "float_pair_state.h"
#include "variance.h"

static const GaFloatPairForm form = {
	ga_moments_serialize, ga_moments_deserialize, GA_MOMENTS_MAX_BYTES};

GA_FUNCTION(gpu_moments_float_combine, ga_float_pair_combine(fcinfo))
GA_FUNCTION(gpu_moments_float_serialize, ga_float_pair_serialize(fcinfo, &form))
GA_FUNCTION(gpu_moments_float_deserialize,
			ga_float_pair_deserialize(fcinfo, &form))

/*
 * Return a result, rounded once: NULL without input, and for a sample of one.
 * Errors: 22003 if it is out of range.
 */
Datum
ga_float_moments_result(FunctionCallInfo fcinfo, const GaMoments *moments,
						GaDispersion dispersion)
{
	static GaStatus (*const functions[])(const GaMoments *, double *) = {
		[GA_var_samp] = ga_moments_var_samp,
		[GA_var_pop] = ga_moments_var_pop,
		[GA_stddev_samp] = ga_moments_stddev_samp,
		[GA_stddev_pop] = ga_moments_stddev_pop,
	};
	double result;
	GaStatus status;

	if (moments == NULL ||
		ga_moments_n(moments) <= ga_dispersion_is_of_sample(dispersion))
		PG_RETURN_NULL();
	Assert(ga_moments_is_valid(moments));
	status = functions[dispersion](moments, &result);
	if (status == GA_OVERFLOW)
		ga_report_variance_overflow();
	ga_check(status, GA_float8);
	PG_RETURN_FLOAT8(result);
}

#define DEFINE_FINAL(name)                \
	GA_FUNCTION(gpu_##name##_float_final, \
				ga_float_moments_result(  \
					fcinfo, ga_aggregate_final_arg(fcinfo), GA_##name))
DEFINE_FINAL(var_samp)
DEFINE_FINAL(var_pop)
DEFINE_FINAL(stddev_samp)
DEFINE_FINAL(stddev_pop)
