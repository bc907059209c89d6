/*
 * row.h
 *		A row of kSlots integers, on the host: the sum that they are.
 */
#ifndef GA_ROW_H
#define GA_ROW_H

#include "cells.cuh"
extern "C"
{
#include "exact/partial_sum.h"
}

/* The sum of n floats, in the room. */
extern GaExactSum *sum_of_row(GaFullSum *room, const int64_t *row, int64_t n);

/* The other way. */
extern void put_row(const GaExactSum *sum, int64_t *row);

/* Add x units of 2^place over the cells' lowest. */
extern void add_to_row(int64_t *row, int64_t x, int place);

/* The sum of integers, of which only the first kDigits slots are looked at. */
extern GaPartialSum int_of_row(const int64_t *row);

/*
 * The record of a sum, and a wide one if it needs that: n_full counts them, and
 * there is room for so many.
 */
extern void put_sum(GaPartialSum *record, const GaExactSum *sum,
					GaFullRecord *wide, uint32_t full_capacity,
					uint32_t *n_full);

#endif /* GA_ROW_H */
