/*
 * cumsum_window.c
 *		gpu_cumsum(x) OVER (...): running totals of a partition's rows.
 *
 * A true window function: it takes a row at a time, in the window's order,
 * gives the total so far, and tells the executor that it will not come back
 * to earlier rows.  What it keeps does not grow with the partition.
 */
#include "postgres.h"
#include "fmgr.h"
#include "windowapi.h"

#include "error.h"
#include "float_state.h"
#include "int_state.h"

/* Rows that may pile up before the executor hears that they are done with. */
#define ROWS_TO_MARK	64

/* The present row's value; the rows before it may be forgotten. */
static inline Datum
current_value(WindowObject window, bool *is_null)
{
	int64		position = WinGetCurrentPosition(window);

	if (position % ROWS_TO_MARK == 0)
		WinSetMarkPosition(window, position);
	return WinGetFuncArgCurrent(window, 0, is_null);
}

/* The partition's sum of floats, with room for all exponents. */
static GaExactSum *
partition_floats(WindowObject window)
{
	GaExactSum *sum = WinGetPartitionLocalMemory(window, sizeof(GaFullSum));

	if (sum->capacity == 0)		/* it comes zeroed */
		ga_exact_sum_init(sum, GA_MAX_CELLS);
	return sum;
}

static GaIntSum *
partition_ints(WindowObject window)
{
	return WinGetPartitionLocalMemory(window, sizeof(GaIntSum));
}

#define STATE_int		GaIntSum
#define STATE_float		GaExactSum

#define ADD_int2(sum, x)	ga_int_sum_add(sum, DatumGetInt16(x), 1)
#define ADD_int4(sum, x)	ga_int_sum_add(sum, DatumGetInt32(x), 1)
#define ADD_int8(sum, x)	ga_int_sum_add(sum, DatumGetInt64(x), 1)
#define ADD_float4(sum, x)	(void) ga_exact_sum_add(sum, DatumGetFloat4(x))
#define ADD_float8(sum, x)	(void) ga_exact_sum_add(sum, DatumGetFloat8(x))

#define RESULT_int2(sum)	ga_int_sum_bigint(fcinfo, sum)
#define RESULT_int4(sum)	ga_int_sum_bigint(fcinfo, sum)
#define RESULT_int8(sum)	ga_int_sum_numeric(fcinfo, sum)
#define RESULT_float4(sum)	ga_float_sum_result(fcinfo, sum, GA_float4)
#define RESULT_float8(sum)	ga_float_sum_result(fcinfo, sum, GA_float8)

#define X(name, family, ctype) \
PG_FUNCTION_INFO_V1(gpu_cumsum_##name); \
Datum \
gpu_cumsum_##name(PG_FUNCTION_ARGS) \
{ \
	WindowObject window = PG_WINDOW_OBJECT(); \
	bool		is_null; \
	Datum		value = current_value(window, &is_null); \
	STATE_##family *sum = partition_##family##s(window); \
\
	if (!is_null) \
		ADD_##name(sum, value); \
	return RESULT_##name(sum); \
}
GA_ELEMENT_TYPES(X)
#undef X
