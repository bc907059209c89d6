/*
 * lane_sums.cuh
 *		Exact sums of floats of any exponents: the slow path of sums.
 *
 * A superaccumulator in shared memory for each lane of a warp, so that no
 * addition needs an atomic operation.  One warp uses it at a time, with a
 * barrier of the block between two warps.  An addition changes two cells, as
 * ga_exact_sum_add() does.  The same word of all lanes lies side by side,
 * which keeps a warp's accesses free of bank conflicts whatever the cells are.
 */
#ifndef GA_LANE_SUMS_CUH
#define GA_LANE_SUMS_CUH

#include "cells.cuh"

struct LaneSums
{
	int64_t word[kSumWords - 1][kWarp]; /* all but the count of minus zeros */
	unsigned n_pending; /* additions to a lane since the last carry */
	unsigned is_used;	/* otherwise word[] is not initialized */

	/* Initialize; one thread, before a barrier of the block. */
	__device__ __forceinline__ void
	init()
	{
		is_used = 0;
	}

	/* Prepare for up to n more additions to each lane; a whole warp. */
	__device__ __forceinline__ void
	reserve(unsigned n)
	{
		const bool used = *(volatile unsigned *) &is_used;
		unsigned pending = *(volatile unsigned *) &n_pending;

		__syncwarp();
		if (!used)
		{
			for (int s = 0; s < kSumWords - 1; s++)
				word[s][lane_id()] = 0;
			pending = 0;
		}
		else if (pending + n > GA_MAX_PENDING)
		{
			carry();
			pending = 1;
		}
		if (lane_id() == 0)
		{
			*(volatile unsigned *) &is_used = 1;
			*(volatile unsigned *) &n_pending = pending + n;
		}
		__syncwarp();
	}

	/*
	 * Propagate this lane's carries: all cells but the highest become digits.
	 */
	__device__ __forceinline__ void
	carry()
	{
		const int lane = lane_id();
		int64_t over = 0;

		for (int c = 0; c < GA_MAX_CELLS - 1; c++)
		{
			over += word[c][lane];
			word[c][lane] = over & 0xffffffff;
			over >>= GA_CELL_BITS;
		}
		word[GA_MAX_CELLS - 1][lane] += over;
	}

	/* Add x to this lane's sum. */
	__device__ __forceinline__ void
	add(double x)
	{
		const int lane = lane_id();
		uint64_t bits = __double_as_longlong(x);
		unsigned biased = unsigned(bits >> 52) & 0x7ff;
		uint64_t m = bits & GA_FLOAT8_FRACTION;
		int64_t sign = int64_t(bits) >> 63;
		unsigned place = biased ? biased - 1 : 0;
		unsigned shift = place % GA_CELL_BITS;
		int64_t *at = &word[place / GA_CELL_BITS][lane];

		if (biased == 0x7ff)
		{
			word[m ? kWordNan : sign ? kWordNegInf : kWordPosInf][lane]++;
			return;
		}
		m |= biased ? GA_FLOAT8_HIDDEN : 0;
		at[0] += (int64_t((m << shift) & 0xffffffff) ^ sign) - sign;
		at[kWarp] += (int64_t(m >> (GA_CELL_BITS - shift)) ^ sign) - sign;
	}

	/*
	 * Add all lanes to a sum that is distributed over the warp, and become
	 * unused; a whole warp, the only one that uses it.
	 */
	__device__ __forceinline__ void
	move_to(WarpSum &sum)
	{
		const int lane = lane_id();

		if (!is_used)
			return;
		carry();
		__syncwarp();
#pragma unroll
		for (int g = 0; g < kWordsPerLane; g++)
		{
			int s = lane + g * kWarp;

			/* lanes begin at different banks */
			if (s < kSumWords - 1)
			{
				for (int i = 0; i < kWarp; i++)
					sum.word[g] += word[s][(lane + i) % kWarp];
			}
		}
		__syncwarp();
		if (lane == 0)
			is_used = 0;
		__syncwarp();
	}
};

#endif /* GA_LANE_SUMS_CUH */
