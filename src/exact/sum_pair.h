/*
 * sum_pair.h
 *		An exact sum and a sum of products beside it, as one state.
 *
 * Two GaExactSums lie one behind the other in memory without pointers: first
 * that of single numbers, then the wide one.  So a pair can be copied and moved
 * as bytes.  Moments (moments.h) and weighted sums (weighted_sum.h) are pairs.
 *
 * A pair has one of GA_SUM_PAIR_SIZES sizes, the smallest of 256 bytes for
 * usual data.  A function that returns GA_NO_CAPACITY changed nothing; the
 * caller moves the pair to memory of the next size and calls again.  The
 * largest size, GA_SUM_PAIR_FULL, always suffices.
 *
 * Called by the CPU engine and by backends, on the host alone.  These functions
 * keep no state, lock nothing and do not allocate.
 */
#ifndef GA_SUM_PAIR_H
#define GA_SUM_PAIR_H

#include "product_sum.h"

#define GA_SUM_PAIR_SIZES 4
#define GA_SUM_PAIR_FULL  (GA_SUM_PAIR_SIZES - 1)
#define GA_SUM_PAIR_MAX_BYTES \
	(GA_EXACT_SUM_SIZE(GA_MAX_CELLS) + GA_EXACT_SUM_SIZE(GA_WIDE_CELLS))

/* A pair begins with its first sum; nothing else of it is declared. */
typedef struct GaSumPair GaSumPair;

/* A pair of the largest size, in automatic storage. */
typedef struct GaFullSumPair
{
	_Alignas(GaExactSum) unsigned char bytes[GA_SUM_PAIR_MAX_BYTES];
} GaFullSumPair;

extern size_t ga_sum_pair_bytes(int size);
extern void ga_sum_pair_init(GaSumPair *pair, int size);
extern int ga_sum_pair_size(const GaSumPair *pair);
extern int ga_sum_pair_least_size(const GaSumPair *pair);
extern void ga_sum_pair_move(GaSumPair *to, int size, const GaSumPair *from);
extern GaStatus ga_sum_pair_reserve(GaSumPair *pair, double x);
extern GaStatus ga_sum_pair_merge(GaSumPair *pair, const GaSumPair *other);
extern GaStatus ga_sum_pair_unmerge(GaSumPair *pair, const GaSumPair *other);
extern bool ga_sum_pair_is_valid(const GaSumPair *pair);

/* Return the sum of single numbers. */
static inline GaExactSum *
ga_sum_pair_single(const GaSumPair *pair)
{
	return (GaExactSum *) pair;
}

/* Return the sum of products. */
static inline GaExactSum *
ga_sum_pair_products(const GaSumPair *pair)
{
	const size_t offset = GA_EXACT_SUM_SIZE(ga_sum_pair_single(pair)->capacity);

	return (GaExactSum *) ((char *) pair + offset);
}

static inline GaSumPair *
ga_full_sum_pair(GaFullSumPair *full)
{
	return (GaSumPair *) full->bytes;
}

/* Initialize the caller's memory as an empty pair of the largest size. */
static inline GaSumPair *
ga_full_sum_pair_init(GaFullSumPair *full)
{
	GaSumPair *pair = ga_full_sum_pair(full);

	ga_sum_pair_init(pair, GA_SUM_PAIR_FULL);
	return pair;
}

#endif /* GA_SUM_PAIR_H */
