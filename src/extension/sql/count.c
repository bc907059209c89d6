/*
 * count.c
 *		gpu_count and gpu_array_count: the number of inputs that are not NULL.
 *
 * Of the aggregate only the final functions.  Its transitions and states are
 * those of gpu_sum (sum.c, float_state.c, int_state.c): a sum keeps the number
 * of its inputs, on the CPU, on the device, and in its serialized form.  A
 * query with gpu_sum and gpu_count of one argument runs the transition once.
 *
 * The function takes the number from the head of the array, which has the
 * dimensions and the NULLs.  It neither reads the elements nor asks the device.
 *
 * Called by the executor.  The states stay as they are.
 */
#include "postgres.h"
#include "fmgr.h"

#include "aggregate.h"
#include "part.h"
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

/* Return the number of elements of a part of an array that are not NULL. */
static int64
count_array(Datum value, GaElementType type, GaPart part)
{
	GaArray array;
	int64 n;

	ga_array_open_items(&array, value, type, part);
	n = ga_array_n_selected(&array);
	ga_array_close(&array);
	return n;
}

#define X(name, family, ctype)                                     \
	PG_FUNCTION_INFO_V1(gpu_array_count_##name);                   \
	Datum gpu_array_count_##name(PG_FUNCTION_ARGS)                 \
	{                                                              \
		PG_RETURN_INT64(count_array(PG_GETARG_DATUM(0), GA_##name, \
									ga_part_arg(fcinfo, 1)));      \
	}
GA_ELEMENT_TYPES(X)
#undef X
