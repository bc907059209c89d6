/*
 * variance_int.c
 *		Variances and deviations of integers: the state, and numeric results.
 *
 * Results are those of PostgreSQL's own aggregates, digit for digit: from the
 * exact numerator n * (total of squares) - total^2 and the exact denominator
 * numeric_div() makes the variance, with the scale that it chooses.  A
 * deviation is the root of the rounded variance, at the same scale.
 *
 * The state is in the aggregate's memory context and has no pointers, and the
 * final functions leave it unchanged.
 */
#include "postgres.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "aggregate.h"
#include "mean.h"
#include "variance.h"

PG_FUNCTION_INFO_V1(gpu_moments_int_combine);
PG_FUNCTION_INFO_V1(gpu_moments_int_serialize);
PG_FUNCTION_INFO_V1(gpu_moments_int_deserialize);

/* Digits of a numerator that are made at once; 10^18 is below 2^63. */
#define GROUP_DIGITS  18
#define GROUP		  UINT64_C(1000000000000000000)
#define NUMERATOR_MAX 78 /* digits of 256 bits */

/* Create a state in the aggregate's context. */
GaIntMoments *
ga_int_moments_create(FunctionCallInfo fcinfo)
{
	return MemoryContextAllocZero(ga_aggregate_context(fcinfo),
								  sizeof(GaIntMoments));
}

/*
 * Add the second state to the first; the second stays as it is.  Errors: 22P03
 * if they have more inputs than there can be.
 */
Datum
gpu_moments_int_combine(PG_FUNCTION_ARGS)
{
	GaIntMoments *moments = ga_int_moments_arg(fcinfo);

	ga_aggregate_finish(fcinfo);
	if (!PG_ARGISNULL(1))
	{
		const GaIntMoments *other = (GaIntMoments *) PG_GETARG_POINTER(1);

		if (other->sum.n > GA_INT_SUM_MAX_N - moments->sum.n)
			ga_report(GA_BAD_STATE, GA_int8);
		ga_int_moments_merge(moments, other);
	}
	PG_RETURN_POINTER(moments);
}

/* Return the state in its canonical form. */
Datum
gpu_moments_int_serialize(PG_FUNCTION_ARGS)
{
	const GaIntMoments *moments = (GaIntMoments *) PG_GETARG_POINTER(0);
	bytea *result = palloc(VARHDRSZ + GA_INT_MOMENTS_BYTES);

	ga_aggregate_finish(fcinfo);
	SET_VARSIZE(result, VARHDRSZ + ga_int_moments_serialize(
									   moments, (uint8_t *) VARDATA(result)));
	PG_RETURN_BYTEA_P(result);
}

/*
 * Create a state from its canonical form, in the current context.  Errors:
 * 22P03 for bytes that are none.
 */
Datum
gpu_moments_int_deserialize(PG_FUNCTION_ARGS)
{
	bytea *bytes = PG_GETARG_BYTEA_PP(0);
	GaIntMoments *moments = palloc(sizeof(GaIntMoments));

	ga_check(ga_int_moments_deserialize(moments,
										(const uint8_t *) VARDATA_ANY(bytes),
										VARSIZE_ANY_EXHDR(bytes)),
			 GA_int8);
	PG_RETURN_POINTER(moments);
}

/* Read a number. */
static Datum
numeric_from(const char *text)
{
	return DirectFunctionCall3(numeric_in, CStringGetDatum(text),
							   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

/* Divide limbs, the lowest first, by GROUP; return the rest. */
static uint64
divide_by_group(uint64_t limbs[GA_NUMERATOR_LIMBS])
{
	unsigned __int128 rest = 0;
	int i;

	for (i = GA_NUMERATOR_LIMBS - 1; i >= 0; i--)
	{
		rest = rest << 64 | limbs[i];
		limbs[i] = (uint64_t) (rest / GROUP);
		rest %= GROUP;
	}
	return (uint64) rest;
}

/* Return a numerator as numeric; changes the limbs. */
static Datum
numerator_get_numeric(uint64_t limbs[GA_NUMERATOR_LIMBS])
{
	/* whole groups, and a terminator */
	char digits[NUMERATOR_MAX + GROUP_DIGITS + 1];
	char *first = digits + sizeof(digits);

	if ((limbs[3] | limbs[2] | limbs[1] >> 63) == 0)
		return ga_int128_get_numeric(
			(GaInt128) ((unsigned __int128) limbs[1] << 64 | limbs[0]));

	*--first = '\0';
	while ((limbs[3] | limbs[2] | limbs[1] | limbs[0]) != 0)
	{
		uint64 group = divide_by_group(limbs);
		int i;

		for (i = 0; i < GROUP_DIGITS; i++, group /= 10)
			*--first = '0' + (char) (group % 10);
	}
	return numeric_from(first);
}

/*
 * Return the square root of a variance, rounded once to the variance's scale.
 *
 * numeric_sqrt() has that scale or a finer one, so it may have to be rounded
 * again.  That is wrong only if a root just below the middle between two
 * results has come to lie there.
 */
static Datum
root_of(Datum variance)
{
	const Datum scale = DirectFunctionCall1(numeric_scale, variance);
	const Datum root = DirectFunctionCall1(numeric_sqrt, variance);
	Datum result = DirectFunctionCall2(numeric_round, root, scale);
	Datum half, middle;
	char text[32];

	snprintf(text, sizeof(text), "5e-%d", DatumGetInt32(scale) + 1);
	half = numeric_from(text);
	middle = DirectFunctionCall2(numeric_sub, result, half);
	if (DatumGetBool(DirectFunctionCall2(numeric_eq, root, middle)) &&
		DatumGetBool(DirectFunctionCall2(
			numeric_gt, DirectFunctionCall2(numeric_mul, middle, middle),
			variance)))
		result = DirectFunctionCall2(
			numeric_round, DirectFunctionCall2(numeric_sub, middle, half),
			scale);
	return result;
}

/*
 * Return what PostgreSQL's aggregate gives: NULL without input, and for a
 * sample of one.
 */
Datum
ga_int_moments_result(FunctionCallInfo fcinfo, const GaIntMoments *moments,
					  GaDispersion dispersion)
{
	const bool is_of_sample = ga_dispersion_is_of_sample(dispersion);
	uint64_t limbs[GA_NUMERATOR_LIMBS];
	GaInt128 denominator;
	Datum variance;

	if (moments == NULL || moments->sum.n <= is_of_sample)
		PG_RETURN_NULL();
	if (!ga_int_moments_numerator(moments, limbs))
		ga_report(GA_BAD_STATE, GA_int8);
	/* which has no digits behind the point, unlike the quotient */
	if ((limbs[3] | limbs[2] | limbs[1] | limbs[0]) == 0)
		PG_RETURN_DATUM(NumericGetDatum(int64_to_numeric(0)));
	denominator = (GaInt128) moments->sum.n * (moments->sum.n - is_of_sample);
	variance = DirectFunctionCall2(numeric_div, numerator_get_numeric(limbs),
								   ga_int128_get_numeric(denominator));
	PG_RETURN_DATUM(ga_dispersion_is_root(dispersion) ? root_of(variance) :
														variance);
}

#define DEFINE_FINAL(name)                                                    \
	GA_FUNCTION(gpu_##name##_int_final,                                       \
				ga_int_moments_result(fcinfo, ga_aggregate_final_arg(fcinfo), \
									  GA_##name))
DEFINE_FINAL(var_samp)
DEFINE_FINAL(var_pop)
DEFINE_FINAL(stddev_samp)
DEFINE_FINAL(stddev_pop)
