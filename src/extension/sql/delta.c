/*
 * delta.c
 *		gpu_array_delta: each element minus the one before it.
 *
 * The operator - of the type, with its errors.  The first result is NULL, and
 * so is each one with a NULL element.  The shape is the argument's.
 *
 * Of a stored array without NULLs the device computes them.  Where one is out
 * of range, or NaN, the CPU computes all again.
 *
 * Called by the executor; keeps nothing between two calls.
 */
#include "postgres.h"
#include "miscadmin.h"

#include "exact/delta.h"
#include "extension/element_datum.h"
#include "extension/engine/choice.h"
#include "extension/engine/node_counters.h"
#include "extension/input/array_result.h"
#include "extension/pg_compat.h"
#include "engine_resident.h"
#include "engine_windows.h"
#include "part.h"
#include "values_result.h"

/* Report a difference out of range, as the operator does.  Errors: 22003. */
GA_NORETURN static void
report_overflow(GaElementType type)
{
	static const char *const messages[] = {
		[GA_int2] = "smallint out of range",
		[GA_int4] = "integer out of range",
		[GA_int8] = "bigint out of range",
		[GA_float4] = "value out of range: overflow",
		[GA_float8] = "value out of range: overflow",
	};

	StaticAssertStmt(lengthof(messages) == GA_N_ELEMENT_TYPES,
					 "an element type is missing");
	ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					errmsg("%s", messages[type])));
}

/* Is the difference at item i NULL? */
static bool
is_null(const GaItems *items, int i)
{
	return i == 0 || ga_items_is_null(items, i) ||
		   ga_items_is_null(items, i - 1);
}

/*
 * Compute n differences, of items from one on.  What stands for a NULL is read
 * as an element, and its differences do not count.  Errors: 22003.
 */
static void
compute(const GaItems *items, const char *in, int from, int n, char *out)
{
	const GaElementType type = items->array.type;
	const Size size = ga_element_size(type);
	int i = from == 0 ? 1 : 0; /* nothing is before the first one */

	while (i < n)
	{
		i += ga_delta(type, in + i * size, in + (i - 1) * size, n - i,
					  out + i * size);
		if (i < n && !is_null(items, from + i))
			report_overflow(type);
		i++;
	}
}

/* Add the differences of a batch of n items to the result. */
static void
add_batch(const GaItems *items, const char *in, int n, GaArrayResult *result)
{
	const Size size = ga_element_size(items->array.type);
	const int from = items->next - n;
	char out[GA_BATCH_ITEMS * sizeof(int64)];
	int i;

	compute(items, in, from, n, out);
	for (i = 0; i < n; i++)
		ga_array_result_add(result,
							is_null(items, from + i) ? NULL : out + i * size,
							size, size);
}

/* Write those of a batch of an array without NULLs right into the result. */
static void
fill_batch(const GaItems *items, const char *in, int n, GaArrayResult *result)
{
	const Size size = ga_element_size(items->array.type);
	const int from = items->next - n;
	const int n_nulls = from == 0 ? 1 : 0;

	if (n_nulls > 0)
		ga_array_result_add(result, NULL, size, size);
	compute(items, in, from, n,
			result->data + result->n_data_bytes - n_nulls * size);
	ga_array_result_fill(result, n - n_nulls, (n - n_nulls) * size);
}

/* Begin a result with as many items, the first of which may be NULL. */
static void
begin_result(const GaItems *items, GaArrayResult *result)
{
	const GaElementType type = items->array.type;

	ga_array_result_begin(result, &items->shape, ga_element_oid(type), true,
						  (Size) items->shape.n_items * ga_element_size(type));
}

static Datum
compute_by_cpu(GaItems *items)
{
	const int64 zero = 0;
	GaArrayResult result;
	const char *batch;
	int n;

	ga_items_keep(items, 1, &zero);
	begin_result(items, &result);
	while ((n = ga_items_next(items, GA_BATCH_ITEMS, &batch)) > 0)
	{
		CHECK_FOR_INTERRUPTS();
		if (ga_items_may_have_nulls(items))
			add_batch(items, batch, n, &result);
		else
			fill_batch(items, batch, n, &result);
	}
	return ga_array_result_datum(&result);
}

/*
 * Begin a result of the device's: NULL, and space for the differences behind
 * it.  Returns where the values of 8 bytes go: there, if they are elements as
 * they are.
 */
static char *
begin_values(const GaItems *items, GaArrayResult *result)
{
	const Size size = ga_element_size(items->array.type);

	begin_result(items, result);
	ga_array_result_add(result, NULL, size, size);
	if (size == sizeof(int64))
		return result->data;
	return MemoryContextAllocHuge(CurrentMemoryContext,
								  items->shape.n_items * sizeof(int64));
}

/* Make elements of the values, if they were made. */
static void
end_values(const GaItems *items, char *values, bool are_made,
		   GaArrayResult *result)
{
	const GaElementType type = items->array.type;
	const int n = items->shape.n_items - 1;

	if (are_made)
	{
		ga_values_narrow(ga_element_oid(type), values, result->data, n);
		ga_array_result_fill(result, n, n * ga_element_size(type));
	}
	if (values != result->data)
		pfree(values);
}

/*
 * Have the device compute all differences, if it is to.  Returns GA_NO_REASON,
 * or why the CPU computes.  Errors: as ga_resident_choose().
 */
static GaReason
try_device(const GaItems *items, Datum array, Datum *datum)
{
	const GaElementType type = items->array.type;
	const int n = items->shape.n_items;
	const uint64 n_bytes = (uint64) n * ga_element_size(type);
	GaArrayResult result;
	GaWindowsRun run;
	GaReason reason;

	if (n < 2 || !ga_windows_begin(&run, type, GA_FORM_DELTA, items))
		return ga_reason_of_function();
	reason = ga_resident_choose(array, true, n_bytes, &run.key);
	if (reason != GA_NO_REASON)
		return reason;
	run.windows.step = 1;
	run.windows.size = 2;
	run.values = begin_values(items, &result);
	run.is_small = ga_choose_is_small(n_bytes, run.key.raw_bytes);
	reason = ga_windows_compute(&run);
	end_values(items, run.values, reason == GA_NO_REASON, &result);
	if (reason == GA_NO_REASON)
		*datum = ga_array_result_datum(&result);
	else
		pfree(result.array);
	return reason;
}

static Datum
delta(FunctionCallInfo fcinfo, GaElementType type)
{
	const Datum array = PG_GETARG_DATUM(0);
	GaReason reason = ga_reason_of_function();
	GaPart part;
	GaItems items;
	Datum datum;

	ga_node_enter(fcinfo);
	ga_items_open(&items, array, type, ga_part_if_any(fcinfo, 1, &part));
	if (items.shape.n_items == 0)
		datum = PointerGetDatum(construct_empty_array(ga_element_oid(type)));
	else
	{
		reason = try_device(&items, array, &datum);
		if (reason != GA_NO_REASON)
			datum = compute_by_cpu(&items);
	}
	ga_session_count(ga_node_counters, reason, type, 1, items.n_not_null);
	ga_items_close(&items);
	PG_RETURN_DATUM(datum);
}

#define X(name, family, ctype)                     \
	PG_FUNCTION_INFO_V1(gpu_array_delta_##name);   \
	Datum gpu_array_delta_##name(PG_FUNCTION_ARGS) \
	{                                              \
		return delta(fcinfo, GA_##name);           \
	}
GA_ELEMENT_TYPES(X)
#undef X
