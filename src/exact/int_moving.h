/*
 * int_moving.h
 *		Moving sums of integers.
 *
 * Each output is the total of a window: element i enters, leaving[i] leaves,
 * and the total is kept from call to call.  Nothing leaves if `leaving` is
 * NULL.  Elements may be unaligned.  A window of smallint or integer has fewer
 * than 2^32 elements, so that its total has 64 bits; one of bigint has 128.
 *
 * Called by backends.  These functions keep no state of their own and must not
 * allocate.
 */
#ifndef GA_INT_MOVING_H
#define GA_INT_MOVING_H

#include "int_sum.h"

extern void ga_int_moving_int2(int64_t *total, const void *entering,
							   const void *leaving, size_t n, int64_t *out);
extern void ga_int_moving_int4(int64_t *total, const void *entering,
							   const void *leaving, size_t n, int64_t *out);
extern void ga_int_moving_int8(GaInt128 *total, const void *entering,
							   const void *leaving, size_t n, GaInt128 *out);

#endif /* GA_INT_MOVING_H */
