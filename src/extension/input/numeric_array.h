/*
 * numeric_array.h
 *		Array arguments of numeric, item by item.
 */
#ifndef GA_NUMERIC_ARRAY_H
#define GA_NUMERIC_ARRAY_H

#include "array.h"

/* An array of numeric that is being read, as a whole in memory. */
typedef struct GaNumericArray
{
	GaArray array;	/* its shape and its NULLs; it has no type and no runs */
	int next;		/* index of the next item */
	const char *at; /* flat: the next element */
} GaNumericArray;

extern void ga_numeric_array_open(GaNumericArray *numerics, Datum value);
extern bool ga_numeric_array_next(GaNumericArray *numerics, Datum *element,
								  bool *is_null);
extern int ga_numeric_array_count(Datum value);

/* Free the memory of reading it. */
static inline void
ga_numeric_array_close(GaNumericArray *numerics)
{
	ga_array_close(&numerics->array);
}

#endif /* GA_NUMERIC_ARRAY_H */
