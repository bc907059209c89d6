/*
 * bucket.c
 *		gpu_array_bucket_sum, _avg, _min, _max and _count.
 *
 * Bucket k has the elements k * width + 1 to (k + 1) * width in storage order;
 * the last one may be short.  NULL elements have their places, and are skipped.
 * A bucket of NULLs alone is NULL; its count is 0.
 *
 * Called by the executor; keeps nothing between two calls.
 */
#include "postgres.h"
#include "miscadmin.h"

#include "bucket.h"
#include "exact/exact_sum_value.h"
#include "exact/extreme.h"
#include "exact/short_sum.h"
#include "extension/element_datum.h"
#include "extension/engine/choice.h"
#include "extension/engine/cpu_reduce.h"
#include "extension/engine/cpu_sums.h"
#include "extension/engine/session_counters.h"
#include "extension/error.h"
#include "extension/input/array_result.h"
#include "extension/pg_compat.h"
#include "mean.h"
#include "part.h"

typedef enum Kind
{
	SUM,
	AVG,
	MIN,
	MAX,
	COUNT
} Kind;

/* Buckets that are computed before an interrupt is looked for. */
#define BUCKETS 256

/* Floats that are tried to be summed without an exact sum, at most. */
#define SHORT_SUM 32

/* A value of a bucket. */
typedef union Value
{
	float4 float4;
	float8 float8;
	int64 int8;
	char element[sizeof(int64)];
} Value;

/* The buckets of a call: the array, and the state of the present one. */
typedef struct Buckets
{
	Kind kind;
	GaElementType type;
	int width;
	GaItems items;
	const char *run; /* elements that are not NULL */
	int n_run;
	int64 n;		/* elements of the bucket that are not NULL */
	bool has_value; /* is the value there, and not in the state? */
	union
	{
		GaFullSum floats;
		GaIntSum ints;
		GaExtreme extreme;
	} state;
	Value value;
	GaIntNumeric numeric; /* the value, if it is one */
} Buckets;

static inline bool
is_extreme(const Buckets *buckets)
{
	return buckets->kind == MIN || buckets->kind == MAX;
}

/* Return the type of the result's elements. */
static Oid
result_oid(const Buckets *buckets)
{
	switch (buckets->kind)
	{
		case SUM:
			return ga_total_oid(buckets->type);
		case AVG:
			return ga_mean_oid(buckets->type);
		case COUNT:
			return INT8OID;
		default:
			return ga_element_oid(buckets->type);
	}
}

/* Return the bytes of a value; for numeric, which varies, a guess. */
static Size
value_size(const Buckets *buckets)
{
	if (is_extreme(buckets) ||
		(buckets->kind == SUM && buckets->type == GA_float4))
		return ga_element_size(buckets->type);
	return sizeof(int64);
}

static void *
add_to_extreme(void *state, GaElementType type, const void *data, size_t n)
{
	ga_extreme_add(state, data, n);
	return state;
}

/* Begin an empty bucket.  A sum of floats keeps the hint of the last one. */
static void
begin_bucket(Buckets *buckets)
{
	const uint16 hint = ga_full_sum(&buckets->state.floats)->hint;

	buckets->n = 0;
	buckets->has_value = false;
	if (buckets->kind == COUNT)
		return;
	if (is_extreme(buckets))
		ga_extreme_init(&buckets->state.extreme, buckets->type,
						buckets->kind == MAX);
	else if (!ga_element_is_float(buckets->type))
		memset(&buckets->state.ints, 0, sizeof(GaIntSum));
	else
		ga_full_sum_init(&buckets->state.floats)->hint = hint;
}

/* Have a run of elements at hand, if there is one left. */
static void
need_run(Buckets *buckets)
{
	const void *run;

	if (buckets->n_run > 0)
		return;
	buckets->n_run = ga_array_next_run(&buckets->items.array, &run);
	buckets->run = run;
}

/*
 * Add n elements of the run to the bucket.  The sum of a few floats, if they
 * are all, needs no state.
 */
static void
add_run(Buckets *buckets, int n, bool is_all)
{
	const GaReduceAdd add =
		is_extreme(buckets) ? add_to_extreme : ga_cpu_add_growing;

	if (is_all && n <= SHORT_SUM && buckets->kind == SUM &&
		ga_element_is_float(buckets->type))
		buckets->has_value =
			ga_short_sum(buckets->type, buckets->run, n, &buckets->value);
	if (!buckets->has_value)
		(void) ga_cpu_reduce(add, &buckets->state, buckets->type, buckets->run,
							 n);
	buckets->run += n * ga_element_size(buckets->type);
	buckets->n_run -= n;
}

/* Add the next n elements that are not NULL to the bucket. */
static void
add_elements(Buckets *buckets, int n)
{
	int left = n;

	buckets->n = n;
	if (buckets->kind == COUNT)
		return;
	while (left > 0)
	{
		int n_here;

		need_run(buckets);
		Assert(buckets->n_run > 0);
		n_here = Min(left, buckets->n_run);
		add_run(buckets, n_here, n_here == n);
		left -= n_here;
	}
}

/* Return the value of a bucket of floats.  Errors: 22003. */
static const void *
float_value(Buckets *buckets)
{
	const GaExactSum *sum = ga_full_sum(&buckets->state.floats);
	Value *value = &buckets->value;

	if (buckets->kind == AVG)
		ga_check(ga_exact_sum_mean(sum, &value->float8), GA_float8);
	else if (buckets->type == GA_float4)
		ga_check(ga_exact_sum_float4(sum, &value->float4), GA_float4);
	else
		ga_check(ga_exact_sum_float8(sum, &value->float8), GA_float8);
	return value;
}

/* Return the value of a bucket of integers, a numeric if it has to be. */
static const void *
int_value(Buckets *buckets)
{
	const GaInt128 total = ga_int_sum_total(&buckets->state.ints);

	if (buckets->kind == AVG)
		return ga_mean_numeric(total, buckets->n, &buckets->numeric);
	if (buckets->type == GA_int8)
		return ga_total_numeric(total, &buckets->numeric);
	buckets->value.int8 = (int64) total;
	return &buckets->value;
}

/* Return the value of the bucket, which is in it, or NULL.  Errors: 22003. */
static const void *
bucket_value(Buckets *buckets)
{
	if (buckets->kind == COUNT)
	{
		buckets->value.int8 = buckets->n;
		return &buckets->value;
	}
	if (buckets->n == 0)
		return NULL;
	if (buckets->has_value)
		return &buckets->value;
	if (is_extreme(buckets))
	{
		ga_extreme_get(&buckets->state.extreme, &buckets->value);
		return &buckets->value;
	}
	return ga_element_is_float(buckets->type) ? float_value(buckets) :
												int_value(buckets);
}

/* Add the value of a bucket to the result. */
static void
add_value(Buckets *buckets, GaArrayResult *result)
{
	const void *value = bucket_value(buckets);
	Size size = value_size(buckets);
	Size alignment = size;

	if (value == &buckets->numeric)
	{
		size = VARSIZE(value);
		alignment = ALIGNOF_INT;
	}
	ga_array_result_add(result, value, size, alignment);
}

/* Add the values of all buckets to the result. */
static void
add_buckets(Buckets *buckets, GaArrayResult *result)
{
	const int n_items = buckets->items.shape.n_items;
	int from, n;
	int done = 0;

	for (from = 0; from < n_items; from += n)
	{
		n = Min(buckets->width, n_items - from);
		begin_bucket(buckets);
		add_elements(buckets,
					 ga_bucket_n_not_null(&buckets->items.array,
										  buckets->items.first + from, n));
		add_value(buckets, result);
		if (++done % BUCKETS == 0)
			CHECK_FOR_INTERRUPTS();
	}
}

/* Return the array of values.  Errors: 22003, and as ga_array_open. */
static Datum
bucket_array(Buckets *buckets)
{
	const int n_items = buckets->items.shape.n_items;
	GaArrayResult result;
	GaArrayShape shape;

	if (n_items == 0)
		return PointerGetDatum(construct_empty_array(result_oid(buckets)));
	shape = ga_shape_line(ga_bucket_count(n_items, buckets->width));
	ga_array_result_begin(&result, &shape, result_oid(buckets),
						  buckets->kind != COUNT &&
							  ga_items_may_have_nulls(&buckets->items),
						  shape.n_items * value_size(buckets));
	add_buckets(buckets, &result);
	return ga_array_result_datum(&result);
}

/* gpu_array_bucket_sum(array, width [, first, last]), _avg, _min, ... */
static Datum
bucket(FunctionCallInfo fcinfo, Kind kind, GaElementType type)
{
	Buckets buckets = {.kind = kind, .type = type};
	GaPart part;
	Datum result;

	buckets.width = ga_bucket_width(fcinfo);
	ga_items_open(&buckets.items, PG_GETARG_DATUM(0), type,
				  ga_part_if_any(fcinfo, 2, &part));
	result = bucket_array(&buckets);
	ga_session_count(NULL, ga_reason_of_function(), type, 1,
					 buckets.items.shape.n_items);
	ga_items_close(&buckets.items);
	PG_RETURN_DATUM(result);
}

#define DEFINE(function, name, kind)                             \
	PG_FUNCTION_INFO_V1(gpu_array_bucket_##function##_##name);   \
	Datum gpu_array_bucket_##function##_##name(PG_FUNCTION_ARGS) \
	{                                                            \
		return bucket(fcinfo, kind, GA_##name);                  \
	}

#define X(name, family, ctype) \
	DEFINE(sum, name, SUM)     \
	DEFINE(avg, name, AVG)     \
	DEFINE(min, name, MIN)     \
	DEFINE(max, name, MAX)     \
	DEFINE(count, name, COUNT)
GA_ELEMENT_TYPES(X)
#undef X
