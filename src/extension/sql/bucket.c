/*
 * bucket.c
 *		gpu_array_bucket_sum, _avg, _min, _max and _count.
 *
 * Bucket k has the elements k * width + 1 to (k + 1) * width in storage order;
 * the last one may be short.  NULL elements have their places, and are skipped.
 * A bucket of NULLs alone is NULL; its count is 0.
 *
 * Of a stored array the device makes the values of all buckets, which are
 * windows over it; what has no such value, or needs NULLs to be skipped, it
 * reduces bucket by bucket: each is a part of the array.
 *
 * Called by the executor; keeps nothing between two calls but values that the
 * device made ahead, or is making (bucket_windows.c).
 */
#include "postgres.h"
#include "miscadmin.h"

#include "bucket.h"
#include "bucket_value.h"
#include "bucket_windows.h"
#include "engine_resident.h"
#include "exact/short_sum.h"
#include "extension/engine/choice.h"
#include "extension/engine/node_counters.h"
#include "part.h"

/* Buckets that are computed before an interrupt is looked for. */
#define BUCKETS 256

/* Buckets that the device is asked for at a time. */
#define ASKED_BUCKETS 2048

/*
 * Parts of fewer bytes are the CPU's: it reads and reduces them in the time
 * that gpuaggd and the session need for a part and its result.
 */
#define MIN_BUCKET_BYTES 1024

/* Floats that are tried to be summed without an exact sum, at most. */
#define SHORT_SUM 32

/* The buckets of a call: the array, and the present bucket. */
typedef struct Buckets
{
	int width;
	Datum array;
	GaItems items;
	const char *run; /* elements that are not NULL */
	int n_run;
	GaBucket bucket;
	GaAnyState state; /* for the CPU */
	GaAhead *ahead;	  /* NULL: the device makes no values ahead */
} Buckets;

/* Return the items of bucket i. */
static inline int
n_items_of(const Buckets *buckets, int i)
{
	return Min(buckets->width,
			   buckets->items.shape.n_items - i * buckets->width);
}

/* Return how many elements of bucket i are not NULL. */
static inline int
n_elements_of(const Buckets *buckets, int i)
{
	return ga_bucket_n_not_null(&buckets->items.array,
								buckets->items.first + i * buckets->width,
								n_items_of(buckets, i));
}

/* Begin an empty bucket.  A sum of floats keeps the hint of the last one. */
static void
begin_bucket(Buckets *buckets)
{
	GaBucket *bucket = &buckets->bucket;
	const uint16 hint = ga_full_sum(&buckets->state.floats)->hint;

	bucket->n = 0;
	bucket->has_value = false;
	bucket->state = &buckets->state;
	if (bucket->kind == GA_BUCKET_COUNT)
		return;
	ga_state_init(ga_bucket_state(bucket));
	if (bucket->reduction == GA_REDUCE_SUM && ga_element_is_float(bucket->type))
		ga_full_sum(&buckets->state.floats)->hint = hint;
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
	GaBucket *bucket = &buckets->bucket;

	if (is_all && n <= SHORT_SUM && bucket->kind == GA_BUCKET_SUM &&
		ga_element_is_float(bucket->type))
		bucket->has_value =
			ga_short_sum(bucket->type, buckets->run, n, &bucket->value);
	if (!bucket->has_value)
		(void) ga_cpu_reduce(ga_reductions[bucket->reduction].add,
							 bucket->state, bucket->type, buckets->run, n);
	buckets->run += n * ga_element_size(bucket->type);
	buckets->n_run -= n;
}

/* Add the next n elements that are not NULL to the bucket. */
static void
add_elements(Buckets *buckets, int n)
{
	int left = n;

	buckets->bucket.n = n;
	if (buckets->bucket.kind == GA_BUCKET_COUNT)
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

/* Add the values of n buckets to the result, by the CPU. */
static void
add_by_cpu(Buckets *buckets, int n, GaArrayResult *result)
{
	int i;

	for (i = 0; i < n; i++)
	{
		begin_bucket(buckets);
		add_elements(buckets, n_elements_of(buckets, i));
		ga_bucket_put(&buckets->bucket, result);
		if (i % BUCKETS == BUCKETS - 1)
			CHECK_FOR_INTERRUPTS();
	}
}

/*
 * Choose the engine, as ga_resident_choose() does, and begin a run of the
 * device's.
 */
static GaReason
choose(Buckets *buckets, GaResidentRun *run)
{
	const GaElementType type = buckets->bucket.type;
	const uint64 size = ga_element_size(type);
	const uint64 n_bytes = buckets->items.shape.n_items * size;
	GaReason reason;

	*run =
		(GaResidentRun){.type = type, .reduction = buckets->bucket.reduction};
	if (buckets->bucket.kind == GA_BUCKET_COUNT || n_bytes == 0)
		return ga_reason_of_function();
	reason = ga_resident_choose(buckets->array, true, n_bytes, &run->key);
	if (reason != GA_NO_REASON)
		return reason;
	run->is_small = ga_choose_is_small(n_bytes, run->key.raw_bytes);
	return GA_NO_REASON;
}

/* What the device is asked for at a time. */
typedef struct Asked
{
	GaResidentRun run;
	uint32 from; /* elements before the next bucket that are not NULL */
	int n_elements[ASKED_BUCKETS];
	GaStoredPart parts[ASKED_BUCKETS]; /* of the buckets that have any */
} Asked;

/* Have the device reduce n buckets, from one on. */
static GaReason
reduce_by_device(const Buckets *buckets, int first, int n, Asked *asked)
{
	GaResidentRun *run = &asked->run;
	int i;

	run->n = run->n_done = 0;
	for (i = 0; i < n; i++)
	{
		const int n_elements = n_elements_of(buckets, first + i);

		asked->n_elements[i] = n_elements;
		if (n_elements == 0)
			continue;
		asked->parts[run->n++] = (GaStoredPart){asked->from, n_elements};
		asked->from += n_elements;
	}
	return run->n == 0 ? GA_NO_REASON : ga_resident_compute(run);
}

/*
 * Add the values of n buckets to the result, by the device.  Returns
 * GA_NO_REASON, or why it could not, and then the result is of no use.
 */
static GaReason
add_by_device(Buckets *buckets, Asked *asked, int n, GaArrayResult *result)
{
	GaReason reason = GA_NO_REASON;
	int first, n_here, i;

	for (first = 0; first < n && reason == GA_NO_REASON; first += n_here)
	{
		int part = 0;

		n_here = Min(n - first, ASKED_BUCKETS);
		reason = reduce_by_device(buckets, first, n_here, asked);
		for (i = 0; i < n_here && reason == GA_NO_REASON; i++)
		{
			buckets->bucket.n = asked->n_elements[i];
			buckets->bucket.state = ga_resident_state(&asked->run, part).at;
			ga_bucket_put(&buckets->bucket, result);
			part += asked->n_elements[i] > 0;
		}
	}
	return reason;
}

/* Begin a result of n buckets. */
static void
begin_result(const Buckets *buckets, int n, GaArrayResult *result)
{
	const GaArrayShape shape = ga_shape_line(n);

	ga_array_result_begin(result, &shape, ga_bucket_oid(&buckets->bucket),
						  buckets->bucket.kind != GA_BUCKET_COUNT &&
							  ga_items_may_have_nulls(&buckets->items),
						  n * ga_bucket_value_size(&buckets->bucket));
}

/*
 * Have the device reduce n buckets, each for itself.  Returns GA_NO_REASON, or
 * why the CPU computes.  Errors: 22003.
 */
static GaReason
reduce_parts(Buckets *buckets, const GaResidentRun *run, int n, Datum *datum)
{
	const uint64 width = buckets->width;
	GaArrayResult result;
	GaReason reason;
	Asked *asked;

	if (!ga_engine_is_gpu() &&
		width * ga_element_size(run->type) < MIN_BUCKET_BYTES)
		return GA_REASON_PART;
	begin_result(buckets, n, &result);
	asked = palloc(sizeof(Asked));
	asked->run = *run;
	asked->run.parts = asked->parts;
	asked->run.states = palloc(Min(n, ASKED_BUCKETS) *
							   ga_state_bytes(run->type, run->reduction));
	asked->from = buckets->items.array.n_returned;
	reason = add_by_device(buckets, asked, n, &result);
	pfree(asked->run.states);
	pfree(asked);
	if (reason == GA_NO_REASON)
		*datum = ga_array_result_datum(&result);
	else
		pfree(result.array);
	return reason;
}

/*
 * Have the device compute n buckets, if it is to.  Returns GA_NO_REASON, or why
 * the CPU computes.  Errors: 22003, and as ga_resident_choose().
 */
static GaReason
try_device(Buckets *buckets, int n, Datum *datum)
{
	GaResidentRun run;
	GaReason reason = choose(buckets, &run);

	if (reason == GA_NO_REASON)
		reason =
			ga_bucket_windows(&buckets->bucket, buckets->width, &buckets->items,
							  &run, buckets->ahead, datum);
	/* parts need no lease */
	if (reason == GA_REASON_REFUSED || reason == GA_REASON_STAGING)
		reason = reduce_parts(buckets, &run, n, datum);
	return reason;
}

/* Return the array of values.  Errors: 22003, and as ga_array_open. */
static Datum
bucket_array(Buckets *buckets)
{
	const int n_items = buckets->items.shape.n_items;
	const int n = ga_bucket_count(n_items, buckets->width);
	GaArrayResult result;
	GaReason reason;
	Datum datum;

	if (n_items == 0)
		return PointerGetDatum(
			construct_empty_array(ga_bucket_oid(&buckets->bucket)));
	reason = try_device(buckets, n, &datum);
	if (reason != GA_NO_REASON)
	{
		begin_result(buckets, n, &result);
		add_by_cpu(buckets, n, &result);
		datum = ga_array_result_datum(&result);
	}
	/* counts need no elements */
	ga_session_count(ga_node_counters, reason, buckets->bucket.type, 1,
					 buckets->bucket.kind == GA_BUCKET_COUNT ?
						 0 :
						 buckets->items.n_not_null);
	return datum;
}

/* gpu_array_bucket_sum(array, width [, first, last]), _avg, _min, ... */
static Datum
bucket(FunctionCallInfo fcinfo, GaBucketKind kind, GaElementType type)
{
	Buckets buckets = {.array = PG_GETARG_DATUM(0),
					   .bucket = ga_bucket(kind, type)};
	GaPart part;
	Datum result;

	ga_node_enter(fcinfo);
	buckets.width = ga_bucket_width(fcinfo);
	buckets.ahead = ga_bucket_ahead(fcinfo, &buckets.bucket, buckets.width);
	if (ga_bucket_take(buckets.ahead, &buckets.bucket, buckets.width,
					   buckets.array, &result))
		PG_RETURN_DATUM(result);
	ga_items_open(&buckets.items, buckets.array, type,
				  ga_part_if_any(fcinfo, 2, &part));
	result = bucket_array(&buckets);
	ga_items_close(&buckets.items);
	PG_RETURN_DATUM(result);
}

#define DEFINE(function, name, kind)                             \
	PG_FUNCTION_INFO_V1(gpu_array_bucket_##function##_##name);   \
	Datum gpu_array_bucket_##function##_##name(PG_FUNCTION_ARGS) \
	{                                                            \
		return bucket(fcinfo, GA_BUCKET_##kind, GA_##name);      \
	}

#define X(name, family, ctype) \
	DEFINE(sum, name, SUM)     \
	DEFINE(avg, name, AVG)     \
	DEFINE(min, name, MIN)     \
	DEFINE(max, name, MAX)     \
	DEFINE(count, name, COUNT)
GA_ELEMENT_TYPES(X)
#undef X
