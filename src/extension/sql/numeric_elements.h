/*
 * numeric_elements.h
 *		The elements of an array of numeric, with memory for work on them.
 */
#ifndef GA_NUMERIC_ELEMENTS_H
#define GA_NUMERIC_ELEMENTS_H

#include "extension/input/numeric_array.h"

/*
 * Elements between two looks for a cancellation: well below a millisecond.
 * Shorter arrays need none, since the executor looks for each row.
 */
#define GA_NUMERIC_BATCH 1024

/*
 * An array that is being read.  Functions of numeric leave some bytes behind
 * for each element, in the current context: it is the batch's, if there are
 * many elements, from begin to end.
 */
typedef struct GaNumericElements
{
	GaNumericArray array;
	GaNumericItems items;
	int64 n;	 /* that were not NULL, so far ... */
	int64 bytes; /* ... and their bytes */
	MemoryContext caller;
	MemoryContext batch; /* of a long array, emptied now and then; or NULL */
} GaNumericElements;

/* Is the next item the first one behind a batch? */
static inline bool
ga_numeric_batch_ends(const GaNumericItems *items)
{
	return items->next % GA_NUMERIC_BATCH == 0 && items->next > 0;
}

extern void ga_numeric_elements_begin(GaNumericElements *elements, Datum value,
									  const GaPart *part);
extern bool ga_numeric_elements_item(GaNumericElements *elements,
									 Datum *element, bool *is_null);
extern bool ga_numeric_elements_next(GaNumericElements *elements,
									 Datum *element);
extern void ga_numeric_elements_end(GaNumericElements *elements);

#endif /* GA_NUMERIC_ELEMENTS_H */
