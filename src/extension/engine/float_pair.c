/*
 * float_pair.c
 *		Pairs of exact sums in memory contexts: the states of moments.
 *
 * A pair begins with the smallest size and moves to a larger chunk when the
 * exponents spread.  Nothing here frees a pair for good; its context does.
 */
#include "postgres.h"
#include "utils/memutils.h"

#include "float_pair.h"
#include "extension/pg_compat.h"

/* Return a new pair, of no elements. */
GaSumPair *
ga_float_pair_create(MemoryContext context, int size)
{
	GaSumPair *pair = MemoryContextAlloc(context, ga_sum_pair_bytes(size));

	ga_sum_pair_init(pair, size);
	return pair;
}

/* Return the pair with the next size, in the same context. */
GaSumPair *
ga_float_pair_grow(GaSumPair *pair)
{
	const int size = ga_sum_pair_size(pair) + 1;
	GaSumPair *larger;

	Assert(size < GA_SUM_PAIR_SIZES && ga_sum_pair_is_valid(pair));
	larger = MemoryContextAlloc(GetMemoryChunkContext(pair),
								ga_sum_pair_bytes(size));
	ga_sum_pair_move(larger, size, pair);
	pfree(pair);
	return larger;
}
