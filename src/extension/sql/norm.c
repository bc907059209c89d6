/*
 * norm.c
 *		gpu_norm and gpu_array_norm: the square root of the sum of squares.
 *
 * The transitions and the state are those of variances, so a query with a norm
 * and a variance of one argument runs the transition once, and the device
 * computes the sums of stored arrays.
 *
 * Called by the executor; keeps nothing of its own between two calls.
 */
#include "postgres.h"
#include "fmgr.h"

#include "aggregate.h"
#include "engine_reduce.h"
#include "variance.h"

/* Return the norm of integers, rounded once: NULL without input. */
static Datum
norm_int(FunctionCallInfo fcinfo, const GaIntMoments *moments)
{
	if (moments == NULL || moments->sum.n == 0)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(ga_int_moments_norm(moments));
}

/*
 * Return the norm of floats, rounded once: NULL without input.  Errors: 22003
 * if it is out of range.
 */
static Datum
norm_float(FunctionCallInfo fcinfo, const GaMoments *moments)
{
	double norm;

	if (moments == NULL || ga_moments_n(moments) == 0)
		PG_RETURN_NULL();
	Assert(ga_moments_is_valid(moments));
	ga_check(ga_moments_norm(moments, &norm), GA_float8);
	PG_RETURN_FLOAT8(norm);
}

GA_FUNCTION(gpu_norm_int_final,
			norm_int(fcinfo, ga_aggregate_final_arg(fcinfo)))
GA_FUNCTION(gpu_norm_float_final,
			norm_float(fcinfo, ga_aggregate_final_arg(fcinfo)))

#define X(name, family, ctype)                                        \
	GA_ARRAY_FUNCTION(gpu_array_norm_##name, name, GA_REDUCE_MOMENTS, \
					  norm_##family)
GA_ELEMENT_TYPES(X)
#undef X
