/*
 * row.h
 *		A row of kSumWords integers, on the host: the sum that they are.
 */
#ifndef GA_SUM_WORDS_H
#define GA_SUM_WORDS_H

#include "cells.cuh"
extern "C"
{
#include "exact/partial_sum.h"
}

/* The sum of n floats, in the room. */
extern GaExactSum *sum_from_words(GaFullSum *memory, const int64_t *words,
								  int64_t n);

/* The other way. */
extern void words_from_sum(const GaExactSum *sum, int64_t *words);

/* Add x units of 2^place over the cells' lowest. */
extern void add_to_words(int64_t *words, int64_t x, int place);

/* The sum of integers, of which only the first kDigits slots are looked at. */
extern GaPartialSum int_from_words(const int64_t *words);

/*
 * The record of a sum, and a wide one if it needs that: n_full counts them, and
 * there is room for so many.
 */
extern void store_record(GaPartialSum *record, const GaExactSum *sum,
						 GaFullRecord *full, uint32_t full_capacity,
						 uint32_t *n_full);

#endif /* GA_SUM_WORDS_H */
