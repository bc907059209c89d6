/*
 * cumsum_window.c
 *		gpu_cumsum(x) OVER (...): running totals of a partition's rows.
 *
 * A true window function: it takes a row at a time, in the window's order,
 * gives the total so far, and tells the executor that it will not come back
 * to earlier rows.  What it keeps does not grow with the partition.
 *
 * If all work is to go to the device, the values of some hundred rows ahead
 * are read, and their totals computed at once; not so if they are volatile,
 * for each is then evaluated twice.
 */
#include "postgres.h"
#include "fmgr.h"
#include "optimizer/optimizer.h"
#include "utils/memutils.h"
#include "windowapi.h"

#include "cumsum.h"
#include "extension/engine/choice.h"
#include "extension/offload/offload.h"
#include "extension/error.h"
#include "float_state.h"
#include "int_state.h"

/* Rows that may pile up before the executor hears that they are done with. */
#define ROWS_TO_MARK 64

/* The present row's value; the rows before it may be forgotten. */
static inline Datum
current_value(WindowObject window, bool *is_null)
{
	int64 position = WinGetCurrentPosition(window);

	if (position % ROWS_TO_MARK == 0)
		WinSetMarkPosition(window, position);
	return WinGetFuncArgCurrent(window, 0, is_null);
}

/* Totals of rows ahead, that the device computed. */
typedef struct Ahead
{
	GaTotals run;
	int64 first; /* the row's position that they begin with */
	int n_rows;
	int n_totals; /* computed, of n_values */
	int n_values;
	int16 n_before[GA_GATHER]; /* values up to each row */
	GaTotal values[GA_GATHER]; /* one behind the other */
	GaTotal totals[GA_GATHER]; /* the same */
	GaTotal last;			   /* before these, if there was one */
	bool has_last;
} Ahead;

/* What is kept of a partition; it comes zeroed. */
typedef struct Partition
{
	Ahead *ahead; /* NULL: a row at a time */
	union
	{
		GaExactSum floats;
		GaFullSum room;
		GaIntSum ints;
	} sum;
} Partition;

static Partition *
get_partition(WindowObject window, Size sum_bytes)
{
	return WinGetPartitionLocalMemory(window,
									  offsetof(Partition, sum) + sum_bytes);
}

/* The partition's sum of floats, with room for all exponents. */
static GaExactSum *
partition_floats(Partition *partition)
{
	GaExactSum *sum = &partition->sum.floats;

	if (sum->capacity == 0)
		ga_exact_sum_init(sum, GA_MAX_CELLS);
	return sum;
}

static GaIntSum *
partition_ints(Partition *partition)
{
	return &partition->sum.ints;
}

/* A Datum as the type's C type. */
static void
put_value(GaElementType type, Datum datum, char *to)
{
	switch (ga_element_size(type))
	{
		case sizeof(int16):
			*(int16 *) to = DatumGetInt16(datum);
			break;
		case sizeof(int32):
			*(int32 *) to = DatumGetInt32(datum);
			break;
		default:
			*(int64 *) to = DatumGetInt64(datum);
			break;
	}
}

/* A total of those that are there, or the last one before them. */
static GaTotal
total_at(const Ahead *ahead, int i)
{
	return i < 0 ? ahead->last : ga_total_at(ahead->totals, i, ahead->run.type);
}

/* Read the rows from the present one on, and have their totals computed. */
static void
read_ahead(WindowObject window, Ahead *ahead, int64 position)
{
	size_t size = ga_element_size(ahead->run.type);
	int i;

	if (ahead->n_values > 0)
	{
		ahead->last = total_at(ahead, ahead->n_values - 1);
		ahead->has_last = true;
	}
	ahead->first = position;
	ahead->n_values = 0;
	for (i = 0; i < GA_GATHER; i++)
	{
		bool is_null;
		bool is_out;
		Datum value = WinGetFuncArgInPartition(
			window, 0, i, WINDOW_SEEK_CURRENT, false, &is_null, &is_out);

		if (is_out)
			break;
		if (!is_null)
			put_value(ahead->run.type, value,
					  (char *) ahead->values + ahead->n_values++ * size);
		ahead->n_before[i] = ahead->n_values;
	}
	ahead->n_rows = i;
	ahead->n_totals = ga_totals_compute(&ahead->run, ahead->values,
										ahead->n_values, ahead->totals);
}

/* What reads ahead, made at the partition's first row. */
static void
begin_ahead(Partition *partition, GaElementType type)
{
	Ahead *ahead =
		MemoryContextAllocZero(GetMemoryChunkContext(partition), sizeof(Ahead));

	ga_totals_begin(&ahead->run, type, ga_offload_choose((Datum) 0, false));
	partition->ahead = ahead;
}

/* The present row's total, from the device. */
static Datum
total_ahead(FunctionCallInfo fcinfo, WindowObject window, Ahead *ahead)
{
	int64 position = WinGetCurrentPosition(window);
	GaElementType type = ahead->run.type;
	int i;

	if (position >= ahead->first + ahead->n_rows)
		read_ahead(window, ahead, position);
	i = ahead->n_before[position - ahead->first] - 1;
	if (i < 0 && !ahead->has_last)
		PG_RETURN_NULL();
	if (i >= ahead->n_totals)
		ga_report(GA_OVERFLOW, ga_total_type(type));
	return ga_total_datum(total_at(ahead, i), type);
}

#define ROOM_int   GaIntSum
#define ROOM_float GaFullSum

#define STATE_int	GaIntSum
#define STATE_float GaExactSum

#define ADD_int2(sum, x)   ga_int_sum_add(sum, DatumGetInt16(x), 1)
#define ADD_int4(sum, x)   ga_int_sum_add(sum, DatumGetInt32(x), 1)
#define ADD_int8(sum, x)   ga_int_sum_add(sum, DatumGetInt64(x), 1)
#define ADD_float4(sum, x) (void) ga_exact_sum_add(sum, DatumGetFloat4(x))
#define ADD_float8(sum, x) (void) ga_exact_sum_add(sum, DatumGetFloat8(x))

#define RESULT_int2(sum)   ga_int_sum_bigint(fcinfo, sum)
#define RESULT_int4(sum)   ga_int_sum_bigint(fcinfo, sum)
#define RESULT_int8(sum)   ga_int_sum_numeric(fcinfo, sum)
#define RESULT_float4(sum) ga_float_sum_result(fcinfo, sum, GA_float4)
#define RESULT_float8(sum) ga_float_sum_result(fcinfo, sum, GA_float8)

#define X(name, family, ctype)                                               \
	PG_FUNCTION_INFO_V1(gpu_cumsum_##name);                                  \
	Datum gpu_cumsum_##name(PG_FUNCTION_ARGS)                                \
	{                                                                        \
		WindowObject window = PG_WINDOW_OBJECT();                            \
		bool is_null;                                                        \
		Datum value = current_value(window, &is_null);                       \
		Partition *partition = get_partition(window, sizeof(ROOM_##family)); \
		STATE_##family *sum = partition_##family##s(partition);              \
                                                                             \
		if (partition->ahead == NULL && sum->n == 0 && ga_engine_is_gpu() && \
			WinGetCurrentPosition(window) == 0 &&                            \
			!contain_volatile_functions(fcinfo->flinfo->fn_expr))            \
			begin_ahead(partition, GA_##name);                               \
		if (partition->ahead != NULL)                                        \
			return total_ahead(fcinfo, window, partition->ahead);            \
		if (!is_null)                                                        \
			ADD_##name(sum, value);                                          \
		return RESULT_##name(sum);                                           \
	}
GA_ELEMENT_TYPES(X)
#undef X
