/*
 * moving.c
 *		gpu_array_moving_sum, _avg, _min, _max, of each element and of some
 *		before it; gpu_array_cummax and gpu_array_cummin.
 *
 * Results have the shape of the argument, or of the part that is asked for.
 * They are those of the aggregate OVER (ROWS n PRECEDING): NULLs are skipped,
 * and where there is nothing else the result is NULL.
 *
 * Of a stored array without NULLs the device computes short windows, and the
 * least or greatest elements so far.
 *
 * Called by the executor; keeps nothing between two calls.
 */
#include "postgres.h"
#include "miscadmin.h"

#include "extension/element_datum.h"
#include "extension/engine/choice.h"
#include "extension/engine/node_counters.h"
#include "engine_resident.h"
#include "engine_windows.h"
#include "extension/pg_compat.h"
#include "mean.h"
#include "moving.h"
#include "part.h"
#include "values_result.h"

/* The most elements of a window that the device computes, unless it runs. */
#define MOST_BY_DEVICE 1024

/* Return the type of a result's elements. */
static Oid
result_oid(GaMovingKind kind, GaElementType type)
{
	switch (kind)
	{
		case GA_MOVING_SUM:
			return ga_total_oid(type);
		case GA_MOVING_AVG:
			return ga_mean_oid(type);
		default:
			return ga_element_oid(type);
	}
}

/* Return the bytes of a result's element; for numeric, a guess. */
static Size
result_size(const GaMovingCall *call)
{
	return ga_moving_is_numeric(call) ? sizeof(int64) : ga_moving_size(call);
}

/* Write outputs without NULLs right into the result. */
static void
fill_result(GaMovingCall *call, GaArrayResult *result)
{
	const char *batch;
	int n;

	while ((n = ga_moving_next(call, &batch)) > 0)
	{
		CHECK_FOR_INTERRUPTS();
		ga_moving_compute(call, batch, n, result->data + result->n_data_bytes);
		ga_array_result_fill(result, n, n * ga_moving_size(call));
	}
}

/* Add n outputs of fixed length, or NULL where nothing was counted. */
static void
add_outputs(const GaMovingCall *call, int n, GaArrayResult *result)
{
	const Size size = ga_moving_size(call);
	int i;

	for (i = 0; i < n; i++)
	{
		const char *output = (const char *) &call->out + i * size;

		ga_array_result_add(result, call->counts[i] > 0 ? output : NULL, size,
							size);
	}
}

/* Write output i as numeric; NULL if there is none. */
static struct varlena *
numeric_output(const GaMovingCall *call, int i, GaIntNumeric *to)
{
	GaInt128 total =
		call->type == GA_int8 ? call->out.int16[i] : call->out.int8[i];

	if (call->may_have_nulls && call->counts[i] == 0)
		return NULL;
	return call->kind == GA_MOVING_AVG ?
			   ga_mean_numeric(total, call->counts[i], to) :
			   ga_total_numeric(total, to);
}

/* Add n outputs that are numeric. */
static void
add_numerics(const GaMovingCall *call, int n, GaArrayResult *result)
{
	GaIntNumeric space;
	int i;

	for (i = 0; i < n; i++)
	{
		const struct varlena *numeric = numeric_output(call, i, &space);

		ga_array_result_add(result, numeric,
							numeric != NULL ? VARSIZE(numeric) : 0,
							ALIGNOF_INT);
	}
}

/* Add outputs to the result that are numeric, or may be NULL. */
static void
add_items(GaMovingCall *call, GaArrayResult *result)
{
	const char *batch;
	int n;

	while ((n = ga_moving_next(call, &batch)) > 0)
	{
		CHECK_FOR_INTERRUPTS();
		ga_moving_compute(call, batch, n, &call->out);
		if (ga_moving_is_numeric(call))
			add_numerics(call, n, result);
		else
			add_outputs(call, n, result);
	}
}

/* Have the CPU compute all results. */
static Datum
compute_by_cpu(GaMovingCall *call, Oid oid)
{
	const GaArrayShape *shape = &call->items.shape;
	GaArrayResult result;

	ga_array_result_begin(&result, shape, oid, call->may_have_nulls,
						  (Size) shape->n_items * result_size(call));
	if (call->may_have_nulls || ga_moving_is_numeric(call))
		add_items(call, &result);
	else
		fill_result(call, &result);
	return ga_array_result_datum(&result);
}

/* Are the results the least or greatest elements so far? */
static bool
runs(const GaMovingCall *call)
{
	return (call->kind == GA_MOVING_MIN || call->kind == GA_MOVING_MAX) &&
		   call->window == call->items.shape.n_items;
}

/*
 * Have the device compute all results, if it is to.  Returns GA_NO_REASON, or
 * why the CPU computes.  Errors: as ga_resident_choose().
 */
static GaReason
try_device(const GaMovingCall *call, Datum array, Oid oid, Datum *datum)
{
	static const GaElemForm forms[] = {[GA_MOVING_SUM] = GA_FORM_SUM,
									   [GA_MOVING_AVG] = GA_FORM_MEAN,
									   [GA_MOVING_MIN] = GA_FORM_MIN,
									   [GA_MOVING_MAX] = GA_FORM_MAX};
	const GaArrayShape *shape = &call->items.shape;
	const uint64 n_bytes =
		(uint64) shape->n_items * ga_element_size(call->type);
	GaValuesResult result;
	GaWindowsRun run;
	GaReason reason;

	if ((call->window > MOST_BY_DEVICE && !runs(call)) ||
		!ga_windows_begin(&run, call->type, forms[call->kind], &call->items))
		return ga_reason_of_function();
	reason = ga_resident_choose(array, true, n_bytes, &run.key);
	if (reason != GA_NO_REASON)
		return reason;
	ga_values_begin(&result, shape, oid, GA_ARRAY_RESULT_HINT);
	run.windows.step = 1;
	run.windows.before = call->window - 1;
	run.windows.size = call->window;
	run.values = result.values;
	run.is_small = ga_choose_is_small(n_bytes, run.key.raw_bytes);
	reason = ga_windows_compute(&run);
	if (reason == GA_NO_REASON)
		*datum = ga_values_end(&result);
	else
		ga_values_discard(&result);
	return reason;
}

/* Return the array of a moving window's results. */
static Datum
moving_array(GaMovingKind kind, Datum array, GaElementType type, int preceding,
			 const GaPart *part)
{
	const Oid oid = result_oid(kind, type);
	GaMovingCall *call = palloc(sizeof(GaMovingCall));
	GaReason reason = ga_reason_of_function();
	Datum datum;

	ga_moving_begin(call, kind, array, type, preceding, part);
	if (call->items.shape.n_items == 0)
		datum = PointerGetDatum(construct_empty_array(oid));
	else
	{
		reason = try_device(call, array, oid, &datum);
		if (reason != GA_NO_REASON)
			datum = compute_by_cpu(call, oid);
	}
	ga_session_count(ga_node_counters, reason, type, 1, call->items.n_not_null);
	ga_moving_end(call);
	pfree(call);
	return datum;
}

/* gpu_array_moving_sum(array, preceding [, first, last]), and _avg, ... */
static Datum
moving(FunctionCallInfo fcinfo, GaMovingKind kind, GaElementType type)
{
	GaPart part;

	ga_node_enter(fcinfo);
	PG_RETURN_DATUM(moving_array(kind, PG_GETARG_DATUM(0), type,
								 PG_GETARG_INT32(1),
								 ga_part_if_any(fcinfo, 2, &part)));
}

/* gpu_array_cummax(array [, first, last]), and gpu_array_cummin. */
static Datum
running(FunctionCallInfo fcinfo, GaMovingKind kind, GaElementType type)
{
	GaPart part;

	ga_node_enter(fcinfo);
	PG_RETURN_DATUM(moving_array(kind, PG_GETARG_DATUM(0), type,
								 GA_ALL_PRECEDING,
								 ga_part_if_any(fcinfo, 1, &part)));
}

#define DEFINE(function, name, call)                      \
	PG_FUNCTION_INFO_V1(gpu_array_##function##_##name);   \
	Datum gpu_array_##function##_##name(PG_FUNCTION_ARGS) \
	{                                                     \
		return call;                                      \
	}

#define X(name, family, ctype)                                         \
	DEFINE(moving_sum, name, moving(fcinfo, GA_MOVING_SUM, GA_##name)) \
	DEFINE(moving_avg, name, moving(fcinfo, GA_MOVING_AVG, GA_##name)) \
	DEFINE(moving_min, name, moving(fcinfo, GA_MOVING_MIN, GA_##name)) \
	DEFINE(moving_max, name, moving(fcinfo, GA_MOVING_MAX, GA_##name)) \
	DEFINE(cummin, name, running(fcinfo, GA_MOVING_MIN, GA_##name))    \
	DEFINE(cummax, name, running(fcinfo, GA_MOVING_MAX, GA_##name))
GA_ELEMENT_TYPES(X)
#undef X
