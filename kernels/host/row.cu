/*
 * row.cu
 *		A row of slots, on the host: the sum that they are.
 */
#include "row.h"

#include <string.h>

GaExactSum *
sum_of_row(GaFullSum *room, const int64_t *row, int64_t n)
{
	GaExactSum *sum = ga_full_sum_init(room);

	sum->n = n;
	sum->n_cells = GA_MAX_CELLS;
	sum->n_pending = 1;
	memcpy(sum->cells, row, GA_MAX_CELLS * sizeof(int64_t));
	sum->n_nan = row[kSlotNan];
	sum->n_pos_inf = row[kSlotPosInf];
	sum->n_neg_inf = row[kSlotNegInf];
	sum->n_neg_zero = row[kSlotNegZero];
	(void) ga_exact_sum_carry(sum);
	return sum;
}

void
put_row(const GaExactSum *sum, int64_t *row)
{
	memset(row, 0, kSlots * sizeof(int64_t));
	memcpy(row + sum->first, sum->cells, sum->n_cells * sizeof(int64_t));
	row[kSlotNan] = sum->n_nan;
	row[kSlotPosInf] = sum->n_pos_inf;
	row[kSlotNegInf] = sum->n_neg_inf;
	row[kSlotNegZero] = sum->n_neg_zero;
}

void
add_to_row(int64_t *row, int64_t x, int place)
{
	const __int128 shifted = (__int128) x << place % GA_CELL_BITS;

	row += place / GA_CELL_BITS;
	row[0] += uint32_t(shifted);
	row[1] += uint32_t(shifted >> GA_CELL_BITS);
	row[2] += int64_t(shifted >> 2 * GA_CELL_BITS);
}

GaPartialSum
int_of_row(const int64_t *row)
{
	GaPartialSum partial = {};
	int64_t carry = 0;

	for (int i = 0; i < kDigits; i++)
	{
		carry += row[i];
		partial.limb[i / 2] |= uint64_t(uint32_t(carry))
							   << (i % 2 ? GA_CELL_BITS : 0);
		carry >>= GA_CELL_BITS;
	}
	partial.kind = GA_PARTIAL_COMPACT;
	return partial;
}

void
put_sum(GaPartialSum *record, const GaExactSum *sum, GaFullRecord *wide,
		uint32_t full_capacity, uint32_t *n_full)
{
	if (ga_partial_from_sum(record, sum))
		return;
	record->kind = GA_PARTIAL_NO_CAPACITY;
	if (*n_full < full_capacity)
	{
		ga_full_record_from_sum(wide + *n_full, sum);
		record->kind = GA_PARTIAL_FULL;
		record->limb[0] = *n_full;
	}
	(*n_full)++;
}
