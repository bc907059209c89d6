/*
 * chunk.cuh
 *		A chunk of a long array: each warp's pieces, and where its sum goes.
 */
#ifndef GA_SHARE_CUH
#define GA_SHARE_CUH

#include "find_array.cuh"
#include "sum.h"

/* Elements of a piece: what a warp adds at once. */
template <typename T>
constexpr int kWarpTileItems = kWarp *kItemsPerThread<T>;

/*
 * The whole pieces of a warp, those that lie in the array with all their items:
 * every so many elements there is one, as long as it begins before an end.
 */
template <typename T>
struct WholeTiles
{
	const T *base;
	int step;
	int end;

	/* This lane's items of the piece at a position. */
	__device__ __forceinline__ void
	load(int at, Items<T> &items) const
	{
#pragma unroll
		for (int k = 0; k < kVectorsPerThread<T>; k++)
			items.vector[k] = load_vector(
				base + at + (k * kWarp + lane_id()) * Vector<T>::kSize);
	}
};

/*
 * All pieces of a warp.  The warps of all of an array's chunks have numbers,
 * and take whole pieces in turn.  What is left at the array's two ends are
 * edges, one for its first warp and one for its last.
 */
template <typename T>
struct WarpTiles
{
	VectorSpan<T> run;
	WholeTiles<T> whole;
	int first; /* of those */
	int edge;  /* < 0 is none */

	__device__ __forceinline__
	WarpTiles(const LongArray &array, uint32_t share)
		: run(array.data, array.n)
	{
		constexpr int kTile = kWarpTileItems<T>; /* a power of 2 */
		const int n_warps = int(array.n_shares) * kSumWarps;
		const int number = int(share) * kSumWarps + int(threadIdx.x / kWarp);

		whole.base = run.base;
		whole.step = n_warps * kTile;
		whole.end = run.end & -kTile;
		first = number * kTile;
		edge = -1;
		if (number == n_warps - 1 && whole.end < run.end)
			edge = whole.end;
		if (number == 0 && run.first > 0)
		{
			edge = 0;
			first = whole.step;
		}
	}

	/* The warp's pieces have numbers: whole ones from 0 on, the edge the last. */
	__device__ __forceinline__ int
	number(int at) const
	{
		return at == edge ? kMaxWarpTiles : (at - first) / whole.step;
	}

	__device__ __forceinline__ int
	position(int number) const
	{
		return number == kMaxWarpTiles ? edge : first + number * whole.step;
	}

	/* This lane's items of any piece; what is not in the array is zero. */
	__device__ __forceinline__ void
	load(int at, Items<T> &items) const
	{
		items.load(run, at, lane_id(), kWarp);
	}
};

/*
 * A chunk's array.  One that is alone is read where it came with the launch: a
 * pointer to that would lead through memory.
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

	return WarpTiles<T>(array, share - array.first_share);
}

/* Chunks that added to a slot of a row, and all that they added. */
static __device__ __forceinline__ uint32_t
shares_counted(unsigned long long total)
{
	return uint32_t((total + (kOneShare >> 1)) / kOneShare);
}

static __device__ __forceinline__ unsigned long long
load_relaxed(const unsigned long long *slot)
{
	unsigned long long total;

	asm volatile("ld.relaxed.gpu.u64 %0, [%1];"
				 : "=l"(total)
				 : "l"(slot)
				 : "memory");
	return total;
}

/*
 * Add a chunk's sum to its array's; the last one has the result.  A whole warp.
 *
 * Each slot of the array's row counts the chunks that came to it, so that
 * nobody has to wait until what was added before is there for all to see.
 * Who is the last at the first slot has, from the additions themselves, the
 * totals of all slots at which no other chunk came later; such a chunk has
 * added to the first slot, and will add to the others whatever happens.
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
		const unsigned long long more = sum.value[g] + kOneShare;

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
		sum.value[g] = int64_t(total[g] - n * kOneShare);
		if (lane + g * kWarp < kSumWords)
		{
			params.accumulators[from + g * kWarp] =
				0; /* for the next request */
			if (params.long_sums != nullptr)
				params.long_sums[from + g * kWarp] = sum.value[g];
		}
	}
	if (params.long_sums == nullptr)
		store_result<kIsInt>(params.out, array.result, sum);
}

#endif /* GA_SHARE_CUH */
