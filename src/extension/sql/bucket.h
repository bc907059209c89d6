/*
 * bucket.h
 *		What functions of buckets share.
 */
#ifndef GA_BUCKET_H
#define GA_BUCKET_H

#include "fmgr.h"

#include "extension/input/array.h"

/* Return the width of buckets, argument 1.  Errors: 22023. */
static inline int
ga_bucket_width(FunctionCallInfo fcinfo)
{
	const int width = PG_GETARG_INT32(1);

	if (width <= 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("width of buckets must be greater than zero"),
						errhint("It is the number of elements of a bucket.")));
	return width;
}

/* Return how many buckets n_items have; the last may be short. */
static inline int
ga_bucket_count(int n_items, int width)
{
	return n_items / width + (n_items % width != 0);
}

/* Return how many of n items of an array are not NULL, from one on. */
static inline int
ga_bucket_n_not_null(const GaArray *array, int from, int n)
{
	int n_found = 0;
	int i;

	if (!ga_array_may_have_nulls(array))
		return n;
	for (i = from; i < from + n; i++)
		n_found += !ga_array_is_null(array, i);
	return n_found;
}

#endif /* GA_BUCKET_H */
