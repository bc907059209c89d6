/*
 * bucket_value.c
 *		The value of a bucket: of a sum, a mean, an extreme or a count.
 *
 * The same of a state that the CPU filled and of one that the device did.
 * Called by bucket.c; keeps nothing.
 */
#include "postgres.h"

#include "bucket_value.h"
#include "extension/element_datum.h"
#include "extension/error.h"
#include "minmax.h"

/* Return a bucket without elements, nor a state. */
GaBucket
ga_bucket(GaBucketKind kind, GaElementType type)
{
	return (GaBucket){.kind = kind,
					  .type = type,
					  .reduction = kind == GA_BUCKET_MIN ? GA_REDUCE_MIN :
								   kind == GA_BUCKET_MAX ? GA_REDUCE_MAX :
														   GA_REDUCE_SUM};
}

/* Return the type of the value. */
Oid
ga_bucket_oid(const GaBucket *bucket)
{
	switch (bucket->kind)
	{
		case GA_BUCKET_SUM:
			return ga_total_oid(bucket->type);
		case GA_BUCKET_AVG:
			return ga_mean_oid(bucket->type);
		case GA_BUCKET_COUNT:
			return INT8OID;
		default:
			return ga_element_oid(bucket->type);
	}
}

/* Return the bytes of the value; for numeric, which varies, a guess. */
Size
ga_bucket_value_size(const GaBucket *bucket)
{
	const Oid oid = ga_bucket_oid(bucket);

	return oid == ga_element_oid(bucket->type) ? ga_element_size(bucket->type) :
												 sizeof(int64);
}

/* Return the value of a bucket of floats.  Errors: 22003. */
static const void *
float_value(GaBucket *bucket)
{
	const GaExactSum *sum = bucket->state;

	if (bucket->kind == GA_BUCKET_AVG)
		ga_check(ga_exact_sum_mean(sum, &bucket->value.float8), GA_float8);
	else if (bucket->type == GA_float4)
		ga_check(ga_exact_sum_float4(sum, &bucket->value.float4), GA_float4);
	else
		ga_check(ga_exact_sum_float8(sum, &bucket->value.float8), GA_float8);
	return &bucket->value;
}

/* Return the value of a bucket of integers, a numeric if it has to be. */
static const void *
int_value(GaBucket *bucket)
{
	const GaInt128 total = ga_int_sum_total(bucket->state);

	if (bucket->kind == GA_BUCKET_AVG)
		return ga_mean_numeric(total, bucket->n, &bucket->numeric);
	if (bucket->type == GA_int8)
		return ga_total_numeric(total, &bucket->numeric);
	bucket->value.int8 = (int64) total;
	return &bucket->value;
}

/* Return the value of a bucket, which is in it, or NULL.  Errors: 22003. */
static const void *
find_value(GaBucket *bucket)
{
	if (bucket->kind == GA_BUCKET_COUNT)
	{
		bucket->value.int8 = bucket->n;
		return &bucket->value;
	}
	if (bucket->n == 0)
		return NULL;
	if (bucket->has_value)
		return &bucket->value;
	if (bucket->reduction != GA_REDUCE_SUM)
	{
		ga_element_store(bucket->type, ga_extremum_datum(bucket->state),
						 bucket->value.element);
		return &bucket->value;
	}
	return ga_element_is_float(bucket->type) ? float_value(bucket) :
											   int_value(bucket);
}

/* Add the value of a bucket to the result.  Errors: 22003. */
void
ga_bucket_put(GaBucket *bucket, GaArrayResult *result)
{
	const void *value = find_value(bucket);
	Size size = ga_bucket_value_size(bucket);
	Size alignment = size;

	if (value == &bucket->numeric)
	{
		size = VARSIZE(value);
		alignment = ALIGNOF_INT;
	}
	ga_array_result_add(result, value, size, alignment);
}
