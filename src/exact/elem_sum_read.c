/*
 * elem_sum_read.c
 *		Reading sums position by position from bytes, which may come from
 *		anywhere.
 *
 * elem_sum_io.h has the format.  Nothing is taken that ga_elem_serialize() does
 * not write, and no more memory than the bytes need.
 */
#include "bytes.h"
#include "elem_sum_io.h"
#include "elem_sum_words.h"

/* What is read of a block. */
typedef struct Source
{
	const uint8_t *limbs;
	int first;
	int n_limbs;
	size_t n; /* positions */
} Source;

/* Return limb l of position i, of the whole range. */
static uint64_t
limb_at(const Source *source, int l, size_t i)
{
	const uint8_t *from;

	if (l < source->first || source->n_limbs == 0)
		return 0;
	l -= source->first;
	if (l >= source->n_limbs)
		return (int64_t) limb_at(source, source->first + source->n_limbs - 1,
								 i) < 0 ?
				   UINT64_MAX :
				   0;
	from = source->limbs + ((size_t) l * source->n + i) * 8;
	return (uint64_t) ga_get_int64(&from);
}

/* Set the words of a block from limbs. */
static void
to_words(GaElemSum *sum, GaElemBlock *block, const Source *source)
{
	const int first =
		ga_element_is_float(sum->type) ? source->first * GA_ELEM_LIMB_BITS : 0;
	const int end = (source->first + source->n_limbs) * GA_ELEM_LIMB_BITS;
	const int n_planes = (end - first + GA_ELEM_DIGIT - 1) / GA_ELEM_DIGIT;
	size_t i;
	int j;

	block->place = (int16_t) first;
	ga_elem_extend(sum, block, 0, n_planes);
	for (j = 0; j < n_planes; j++)
	{
		const int place = first + j * GA_ELEM_DIGIT;

		for (i = 0; i < source->n; i++)
		{
			unsigned __int128 bits =
				limb_at(source, place / GA_ELEM_LIMB_BITS, i) |
				(unsigned __int128) limb_at(source,
											place / GA_ELEM_LIMB_BITS + 1, i)
					<< GA_ELEM_LIMB_BITS;
			const uint64_t word =
				(uint64_t) (bits >> place % GA_ELEM_LIMB_BITS);

			/* the highest one has the sign */
			block->words[(size_t) j * source->n + i] =
				j + 1 < n_planes ?
					(int64_t) (word & ((UINT64_C(1) << GA_ELEM_DIGIT) - 1)) :
					(int64_t) word;
		}
	}
}

/* Can the inputs of position i have these counts and limbs? */
static bool
is_position(const GaElemSum *sum, const GaElemBlock *block,
			const Source *source, size_t i)
{
	int64_t n = sum->n_arrays;
	int top = source->first + source->n_limbs - 1;
	uint64_t sign, rest;
	int c;

	for (c = 0; c < GA_ELEM_N_COUNTS; c++)
	{
		const int64_t count = block->counts[c] ? block->counts[c][i] : 0;

		if (count < 0 || count > n)
			return false;
		n -= count;
	}
	sign = limb_at(source, top + 1, i);
	while (top >= 0 && limb_at(source, top, i) == sign)
		top--;
	if (top < 0)
		return sign == 0 || n > 0;
	rest = limb_at(source, top, i) ^ sign;
	return n > 0 &&
		   top * GA_ELEM_LIMB_BITS + 64 - __builtin_clzll(rest) <=
			   ga_elem_bits(sum->type) + 64 - __builtin_clzll((uint64_t) n);
}

/* Are the limbs and counts of a block those that write_block() writes? */
static bool
is_block(const GaElemSum *sum, const GaElemBlock *block, const Source *source,
		 uint8_t present)
{
	const int last = source->first + source->n_limbs - 1;
	bool needs_low = source->n_limbs == 0;
	bool needs_high = source->n_limbs == 0;
	size_t i;

	if (source->n_limbs == 0 && source->first != 0)
		return false;
	for (i = 0; i < source->n; i++)
	{
		const uint64_t top = limb_at(source, last, i);
		const uint64_t below = last > 0 ? limb_at(source, last - 1, i) : 0;

		if (!is_position(sum, block, source, i))
			return false;
		needs_low |= limb_at(source, source->first, i) != 0;
		needs_high |=
			last > 0 ? top != (uint64_t) ((int64_t) below >> 63) : top != 0;
	}
	return needs_low && needs_high && ga_elem_counts_present(block) == present;
}

/* Read a block, and move *from behind it. */
static GaStatus
read_block(GaElemSum *sum, GaElemBlock *block, const uint8_t **from,
		   const uint8_t *end)
{
	const uint8_t *at = *from;
	const size_t n = (size_t) block->n;
	Source source = {NULL, 0, 0, n};
	uint8_t present;
	int c;
	size_t i;

	if (end - at < GA_ELEM_BLOCK_BYTES)
		return GA_BAD_STATE;
	source.first = *at++;
	source.n_limbs = *at++;
	present = *at++;
	source.limbs = at;
	if (source.first + source.n_limbs > GA_ELEM_MAX_LIMBS ||
		present >> GA_ELEM_N_COUNTS != 0 ||
		(size_t) (end - at) <
			(size_t) (source.n_limbs + __builtin_popcount(present)) * n * 8)
		return GA_BAD_STATE;
	at += (size_t) source.n_limbs * n * 8;
	for (c = 0; c < GA_ELEM_N_COUNTS; c++)
	{
		if (!(present >> c & 1))
			continue;
		if (c != GA_ELEM_NULLS && !ga_element_is_float(sum->type))
			return GA_BAD_STATE;
		(void) ga_elem_counts(sum, block, c);
		for (i = 0; i < n; i++)
			block->counts[c][i] = ga_get_int64(&at);
	}
	if (!is_block(sum, block, &source, present))
		return GA_BAD_STATE;
	if (source.n_limbs > 0)
		to_words(sum, block, &source);
	*from = at;
	return GA_OK;
}

/*
 * Read the output of ga_elem_serialize() into sums that ga_elem_init() made for
 * the type and number of positions that are expected.  GA_BAD_VERSION or
 * GA_BAD_STATE if the bytes cannot be such an output; the sums are to be
 * released then, too.
 */
GaStatus
ga_elem_deserialize(GaElemSum *sum, const uint8_t *bytes, size_t n_bytes)
{
	const uint8_t *from = bytes + 3;
	size_t b;

	if (n_bytes < 2)
		return GA_BAD_STATE;
	if (bytes[0] != GA_ELEM_MAGIC || bytes[1] != GA_ELEM_VERSION)
		return GA_BAD_VERSION;
	if (n_bytes < GA_ELEM_HEAD_BYTES || bytes[2] != sum->type)
		return GA_BAD_STATE;
	sum->n_arrays = ga_get_int64(&from);
	if (sum->n_arrays < 0 || sum->n_arrays > GA_ELEM_MAX_N ||
		(uint64_t) ga_get_int64(&from) != sum->n)
		return GA_BAD_STATE;
	for (b = 0; b < sum->n_blocks; b++)
	{
		GaStatus status;

		ga_elem_pause(sum);
		status = read_block(sum, &sum->blocks[b], &from, bytes + n_bytes);

		if (status != GA_OK)
			return status;
	}
	return from == bytes + n_bytes ? GA_OK : GA_BAD_STATE;
}
