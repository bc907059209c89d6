/*
 * decimal_limbs.cuh
 *		The exact sum of decimals, from two integers (sum/decimal_sum.cuh).
 */
#ifndef GA_DECIMAL_LIMBS_CUH
#define GA_DECIMAL_LIMBS_CUH

#include "cells.cuh"
#include "vector.cuh"

/*
 * Return h * integers - u * differences of decimals of a number of places, as
 * limbs of which the first has the weight of cell *cell.
 */
static __device__ __forceinline__ Limbs
decimal_limbs(int64_t integers, int64_t differences, unsigned places, int *cell)
{
	const Mantissa high(kPackedScales[places].high);
	const __int128 total = (__int128) int64_t(high.m) * integers - differences;
	Limbs limbs = {
		{uint64_t(total), uint64_t(total >> 64), uint64_t(total >> 127)}};

	limbs.shift_up(int(high.place % GA_CELL_BITS));
	*cell = int(high.place / GA_CELL_BITS);
	return limbs;
}

#endif /* GA_DECIMAL_LIMBS_CUH */
