/*
 * scan_levels.cuh
 *		Sums on the levels of running totals, from thread to thread.
 *
 * Where all threads have their certificates, one has at most 2^50 + 2^46 units
 * of the first level and 2^50 of the others: a tile of 512 threads has less
 * than 2^60, and is carried then.  All up to the end of a tile has less than
 * 2^61 of the first level, on a wide grid (scan_floats.cuh), and less than 2^52 on
 * others; so look_back() gets it right, whatever wraps on the way.  What becomes
 * of garbage may wrap: the first thread without a certificate has nothing but good
 * sums before it, and sees to it that nobody takes the totals.  Integers are far
 * from these bounds.
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

	/* The same with more levels, or without those that are not in use. */
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

	/* Carry, so that all but the first are at most 2^46 in magnitude. */
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

	/* The sum over the lanes up to this one, in groups of n lanes. */
	__device__ __forceinline__ void
	scan(int n)
	{
		int lane = lane_id() % n;

#pragma unroll
		for (int step = 1; step < n; step *= 2)
		{
#pragma unroll
			for (int k = 0; k < kCount; k++)
			{
				int64_t below = __shfl_up_sync(kFullMask, word[k], step, n);

				word[k] += lane >= step ? below : 0;
			}
		}
	}

	/* The sum over a warp's lanes, in all of them. */
	__device__ __forceinline__ void
	add_lanes()
	{
#pragma unroll
		for (int k = 0; k < kCount; k++)
			word[k] = group_sum(word[k], kWarp);
	}

	/* What the last lane of the group has. */
	__device__ __forceinline__ Levels
	last_of(int n) const
	{
		Levels result;

#pragma unroll
		for (int k = 0; k < kCount; k++)
			result.word[k] = __shfl_sync(kFullMask, word[k], n - 1, n);
		return result;
	}

	/* As a number of 192 bits, in units of 2^shift of the last level. */
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
