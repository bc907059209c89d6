/*
 * int_state.c
 *		The aggregate state of integer sums: a total of 128 bits.
 *
 * Sums of smallint and integer are bigint, sums of bigint are numeric, as
 * SUM's are.  The state is the same for all.  It is in the aggregate's memory
 * context and has no pointers, and the final functions leave it unchanged.
 */
#include "postgres.h"

#include "aggregate.h"
#include "extension/offload/offload.h"
#include "extension/error.h"
#include "int_state.h"
#include "mean.h"
#include "extension/pg_compat.h"

PG_FUNCTION_INFO_V1(gpu_sum_int_combine);
PG_FUNCTION_INFO_V1(gpu_sum_int_serialize);
PG_FUNCTION_INFO_V1(gpu_sum_int_deserialize);

/* Create a state in the aggregate's context. */
GaIntSum *
ga_int_state_create(FunctionCallInfo fcinfo)
{
	return MemoryContextAllocZero(ga_aggregate_context(fcinfo),
								  sizeof(GaIntSum));
}

/*
 * Add the second state to the first; the second stays as it is.  Errors: 22P03
 * if they have more inputs than there can be.
 */
Datum
gpu_sum_int_combine(PG_FUNCTION_ARGS)
{
	GaIntSum *sum = ga_int_state_arg(fcinfo);

	ga_aggregate_finish(fcinfo);
	if (!PG_ARGISNULL(1))
	{
		GaIntSum *other = (GaIntSum *) PG_GETARG_POINTER(1);

		if (other->n > GA_INT_SUM_MAX_N - sum->n)
			ga_report(GA_BAD_STATE, GA_int8);
		ga_int_sum_add(sum, ga_int_sum_total(other), other->n);
	}
	PG_RETURN_POINTER(sum);
}

/* Return the state in its canonical form. */
Datum
gpu_sum_int_serialize(PG_FUNCTION_ARGS)
{
	GaIntSum *sum = (GaIntSum *) PG_GETARG_POINTER(0);
	bytea *result = palloc(VARHDRSZ + GA_INT_SUM_BYTES);

	ga_aggregate_finish(fcinfo);
	SET_VARSIZE(result, VARHDRSZ + ga_int_sum_serialize(
									   sum, (uint8_t *) VARDATA(result)));
	PG_RETURN_BYTEA_P(result);
}

/*
 * Create a state from its canonical form, in the current context.  Errors:
 * 22P03 for bytes that are none.
 */
Datum
gpu_sum_int_deserialize(PG_FUNCTION_ARGS)
{
	bytea *bytes = PG_GETARG_BYTEA_PP(0);
	GaIntSum *sum = palloc(sizeof(GaIntSum));

	ga_check(ga_int_sum_deserialize(sum, (const uint8_t *) VARDATA_ANY(bytes),
									VARSIZE_ANY_EXHDR(bytes)),
			 GA_int8);
	PG_RETURN_POINTER(sum);
}

/*
 * Return the result of a sum of elements of a type: NULL without input; bigint,
 * but numeric for elements of bigint.  Errors: 22003 out of bigint's range.
 */
Datum
ga_int_sum_result(FunctionCallInfo fcinfo, const GaIntSum *sum,
				  GaElementType type)
{
	int64 result;

	if (sum == NULL || sum->n == 0)
		PG_RETURN_NULL();
	if (type == GA_int8)
		return ga_int128_get_numeric(ga_int_sum_total(sum));
	ga_check(ga_int_sum_int8(sum, &result), GA_int8);
	PG_RETURN_INT64(result);
}

GA_FUNCTION(gpu_sum_bigint_final,
			ga_int_sum_result(fcinfo, ga_aggregate_final_arg(fcinfo), GA_int4))
GA_FUNCTION(gpu_sum_numeric_final,
			ga_int_sum_result(fcinfo, ga_aggregate_final_arg(fcinfo), GA_int8))
