/*
 * cumsum_window.c
 *		gpu_cumsum(x) OVER (...): running totals of a partition's rows.
 *
 * A true window function: it takes a row at a time, in the window's order,
 * returns the total so far, and tells the executor that it will not come back
 * to earlier rows.  Its memory does not grow with the partition.
 *
 * If gpuagg.engine is gpu, the arguments of some hundred rows ahead are read,
 * and their totals computed at once, unless that might evaluate something which
 * the query never asks for, and which could fail.
 *
 * Owns a Partition in the executor's memory for each partition of the window.
 * Called by the executor alone.
 */
#include "postgres.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "utils/memutils.h"
#include "windowapi.h"

#include "cumsum.h"
#include "extension/engine/choice.h"
#include "extension/engine/execution.h"
#include "extension/element_datum.h"
#include "extension/error.h"
#include "extension/offload/offload.h"
#include "extension/pg_compat.h"
#include "float_state.h"
#include "int_state.h"

/* How often the executor is told that earlier rows are not needed. */
#define ROWS_TO_MARK 64

/*
 * Return the present row's argument; the rows before it are released.  NULLs
 * are skipped anyway, and IGNORE NULLS is an error.  Errors: 0A000.
 */
static inline Datum
current_argument(FunctionCallInfo fcinfo, WindowObject window, bool *is_null)
{
	int64 position = WinGetCurrentPosition(window);

	if (position == 0)
		ga_window_refuse_ignore_nulls(window, fcinfo);
	if (position % ROWS_TO_MARK == 0)
		WinSetMarkPosition(window, position);
	return WinGetFuncArgCurrent(window, 0, is_null);
}

/* Totals of rows ahead that the device computed. */
typedef struct Ahead
{
	GaTotalsState state;
	int64 first; /* position of the first of these rows */
	int n_rows;
	int n_totals; /* computed, of n_elements */
	int n_elements;
	int16 n_up_to[GA_GATHER];	 /* elements up to each row, with it */
	GaTotal elements[GA_GATHER]; /* packed, as the type's C type */
	GaTotal totals[GA_GATHER];	 /* packed, as totals are */
	GaTotal last;				 /* before these, if there was one */
	bool has_last;
} Ahead;

/* The state of a partition; zeroed at first. */
typedef struct Partition
{
	Ahead *ahead; /* NULL: a row at a time */
	union
	{
		GaExactSum floats;
		GaFullSum full; /* for the size */
		GaIntSum ints;
	} sum;
} Partition;

/* Return the state of the window's partition. */
static Partition *
get_partition(WindowObject window, Size sum_bytes)
{
	return WinGetPartitionLocalMemory(window,
									  offsetof(Partition, sum) + sum_bytes);
}

/* Return the partition's sum of floats, of full capacity. */
static GaExactSum *
partition_float(Partition *partition)
{
	GaExactSum *sum = &partition->sum.floats;

	if (sum->capacity == 0)
		ga_exact_sum_init(sum, GA_MAX_CELLS);
	return sum;
}

/* Return the partition's sum of integers. */
static GaIntSum *
partition_int(Partition *partition)
{
	return &partition->sum.ints;
}

/* Return a total that was computed ahead, or the last one before those. */
static GaTotal
total_at(const Ahead *ahead, int i)
{
	return i < 0 ? ahead->last :
				   ga_total_at(ahead->totals, i, ahead->state.type);
}

/* Read the rows from the present one on, and compute their totals. */
static void
read_ahead(WindowObject window, Ahead *ahead, int64 position)
{
	size_t size = ga_element_size(ahead->state.type);
	int i;

	if (ahead->n_elements > 0)
	{
		ahead->last = total_at(ahead, ahead->n_elements - 1);
		ahead->has_last = true;
	}
	ahead->first = position;
	ahead->n_elements = 0;
	for (i = 0; i < GA_GATHER; i++)
	{
		bool is_null;
		bool is_out;
		Datum value = WinGetFuncArgInPartition(
			window, 0, i, WINDOW_SEEK_CURRENT, false, &is_null, &is_out);

		if (is_out)
			break;
		if (!is_null)
			ga_element_store(ahead->state.type, value,
							 (char *) ahead->elements +
								 ahead->n_elements++ * size);
		ahead->n_up_to[i] = ahead->n_elements;
	}
	ahead->n_rows = i;
	ahead->n_totals = ga_totals_compute(&ahead->state, ahead->elements,
										ahead->n_elements, ahead->totals);
}

/* A window function's call, and the rows that it is called for. */
typedef struct Call
{
	const WindowFunc *function;
	const PlanState *rows;
} Call;

/* Find the rows of a call in a plan; true ends the search. */
static bool
find_rows(PlanState *state, void *argument)
{
	Call *call = argument;
	ListCell *cell;

	if (IsA(state, WindowAggState))
	{
		foreach (cell, ((WindowAggState *) state)->funcs)
		{
			const WindowFuncExprState *function = lfirst(cell);

			if (function->wfunc == call->function)
				call->rows = outerPlanState(state);
		}
	}
	return call->rows != NULL || planstate_tree_walker(state, find_rows, call);
}

/* Can an expression not fail, whatever the row? */
static bool
cannot_fail(const Node *expression)
{
	while (IsA(expression, RelabelType))
		expression = (const Node *) ((const RelabelType *) expression)->arg;
	return IsA(expression, Var) || IsA(expression, Const) ||
		   IsA(expression, Param);
}

/*
 * May rows ahead be read, without anything evaluated that the query may never
 * ask for?  All rows below a sort are there already; a scan without conditions
 * and expressions only takes them from where they are.
 */
static bool
may_read_ahead(FunctionCallInfo fcinfo)
{
	Call call = {.function = (const WindowFunc *) fcinfo->flinfo->fn_expr};
	PlanState *plan = ga_execution_plan();

	if (!cannot_fail(linitial(call.function->args)) || plan == NULL ||
		!find_rows(plan, &call))
		return false;
	return IsA(call.rows, SortState) ||
		   ((IsA(call.rows, SeqScanState) ||
			 IsA(call.rows, FunctionScanState)) &&
			call.rows->qual == NULL && call.rows->ps_ProjInfo == NULL);
}

/* Have totals computed ahead, from the partition's first row on. */
static void
begin_ahead(Partition *partition, GaElementType type)
{
	Ahead *ahead =
		MemoryContextAllocZero(GetMemoryChunkContext(partition), sizeof(Ahead));

	ga_totals_begin(&ahead->state, type, ga_offload_choose((Datum) 0, false));
	partition->ahead = ahead;
}

/* Return the present row's total, computed ahead.  Errors: 22003. */
static Datum
total_ahead(FunctionCallInfo fcinfo, WindowObject window, Ahead *ahead)
{
	int64 position = WinGetCurrentPosition(window);
	GaElementType type = ahead->state.type;
	int i;

	if (position >= ahead->first + ahead->n_rows)
		read_ahead(window, ahead, position);
	i = ahead->n_up_to[position - ahead->first] - 1;
	if (i < 0 && !ahead->has_last)
		PG_RETURN_NULL();
	if (i >= ahead->n_totals)
		ga_report(GA_OVERFLOW, ga_total_type(type));
	return ga_total_datum(total_at(ahead, i), type);
}

/* By family: the memory of a partition's sum, its type, one more element. */
#define MEMORY_int	 GaIntSum
#define MEMORY_float GaFullSum

#define SUM_int	  GaIntSum
#define SUM_float GaExactSum

#define ADD_int(sum, x)	  ga_int_sum_add(sum, x, 1)
#define ADD_float(sum, x) (void) ga_exact_sum_add(sum, x)

#define X(name, family, ctype)                                                 \
	PG_FUNCTION_INFO_V1(gpu_cumsum_##name);                                    \
	Datum gpu_cumsum_##name(PG_FUNCTION_ARGS)                                  \
	{                                                                          \
		WindowObject window = PG_WINDOW_OBJECT();                              \
		bool is_null;                                                          \
		Datum value = current_argument(fcinfo, window, &is_null);              \
		Partition *partition = get_partition(window, sizeof(MEMORY_##family)); \
		SUM_##family *sum = partition_##family(partition);                     \
                                                                               \
		if (partition->ahead == NULL && sum->n == 0 && ga_engine_is_gpu() &&   \
			WinGetCurrentPosition(window) == 0 && may_read_ahead(fcinfo))      \
			begin_ahead(partition, GA_##name);                                 \
		if (partition->ahead != NULL)                                          \
			return total_ahead(fcinfo, window, partition->ahead);              \
		if (!is_null)                                                          \
			ADD_##family(sum, ga_datum_##name(value));                         \
		return ga_##family##_sum_result(fcinfo, sum, GA_##name);               \
	}
GA_ELEMENT_TYPES(X)
#undef X
