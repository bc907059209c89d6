/*
 * array_sum.c
 *		What the sum of one array, or of a part of it, gives as a result.
 *
 * For gpu_array_sum, gpu_array_avg and gpu_array_state, which differ in what
 * they make of the sum.  Called by the executor; keeps nothing of its own.
 */
#include "postgres.h"

#include "array_sum.h"
#include "engine_reduce.h"
#include "extension/engine/node_counters.h"
#include "part.h"

/* Return the result for an array of integers in argument 0. */
Datum
ga_array_sum_int(FunctionCallInfo fcinfo, GaElementType type,
				 GaIntResult result)
{
	GaIntSum sum = {0};

	ga_node_enter(fcinfo);
	ga_engine_reduce_array(fcinfo->flinfo, ga_sum_state(&sum, type),
						   PG_GETARG_DATUM(0), ga_part_arg(fcinfo, 1));
	return result(fcinfo, &sum, type);
}

/* Return the result for an array of floats in argument 0. */
Datum
ga_array_sum_float(FunctionCallInfo fcinfo, GaElementType type,
				   GaFloatResult result)
{
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);

	ga_node_enter(fcinfo);
	ga_engine_reduce_array(fcinfo->flinfo, ga_sum_state(sum, type),
						   PG_GETARG_DATUM(0), ga_part_arg(fcinfo, 1));
	return result(fcinfo, sum, type);
}
