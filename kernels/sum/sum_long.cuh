/*
 * sum_long.cuh
 *		Sums of long arrays: each block sums shares.
 *
 * Each warp has a tile loader of its own.  Floats take the fast path first,
 * with an anchor and levels for each warp, which are added to the block's
 * cells. Tiles that the fast path refuses are marked, and their items are
 * added one by one after all other tiles of the share: then a few warps at a
 * time use the block's superaccumulators.
 *
 * Grid: blocks of kSumThreads, as many as fill the device or as there are
 * shares.  Shared memory: IntShared or FloatShared.  The result of an array is
 * stored by warp 0 of the block that adds its last share.
 */
#ifndef GA_SUM_LONG_CUH
#define GA_SUM_LONG_CUH

#include "sum_floats.cuh"

/* The shared memory of a block, for integers. */
template <typename T>
struct IntShared
{
	RingBarriers<T> barriers;
	ThreadSum<T> part[kSumWarps]; /* the sum of each warp */
	RingShared ring;			  /* last: some devices have no memory for it */
};

template <typename T>
using BlockShared =
	typename std::conditional<ThreadSum<T>::kIsInt, IntShared<T>,
							  FloatShared<T>>::type;

/* Sum the edge of this warp. */
template <typename T, bool kIsSingle>
static __device__ __noinline__ ThreadSum<T>
sum_edge(const LongParams<kIsSingle> &params, uint32_t share)
{
	const WarpTiles<T> tiles = tiles_of_share<T, kIsSingle>(params, share);
	ThreadSum<T> sum;
	Items<T> items;

	sum.clear();
	tiles.load(tiles.edge, items);
#pragma unroll
	for (int k = 0; k < kVectorsPerThread<T>; k++)
		sum.add(items.vector[k]);
	return sum;
}

/* Sum a warp's tiles of integers, to its part in shared memory. */
template <bool kIsSingle, typename T>
static __device__ __forceinline__ void
sum_share(IntShared<T> &shared, const LongParams<kIsSingle> &params,
		  uint32_t share, TileLoader<T> &loader, const WarpTiles<T> &tiles)
{
	const WholeTiles<T> whole = tiles.whole;
	ThreadSum<T> sum;

	sum.clear();
	if (tiles.edge >= 0)
		sum = sum_edge<T, kIsSingle>(params, share);
	loader.resume(whole, tiles.first);
	for (int at = tiles.first; at < whole.end; at += whole.step)
	{
		Items<T> items;

		loader.take(whole, at, items);
#pragma unroll
		for (int k = 0; k < kVectorsPerThread<T>; k++)
			sum.add(items.vector[k]);
	}
	sum.add_group(kWarp);
	if (lane_id() == 0)
		shared.part[threadIdx.x / kWarp] = sum;
}

/* Return the sum of a share of integers; a whole warp. */
template <typename T>
static __device__ __forceinline__ WarpSum
collect_sum(IntShared<T> &shared)
{
	ThreadSum<T> part = shared.part[lane_id() % kSumWarps];
	WarpSum sum;

	part.add_group(kSumWarps);
	sum.clear();
	sum.add(part.limbs(), part.first_cell(), 0);
	return sum;
}

/* Return the sum of a share of floats, and zero its cells; a whole warp. */
template <typename T>
static __device__ __forceinline__ WarpSum
collect_sum(FloatShared<T> &shared)
{
	const int lane = reload_lane_id();
	WarpSum sum;

#pragma unroll
	for (int g = 0; g < kWordsPerLane; g++)
	{
		const int i = lane + g * kWarp;

		sum.word[g] = i < kSumWords ? int64_t(shared.cells[i]) : 0;
		if (i < kSumWords)
			shared.cells[i] = 0;
	}
	return sum;
}

/*
 * Store the sum of a share as its array's result, or merge it with the other
 * shares; a whole warp.  Every word must be below kMaxShareWord.
 */
template <bool kIsInt>
static __device__ __forceinline__ void
store_or_merge(const SumParamsBase &params, const LongArray &array,
			   const WarpSum &sum)
{
	if (array.n_shares == 1)
		store_result<kIsInt>(params.out, array.result, sum);
	else
		merge_share<kIsInt>(params, array, sum);
}

/* Finish a share of integers, after a barrier behind sum_share(). */
template <bool kIsSingle, typename T>
static __device__ __forceinline__ void
finish_share(IntShared<T> &shared, const LongParams<kIsSingle> &params,
			 uint32_t share)
{
	if (threadIdx.x < kWarp)
		store_or_merge<true>(params, array_of_share<kIsSingle>(params, share),
							 collect_sum(shared));
}

/*
 * Finish a share of floats with refused tiles: as many warps at a time as there
 * are LaneSums add theirs.  The whole block.
 */
template <bool kIsSingle, typename T>
static __device__ __noinline__ void
finish_refused(FloatShared<T> &shared, const LongParams<kIsSingle> &params,
			   uint32_t share)
{
	const WarpTiles<T> tiles = tiles_of_share<T, kIsSingle>(params, share);
	const int warp = threadIdx.x / kWarp;
	const int n_lane_sums = int(params.n_lane_sums);

	if (int(threadIdx.x) < n_lane_sums)
		shared.lanes[threadIdx.x].init();
	__syncthreads();
	for (int first = 0; first < kSumWarps; first += n_lane_sums)
	{
		if (warp >= first && warp < first + n_lane_sums)
			add_refused(shared, shared.lanes[warp - first], tiles);
		__syncthreads();
	}
	if (warp == 0)
	{
		WarpSum sum = collect_sum(shared);

		for (int i = 0; i < n_lane_sums; i++)
			shared.lanes[i].move_to(sum);
		__syncwarp();
		if (lane_id() == 0)
			shared.any_refused = 0;
		sum.propagate_carries();
		store_or_merge<false>(params, array_of_share<kIsSingle>(params, share),
							  sum);
	}
	TileLoader<T>::fence_reuse();
}

/* Finish a share of floats, after a barrier behind sum_share(). */
template <bool kIsSingle, typename T>
static __device__ __forceinline__ void
finish_share(FloatShared<T> &shared, const LongParams<kIsSingle> &params,
			 uint32_t share)
{
	if (shared.any_refused)
		finish_refused<kIsSingle>(shared, params, share);
	else if (threadIdx.x < kWarp)
		store_or_merge<false>(params, array_of_share<kIsSingle>(params, share),
							  collect_sum(shared));
}

/* Initialize the block's shared memory, while the first tiles are loaded. */
template <typename T>
static __device__ __forceinline__ void
init_shared(IntShared<T> &)
{
}

template <typename T>
static __device__ __forceinline__ void
init_shared(FloatShared<T> &shared)
{
	unsigned *refused = shared.refused[0];

	static_assert(sizeof(shared.refused) <= 4 * kSumThreads,
				  "each thread clears a word");
	if (threadIdx.x < kSumWords)
		shared.cells[threadIdx.x] = 0;
	if (threadIdx.x < sizeof(shared.refused) / 4)
		refused[threadIdx.x] = 0;
	if (threadIdx.x == 0)
		shared.any_refused = 0;
	__syncthreads();
}

/* Sum a share; returns the loader's position.  The whole block. */
template <bool kIsSingle, typename T>
static __device__ __forceinline__ unsigned
process_share(BlockShared<T> &shared, const LongParams<kIsSingle> &params,
			  uint32_t share, unsigned position)
{
	const WarpTiles<T> tiles = tiles_of_share<T, kIsSingle>(params, share);
	TileLoader<T> loader(shared.ring, shared.barriers, position);

	loader.start(tiles.whole, tiles.first);
	if (share == blockIdx.x)
		init_shared(shared);
	sum_share<kIsSingle>(shared, params, share, loader, tiles);
	__syncthreads();
	finish_share<kIsSingle>(shared, params, share);
	return loader.position();
}

/*
 * Sum long arrays; see the head of this file.  kIsSingle: there is one array
 * and a block for each of its shares, which saves registers and the fetching
 * of instructions.
 */
template <typename T, bool kIsSingle>
static __global__ void
__launch_bounds__(kSumThreads, kSumBlocks)
	sum_long(const __grid_constant__ LongParams<kIsSingle> params)
{
	extern __shared__ __align__(128) unsigned char memory[];
	BlockShared<T> &shared = *reinterpret_cast<BlockShared<T> *>(memory);
	unsigned position = 0;

	TileLoader<T>::init(shared.barriers);
	if constexpr (kIsSingle)
		process_share<true, T>(shared, params, blockIdx.x, position);
	else
	{
		for (uint32_t share = blockIdx.x; share < params.n_shares;
			 share += gridDim.x)
		{
			position = process_share<false, T>(shared, params, share, position);
			__syncthreads();
		}
	}
}

#endif /* GA_SUM_LONG_CUH */
