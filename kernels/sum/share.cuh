/*
 * share.cuh
 *		A block's share of a long array: finding it, and merging its sum.
 *
 * Used by sum_long() and sum_packed().
 */
#ifndef GA_SHARE_CUH
#define GA_SHARE_CUH

#include "find_array.cuh"
#include "sum.h"
#include "warp_tiles.cuh"

/*
 * Return the array of a share.  A single array is read from the kernel's
 * parameters: a pointer to it would force them into local memory.
 */
template <bool kIsSingle>
static __device__ __forceinline__ LongArray
array_of_share(const LongParams<kIsSingle> &params, uint32_t share)
{
	if constexpr (kIsSingle)
		return params.inline_arrays[0];

	const LongArray *arrays =
		params.arrays ? params.arrays : params.inline_arrays;

	return arrays[find_array(params.n_arrays, share,
							 [arrays](uint32_t i)
							 { return arrays[i].first_share; })];
}

template <typename T, bool kIsSingle>
static __device__ __forceinline__ WarpTiles<T>
tiles_of_share(const LongParams<kIsSingle> &params, uint32_t share)
{
	const LongArray array = array_of_share<kIsSingle>(params, share);

	return WarpTiles<T>(array.data, array.n, array.n_shares,
						share - array.first_share);
}

/* Return the number of shares that an accumulator's word has counted. */
static __device__ __forceinline__ uint32_t
shares_counted(unsigned long long total)
{
	return uint32_t((total + (kOneShare >> 1)) / kOneShare);
}

/*
 * Add a share's sum to the accumulator of its array; the warp that adds the
 * last share stores the result.  A whole warp.
 *
 * Each word of the accumulator counts its shares, so that no memory fence is
 * needed.  The warp that is the last at the first word has, from its additions,
 * the totals of all words to which no other warp added later.  It waits for the
 * other words: their warps have added to the first word already, and add to the
 * others without waiting for anything.
 */
template <bool kIsInt>
static __device__ __forceinline__ void
merge_share(const SumParamsBase &params, const LongArray &array, WarpSum sum)
{
	constexpr int kGroups = kIsInt ? 1 : kWordsPerLane;
	const uint32_t n = array.n_shares;
	const int lane = reload_lane_id();
	const uint64_t from =
		uint64_t(array.accumulator) * kAccumulatorStride + lane;
	unsigned long long total[kGroups];

#pragma unroll
	for (int g = 0; g < kGroups; g++)
	{
		const unsigned long long more = sum.word[g] + kOneShare;

		total[g] = n * kOneShare;
		if (lane + g * kWarp < kSumWords)
			total[g] =
				atomicAdd(params.accumulators + from + g * kWarp, more) + more;
	}
	if (__shfl_sync(kFullMask, shares_counted(total[0]), 0) != n)
		return;

#pragma unroll
	for (int g = 0; g < kGroups; g++)
	{
		while (shares_counted(total[g]) != n)
			total[g] = load_relaxed(params.accumulators + from + g * kWarp);
		sum.word[g] = int64_t(total[g] - n * kOneShare);
		if (lane + g * kWarp < kSumWords)
		{
			params.accumulators[from + g * kWarp] =
				0; /* for the next request */
			if (params.long_sums != nullptr)
				params.long_sums[from + g * kWarp] = sum.word[g];
		}
	}
	if (params.long_sums == nullptr)
		store_result<kIsInt>(params.out, array.result, sum);
}

#endif /* GA_SHARE_CUH */
