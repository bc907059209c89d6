/*
 * ladder.c
 *		gpuagg_bench_reduce and gpuagg_bench_scan: the ladder as a table.
 *
 * ladder_client.c fetches the rows: the serial loop of the CPU, a copy on the
 * device, whose rate is the limit, and the rungs.  Here they are compared with
 * one another.  Of no use to any other query: the rungs round, and some differ
 * from run to run.
 */
#include "postgres.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "ladder_client.h"
#include "rows.h"

PG_FUNCTION_INFO_V1(gpuagg_bench_reduce);
PG_FUNCTION_INFO_V1(gpuagg_bench_scan);

#define LADDER_COLUMNS 10

/* Times of the rows that others are compared with; 0 before there are any. */
typedef struct Yardsticks
{
	double cpu_ms;
	double copy_ms;
	double first_ms; /* of the steps */
	double last_ms;
} Yardsticks;

/* A table under construction. */
typedef struct Table
{
	ReturnSetInfo *result;
	const GaLadderCall *call;
	Yardsticks yardsticks;
	int n_rows;
} Table;

/* Report a number of elements or runs that is out of range. */
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

/*
 * Read the arguments that both functions have; `last` is the name of the last.
 */
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

/*
 * Store how many times as fast a row is; NULL if there is nothing to compare.
 */
static void
put_ratio(double than_ms, double ms, Datum *value, bool *is_null)
{
	*is_null = than_ms <= 0 || ms <= 0;
	*value = *is_null ? (Datum) 0 : Float8GetDatum(than_ms / ms);
}

/* Add a row, compared with `than`. */
static void
put_row(Table *table, const GaLadderRow *row, const Yardsticks *than,
		bool is_copy)
{
	const GaLadderCall *call = table->call;
	const double pass_mb =
		call->n * ga_element_size((GaElementType) call->type) / 1e6;
	const double passes = row->rung.passes;
	Datum values[LADDER_COLUMNS];
	bool nulls[LADDER_COLUMNS] = {false};

	values[0] = CStringGetTextDatum(row->rung.name);
	values[1] = Int64GetDatum((int64) call->n);
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
	ga_put_row(table->result, values, nulls);
}

/* Put a row into the table; a GaTakeLadderRow. */
static void
take_row(const GaLadderRow *row, void *to)
{
	Table *table = to;
	Yardsticks *yardsticks = &table->yardsticks;
	const bool is_copy = table->n_rows == 1;
	Yardsticks itself = {0};

	/* the first two are compared with themselves only */
	if (table->n_rows == 0)
		yardsticks->cpu_ms = itself.cpu_ms = row->ms;
	else if (is_copy)
		yardsticks->copy_ms = itself.copy_ms = row->ms;
	else if (row->rung.is_step && yardsticks->first_ms == 0)
		yardsticks->first_ms = row->ms;
	put_row(table, row, table->n_rows < 2 ? &itself : yardsticks, is_copy);
	if (row->rung.is_step)
		yardsticks->last_ms = row->ms;
	table->n_rows++;
}

/* Return all rows of a ladder. */
static Datum
bench(FunctionCallInfo fcinfo, const GaLadderCall *call)
{
	Table table = {.result = ga_begin_rows(fcinfo, LADDER_COLUMNS),
				   .call = call};

	ga_ladder_fetch(call, take_row, &table);
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
