/*
 * array_result.h
 *		Result arrays, built element by element or filled by the caller.
 */
#ifndef GA_ARRAY_RESULT_H
#define GA_ARRAY_RESULT_H

#include "array.h"

/* The shape of an array; one without elements has no dimensions. */
typedef struct GaArrayShape
{
	int n_items;
	int n_dims;
	int dims[MAXDIM];
	int lower_bounds[MAXDIM];
} GaArrayShape;

/* An array under construction: the shape of another one, and its elements. */
typedef struct GaArrayResult
{
	ArrayType *array;
	char *data; /* where elements go */
	Size data_offset;
	Size n_data_bytes; /* elements so far */
	Size capacity;	   /* bytes for elements */
	const char *hint;  /* what to do if it is too large */
} GaArrayResult;

extern void ga_array_result_init(GaArrayResult *result, const GaArray *like,
								 Oid element_type, int n_leading_nulls,
								 Size n_data_bytes);
extern void ga_array_result_init_shape(GaArrayResult *result,
									   const GaArrayShape *shape,
									   Oid element_type, bool has_nulls,
									   Size n_data_bytes, const char *hint);
extern void ga_array_result_set_not_null(GaArrayResult *result, int from,
										 int to);
extern void ga_array_result_append(GaArrayResult *result, const void *element,
								   Size n_bytes, Size alignment);
extern Datum ga_array_result_datum(GaArrayResult *result);

#endif /* GA_ARRAY_RESULT_H */
