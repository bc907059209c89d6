/*
 * elem_sum_io.c
 *		Writing sums position by position as bytes; elem_sum_io.h has the format.
 */
#include "bytes.h"
#include "elem_sum_io.h"

/* The limbs of one position. */
typedef struct Limbs
{
	uint64_t
		limb[GA_ELEM_MAX_LIMBS + 1]; /* the last one only extends the sign */
} Limbs;

/* Add m * 2^place. */
static void
add_word(Limbs *to, int64_t m, int place)
{
	int l;
	unsigned __int128 sum = 0;
	uint64_t part[2];
	GaInt128 shifted;

	/* no total has bits below place 0 */
	if (place < 0)
	{
		m >>= -place;
		place = 0;
	}
	shifted = (GaInt128) m;
	shifted =
		(GaInt128) ((unsigned __int128) shifted << place % GA_ELEM_LIMB_BITS);
	part[0] = (uint64_t) shifted;
	part[1] = (uint64_t) (shifted >> GA_ELEM_LIMB_BITS);
	for (l = place / GA_ELEM_LIMB_BITS; l <= GA_ELEM_MAX_LIMBS; l++)
	{
		const int k = l - place / GA_ELEM_LIMB_BITS;

		sum += to->limb[l];
		sum += k < 2 ? part[k] : (m < 0 ? UINT64_MAX : 0);
		to->limb[l] = (uint64_t) sum;
		sum >>= GA_ELEM_LIMB_BITS;
		if (k >= 2 && sum == (m < 0))
			break;
	}
}

/* Return the limbs of position i of a block. */
static void
to_limbs(const GaElemBlock *block, int i, Limbs *limbs)
{
	int j;

	memset(limbs, 0, sizeof(*limbs));
	for (j = 0; j < block->n_planes; j++)
	{
		const int64_t word = block->words[j * block->n + i];

		if (word != 0)
			add_word(limbs, word, block->place + j * GA_ELEM_DIGIT);
	}
}

/* Return the number of limbs from the lowest one on that a total needs. */
static int
limbs_needed(const Limbs *limbs)
{
	int n = GA_ELEM_MAX_LIMBS;

	/* a limb that only extends the sign of the one below is not needed */
	while (n > 1 && limbs->limb[n - 1] ==
						(uint64_t) ((int64_t) limbs->limb[n - 2] >> 63))
		n--;
	return n > 1 || limbs->limb[0] != 0 ? n : 0;
}

/* Which counts of a block are not all zero? */
uint8_t
ga_elem_counts_present(const GaElemBlock *block)
{
	uint8_t present = 0;
	int c, i;

	for (c = 0; c < GA_ELEM_N_COUNTS; c++)
	{
		for (i = 0; block->counts[c] != NULL && i < block->n; i++)
		{
			if (block->counts[c][i] != 0)
				present |= (uint8_t) (1 << c);
		}
	}
	return present;
}

/* Write a block, and return the end of its bytes. */
static uint8_t *
write_block(const GaElemBlock *block, uint8_t *to)
{
	const size_t n = (size_t) block->n;
	int first = GA_ELEM_MAX_LIMBS;
	int end = 0;
	uint8_t *limb_at;
	Limbs limbs;
	size_t i;
	int c, l;

	for (i = 0; block->n_planes > 0 && i < n; i++)
	{
		int needed;

		to_limbs(block, (int) i, &limbs);
		needed = limbs_needed(&limbs);
		end = needed > end ? needed : end;
		for (l = 0; l < first && l < needed; l++)
		{
			if (limbs.limb[l] != 0)
				first = l;
		}
	}
	if (end == 0)
		first = 0;
	*to++ = (uint8_t) first;
	*to++ = (uint8_t) (end - first);
	*to++ = ga_elem_counts_present(block);
	limb_at = to;
	to += (size_t) (end - first) * n * 8;
	for (i = 0; first < end && i < n; i++)
	{
		to_limbs(block, (int) i, &limbs);
		for (l = first; l < end; l++)
			(void) ga_put_int64(limb_at + ((size_t) (l - first) * n + i) * 8,
								(int64_t) limbs.limb[l]);
	}
	for (c = 0; c < GA_ELEM_N_COUNTS; c++)
	{
		for (i = 0; (limb_at[-1] >> c & 1) && i < n; i++)
			to = ga_put_int64(to, block->counts[c][i]);
	}
	return to;
}

/* Return a bound of the bytes of ga_elem_serialize(). */
size_t
ga_elem_max_bytes(const GaElemSum *sum)
{
	size_t n_bytes = GA_ELEM_HEAD_BYTES;
	size_t b;
	int c;

	for (b = 0; b < sum->n_blocks; b++)
	{
		const GaElemBlock *block = &sum->blocks[b];
		/* a part of a limb below, and one above for the carries */
		int words = block->n_planes == 0 ?
						0 :
						block->n_planes * GA_ELEM_DIGIT / GA_ELEM_LIMB_BITS + 3;

		for (c = 0; c < GA_ELEM_N_COUNTS; c++)
			words += block->counts[c] != NULL;
		n_bytes += GA_ELEM_BLOCK_BYTES + (size_t) words * (size_t) block->n * 8;
	}
	return n_bytes;
}

/* Write sums in their canonical form; returns the number of bytes. */
size_t
ga_elem_serialize(const GaElemSum *sum, uint8_t *bytes)
{
	uint8_t *to = bytes;
	size_t b;

	*to++ = GA_ELEM_MAGIC;
	*to++ = GA_ELEM_VERSION;
	*to++ = (uint8_t) sum->type;
	to = ga_put_int64(to, sum->n_arrays);
	to = ga_put_int64(to, (int64_t) sum->n);
	for (b = 0; b < sum->n_blocks; b++)
		to = write_block(&sum->blocks[b], to);
	return (size_t) (to - bytes);
}
