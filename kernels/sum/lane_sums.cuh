/*
 * lane_sums.cuh
 *		Exact sums of floats of any exponents: the slow path of sums.
 *
 * A superaccumulator in shared memory for each lane of a warp, so that no
 * addition needs an atomic operation.  One warp has it at a time; between two
 * that have it there is a barrier.  An addition touches two cells, as
 * ga_exact_sum_add() does; 64-bit words of the same cell lie side by side,
 * which keeps a warp's accesses free of bank conflicts whatever cells they are.
 */
#ifndef GA_LANE_SUMS_CUH
#define GA_LANE_SUMS_CUH

#include "cells.cuh"

struct LaneSums
{
	int64_t slot[kSumWords - 1][kWarp]; /* all but minus zeros */
	unsigned n_pending; /* additions to a lane since the last carry */
	unsigned is_used;	/* otherwise slot[] is garbage */

	/* One thread, before the block's first barrier. */
	__device__ __forceinline__ void
	init()
	{
		is_used = 0;
	}

	/* For n more additions to each lane at most; a whole warp. */
	__device__ __forceinline__ void
	reserve(unsigned n)
	{
		const bool used = *(volatile unsigned *) &is_used;
		unsigned pending = *(volatile unsigned *) &n_pending;

		__syncwarp();
		if (!used)
		{
			for (int s = 0; s < kSumWords - 1; s++)
				slot[s][lane_id()] = 0;
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

	/* Make each cell of this lane but the highest a digit. */
	__device__ __forceinline__ void
	carry()
	{
		const int lane = lane_id();
		int64_t over = 0;

		for (int c = 0; c < GA_MAX_CELLS - 1; c++)
		{
			over += slot[c][lane];
			slot[c][lane] = over & 0xffffffff;
			over >>= GA_CELL_BITS;
		}
		slot[GA_MAX_CELLS - 1][lane] += over;
	}

	/* Add x to this lane. */
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
		int64_t *at = &slot[place / GA_CELL_BITS][lane];

		if (biased == 0x7ff)
		{
			slot[m ? kWordNan : sign ? kWordNegInf : kWordPosInf][lane]++;
			return;
		}
		m |= biased ? GA_FLOAT8_HIDDEN : 0;
		at[0] += (int64_t((m << shift) & 0xffffffff) ^ sign) - sign;
		at[kWarp] += (int64_t(m >> (GA_CELL_BITS - shift)) ^ sign) - sign;
	}

	/*
	 * Move all that is in it to a warp's sum, and leave it unused; a whole
	 * warp, the only one that has it now.
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

			/* each lane begins elsewhere, which spreads the banks */
			if (s < kSumWords - 1)
			{
				for (int i = 0; i < kWarp; i++)
					sum.value[g] += slot[s][(lane + i) % kWarp];
			}
		}
		__syncwarp();
		if (lane == 0)
			is_used = 0;
		__syncwarp();
	}
};

#endif /* GA_LANE_SUMS_CUH */
