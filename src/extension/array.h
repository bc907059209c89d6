/*
 * array.h
 *		From an array value to runs of plain elements.
 */
#ifndef GA_ARRAY_H
#define GA_ARRAY_H

#include "utils/array.h"

#include "element.h"

/* Elements that are gathered at a time from an expanded array. */
#define GA_GATHER	512

/*
 * An array argument that is being read.  Its elements that are not NULL come
 * in runs, in storage order.  Only the needed parts are copied: a compressed
 * or out-of-line value is detoasted; one in the row, with a short header or
 * without, and an expanded one are read where they lie.
 */
typedef struct GaArray
{
	GaElementType type;
	int			n_items;		/* elements, with NULLs */
	int			n_dims;
	int			dims[MAXDIM];
	int			lower_bounds[MAXDIM];

	/* flat: what is left */
	const char *data;			/* may be unaligned */
	int			n_data;			/* elements */
	const char *bitmap;			/* NULL if there are no NULLs */
	struct varlena *copy;		/* to be freed, or NULL */

	/* expanded into Datums */
	const Datum *datums;		/* NULL if flat */
	const bool *nulls;			/* NULL if there are none */
	int			next;
	union
	{
		double		align;
		char		bytes[GA_GATHER * sizeof(int64)];
	}			gathered;
} GaArray;

extern void ga_array_open(GaArray *array, Datum value, GaElementType type);
extern int	ga_array_next_run(GaArray *array, const void **run);
extern void ga_array_close(GaArray *array);

/* May item i be NULL for any i? */
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
		return (array->bitmap[i / BITS_PER_BYTE] & (1 << i % BITS_PER_BYTE)) == 0;
	return array->nulls != NULL && array->nulls[i];
}

#endif							/* GA_ARRAY_H */
