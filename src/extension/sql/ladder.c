/*
 * ladder.c
 *		gpuagg_bench_reduce and gpuagg_bench_scan: the ladder as a table.
 *
 * The rows are the serial loop of the CPU, then what the device has: first a
 * copy, whose rate is what there is to be had, then the rungs.  Of no use to
 * any other query: the rungs round, and some differ from run to run.
 */
#include "postgres.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"

#include "ladder_row.h"

PG_FUNCTION_INFO_V1(gpuagg_bench_reduce);
PG_FUNCTION_INFO_V1(gpuagg_bench_scan);

#define LADDER_COLUMNS 10

/* The rows that others are compared with; 0 before there are any. */
typedef struct Yardsticks
{
	double cpu_ms;
	double copy_ms;
	double first_ms; /* of the steps */
	double last_ms;
} Yardsticks;

/* A number of elements or runs that is none. */
static void
check_range(const char *what, int64 value, int64 most)
{
	if (value < 1 || value > most)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid number of %s: " INT64_FORMAT, what, value),
				 errhint("It is between 1 and " INT64_FORMAT ".", most)));
}

static GaElementType
element_type(Oid type)
{
	switch (type)
	{
		case INT4OID:
			return GA_int4;
		case INT8OID:
			return GA_int8;
		case FLOAT4OID:
			return GA_float4;
		case FLOAT8OID:
			return GA_float8;
	}
	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg("there is no ladder for type %s",
				format_type_extended(type, -1, FORMAT_TYPE_ALLOW_INVALID)),
		 errhint("The types are integer, bigint, real and double precision.")));
}

/* The arguments that both functions have; the last one's name is its own. */
static GaLadderCall
take_arguments(FunctionCallInfo fcinfo, const char *last)
{
	const char *const names[] = {"n", "type", "repeats", last};
	GaLadderCall call = {0};
	int i;

	for (i = 0; i < lengthof(names); i++)
	{
		if (PG_ARGISNULL(i))
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("%s must not be null", names[i]),
							errhint("Leave it out to have its default.")));
	}
	check_range("elements", PG_GETARG_INT64(0), GA_LADDER_ELEMENTS);
	check_range("repeats", PG_GETARG_INT32(2), GA_LADDER_REPEATS);
	call.n = PG_GETARG_INT64(0);
	call.type = element_type(PG_GETARG_OID(1));
	call.repeats = PG_GETARG_INT32(2);
	return call;
}

/* How many times as fast; NULL if there is nothing to compare. */
static void
put_ratio(double than_ms, double ms, Datum *value, bool *is_null)
{
	*is_null = than_ms <= 0 || ms <= 0;
	*value = *is_null ? (Datum) 0 : Float8GetDatum(than_ms / ms);
}

/* A row; than is what it is compared with. */
static void
put_row(ReturnSetInfo *result, const GaLadderCall *call, const GaLadderRow *row,
		const Yardsticks *than, bool is_copy)
{
	const double pass_mb = call->n * ga_element_size(call->type) / 1e6;
	const double passes = row->rung.passes;
	Datum values[LADDER_COLUMNS];
	bool nulls[LADDER_COLUMNS] = {false};

	values[0] = CStringGetTextDatum(row->rung.name);
	values[1] = Int64GetDatum(call->n);
	values[2] = Float8GetDatum(row->ms);
	put_ratio(passes * pass_mb, row->ms, &values[3], &nulls[3]);
	/* a copy has two passes */
	put_ratio(passes / 2 * than->copy_ms, row->ms, &values[4], &nulls[4]);
	put_ratio(row->rung.is_step ? than->last_ms : 0, row->ms, &values[5],
			  &nulls[5]);
	put_ratio(than->first_ms, row->ms, &values[6], &nulls[6]);
	put_ratio(than->cpu_ms, row->ms, &values[7], &nulls[7]);
	/* a copy adds nothing up */
	values[8] = Float8GetDatum(row->max_error);
	values[9] = BoolGetDatum(row->same_bits);
	nulls[8] = nulls[9] = is_copy;
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* The CPU's row, and the copy's: compared with itself only. */
static void
put_yardsticks(ReturnSetInfo *result, const GaLadderCall *call, uint32 *next,
			   Yardsticks *yardsticks)
{
	Yardsticks itself = {0};
	GaLadderRow row;

	ga_ladder_cpu_row(call, &row);
	yardsticks->cpu_ms = itself.cpu_ms = row.ms;
	put_row(result, call, &row, &itself, false);

	if (!ga_ladder_device_row(call, next, &row))
		return;
	itself.cpu_ms = 0;
	yardsticks->copy_ms = itself.copy_ms = row.ms;
	put_row(result, call, &row, &itself, true);
}

/* All rows of a ladder. */
static Datum
bench(FunctionCallInfo fcinfo, const GaLadderCall *call)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Yardsticks yardsticks = {0};
	uint32 next = 0;
	GaLadderRow row;

	InitMaterializedSRF(fcinfo, 0);
	ga_ladder_open_device();
	put_yardsticks(result, call, &next, &yardsticks);
	while (ga_ladder_device_row(call, &next, &row))
	{
		if (row.rung.is_step && yardsticks.first_ms == 0)
			yardsticks.first_ms = row.ms;
		put_row(result, call, &row, &yardsticks, false);
		if (row.rung.is_step)
			yardsticks.last_ms = row.ms;
	}
	return (Datum) 0;
}

/* The reductions: n, type, repeats, managed. */
Datum
gpuagg_bench_reduce(PG_FUNCTION_ARGS)
{
	GaLadderCall call = take_arguments(fcinfo, "managed");

	call.ladder = GA_LADDER_REDUCE;
	call.managed = PG_GETARG_BOOL(3);
	return bench(fcinfo, &call);
}

/* The scans: n, type, repeats, exclusive. */
Datum
gpuagg_bench_scan(PG_FUNCTION_ARGS)
{
	GaLadderCall call = take_arguments(fcinfo, "exclusive");

	call.ladder = PG_GETARG_BOOL(3) ? GA_LADDER_EXCLUSIVE_SCAN : GA_LADDER_SCAN;
	return bench(fcinfo, &call);
}
