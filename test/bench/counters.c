/*
 * counters.c
 *		What it costs to count an array, in a real session.
 *
 * A module of its own, which test/bench/counters builds and loads.  It calls
 * the functions of gpuagg.so as an aggregate does for each stored array that is
 * resident: the lookup, and the array.  What is counted is published, too.
 */
#include "postgres.h"

#include "fmgr.h"
#include "portability/instr_time.h"

#include "extension/engine/counters.h"
#include "extension/engine/reason.h"
#include "extension/engine/session_counters.h"

PG_MODULE_MAGIC;

typedef void (*CountArray)(GaCounters *, GaReason, GaElementType, int64, int64);
typedef void (*CountLookup)(GaCounters *, bool);

PG_FUNCTION_INFO_V1(bench_counters);

/* (arrays, is_node): nanoseconds for each array. */
Datum
bench_counters(PG_FUNCTION_ARGS)
{
	static GaCounters counters;
	const int64 n = PG_GETARG_INT64(0);
	GaCounters *node = PG_GETARG_BOOL(1) ? &counters : NULL;
	const CountArray count = (CountArray) load_external_function(
		"$libdir/gpuagg", "ga_session_count", true, NULL);
	const CountLookup look_up = (CountLookup) load_external_function(
		"$libdir/gpuagg", "ga_session_count_lookup", true, NULL);
	instr_time start;
	instr_time end;
	int64 i;

	INSTR_TIME_SET_CURRENT(start);
	for (i = 0; i < n; i++)
	{
		look_up(node, i % 3 != 0);
		count(node, GA_NO_REASON, GA_float8, 1, 3);
	}
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	PG_RETURN_FLOAT8(INSTR_TIME_GET_DOUBLE(end) * 1e9 / (double) n);
}
