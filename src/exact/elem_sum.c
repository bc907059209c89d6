/*
 * elem_sum.c
 *		Exact sums position by position: planes, carries, merging.
 *
 * See elem_sum.h for what they are and doc/numerics.md for why they are right.
 */
#include "elem_sum_words.h"

/* The highest plane stays below 2^TOP_BITS, after a carry. */
#define TOP_BITS 60

/* Initialize sums of n positions, to which nothing was added. */
void
ga_elem_init(GaElemSum *sum, GaElementType type, size_t n, GaElemMemory memory)
{
	size_t b;

	sum->type = type;
	sum->n_arrays = 0;
	sum->n = n;
	sum->n_blocks = (n + GA_ELEM_BLOCK - 1) / GA_ELEM_BLOCK;
	sum->memory = memory;
	sum->blocks =
		memory.provide(memory.context, sum->n_blocks * sizeof(GaElemBlock));
	for (b = 0; b < sum->n_blocks; b++)
	{
		const size_t left = n - b * GA_ELEM_BLOCK;

		sum->blocks[b].n =
			(int16_t) (left < GA_ELEM_BLOCK ? left : GA_ELEM_BLOCK);
	}
}

/* Release all memory of the sums. */
void
ga_elem_release(GaElemSum *sum)
{
	size_t b;
	int c;

	for (b = 0; b < sum->n_blocks; b++)
	{
		GaElemBlock *block = &sum->blocks[b];

		if (block->words != NULL)
			sum->memory.release(block->words);
		for (c = 0; c < GA_ELEM_N_COUNTS; c++)
		{
			if (block->counts[c] != NULL)
				sum->memory.release(block->counts[c]);
		}
	}
	sum->memory.release(sum->blocks);
	sum->blocks = NULL;
	sum->n_blocks = 0;
}

/* Give a block so many more planes, of zeros, below and above its own. */
void
ga_elem_extend(GaElemSum *sum, GaElemBlock *block, int below, int above)
{
	const size_t n = (size_t) block->n;
	const int n_planes = below + block->n_planes + above;
	int64_t *words;

	if (below + above == 0)
		return;
	words = sum->memory.provide(sum->memory.context,
								(size_t) n_planes * n * sizeof(int64_t));
	if (block->words != NULL)
	{
		memcpy(words + (size_t) below * n, block->words,
			   block->n_planes * n * sizeof(int64_t));
		sum->memory.release(block->words);
	}
	block->words = words;
	block->n_planes = (uint8_t) n_planes;
	block->place = (int16_t) (block->place - below * GA_ELEM_DIGIT);
	block->hot = (uint8_t) (block->hot + below);
}

/* Give a block planes for bits from place low to below place end. */
void
ga_elem_cover(GaElemSum *sum, GaElemBlock *block, int low, int end)
{
	const int first = ga_elem_floor_digit(low - block->place);
	const int last = ga_elem_floor_digit(end - 1 - block->place);

	ga_elem_extend(sum, block, first < 0 ? -first : 0,
				   last >= block->n_planes ? last + 1 - block->n_planes : 0);
}

/* Move what is beyond a plane's digits to the plane above it. */
static void
carry_plane(int64_t *plane, int64_t *above, int n)
{
	const int64_t half = INT64_C(1) << (GA_ELEM_DIGIT - 1);
	int i;

	for (i = 0; i < n; i++)
	{
		const int64_t carry = (plane[i] + half) >> GA_ELEM_DIGIT;

		plane[i] -= carry * (INT64_C(1) << GA_ELEM_DIGIT);
		above[i] += carry;
	}
}

/* Return the or of the magnitudes of a plane, one's complement. */
static int64_t
magnitude_bits(const int64_t *plane, int n)
{
	int64_t bits = 0;
	int i;

	for (i = 0; i < n; i++)
		bits |= plane[i] ^ plane[i] >> 63;
	return bits;
}

/*
 * Propagate carries: make all planes but the highest digits from -2^51 to
 * 2^51 - 1.  The highest one gets another one above it when it is large.
 */
void
ga_elem_carry(GaElemSum *sum, GaElemBlock *block)
{
	const int n = block->n;
	int j;

	block->n_pending = 0;
	if (block->n_planes == 0)
		return;
	for (j = 0; j + 1 < block->n_planes; j++)
		carry_plane(block->words + j * n, block->words + (j + 1) * n, n);
	if (magnitude_bits(block->words + j * n, n) >> TOP_BITS != 0)
	{
		ga_elem_extend(sum, block, 0, 1);
		carry_plane(block->words + j * n, block->words + (j + 1) * n, n);
	}
}

/* Return the counts of a block, which are made if it has none so far. */
int64_t *
ga_elem_counts(GaElemSum *sum, GaElemBlock *block, GaElemCount which)
{
	if (block->counts[which] == NULL)
		block->counts[which] = sum->memory.provide(
			sum->memory.context, (size_t) block->n * sizeof(int64_t));
	return block->counts[which];
}

/* Add a plane of another block, whose words are below 2^62. */
static void
merge_plane(GaElemSum *sum, GaElemBlock *block, const int64_t *plane, int place)
{
	const int64_t bits = magnitude_bits(plane, block->n);
	/* no total has bits below place 0, so no word has, either */
	const int shift = place < 0 ? -place : 0;
	int i;

	if (bits == 0)
	{
		/* words are 0 and -1 */
		bool any = false;

		for (i = 0; i < block->n; i++)
			any |= plane[i] != 0;
		if (!any)
			return;
	}
	place += shift;
	ga_elem_cover(sum, block, place,
				  place + 1 +
					  (bits == 0 ? 1 : 64 - __builtin_clzll((uint64_t) bits)));
	for (i = 0; i < block->n; i++)
	{
		if (plane[i] != 0)
			ga_elem_add_scaled(block, i, plane[i] >> shift, place);
	}
}

static void
merge_block(GaElemSum *sum, GaElemBlock *block, const GaElemBlock *other)
{
	int c, i, j;

	ga_elem_carry(sum, block);
	if (block->n_planes == 0)
		block->place = other->place;
	for (j = 0; j < other->n_planes; j++)
		merge_plane(sum, block, other->words + j * other->n,
					other->place + j * GA_ELEM_DIGIT);
	ga_elem_carry(sum, block);
	for (c = 0; c < GA_ELEM_N_COUNTS; c++)
	{
		int64_t *counts;

		if (other->counts[c] == NULL)
			continue;
		counts = ga_elem_counts(sum, block, c);
		for (i = 0; i < block->n; i++)
			counts[i] += other->counts[c][i];
	}
}

/*
 * Add all inputs of other sums, of the same type and number of positions, which
 * stay as they are.  They must not be the same ones.
 */
void
ga_elem_merge(GaElemSum *sum, const GaElemSum *other)
{
	size_t b;

	for (b = 0; b < sum->n_blocks; b++)
	{
		ga_elem_pause(sum);
		merge_block(sum, &sum->blocks[b], &other->blocks[b]);
	}
	sum->n_arrays += other->n_arrays;
}
