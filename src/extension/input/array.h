/*
 * array.h
 *		Array arguments as runs of plain elements.
 */
#ifndef GA_ARRAY_H
#define GA_ARRAY_H

#include "array_stored.h"

extern void ga_array_open(GaArray *array, Datum value, GaElementType type);
extern void ga_array_open_in(GaArray *array, Datum value, GaElementType type,
							 GaToastRelation *relation);
extern void ga_array_open_part(GaArray *array, Datum value, GaElementType type,
							   GaPart part, GaToastRelation *relation);
extern void ga_array_open_items(GaArray *array, Datum value, GaElementType type,
								GaPart part);
extern void ga_array_open_whole(GaArray *array, Datum value);
extern void ga_array_open_head(GaArray *array, Datum value);
extern int ga_array_next_run(GaArray *array, const void **run);
extern void ga_array_read(GaArray *array, int from, int n, void *to);
extern int ga_array_n_selected(const GaArray *array);
extern void ga_array_reshape(GaArray *array);
extern void ga_array_check_pair(const GaArray *x, const GaArray *y);
extern void ga_array_close(GaArray *array);

/*
 * Return how many elements are not NULL, up to the end of the part that it was
 * opened for.  The array must not be expanded.
 */
static inline int
ga_array_n_not_null(const GaArray *array)
{
	Assert(array->datums == NULL);
	return array->n_not_null;
}

/*
 * Return the raw xmin of a stored array's first chunk, as it was when the head
 * was read; InvalidTransactionId if it is not known.
 */
static inline TransactionId
ga_array_xmin(const GaArray *array)
{
	return array->xmin;
}

/* Was that chunk committed then, and not being deleted? */
static inline bool
ga_array_is_settled(const GaArray *array)
{
	return array->is_settled;
}

/* Has it one dimension, from subscript 1 on, and no NULLs? */
static inline bool
ga_array_is_line(const GaArray *array)
{
	return array->n_dims == 1 && array->lower_bounds[0] == 1 &&
		   array->bitmap == NULL && array->nulls == NULL;
}

/* May any item be NULL? */
static inline bool
ga_array_may_have_nulls(const GaArray *array)
{
	return array->bitmap != NULL || array->nulls != NULL;
}

/* Is item i NULL?  It must not be behind the part. */
static inline bool
ga_array_is_null(const GaArray *array, int i)
{
	if (array->bitmap != NULL)
		return (array->bitmap[i / BITS_PER_BYTE] & (1 << i % BITS_PER_BYTE)) ==
			   0;
	return array->nulls != NULL && array->nulls[i];
}

#endif /* GA_ARRAY_H */
