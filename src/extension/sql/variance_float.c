/*
 * variance_float.c
 *		Variances and deviations of floats: the state, and results.
 *
 * The state is the exact sum and the exact sum of squares, and results are
 * rounded once from them.  It grows when the exponents spread (float_pair.c),
 * so a transition returns one that may have moved; one that waits for arrays
 * has the full size, and stays.  It is in the aggregate's
 * memory context and has no pointers, and the final functions leave it
 * unchanged.
 */
#include "postgres.h"

#include "aggregate.h"
#include "extension/engine/float_pair.h"
#include "extension/pg_compat.h"
#include "variance.h"

PG_FUNCTION_INFO_V1(gpu_moments_float_combine);
PG_FUNCTION_INFO_V1(gpu_moments_float_serialize);
PG_FUNCTION_INFO_V1(gpu_moments_float_deserialize);

/* Create a state in the aggregate's context. */
GaMoments *
ga_float_moments_create(FunctionCallInfo fcinfo)
{
	return ga_float_pair_create(ga_aggregate_context(fcinfo), 0);
}

/*
 * Add the second state to the first; the second stays as it is.  Errors: 22P03
 * if they have more inputs than there can be.
 */
Datum
gpu_moments_float_combine(PG_FUNCTION_ARGS)
{
	GaMoments *moments = ga_float_moments_arg(fcinfo);

	ga_aggregate_finish(fcinfo);
	if (!PG_ARGISNULL(1))
	{
		const GaMoments *other = (GaMoments *) PG_GETARG_POINTER(1);

		Assert(ga_moments_is_valid(other));
		if (ga_moments_n(other) > GA_EXACT_SUM_MAX_N - ga_moments_n(moments))
			ga_report(GA_BAD_STATE, GA_float8);
		while (ga_sum_pair_merge(moments, other) != GA_OK)
			moments = ga_float_pair_grow(moments);
	}
	PG_RETURN_POINTER(moments);
}

/* Return the state in its canonical form. */
Datum
gpu_moments_float_serialize(PG_FUNCTION_ARGS)
{
	const GaMoments *moments = (GaMoments *) PG_GETARG_POINTER(0);
	bytea *result = palloc(VARHDRSZ + GA_MOMENTS_MAX_BYTES);

	ga_aggregate_finish(fcinfo);
	Assert(ga_moments_is_valid(moments));
	SET_VARSIZE(result, VARHDRSZ + ga_moments_serialize(
									   moments, (uint8_t *) VARDATA(result)));
	PG_RETURN_BYTEA_P(result);
}

/*
 * Create a state from its canonical form, in the current context.  Errors:
 * 22P03 for bytes that are none.
 */
Datum
gpu_moments_float_deserialize(PG_FUNCTION_ARGS)
{
	bytea *bytes = PG_GETARG_BYTEA_PP(0);
	GaFullSumPair full;
	const GaMoments *read = ga_full_sum_pair(&full);
	GaMoments *moments;
	int size;

	ga_check(ga_moments_deserialize(&full, (const uint8_t *) VARDATA_ANY(bytes),
									VARSIZE_ANY_EXHDR(bytes)),
			 GA_float8);
	size = ga_sum_pair_least_size(read);
	moments = ga_float_pair_create(CurrentMemoryContext, size);
	ga_sum_pair_move(moments, size, read);
	PG_RETURN_POINTER(moments);
}

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
