/*
 * float_pair.c
 *		Pairs of exact sums in memory contexts: of moments, of products.
 *
 * A pair begins with the smallest size and moves to a larger chunk when the
 * exponents spread.  One of the full size never moves, so the device's answers
 * can be added to it later.  Nothing here frees a pair for good; its context
 * does.
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

/* Move a pair to a size, in the same context. */
static GaSumPair *
move(GaSumPair *pair, int size)
{
	GaSumPair *to = MemoryContextAlloc(GetMemoryChunkContext(pair),
									   ga_sum_pair_bytes(size));

	Assert(ga_sum_pair_is_valid(pair));
	ga_sum_pair_move(to, size, pair);
	pfree(pair);
	return to;
}

/* Return the pair with the next size, in the same context. */
GaSumPair *
ga_float_pair_grow(GaSumPair *pair)
{
	const int size = ga_sum_pair_size(pair) + 1;

	Assert(size < GA_SUM_PAIR_SIZES);
	return move(pair, size);
}

/*
 * Return the pair with the full size, in the same context.  It stays where it
 * is from now on until the context is deleted.
 */
GaSumPair *
ga_float_pair_fill(GaSumPair *pair)
{
	return ga_sum_pair_size(pair) == GA_SUM_PAIR_FULL ?
			   pair :
			   move(pair, GA_SUM_PAIR_FULL);
}
