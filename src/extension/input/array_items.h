/*
 * array_items.h
 *		The items of an array, or of a part of it, one after another.
 */
#ifndef GA_ARRAY_ITEMS_H
#define GA_ARRAY_ITEMS_H

#include "array.h"

/* The items of a batch, at most. */
#define GA_BATCH_ITEMS 4096

/*
 * The shape of an array: of an argument, of a part, of a result.  One without
 * items has no dimensions.
 */
typedef struct GaArrayShape
{
	int n_items;
	int n_dims;
	int dims[MAXDIM];
	int lower_bounds[MAXDIM];
} GaArrayShape;

/*
 * Items that are being read, in batches.  Those that lie in memory, one behind
 * the other, are read where they are; others go through a buffer, in which a
 * NULL is the element that the caller chose.
 */
typedef struct GaItems
{
	GaArrayShape shape;
	int history; /* items before a batch that stay in memory */
	int next;	 /* the first item of the next batch */
	GaArray array;
	GaToastRelation relation;
	int first;		/* item of the array that is the part's first */
	int n_not_null; /* of all items */
	union
	{
		double align;
		char bytes[sizeof(int64)];
	} null_as;

	const char *items; /* where they lie, or NULL */

	/* elements that are not NULL, of which the buffer has not got all */
	const char *run;
	int n_run;

	char *buffer;
	Size capacity; /* in items */
	Size n_buffered;
} GaItems;

extern GaArrayShape ga_shape_of(const GaArray *array);
extern GaArrayShape ga_shape_line(int n_items);
extern void ga_items_open(GaItems *items, Datum array, GaElementType type,
						  const GaPart *part);
extern void ga_items_keep(GaItems *items, int history, const void *null_as);
extern int ga_items_next(GaItems *items, int most, const char **batch);
extern void ga_items_close(GaItems *items);

/* May any item be NULL? */
static inline bool
ga_items_may_have_nulls(const GaItems *items)
{
	return ga_array_may_have_nulls(&items->array);
}

/* Is item i NULL (0 <= i < shape.n_items)? */
static inline bool
ga_items_is_null(const GaItems *items, int i)
{
	return ga_array_is_null(&items->array, items->first + i);
}

#endif /* GA_ARRAY_ITEMS_H */
