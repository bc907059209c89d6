/*
 * array_positions.h
 *		Arrays as elements by position, with NULLs filled.
 */
#ifndef GA_ARRAY_POSITIONS_H
#define GA_ARRAY_POSITIONS_H

#include "array_result.h"

/* Positions that are filled at a time, where there are NULLs. */
#define GA_FILL 256

/* An array that is being read; it has to stay open. */
typedef struct GaPositions
{
	GaArray *array;
	const void *fill; /* an element in place of NULLs */
	int at;			  /* the position that comes next */
	const char *run;  /* elements that are not NULL ... */
	int n_run;		  /* ... and so many */
	bool nulls[GA_FILL];
	union
	{
		double align;
		char bytes[GA_FILL * sizeof(int64)];
	} filled;
} GaPositions;

extern void ga_array_shape(const GaArray *array, GaArrayShape *shape);
extern void ga_array_check_shape(const GaArrayShape *shape,
								 const GaArrayShape *other);

extern void ga_positions_open(GaPositions *positions, GaArray *array,
							  const void *fill);
extern int ga_positions_next(GaPositions *positions, const void **data,
							 const bool **nulls);

#endif /* GA_ARRAY_POSITIONS_H */
