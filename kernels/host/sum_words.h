/*
 * sum_words.h
 *		A sum as an array of kSumWords words (cells.cuh), on the host.
 */
#ifndef GA_SUM_WORDS_H
#define GA_SUM_WORDS_H

#include "cells.cuh"
extern "C"
{
#include "exact/partial_sum.h"
}

/* Convert the words of a sum of n floats to a sum in `buffer`. */
extern GaExactSum *sum_from_words(GaFullSum *buffer, const int64_t *words,
								  int64_t n);

/* Convert a sum of floats to words. */
extern void words_from_sum(const GaExactSum *sum, int64_t *words);

/* Add x * 2^place, in units of the lowest cell, 2^-1074. */
extern void add_to_words(int64_t *words, int64_t x, int place);

/* Return the record of a sum of integers, from its first kDigits words. */
extern GaPartialSum int_from_words(const int64_t *words);

#endif /* GA_SUM_WORDS_H */
