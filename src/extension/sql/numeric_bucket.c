/*
 * numeric_bucket.c
 *		gpu_array_bucket_sum, _avg, _min, _max and _count of numeric.
 *
 * Buckets are those of bucket.c, and each value is that of PostgreSQL's
 * aggregate, digit for digit.  Counts read no elements.
 *
 * Called by the executor; keeps nothing between two calls.
 */
#include "postgres.h"
#include "catalog/pg_type_d.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "bucket.h"
#include "extension/engine/node_counters.h"
#include "numeric_result.h"
#include "numeric_state.h"
#include "part.h"

/* The buckets of a call. */
typedef struct Buckets
{
	int width;
	int end; /* item behind the present bucket */
	GaNumericElements elements;
	GaNumericResult result;
} Buckets;

/* Begin to read the array of a call, in the memory of a batch. */
static void
begin_buckets(Buckets *buckets, FunctionCallInfo fcinfo)
{
	GaNumericElements *elements = &buckets->elements;
	GaArrayShape shape;
	GaPart part;

	ga_node_enter(fcinfo);
	buckets->width = ga_bucket_width(fcinfo);
	buckets->end = 0;
	ga_numeric_elements_begin(elements, PG_GETARG_DATUM(0),
							  ga_part_if_any(fcinfo, 2, &part));
	shape = ga_shape_line(ga_bucket_count(elements->items.n, buckets->width));
	ga_numeric_result_begin(&buckets->result, elements->caller, &shape,
							ga_array_may_have_nulls(&elements->array.array));
}

/* Go to the next bucket; false behind the last one. */
static bool
next_bucket(Buckets *buckets)
{
	const int n_left = buckets->elements.items.n - buckets->end;

	buckets->end += Min(buckets->width, n_left);
	return n_left > 0;
}

/* Go to the next element of the bucket; false behind the last one. */
static bool
next_element(Buckets *buckets, Datum *element)
{
	bool is_null = true;

	while (is_null && buckets->elements.items.next < buckets->end)
		(void) ga_numeric_elements_item(&buckets->elements, element, &is_null);
	return !is_null;
}

/* Return the array of values. */
static Datum
end_buckets(Buckets *buckets)
{
	ga_numeric_elements_end(&buckets->elements);
	return ga_numeric_result_datum(&buckets->result);
}

/* gpu_array_bucket_sum(array, width [, first, last]), and _avg. */
static Datum
bucket(FunctionCallInfo fcinfo, PGFunction final)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "gpu_array_bucket", ALLOCSET_SMALL_SIZES);
	GaNumericState state;
	Buckets buckets;
	Datum value;
	bool is_null;

	ga_numeric_state_begin(&state, numeric_avg_accum, context);
	begin_buckets(&buckets, fcinfo);
	while (next_bucket(&buckets))
	{
		while (next_element(&buckets, &value))
			ga_numeric_state_add(&state, value);
		value = ga_numeric_state_result(&state, final, &is_null);
		ga_numeric_result_add(&buckets.result, value, is_null);
		ga_numeric_state_reset(&state);
	}
	MemoryContextDelete(context);
	PG_RETURN_DATUM(end_buckets(&buckets));
}

/* gpu_array_bucket_min(array, width [, first, last]), and _max. */
static Datum
bucket_extreme(FunctionCallInfo fcinfo, PGFunction choose)
{
	Buckets buckets;

	begin_buckets(&buckets, fcinfo);
	while (next_bucket(&buckets))
	{
		Datum extreme, element;
		bool is_null = !next_element(&buckets, &extreme);

		while (!is_null && next_element(&buckets, &element))
			extreme = DirectFunctionCall2(choose, extreme, element);
		ga_numeric_result_add(&buckets.result, extreme, is_null);
	}
	PG_RETURN_DATUM(end_buckets(&buckets));
}

/* gpu_array_bucket_count(array, width [, first, last]) */
static Datum
bucket_count(FunctionCallInfo fcinfo)
{
	const int width = ga_bucket_width(fcinfo);
	GaPart part;
	GaArray array;
	GaArrayShape shape;
	GaArrayResult result;
	int from, n;

	ga_numeric_array_open_head(&array, PG_GETARG_DATUM(0),
							   ga_part_if_any(fcinfo, 2, &part));
	if (array.next == array.end)
		PG_RETURN_DATUM(PointerGetDatum(construct_empty_array(INT8OID)));
	shape = ga_shape_line(ga_bucket_count(array.end - array.next, width));
	ga_array_result_begin(&result, &shape, INT8OID, false,
						  (Size) shape.n_items * sizeof(int64));
	for (from = array.next; from < array.end; from += n)
	{
		int64 n_not_null;

		CHECK_FOR_INTERRUPTS();
		n = Min(width, array.end - from);
		n_not_null = ga_bucket_n_not_null(&array, from, n);
		ga_array_result_add(&result, &n_not_null, sizeof(n_not_null),
							sizeof(n_not_null));
	}
	ga_array_close(&array);
	PG_RETURN_DATUM(ga_array_result_datum(&result));
}

#define BUCKET(name, call)                                    \
	PG_FUNCTION_INFO_V1(gpu_array_bucket_##name##_numeric);   \
	Datum gpu_array_bucket_##name##_numeric(PG_FUNCTION_ARGS) \
	{                                                         \
		return call;                                          \
	}
BUCKET(sum, bucket(fcinfo, numeric_sum))
BUCKET(avg, bucket(fcinfo, numeric_avg))
BUCKET(min, bucket_extreme(fcinfo, numeric_smaller))
BUCKET(max, bucket_extreme(fcinfo, numeric_larger))
BUCKET(count, bucket_count(fcinfo))
