/*
 * float_sum.c
 *		Exact sums of floats in memory contexts.
 *
 * A sum begins with a capacity of a few cells, which fills one of the
 * allocator's chunks of 128 bytes, and moves to a larger chunk when the
 * exponents spread.  A sum of full capacity never moves, so the device's
 * answers can be added to it later.  Nothing here frees a sum; its
 * context does.
 */
#include "postgres.h"
#include "utils/memutils.h"

#include "float_sum.h"
#include "extension/pg_compat.h"

/* Sums that fill a chunk of 8 kB, the allocator's largest. */
#define SUM_BYTES	   MAXALIGN(GA_EXACT_SUM_SIZE(GA_MAX_CELLS))
#define SUMS_PER_CHUNK ((int) (8192 / SUM_BYTES))

/* Return a new sum, of no elements. */
GaExactSum *
ga_float_sum_create(MemoryContext context, int capacity)
{
	GaExactSum *sum = MemoryContextAlloc(context, GA_EXACT_SUM_SIZE(capacity));

	ga_exact_sum_init(sum, capacity);
	return sum;
}

/* Move a sum that has a chunk of its own. */
static GaExactSum *
move(GaExactSum *sum, void *to, int capacity)
{
	Assert(ga_exact_sum_is_valid(sum));
	ga_exact_sum_copy(to, capacity, sum);
	pfree(sum);
	return to;
}

/* Return the sum with a larger capacity, in the same context. */
GaExactSum *
ga_float_sum_grow(GaExactSum *sum)
{
	int capacity = ga_exact_sum_larger(sum);

	return move(sum,
				MemoryContextAlloc(GetMemoryChunkContext(sum),
								   GA_EXACT_SUM_SIZE(capacity)),
				capacity);
}

/* Return memory for a sum of full capacity. */
static void *
allocate(GaFloatSumPool *pool, MemoryContext context)
{
	void *memory;

	if (pool->n_left == 0)
	{
		const int n = pool->has_first ? SUMS_PER_CHUNK : 1;

		pool->next = MemoryContextAlloc(context, n * SUM_BYTES);
		pool->n_left = n;
		pool->has_first = true;
	}
	memory = pool->next;
	pool->next += SUM_BYTES;
	pool->n_left--;
	return memory;
}

/*
 * Return the sum with full capacity, from the pool of its context.  It stays
 * where it is from now on until the context is deleted: it must not be freed,
 * since it may share its chunk.
 */
GaExactSum *
ga_float_sum_fill(GaExactSum *sum, GaFloatSumPool *pool)
{
	if (sum->capacity == GA_MAX_CELLS)
		return sum;
	return move(sum, allocate(pool, GetMemoryChunkContext(sum)), GA_MAX_CELLS);
}
