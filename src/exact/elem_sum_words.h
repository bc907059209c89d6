/*
 * elem_sum_words.h
 *		How the words of sums position by position change.
 *
 * For elem_sum*.c alone.
 */
#ifndef GA_ELEM_SUM_WORDS_H
#define GA_ELEM_SUM_WORDS_H

#include "elem_sum.h"

#define GA_ELEM_DIGIT_MASK ((INT64_C(1) << GA_ELEM_DIGIT) - 1)

extern void ga_elem_cover(GaElemSum *sum, GaElemBlock *block, int low, int end);

/* Return the bits of the largest element of a type, from place 0 on. */
static inline int
ga_elem_bits(GaElementType type)
{
	if (type == GA_float4)
		return 1074 + 128;
	if (type == GA_float8)
		return 1074 + 1024;
	return 8 * (int) ga_element_size(type) - 1;
}

/*
 * Add m * 2^place to position i, with |m| < 2^62 and place >= 0.  The planes
 * of its bits are there.  Each word changes by less than 2^61.
 */
static inline void
ga_elem_add_scaled(GaElemBlock *block, int i, int64_t m, int place)
{
	const int at = place - block->place;
	const int digit = at / GA_ELEM_DIGIT;
	const GaInt128 shifted = (GaInt128) m * ((int64_t) 1 << at % GA_ELEM_DIGIT);
	int64_t *word = block->words + (size_t) digit * block->n + i;

	if (shifted == (int64_t) shifted &&
		((int64_t) shifted ^ (int64_t) shifted >> 63) <= GA_ELEM_DIGIT_MASK)
		*word += (int64_t) shifted;
	else
	{
		*word += (int64_t) shifted & GA_ELEM_DIGIT_MASK;
		word[block->n] += (int64_t) (shifted >> GA_ELEM_DIGIT);
	}
}

#endif /* GA_ELEM_SUM_WORDS_H */
