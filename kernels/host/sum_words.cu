/*
 * sum_words.cu
 *		A sum as an array of kSumWords words (cells.cuh), on the host.
 */
#include "sum_words.h"

#include <string.h>

GaExactSum *
sum_from_words(GaFullSum *buffer, const int64_t *words, int64_t n)
{
	GaExactSum *sum = ga_full_sum_init(buffer);

	sum->n = n;
	sum->n_cells = GA_MAX_CELLS;
	sum->n_pending = 1;
	memcpy(sum->cells, words, GA_MAX_CELLS * sizeof(int64_t));
	sum->n_nan = words[kWordNan];
	sum->n_pos_inf = words[kWordPosInf];
	sum->n_neg_inf = words[kWordNegInf];
	sum->n_neg_zero = words[kWordNegZero];
	(void) ga_exact_sum_carry(sum);
	return sum;
}

void
words_from_sum(const GaExactSum *sum, int64_t *words)
{
	memset(words, 0, kSumWords * sizeof(int64_t));
	memcpy(words + sum->first, sum->cells, sum->n_cells * sizeof(int64_t));
	words[kWordNan] = sum->n_nan;
	words[kWordPosInf] = sum->n_pos_inf;
	words[kWordNegInf] = sum->n_neg_inf;
	words[kWordNegZero] = sum->n_neg_zero;
}

void
add_to_words(int64_t *words, int64_t x, int place)
{
	const __int128 shifted = (__int128) x << place % GA_CELL_BITS;

	words += place / GA_CELL_BITS;
	words[0] += uint32_t(shifted);
	words[1] += uint32_t(shifted >> GA_CELL_BITS);
	words[2] += int64_t(shifted >> 2 * GA_CELL_BITS);
}

GaPartialSum
int_from_words(const int64_t *words)
{
	GaPartialSum partial = {};
	int64_t carry = 0;

	for (int i = 0; i < kDigits; i++)
	{
		carry += words[i];
		partial.limb[i / 2] |= uint64_t(uint32_t(carry))
							   << (i % 2 ? GA_CELL_BITS : 0);
		carry >>= GA_CELL_BITS;
	}
	partial.kind = GA_PARTIAL_COMPACT;
	return partial;
}
