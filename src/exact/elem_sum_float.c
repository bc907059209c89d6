/*
 * elem_sum_float.c
 *		Sums position by position: floats that are not added by vectors.
 *
 * The first elements of a block say where its digits are.  Later ones that the
 * planes do not cover, or the levels of vectors, come here, and so do NaN and
 * infinities.
 */
#include "elem_sum_words.h"

/* A float as a signed integer and its place. */
typedef struct Parts
{
	int64_t m; /* odd or 0 */
	int place;
} Parts;

static inline double
load(GaElementType type, const char *data, int i)
{
	double x;
	float f;

	if (type == GA_float4)
	{
		memcpy(&f, data + (size_t) i * sizeof(f), sizeof(f));
		return f;
	}
	memcpy(&x, data + (size_t) i * sizeof(x), sizeof(x));
	return x;
}

/* Is that NaN or infinite? */
static inline bool
is_special(uint64_t bits)
{
	return (bits >> 52 & 0x7ff) == 0x7ff;
}

/* Split a finite float. */
static inline Parts
split(uint64_t bits)
{
	const int biased = (int) (bits >> 52) & 0x7ff;
	const uint64_t m =
		(bits & GA_FLOAT8_FRACTION) | (biased ? GA_FLOAT8_HIDDEN : 0);
	const int zeros = m == 0 ? 0 : __builtin_ctzll(m);
	const int64_t odd = (int64_t) (m >> zeros);

	return (Parts){bits & GA_FLOAT8_SIGN ? -odd : odd,
				   (biased ? biased - 1 : 0) + zeros};
}

/* Return the bits of n floats. */
GaElemRange
ga_elem_range(GaElementType type, const char *data, int n)
{
	GaElemRange range = {INT16_MAX, 0, false};
	int i;

	for (i = 0; i < n; i++)
	{
		const uint64_t bits = ga_float8_bits(load(type, data, i));
		const Parts parts = split(bits);
		int end;

		range.is_special |= is_special(bits);
		if (parts.m == 0 || is_special(bits))
			continue;
		end = parts.place + 64 -
			  __builtin_clzll((uint64_t) (parts.m < 0 ? -parts.m : parts.m));
		range.low = parts.place < range.low ? parts.place : range.low;
		range.end = end > range.end ? end : range.end;
	}
	if (range.end == 0)
		range.low = 0;
	return range;
}

/*
 * Bits of the highest plane that the first elements of a block reach: later
 * ones may be 2^11 times as large, and 2^20 arrays fit before it overflows.
 */
#define FIRST_BITS 40

/* The highest place of a plane that vectors are added to. */
#define MAX_HOT_PLACE (GA_SCALE_MOST - GA_SCALE_LEAST)

/* Give a block without planes those for elements of this range. */
static void
place_first(GaElemSum *sum, GaElemBlock *block, const GaElemRange *range)
{
	int place = range->end - FIRST_BITS;
	int n_planes = 1;

	place = place < MAX_HOT_PLACE ? place : MAX_HOT_PLACE;
	while (place > range->low)
	{
		place -= GA_ELEM_DIGIT;
		n_planes++;
	}
	block->place = (int16_t) (place > 0 ? place : 0);
	block->n_planes = 0;
	ga_elem_extend(sum, block, 0, n_planes);
}

/*
 * Give a block planes for floats of this range, and choose those that vectors
 * are added to: the present ones and what the range needs, or else what the
 * range needs, or none if there would have to be too many.
 */
void
ga_elem_aim(GaElemSum *sum, GaElemBlock *block, const GaElemRange *range)
{
	int first, last, end;

	if (range->low == range->end)
		return;
	if (block->n_planes == 0)
		place_first(sum, block, range);
	ga_elem_cover(sum, block, range->low, range->end);

	/* vectors are added to the highest one up to 2^51 of its units */
	first = ga_elem_floor_digit(range->low - block->place);
	last = ga_elem_floor_digit(range->end - block->place);
	last = last > first ? last : first;
	end = block->hot + block->n_hot;
	if (block->n_hot > 0)
	{
		const int low = first < block->hot ? first : block->hot;
		const int high = last + 1 > end ? last + 1 : end;

		if (high - low <= GA_ELEM_MAX_HOT)
		{
			first = low;
			last = high - 1;
		}
	}
	if (last - first >= GA_ELEM_MAX_HOT ||
		block->place + first * GA_ELEM_DIGIT < 0 ||
		block->place + last * GA_ELEM_DIGIT > MAX_HOT_PLACE)
		return;
	if (last >= block->n_planes)
		ga_elem_extend(sum, block, 0, last + 1 - block->n_planes);
	block->hot = (uint8_t) first;
	block->n_hot = (uint8_t) (last - first + 1);
}

/*
 * Add n floats to the positions of a block from one on, or remove them (by =
 * -1), whatever they are.
 */
void
ga_elem_add_slowly(GaElemSum *sum, GaElemBlock *block, int at, const char *data,
				   int n, int by)
{
	const GaElemRange range = ga_elem_range(sum->type, data, n);
	int i;

	if (range.low < range.end)
	{
		if (block->n_planes == 0)
			place_first(sum, block, &range);
		ga_elem_cover(sum, block, range.low, range.end);
	}
	for (i = 0; i < n; i++)
	{
		const uint64_t bits = ga_float8_bits(load(sum->type, data, i));

		if (is_special(bits))
		{
			const GaElemCount which = bits & GA_FLOAT8_FRACTION ? GA_ELEM_NANS :
									  bits & GA_FLOAT8_SIGN ? GA_ELEM_NEG_INFS :
															  GA_ELEM_POS_INFS;

			ga_elem_counts(sum, block, which)[at + i] += by;
		}
		else if (bits == GA_FLOAT8_SIGN)
			ga_elem_counts(sum, block, GA_ELEM_NEG_ZEROS)[at + i] += by;
		else if (bits != 0)
		{
			const Parts parts = split(bits);

			ga_elem_add_scaled(block, at + i, ga_elem_signed(parts.m, by),
							   parts.place);
		}
	}
}

/* Count the negative zeros among n floats. */
void
ga_elem_count_neg_zeros(GaElemSum *sum, GaElemBlock *block, int at,
						const char *data, int n, int by)
{
	int64_t *counts = ga_elem_counts(sum, block, GA_ELEM_NEG_ZEROS) + at;
	int i;

	for (i = 0; i < n; i++)
		counts[i] +=
			ga_float8_bits(load(sum->type, data, i)) == GA_FLOAT8_SIGN ? by : 0;
}
