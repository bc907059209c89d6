/*
 * float_state.c
 *		The aggregate state of float sums: an exact sum.
 *
 * The state grows when the exponents spread (float_sum.c), so a transition
 * returns one that may have moved.  It is in the aggregate's memory context and
 * has no pointers, and the final functions leave it unchanged.
 */
#include "postgres.h"

#include "aggregate.h"
#include "extension/engine/float_sum.h"
#include "extension/offload/offload.h"
#include "extension/error.h"
#include "exact/exact_sum_io.h"
#include "float_state.h"
#include "extension/pg_compat.h"

PG_FUNCTION_INFO_V1(gpu_sum_float_combine);
PG_FUNCTION_INFO_V1(gpu_sum_float_serialize);
PG_FUNCTION_INFO_V1(gpu_sum_float_deserialize);

/* Create a state in the aggregate's context. */
GaExactSum *
ga_float_state_create(FunctionCallInfo fcinfo)
{
	return ga_float_sum_create(ga_aggregate_context(fcinfo), GA_MIN_CELLS);
}

/*
 * Add the second state to the first; the second stays as it is.  Errors: 22P03
 * if they have more inputs than there can be.
 */
Datum
gpu_sum_float_combine(PG_FUNCTION_ARGS)
{
	GaExactSum *sum = ga_float_state_arg(fcinfo);

	ga_aggregate_finish(fcinfo);
	if (!PG_ARGISNULL(1))
	{
		GaExactSum *other = (GaExactSum *) PG_GETARG_POINTER(1);

		Assert(ga_exact_sum_is_valid(other));
		if (other->n > GA_EXACT_SUM_MAX_N - sum->n)
			ga_report(GA_BAD_STATE, GA_float8);
		while (ga_exact_sum_merge(sum, other) != GA_OK)
			sum = ga_float_sum_grow(sum);
	}
	PG_RETURN_POINTER(sum);
}

/* Return the state in its canonical form. */
Datum
gpu_sum_float_serialize(PG_FUNCTION_ARGS)
{
	GaExactSum *sum = (GaExactSum *) PG_GETARG_POINTER(0);
	bytea *result = palloc(VARHDRSZ + GA_EXACT_SUM_MAX_BYTES);
	size_t n_bytes;

	ga_aggregate_finish(fcinfo);
	Assert(ga_exact_sum_is_valid(sum));
	n_bytes = ga_exact_sum_serialize(sum, (uint8_t *) VARDATA(result));
	SET_VARSIZE(result, VARHDRSZ + n_bytes);
	PG_RETURN_BYTEA_P(result);
}

/*
 * Create a state from its canonical form, in the current context.  Errors:
 * 22P03 for bytes that are none.
 */
Datum
gpu_sum_float_deserialize(PG_FUNCTION_ARGS)
{
	bytea *bytes = PG_GETARG_BYTEA_PP(0);
	GaFullSum full;
	GaExactSum *read = ga_full_sum(&full);
	GaExactSum *sum;

	ga_check(ga_exact_sum_deserialize(&full,
									  (const uint8_t *) VARDATA_ANY(bytes),
									  VARSIZE_ANY_EXHDR(bytes)),
			 GA_float8);
	sum = ga_float_sum_create(CurrentMemoryContext, read->n_cells);
	ga_exact_sum_copy(sum, read->n_cells, read);
	PG_RETURN_POINTER(sum);
}

/*
 * Return the result of a sum, rounded once to the type: NULL without input.
 * Errors: 22003 if it is out of range.
 */
Datum
ga_float_sum_result(FunctionCallInfo fcinfo, const GaExactSum *sum,
					GaElementType type)
{
	float4 single;
	float8 result;

	if (sum == NULL || sum->n == 0)
		PG_RETURN_NULL();
	Assert(ga_exact_sum_is_valid(sum));
	if (type == GA_float4)
	{
		ga_check(ga_exact_sum_float4(sum, &single), type);
		PG_RETURN_FLOAT4(single);
	}
	ga_check(ga_exact_sum_float8(sum, &result), type);
	PG_RETURN_FLOAT8(result);
}

GA_FUNCTION(gpu_sum_float4_final,
			ga_float_sum_result(fcinfo, ga_aggregate_final_arg(fcinfo),
								GA_float4))
GA_FUNCTION(gpu_sum_float8_final,
			ga_float_sum_result(fcinfo, ga_aggregate_final_arg(fcinfo),
								GA_float8))
