/*
 * elem_sum_records.c
 *		Sums position by position: adding those of a device.
 *
 * A device sums the elements of a position over many arrays, and returns a
 * record of 192 bits.  Its bits are added to the position's digits, some 52 at
 * a time, from the lowest that is set on: so a block has no more planes than
 * the sums need.
 */
#include "elem_sum_words.h"

/* The bits of a record that are not zero: from low on, below end. */
typedef struct Bits
{
	int low;
	int end; /* has the sign: the bits from there on are its copies */
} Bits;

/* Return where the bits of a record are; low == end: it is zero. */
static Bits
find_bits(const GaPartialSum *record)
{
	const uint64_t sign =
		(uint64_t) ((int64_t) record->limb[GA_PARTIAL_LIMBS - 1] >> 63);
	Bits bits = {0, 0};
	int low = 0;
	int high = GA_PARTIAL_LIMBS - 1;

	while (low < GA_PARTIAL_LIMBS && record->limb[low] == 0)
		low++;
	if (low == GA_PARTIAL_LIMBS)
		return bits;
	bits.low = 64 * low + __builtin_ctzll(record->limb[low]);
	while (high >= 0 && record->limb[high] == sign)
		high--;
	bits.end = 1;
	if (high >= 0)
		bits.end = 64 * high + 65 - __builtin_clzll(record->limb[high] ^ sign);
	bits.end = bits.end > bits.low ? bits.end : bits.low + 1;
	return bits;
}

/* Return 64 bits of a record, from one on; behind its end is its sign. */
static int64_t
bits_at(const GaPartialSum *record, int at)
{
	const int i = at / 64;
	const int shift = at % 64;
	const uint64_t sign =
		(uint64_t) ((int64_t) record->limb[GA_PARTIAL_LIMBS - 1] >> 63);
	const uint64_t low = i < GA_PARTIAL_LIMBS ? record->limb[i] : sign;
	const uint64_t high = i + 1 < GA_PARTIAL_LIMBS ? record->limb[i + 1] : sign;

	return (int64_t) (shift == 0 ? low : low >> shift | high << (64 - shift));
}

/* Return the place of a record's lowest bit. */
static int
place_of(GaElementType type, const GaPartialSum *record)
{
	return ga_element_is_float(type) ? GA_CELL_BITS * record->first : 0;
}

/* Can n elements have a sum that large? */
static bool
is_in_reach(GaElementType type, const GaPartialSum *record, int64_t n)
{
	const int at = ga_elem_bits(type) - place_of(type, record);
	const Bits bits = find_bits(record);
	int64_t units; /* of the least power of two that no element has */

	if (bits.low == bits.end)
		return true;
	if (bits.end > at + 63)
		return false;
	units = at >= 0 ? bits_at(record, at) :
					  bits_at(record, 0) * (INT64_C(1) << -at);
	return units < n && units >= -n;
}

/*
 * Can a record be the sum of n_arrays elements?  One that a device refused
 * cannot.
 */
bool
ga_elem_is_record(GaElementType type, int64_t n_arrays,
				  const GaPartialSum *record)
{
	return record->kind == GA_PARTIAL_COMPACT &&
		   (ga_element_is_float(type) ?
				ga_partial_is_float(record, n_arrays, NULL) :
				record->n_neg_zero == 0) &&
		   is_in_reach(type, record, n_arrays - record->n_neg_zero);
}

/* Give a block planes for n records. */
static void
cover(GaElemSum *sum, GaElemBlock *block, const GaPartialSum *records, int n)
{
	int low = INT16_MAX;
	int end = 0;
	int i;

	for (i = 0; i < n; i++)
	{
		const int place = place_of(sum->type, &records[i]);
		const Bits bits = find_bits(&records[i]);

		if (bits.low == bits.end)
			continue;
		low = place + bits.low < low ? place + bits.low : low;
		end = place + bits.end > end ? place + bits.end : end;
	}
	if (end == 0)
		return;
	if (block->n_planes == 0)
		block->place = (int16_t) (ga_element_is_float(sum->type) ? low : 0);
	ga_elem_cover(sum, block, low, end);
}

/* Add a record to a position; the planes of its bits are there. */
static void
add_bits(GaElemBlock *block, int i, const GaPartialSum *record, int place)
{
	const Bits bits = find_bits(record);
	int at;

	for (at = bits.low; at < bits.end; at += GA_ELEM_DIGIT)
	{
		const int64_t part = bits_at(record, at);
		const bool is_last = bits.end - at <= GA_ELEM_DIGIT;

		ga_elem_add_scaled(block, i, is_last ? part : part & GA_ELEM_DIGIT_MASK,
						   place + at);
	}
}

/* Add records to positions of a block, from one on. */
static void
add_to_block(GaElemSum *sum, GaElemBlock *block, int at,
			 const GaPartialSum *records, int n)
{
	int i;

	ga_elem_carry(sum, block);
	cover(sum, block, records, n);
	for (i = 0; i < n; i++)
	{
		add_bits(block, at + i, &records[i], place_of(sum->type, &records[i]));
		if (records[i].n_neg_zero != 0)
			ga_elem_counts(sum, block, GA_ELEM_NEG_ZEROS)[at + i] +=
				records[i].n_neg_zero;
	}
	ga_elem_carry(sum, block);
}

/*
 * Add n records, each of which ga_elem_is_record(), to the positions from one
 * on.  The caller counts the arrays.
 */
void
ga_elem_add_records(GaElemSum *sum, size_t at, const GaPartialSum *records,
					size_t n)
{
	while (n > 0)
	{
		GaElemBlock *block = &sum->blocks[at / GA_ELEM_BLOCK];
		const int first = (int) (at % GA_ELEM_BLOCK);
		const int left = block->n - first;
		const int n_here = (size_t) left < n ? left : (int) n;

		add_to_block(sum, block, first, records, n_here);
		records += n_here;
		at += (size_t) n_here;
		n -= (size_t) n_here;
	}
}
