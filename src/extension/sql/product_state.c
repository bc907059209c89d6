/*
 * product_state.c
 *		The aggregate states of sums of products, and their results.
 *
 * That of floats is a pair of exact sums (float_pair_state.c).  States are in
 * the aggregate's memory context and have no pointers, and the final functions
 * leave them unchanged.
 */
#include "postgres.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "aggregate.h"
#include "extension/error.h"
#include "extension/pg_compat.h"
#include "mean.h"
#include "float_pair_state.h"
#include "product_state.h"

PG_FUNCTION_INFO_V1(gpu_product_int_combine);
PG_FUNCTION_INFO_V1(gpu_product_int_serialize);
PG_FUNCTION_INFO_V1(gpu_product_int_deserialize);

static const GaFloatPairForm form = {ga_weighted_sum_serialize,
									 ga_weighted_sum_deserialize,
									 GA_WEIGHTED_SUM_MAX_BYTES};

GA_FUNCTION(gpu_product_float_combine, ga_float_pair_combine(fcinfo))
GA_FUNCTION(gpu_product_float_serialize, ga_float_pair_serialize(fcinfo, &form))
GA_FUNCTION(gpu_product_float_deserialize,
			ga_float_pair_deserialize(fcinfo, &form))

/* Return the state in argument 0, or a new one in the aggregate's context. */
GaIntProducts *
ga_int_products_arg(FunctionCallInfo fcinfo)
{
	if (likely(!PG_ARGISNULL(0)))
		return (GaIntProducts *) PG_GETARG_POINTER(0);
	return MemoryContextAllocZero(ga_aggregate_context(fcinfo),
								  sizeof(GaIntProducts));
}

/*
 * Add the second state to the first; the second stays as it is.  Errors: 22P03
 * if they have more inputs than there can be.
 */
Datum
gpu_product_int_combine(PG_FUNCTION_ARGS)
{
	GaIntProducts *sum = ga_int_products_arg(fcinfo);

	ga_aggregate_finish(fcinfo);
	if (!PG_ARGISNULL(1))
	{
		const GaIntProducts *other = (GaIntProducts *) PG_GETARG_POINTER(1);

		if (other->n > GA_INT_SUM_MAX_N - sum->n)
			ga_report(GA_BAD_STATE, GA_int8);
		ga_int_products_merge(sum, other);
	}
	PG_RETURN_POINTER(sum);
}

/* Return the state in its canonical form. */
Datum
gpu_product_int_serialize(PG_FUNCTION_ARGS)
{
	const GaIntProducts *sum = (GaIntProducts *) PG_GETARG_POINTER(0);
	bytea *result = palloc(VARHDRSZ + GA_INT_PRODUCTS_BYTES);

	ga_aggregate_finish(fcinfo);
	SET_VARSIZE(result, VARHDRSZ + ga_int_products_serialize(
									   sum, (uint8_t *) VARDATA(result)));
	PG_RETURN_BYTEA_P(result);
}

/*
 * Create a state from its canonical form, in the current context.  Errors:
 * 22P03 for bytes that are none.
 */
Datum
gpu_product_int_deserialize(PG_FUNCTION_ARGS)
{
	bytea *bytes = PG_GETARG_BYTEA_PP(0);
	GaIntProducts *sum = palloc(sizeof(GaIntProducts));

	ga_check(ga_int_products_deserialize(sum,
										 (const uint8_t *) VARDATA_ANY(bytes),
										 VARSIZE_ANY_EXHDR(bytes)),
			 GA_int8);
	PG_RETURN_POINTER(sum);
}

/* Return the sum of products of integers as numeric. */
static Datum
numeric_of(const GaIntProducts *sum)
{
	char digits[GA_INT_PRODUCTS_DIGITS];

	return DirectFunctionCall3(
		numeric_in, CStringGetDatum(ga_int_products_decimal(sum, digits)),
		ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

/*
 * Return a result of a state of integers: NULL without input; sums are bigint,
 * but numeric for elements of bigint, and means numeric.  Errors: 22003 out of
 * bigint's range, 22012 for weights that add up to zero.
 */
Datum
ga_int_products_result(FunctionCallInfo fcinfo, const GaIntProducts *sum,
					   GaElementType type, GaProductResult result)
{
	int64 total;

	if (sum == NULL || sum->n == 0)
		PG_RETURN_NULL();
	if (result == GA_PRODUCT_MEAN)
	{
		const GaInt128 weight = ga_int_products_weight(sum);

		if (weight == 0)
			ga_report(GA_ZERO_DIVISOR, GA_int8);
		return DirectFunctionCall2(numeric_div, numeric_of(sum),
								   ga_int128_get_numeric(weight));
	}
	if (type == GA_int8)
		return numeric_of(sum);
	ga_check(ga_int_products_int8(sum, &total), GA_int8);
	PG_RETURN_INT64(total);
}

/*
 * Return a result of a state of floats, rounded once: NULL without input; sums
 * are of the elements' type, means float8.  Errors: 22003 if it is out of
 * range, 22012 for weights that add up to zero.
 */
Datum
ga_float_products_result(FunctionCallInfo fcinfo, const GaSumPair *pair,
						 GaElementType type, GaProductResult result)
{
	const GaExactSum *products;
	float4 single;
	float8 value;

	if (pair == NULL || ga_sum_pair_products(pair)->n == 0)
		PG_RETURN_NULL();
	Assert(ga_sum_pair_is_valid(pair));
	products = ga_sum_pair_products(pair);
	if (result == GA_PRODUCT_SUM && type == GA_float4)
	{
		ga_check(ga_product_sum_float4(products, &single), GA_float4);
		PG_RETURN_FLOAT4(single);
	}
	ga_check(result == GA_PRODUCT_SUM ?
				 ga_product_sum_float8(products, &value) :
				 ga_weighted_sum_mean(pair, &value),
			 GA_float8);
	PG_RETURN_FLOAT8(value);
}
