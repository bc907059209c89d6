/*
 * array_result.h
 *		Result arrays, built element by element or filled by the caller.
 */
#ifndef GA_ARRAY_RESULT_H
#define GA_ARRAY_RESULT_H

#include "array_items.h"

/* What to do if a result is too large, of functions of a part. */
#define GA_ARRAY_RESULT_HINT \
	"Compute it of one part of the array after another."

/* An array under construction: the shape of another one, and its elements. */
typedef struct GaArrayResult
{
	ArrayType *array;
	char *data; /* where elements go */
	Size data_offset;
	Size n_data_bytes; /* elements so far */
	Size capacity;	   /* bytes for elements */
	const char *hint;  /* of an error for a result that is too large */

	int n_nulls; /* items that are NULL, or not set yet */
	int n_added; /* items, by ga_array_result_add() and _fill() */
} GaArrayResult;

extern void ga_array_result_init(GaArrayResult *result, const GaArray *like,
								 Oid element_type, int n_leading_nulls,
								 Size n_data_bytes);
extern void ga_array_result_init_shape(GaArrayResult *result,
									   const GaArrayShape *shape,
									   Oid element_type, bool may_have_nulls,
									   Size n_data_bytes, const char *hint);
extern void ga_array_result_set_not_null(GaArrayResult *result, int from,
										 int end);
extern void ga_array_result_begin(GaArrayResult *result,
								  const GaArrayShape *shape, Oid element_type,
								  bool may_have_nulls, Size n_data_bytes);
extern void ga_array_result_add(GaArrayResult *result, const void *element,
								Size n_bytes, Size alignment);
extern void ga_array_result_fill(GaArrayResult *result, int n, Size n_bytes);
extern void ga_array_result_append(GaArrayResult *result, const void *element,
								   Size n_bytes, Size alignment);
extern Datum ga_array_result_datum(GaArrayResult *result);

#endif /* GA_ARRAY_RESULT_H */
