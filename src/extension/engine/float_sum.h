/*
 * float_sum.h
 *		Exact sums of floats in memory contexts.
 */
#ifndef GA_FLOAT_SUM_H
#define GA_FLOAT_SUM_H

#include "exact/exact_sum.h"

/*
 * Where a memory context's sums of full capacity come from.  The allocator has
 * chunks of powers of two, and a chunk for one sum alone would be little more
 * than half full: all but the first sum share chunks.  Zeroed at first.
 */
typedef struct GaFloatSumPool
{
	char *next;
	int n_left;
	bool has_first;
} GaFloatSumPool;

extern GaExactSum *ga_float_sum_create(MemoryContext context, int capacity);
extern GaExactSum *ga_float_sum_grow(GaExactSum *sum);
extern GaExactSum *ga_float_sum_fill(GaExactSum *sum, GaFloatSumPool *pool);

#endif /* GA_FLOAT_SUM_H */
