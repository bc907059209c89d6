/*
 * array.h
 *		Array arguments as runs of plain elements.
 */
#ifndef GA_ARRAY_H
#define GA_ARRAY_H

#include "array_stored.h"

/*
 * A part of an array: the subscripts of its first dimension from first to last,
 * as in array[first:last].  What is outside of the array is cut off.
 */
typedef struct GaPart
{
	int first;
	int last;
} GaPart;

#define GA_WHOLE ((GaPart){PG_INT32_MIN, PG_INT32_MAX})

extern void ga_array_open(GaArray *array, Datum value, GaElementType type);
extern void ga_array_open_in(GaArray *array, Datum value, GaElementType type,
							 GaToastRelation *relation);
extern void ga_array_open_whole(GaArray *array, Datum value);
extern int ga_array_next_run(GaArray *array, const void **run);
extern void ga_array_read(GaArray *array, int from, int n, void *to);
extern void ga_array_limit(GaArray *array, int from, int n);
extern void ga_array_limit_part(GaArray *array, GaPart part);
extern void ga_array_close(GaArray *array);

/* Return how many elements are not NULL.  The array must not be expanded. */
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

/* May any item be NULL? */
static inline bool
ga_array_may_have_nulls(const GaArray *array)
{
	return array->bitmap != NULL || array->nulls != NULL;
}

/* Is item i NULL (0 <= i < n_items)? */
static inline bool
ga_array_is_null(const GaArray *array, int i)
{
	if (array->bitmap != NULL)
		return (array->bitmap[i / BITS_PER_BYTE] & (1 << i % BITS_PER_BYTE)) ==
			   0;
	return array->nulls != NULL && array->nulls[i];
}

/* Return how many elements are not NULL, of an expanded array, too. */
static inline int
ga_array_n_elements(const GaArray *array)
{
	int n = 0;
	int i;

	if (array->datums == NULL)
		return array->n_not_null;
	for (i = 0; i < array->n_items; i++)
		n += !ga_array_is_null(array, i);
	return n;
}

#endif /* GA_ARRAY_H */
