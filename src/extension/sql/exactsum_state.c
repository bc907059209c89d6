/*
 * exactsum_state.c
 *		gpu_sum_state, gpu_array_state, and gpu_cumsum of exactsums.
 *
 * gpu_sum_state has the transitions and states of gpu_sum, so a query with both
 * of one argument runs the transition once; here are its final functions.
 *
 * Called by the executor.  gpu_cumsum keeps its total in the window's memory of
 * a partition, the others nothing.
 */
#include "postgres.h"
#include "fmgr.h"
#include "windowapi.h"

#include "aggregate.h"
#include "engine_reduce.h"
#include "exact/exact_sum_value.h"
#include "exactsum.h"
#include "extension/pg_compat.h"

PG_FUNCTION_INFO_V1(gpu_cumsum_exactsum);

/* Return a sum of integers as a value; NULL without input. */
static Datum
int_value(FunctionCallInfo fcinfo, const GaIntSum *sum)
{
	GaFullSum full;

	if (sum == NULL || sum->n == 0)
		PG_RETURN_NULL();
	ga_exact_sum_from_int(&full, ga_int_sum_total(sum), sum->n);
	PG_RETURN_DATUM(ga_exactsum_datum(ga_full_sum(&full)));
}

/* Return a sum of floats as a value; NULL without input. */
static Datum
float_value(FunctionCallInfo fcinfo, const GaExactSum *sum)
{
	if (sum == NULL || sum->n == 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(ga_exactsum_datum(sum));
}

GA_FUNCTION(gpu_sum_state_int_final,
			int_value(fcinfo, ga_aggregate_final_arg(fcinfo)))
GA_FUNCTION(gpu_sum_state_float_final,
			float_value(fcinfo, ga_aggregate_final_arg(fcinfo)))

/* gpu_array_state */
#define X(name, family, ctype)                                     \
	GA_ARRAY_FUNCTION(gpu_array_state_##name, name, GA_REDUCE_SUM, \
					  family##_value)
GA_ELEMENT_TYPES(X)
#undef X

/* The sum of a partition's values so far. */
typedef struct Total
{
	GaFullSum full;
	bool has_value; /* which may be one without inputs */
} Total;

/*
 * Return the sum of a partition's values up to the present row, or up to the
 * one before it.  A NULL repeats the sum so far; that is NULL before the first
 * value, but the exclusive one begins with a sum without inputs.  Errors:
 * 22003 for too many inputs; 0A000.
 */
Datum
gpu_cumsum_exactsum(PG_FUNCTION_ARGS)
{
	WindowObject window = PG_WINDOW_OBJECT();
	Total *total = WinGetPartitionLocalMemory(window, sizeof(*total));
	GaExactSum *sum = ga_full_sum(&total->full);
	const int64 position = WinGetCurrentPosition(window);
	bool is_null, has_no_exclusive;
	const Datum value = WinGetFuncArgCurrent(window, 0, &is_null);
	const Datum exclusive = WinGetFuncArgCurrent(window, 1, &has_no_exclusive);
	GaFullSum full;
	Datum result = (Datum) 0;

	if (position == 0)
	{
		ga_window_refuse_ignore_nulls(window, fcinfo);
		ga_full_sum_init(&total->full);
	}
	WinSetMarkPosition(window, position);
	if (!has_no_exclusive && DatumGetBool(exclusive))
		result = ga_exactsum_datum(sum);
	if (!is_null)
	{
		ga_exactsum_add(sum, ga_exactsum_read(value, &full));
		total->has_value = true;
	}
	if (result == (Datum) 0 && (has_no_exclusive || !total->has_value))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(result != (Datum) 0 ? result : ga_exactsum_datum(sum));
}
