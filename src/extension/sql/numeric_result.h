/*
 * numeric_result.h
 *		Arrays of numeric, made value by value.
 */
#ifndef GA_NUMERIC_RESULT_H
#define GA_NUMERIC_RESULT_H

#include "extension/input/array_result.h"

/* An array under construction, in a context other than the current one. */
typedef struct GaNumericResult
{
	GaArrayResult array;
	MemoryContext context;
	bool is_empty; /* then array is not set */
} GaNumericResult;

extern void ga_numeric_result_begin(GaNumericResult *result,
									MemoryContext context,
									const GaArrayShape *shape,
									bool may_have_nulls);
extern void ga_numeric_result_add(GaNumericResult *result, Datum value,
								  bool is_null);
extern Datum ga_numeric_result_datum(GaNumericResult *result);

#endif /* GA_NUMERIC_RESULT_H */
