/*
 * float_pair.h
 *		Pairs of exact sums in memory contexts: of moments, of products.
 */
#ifndef GA_FLOAT_PAIR_H
#define GA_FLOAT_PAIR_H

#include "exact/sum_pair.h"

extern GaSumPair *ga_float_pair_create(MemoryContext context, int size);
extern GaSumPair *ga_float_pair_grow(GaSumPair *pair);
extern GaSumPair *ga_float_pair_fill(GaSumPair *pair);

#endif /* GA_FLOAT_PAIR_H */
