/*
 * numeric_elem.c
 *		gpu_elem_sum, _avg, _count, _min and _max of numeric.
 *
 * Aggregates of arrays of one shape, whose result is an array of that shape:
 * each position is what PostgreSQL's aggregate gives for the elements there,
 * digit for digit.  Sums, means and counts share a state, numeric_sums.c; that
 * of least or greatest elements is the array of them.
 *
 * Called by the executor.  The final functions leave the state unchanged.
 */
#include "postgres.h"
#include "catalog/pg_type_d.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "aggregate.h"
#include "elem_state.h"
#include "extension/engine/session_counters.h"
#include "extension/input/array_positions.h"
#include "numeric_result.h"
#include "numeric_sums.h"

/*
 * Add the elements of an array, or remove them (by = -1).  False if one cannot
 * be removed.
 */
static bool
apply(GaNumericSums *sums, Node *aggregate, Datum value, int by)
{
	GaNumericElements elements;
	bool is_done = true;
	Datum element;
	bool is_null;

	ga_numeric_elements_begin(&elements, value, NULL);
	ga_numeric_sums_begin_array(sums, &elements.array.shape);
	while (is_done && ga_numeric_elements_item(&elements, &element, &is_null))
		if (!is_null)
			is_done = ga_numeric_sums_apply(
				sums, aggregate, elements.items.next - 1, element, by);
	ga_numeric_sums_end_array(sums, by);
	ga_numeric_elements_end(&elements);
	return is_done;
}

/*
 * Add the array in argument 1 to the state in argument 0, or remove it (by =
 * -1), and return the state; NULL if an element cannot be removed, so that
 * PostgreSQL adds all arrays of the frame again.
 */
static Datum
transition(FunctionCallInfo fcinfo, int by)
{
	GaNumericSums *sums = ga_numeric_sums_arg(fcinfo);

	ga_node_enter(fcinfo);
	if (!PG_ARGISNULL(1) &&
		!apply(sums, fcinfo->context, PG_GETARG_DATUM(1), by))
		PG_RETURN_NULL();
	PG_RETURN_POINTER(sums);
}

/* Return the array of results of a state that has positions. */
static Datum
make_result(const GaNumericSums *sums, Node *aggregate, PGFunction final)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext batch = AllocSetContextCreate(caller, "gpu_elem numerics",
												ALLOCSET_DEFAULT_SIZES);
	GaNumericResult result;
	int i;

	ga_numeric_result_begin(&result, caller, &sums->shape, true);
	MemoryContextSwitchTo(batch);
	for (i = 0; i < sums->shape.n_items; i++)
	{
		bool is_null;
		Datum value =
			ga_numeric_sums_result(sums, aggregate, i, final, &is_null);

		ga_numeric_result_add(&result, value, is_null);
		if (i % GA_NUMERIC_BATCH == GA_NUMERIC_BATCH - 1)
		{
			CHECK_FOR_INTERRUPTS();
			MemoryContextReset(batch);
		}
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(batch);
	return ga_numeric_result_datum(&result);
}

/* Return the sums or means of the state in argument 0: NULL without arrays. */
static Datum
final(FunctionCallInfo fcinfo, PGFunction final)
{
	const GaNumericSums *sums;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	sums = (const GaNumericSums *) PG_GETARG_POINTER(0);
	if (sums->n_arrays == 0)
		PG_RETURN_NULL();
	return make_result(sums, fcinfo->context, final);
}

/* Return the counts of the state in argument 0: NULL without arrays. */
static Datum
final_count(FunctionCallInfo fcinfo)
{
	const GaNumericSums *sums;
	GaArrayResult result;
	Size n_bytes;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	sums = (const GaNumericSums *) PG_GETARG_POINTER(0);
	if (sums->n_arrays == 0)
		PG_RETURN_NULL();
	if (sums->shape.n_items == 0)
		PG_RETURN_POINTER(construct_empty_array(INT8OID));
	n_bytes = (Size) sums->shape.n_items * sizeof(int64);
	ga_array_result_init_shape(&result, &sums->shape, INT8OID, false, n_bytes,
							   GA_ELEM_HINT);
	memcpy(result.data, sums->counts, n_bytes);
	ga_array_result_fill(&result, sums->shape.n_items, n_bytes);
	return ga_array_result_datum(&result);
}

/*
 * Return what is chosen at each position of two arrays of one shape; the second
 * is counted if it is an argument of the query's.  Errors: 2202E if their
 * shapes differ; as ga_array_open.
 */
static Datum
choose_each(Datum chosen, Datum value, PGFunction choose, bool is_counted)
{
	GaNumericArray before, array;
	GaNumericResult result;
	int64 n = 0;
	int64 bytes = 0;
	Datum one, other;
	bool is_null, is_other_null;

	ga_numeric_array_open(&before, chosen, NULL);
	ga_numeric_array_open(&array, value, NULL);
	ga_array_check_shape(&before.shape, &array.shape);
	ga_numeric_result_begin(&result, CurrentMemoryContext, &before.shape, true);
	while (ga_numeric_items_next(&array.items, &other, &is_other_null))
	{
		if (ga_numeric_batch_ends(&array.items))
			CHECK_FOR_INTERRUPTS();
		(void) ga_numeric_items_next(&before.items, &one, &is_null);
		if (!is_other_null)
		{
			n++;
			bytes += VARSIZE(DatumGetPointer(other));
			one = is_null ? other : DirectFunctionCall2(choose, one, other);
		}
		ga_numeric_result_add(&result, one, is_null && is_other_null);
	}
	if (is_counted)
		ga_session_count_bytes(ga_node_counters, GA_REASON_NUMERIC, 1, n,
							   bytes);
	ga_numeric_array_close(&before);
	ga_numeric_array_close(&array);
	return ga_numeric_result_datum(&result);
}

/* Choose from the array in argument 1 and those before, if there are any. */
static Datum
choose_transition(FunctionCallInfo fcinfo, PGFunction choose)
{
	if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	ga_node_enter(fcinfo);
	return choose_each(PG_ARGISNULL(0) ? PG_GETARG_DATUM(1) :
										 PG_GETARG_DATUM(0),
					   PG_GETARG_DATUM(1), choose, true);
}

/* Choose from what two processes have chosen; strict. */
static Datum
choose_combine(FunctionCallInfo fcinfo, PGFunction choose)
{
	return choose_each(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1), choose, false);
}

GA_FUNCTION(gpu_elem_accum_numeric, transition(fcinfo, 1))
GA_FUNCTION(gpu_elem_remove_numeric, transition(fcinfo, -1))
GA_FUNCTION(gpu_elem_sum_numeric_final, final(fcinfo, numeric_sum))
GA_FUNCTION(gpu_elem_avg_numeric_final, final(fcinfo, numeric_avg))
GA_FUNCTION(gpu_elem_count_numeric_final, final_count(fcinfo))
GA_FUNCTION(gpu_elem_min_accum_numeric,
			choose_transition(fcinfo, numeric_smaller))
GA_FUNCTION(gpu_elem_max_accum_numeric,
			choose_transition(fcinfo, numeric_larger))
GA_FUNCTION(gpu_elem_min_combine_numeric,
			choose_combine(fcinfo, numeric_smaller))
GA_FUNCTION(gpu_elem_max_combine_numeric,
			choose_combine(fcinfo, numeric_larger))
