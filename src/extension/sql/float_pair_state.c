/*
 * float_pair_state.c
 *		The aggregate states of two exact sums of floats: moments, products.
 *
 * A state grows when the exponents spread (float_pair.c), so a transition
 * returns one that may have moved; one that waits for arrays has the full size,
 * and stays.  It is in the aggregate's memory context and has no pointers, and
 * the final functions leave it unchanged.
 */
#include "postgres.h"

#include "extension/pg_compat.h"
#include "float_pair_state.h"

/*
 * Add the second state to the first; the second stays as it is.  Errors: 22P03
 * if they have more inputs than there can be.
 */
Datum
ga_float_pair_combine(FunctionCallInfo fcinfo)
{
	GaSumPair *pair = ga_float_pair_arg(fcinfo);

	ga_aggregate_finish(fcinfo);
	if (!PG_ARGISNULL(1))
	{
		const GaSumPair *other = (GaSumPair *) PG_GETARG_POINTER(1);

		Assert(ga_sum_pair_is_valid(other));
		if (ga_sum_pair_single(other)->n >
			GA_EXACT_SUM_MAX_N - ga_sum_pair_single(pair)->n)
			ga_report(GA_BAD_STATE, GA_float8);
		while (ga_sum_pair_merge(pair, other) != GA_OK)
			pair = ga_float_pair_grow(pair);
	}
	PG_RETURN_POINTER(pair);
}

/* Return the state in its canonical form. */
Datum
ga_float_pair_serialize(FunctionCallInfo fcinfo, const GaFloatPairForm *form)
{
	const GaSumPair *pair = (GaSumPair *) PG_GETARG_POINTER(0);
	bytea *result = palloc(VARHDRSZ + form->max_bytes);

	ga_aggregate_finish(fcinfo);
	Assert(ga_sum_pair_is_valid(pair));
	SET_VARSIZE(result,
				VARHDRSZ + form->serialize(pair, (uint8_t *) VARDATA(result)));
	PG_RETURN_BYTEA_P(result);
}

/*
 * Create a state from its canonical form, in the current context.  Errors:
 * 22P03 for bytes that are none.
 */
Datum
ga_float_pair_deserialize(FunctionCallInfo fcinfo, const GaFloatPairForm *form)
{
	bytea *bytes = PG_GETARG_BYTEA_PP(0);
	GaFullSumPair full;
	const GaSumPair *read = ga_full_sum_pair(&full);
	GaSumPair *pair;
	int size;

	ga_check(form->deserialize(&full, (const uint8_t *) VARDATA_ANY(bytes),
							   VARSIZE_ANY_EXHDR(bytes)),
			 GA_float8);
	size = ga_sum_pair_least_size(read);
	pair = ga_float_pair_create(CurrentMemoryContext, size);
	ga_sum_pair_move(pair, size, read);
	PG_RETURN_POINTER(pair);
}
