/*
 * elem_sum_io.c
 *		Writing sums position by position as bytes; elem_sum_io.h has the
 *		format.
 */
#include "bytes.h"
#include "elem_sum_io.h"

/* The limbs of one position that any position of its block may have. */
typedef struct Limbs
{
	int low; /* the lowest limb that is set */
	int end; /* above the highest one, which has the sign */
	uint64_t limb[GA_ELEM_MAX_LIMBS];
} Limbs;

/* Set which limbs the positions of a block may have. */
static void
init_limbs(Limbs *limbs, const GaElemBlock *block)
{
	/* the highest word has 62 bits and the sign */
	const int end = block->place + block->n_planes * GA_ELEM_DIGIT + 11;

	limbs->low = block->place > 0 ? block->place / GA_ELEM_LIMB_BITS : 0;
	limbs->end = (end + GA_ELEM_LIMB_BITS - 1) / GA_ELEM_LIMB_BITS;
	if (limbs->end > GA_ELEM_MAX_LIMBS)
		limbs->end = GA_ELEM_MAX_LIMBS;
}

/* Add m * 2^place. */
static inline void
add_word(Limbs *to, int64_t m, int place)
{
	unsigned __int128 shifted, sum;
	uint64_t carry;
	int l;

	/* no total has bits below place 0 */
	if (place < 0)
	{
		m >>= -place;
		place = 0;
	}
	l = place / GA_ELEM_LIMB_BITS;
	shifted = (unsigned __int128) (GaInt128) m << place % GA_ELEM_LIMB_BITS;
	sum = (unsigned __int128) to->limb[l] + (uint64_t) shifted;
	to->limb[l] = (uint64_t) sum;
	carry = (uint64_t) (shifted >> GA_ELEM_LIMB_BITS);
	sum >>= GA_ELEM_LIMB_BITS;
	while (++l < to->end)
	{
		sum += (unsigned __int128) to->limb[l] + carry;
		to->limb[l] = (uint64_t) sum;
		sum >>= GA_ELEM_LIMB_BITS;
		carry = m < 0 ? UINT64_MAX : 0;
	}
}

/* Set the limbs of position i of a block. */
static void
to_limbs(const GaElemBlock *block, int i, Limbs *limbs)
{
	int j;

	for (j = limbs->low; j < limbs->end; j++)
		limbs->limb[j] = 0;
	for (j = 0; j < block->n_planes; j++)
	{
		const int64_t word = block->words[j * block->n + i];

		if (word != 0)
			add_word(limbs, word, block->place + j * GA_ELEM_DIGIT);
	}
}

/* Return above which limb a total needs none; 0 if it is zero. */
static int
limbs_needed(const Limbs *limbs)
{
	int n = limbs->end;

	/* a limb that only extends the sign of the one below is not needed */
	while (n > limbs->low)
	{
		const int64_t below =
			n - 1 > limbs->low ? (int64_t) limbs->limb[n - 2] : 0;

		if (limbs->limb[n - 1] != (uint64_t) (below >> 63))
			return n;
		n--;
	}
	return 0;
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

	init_limbs(&limbs, block);
	for (i = 0; block->n_planes > 0 && i < n; i++)
	{
		int needed;

		to_limbs(block, (int) i, &limbs);
		needed = limbs_needed(&limbs);
		end = needed > end ? needed : end;
		for (l = limbs.low; l < first && l < needed; l++)
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
	{
		ga_elem_pause(sum);
		to = write_block(&sum->blocks[b], to);
	}
	return (size_t) (to - bytes);
}
