/*
 * bucket_value.h
 *		The value of a bucket: of a sum, a mean, an extreme or a count.
 */
#ifndef GA_BUCKET_VALUE_H
#define GA_BUCKET_VALUE_H

#include "exact/elem_form.h"
#include "exact/exact_sum_value.h"
#include "extension/engine/reduction_state.h"
#include "extension/input/array_result.h"
#include "mean.h"

typedef enum GaBucketKind
{
	GA_BUCKET_SUM,
	GA_BUCKET_AVG,
	GA_BUCKET_MIN,
	GA_BUCKET_MAX,
	GA_BUCKET_COUNT
} GaBucketKind;

/* A bucket: a state, and the value that is made of it. */
typedef struct GaBucket
{
	GaBucketKind kind;
	GaElementType type;
	GaReduction reduction; /* of which the value is made; not of a count */
	void *state;		   /* of full capacity */
	int64 n;			   /* elements that are not NULL */
	bool has_value;		   /* is the value there, and not in the state? */
	union
	{
		float4 float4;
		float8 float8;
		int64 int8;
		char element[sizeof(int64)];
	} value;
	GaIntNumeric numeric; /* the value, if it is one */
} GaBucket;

extern GaBucket ga_bucket(GaBucketKind kind, GaElementType type);
extern Oid ga_bucket_oid(const GaBucket *bucket);
extern Size ga_bucket_value_size(const GaBucket *bucket);
extern void ga_bucket_put(GaBucket *bucket, GaArrayResult *result);

/* Return the form in which a device makes values; a record: it does not. */
static inline GaElemForm
ga_bucket_form(GaBucketKind kind)
{
	static const GaElemForm forms[] = {[GA_BUCKET_SUM] = GA_FORM_SUM,
									   [GA_BUCKET_AVG] = GA_FORM_MEAN,
									   [GA_BUCKET_MIN] = GA_FORM_MIN,
									   [GA_BUCKET_MAX] = GA_FORM_MAX,
									   [GA_BUCKET_COUNT] = GA_FORM_RECORD};

	return forms[kind];
}

/* Return the state, and what it is of. */
static inline GaState
ga_bucket_state(const GaBucket *bucket)
{
	return (GaState){bucket->state, bucket->type, bucket->reduction};
}

#endif /* GA_BUCKET_VALUE_H */
