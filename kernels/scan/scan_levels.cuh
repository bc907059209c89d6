/*
 * scan_levels.cuh
 *		Sums on the levels of running totals, from thread to thread.
 *
 * While all threads have their certificates, the sum of one is at most
 * 2^50 + 2^46 units of the first level and 2^50 of the others: that of a tile
 * of 512 threads is less than 2^60, and is carried then.  The sum of all up to
 * the end of a tile is less than 2^61 units of the first level on a two-level
 * scale (scan_floats.cuh), and less than 2^52 on others; so look_back() has the
 * right result, whatever wraps on the way.  Garbage may wrap: the first thread
 * without a certificate has only correct sums before it, and marks the array as
 * refused.  Integers are far from these bounds.
 */
#ifndef GA_SCAN_LEVELS_CUH
#define GA_SCAN_LEVELS_CUH

#include "scan.h"

/* A sum on levels, the largest unit first. */
template <int kCount>
struct Levels
{
	int64_t word[kCount];

	__device__ __forceinline__ void
	clear()
	{
#pragma unroll
		for (int k = 0; k < kCount; k++)
			word[k] = 0;
	}

	/* Return the sum with more levels, or without those that are not in use. */
	template <int kOther>
	__device__ __forceinline__ Levels<kOther>
	as() const
	{
		Levels<kOther> other;

#pragma unroll
		for (int k = 0; k < kOther; k++)
			other.word[k] = k < kCount ? word[k] : 0;
		return other;
	}

	__device__ __forceinline__ void
	add(const Levels &other)
	{
#pragma unroll
		for (int k = 0; k < kCount; k++)
			word[k] += other.word[k];
	}

	__device__ __forceinline__ void
	subtract(const Levels &other)
	{
#pragma unroll
		for (int k = 0; k < kCount; k++)
			word[k] -= other.word[k];
	}

	/* Carry: all levels but the first become at most 2^46 in magnitude. */
	__device__ __forceinline__ void
	normalise()
	{
#pragma unroll
		for (int k = kCount - 1; k > 0; k--)
		{
			int64_t over = (word[k] + (INT64_C(1) << (GA_SCALE_BITS - 1))) >>
						   GA_SCALE_BITS;

			word[k] -= over << GA_SCALE_BITS;
			word[k - 1] += over;
		}
	}

	/* Become the sum over the lanes up to this one; a whole warp. */
	__device__ __forceinline__ void
	scan_lanes()
	{

#pragma unroll
		for (int step = 1; step < kWarp; step *= 2)
		{
#pragma unroll
			for (int k = 0; k < kCount; k++)
			{
				int64_t below = __shfl_up_sync(kFullMask, word[k], step);

				word[k] += lane_id() >= step ? below : 0;
			}
		}
	}

	/* Become the sum over all lanes, in each of them; a whole warp. */
	__device__ __forceinline__ void
	add_lanes()
	{
#pragma unroll
		for (int k = 0; k < kCount; k++)
			word[k] = group_sum(word[k], kWarp);
	}

	/* Return the sum that the last lane has; a whole warp. */
	__device__ __forceinline__ Levels
	of_last_lane() const
	{
		Levels result;

#pragma unroll
		for (int k = 0; k < kCount; k++)
			result.word[k] = __shfl_sync(kFullMask, word[k], kWarp - 1);
		return result;
	}

	/* Return 192 bits: the sum in units of the last level, times 2^shift. */
	__device__ __forceinline__ Limbs
	limbs(int shift) const
	{
		Limbs result = {};

		for (int k = 0; k < kCount; k++)
			result.add_shifted(word[k],
							   shift + GA_SCALE_BITS * (kCount - 1 - k));
		return result;
	}
};

#endif /* GA_SCAN_LEVELS_CUH */
