/*
 * numeric_array.h
 *		Array arguments of numeric, item by item.
 */
#ifndef GA_NUMERIC_ARRAY_H
#define GA_NUMERIC_ARRAY_H

#include "array_items.h"

/*
 * The items of an array of numeric, or of a part of it, one after another.  A
 * copy of it goes on from the same item.
 */
typedef struct GaNumericItems
{
	const GaArray *array;
	int first; /* item of the array that is the part's first */
	int n;
	int next;		/* index of the next item, from 0 on */
	const char *at; /* flat: the next element */
} GaNumericItems;

/* An array of numeric that is being read, as a whole in memory. */
typedef struct GaNumericArray
{
	GaArray array;		/* its NULLs; it has no type and no runs */
	GaArrayShape shape; /* its own, or the part's */
	GaNumericItems items;
} GaNumericArray;

extern void ga_numeric_array_open(GaNumericArray *numerics, Datum value,
								  const GaPart *part);
extern bool ga_numeric_items_next(GaNumericItems *items, Datum *element,
								  bool *is_null);
extern void ga_numeric_array_open_head(GaArray *array, Datum value,
									   const GaPart *part);
extern int ga_numeric_array_count(Datum value, const GaPart *part);

/* Is item i NULL? */
static inline bool
ga_numeric_items_is_null(const GaNumericItems *items, int i)
{
	return ga_array_is_null(items->array, items->first + i);
}

/* Free the memory of reading it. */
static inline void
ga_numeric_array_close(GaNumericArray *numerics)
{
	ga_array_close(&numerics->array);
}

#endif /* GA_NUMERIC_ARRAY_H */
