/*
 * count.c
 *		gpu_count: the number of inputs that are not NULL.
 *
 * The final functions only.  The transitions and the states are those of
 * gpu_sum (sum.c, float_state.c, int_state.c): a sum keeps the number of its
 * inputs, on the CPU, on the device, and in its serialized form.  A query that
 * has gpu_sum and gpu_count of one argument runs the transition once.
 *
 * Called by the executor.  The states stay as they are.
 */
#include "postgres.h"
#include "fmgr.h"

#include "aggregate.h"
#include "exact/exact_sum.h"
#include "exact/int_sum.h"

PG_FUNCTION_INFO_V1(gpu_count_int_final);
PG_FUNCTION_INFO_V1(gpu_count_float_final);

/* Return the number of inputs of an integer sum: 0 without input. */
Datum
gpu_count_int_final(PG_FUNCTION_ARGS)
{
	const GaIntSum *sum = ga_aggregate_final_arg(fcinfo);

	PG_RETURN_INT64(sum == NULL ? 0 : sum->n);
}

/* Return the number of inputs of a float sum: 0 without input. */
Datum
gpu_count_float_final(PG_FUNCTION_ARGS)
{
	const GaExactSum *sum = ga_aggregate_final_arg(fcinfo);

	PG_RETURN_INT64(sum == NULL ? 0 : sum->n);
}
