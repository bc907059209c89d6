/*
 * sum_long.cuh
 *		Sums of long arrays: blocks take chunks.
 *
 * Floats go the fast way first, each warp for itself: with a feed, an anchor
 * and levels of its own, which end in the block's cells.  What the fast way
 * refuses is put down, tile by tile, and added one by one when all else of the
 * chunk is done: then a few warps at a time have the block's superaccumulators
 * for themselves.
 *
 * Grid: blocks of kSumThreads, as many as fill the device or as there are
 * chunks.  Shared memory: IntShared or FloatShared.
 */
#ifndef GA_SUM_LONG_CUH
#define GA_SUM_LONG_CUH

#include "find_array.cuh"
#include "sum_floats.cuh"

/* The block's shared memory, for integers. */
template <typename T>
struct IntShared
{
	ThreadSum<T> part[kSumWarps];	/* what each warp has */
};

template <typename T>
using BlockShared = typename std::conditional<
	ThreadSum<T>::kIsInt, IntShared<T>, FloatShared<T>>::type;

/* Sum a chunk's tiles of integers; what a warp has goes to shared memory. */
template <typename T>
static __device__ __forceinline__ void
sum_chunk_ints(IntShared<T> &shared, const ChunkTiles<T> &tiles)
{
	const Run<T> &run = tiles.run;
	const int	thread = threadIdx.x;
	ThreadSum<T> sum;
	Items<T>	next;

	sum.clear();
	if (tiles.first >= 0)
		next.load(run, tiles.first, thread, kSumThreads);
	for (int at = tiles.first; at >= 0; at = tiles.next(at))
	{
		Items<T>	items = next;

		if (tiles.next(at) >= 0)
			next.load(run, tiles.next(at), thread, kSumThreads);
#pragma unroll
		for (int k = 0; k < kVectors<T>; k++)
			sum.add(items.vector[k]);
	}
	sum.add_group(kWarp);
	if (lane_id() == 0)
		shared.part[thread / kWarp] = sum;
}

/* A chunk's array. */
static __device__ __forceinline__ LongArray
array_of(const SumJob<LongArray> &job, uint32_t chunk)
{
	const LongArray *arrays = job.arrays ? job.arrays : job.few;

	return arrays[find_array(
		job.n_arrays, chunk,
		[arrays] (uint32_t i) { return arrays[i].first_chunk; })];
}

template <typename T>
static __device__ __forceinline__ ChunkTiles<T>
tiles_of(const SumJob<LongArray> &job, uint32_t chunk)
{
	const LongArray array = array_of(job, chunk);

	return ChunkTiles<T>(array, chunk - array.first_chunk);
}

/*
 * Add what the fast way refused; the whole block, which has passed a barrier
 * and will pass one.  So many warps as there are superaccumulators work at a
 * time.
 */
template <typename T>
static __device__ __noinline__ void
add_all_refused(FloatShared<T> &shared, const SumJob<LongArray> &job,
				uint32_t chunk)
{
	const ChunkTiles<T> tiles = tiles_of<T>(job, chunk);
	const int	warp = threadIdx.x / kWarp;
	const int	n_lanes = int(job.n_lanes);

	if (int(threadIdx.x) < n_lanes)
		shared.lanes[threadIdx.x].init();
	__syncthreads();
	for (int first = 0; first < kSumWarps; first += n_lanes)
	{
		if (warp >= first && warp < first + n_lanes)
			add_refused(shared, shared.lanes[warp - first], tiles);
		__syncthreads();
	}
}

/* A chunk of integers is summed: on to its array; the block's first warp. */
template <typename T>
static __device__ __forceinline__ void
finish_chunk(IntShared<T> &shared, const SumJob<LongArray> &job,
			 const LongArray &array, uint32_t chunk)
{
	ThreadSum<T> part = shared.part[lane_id() % kSumWarps];
	Limbs		limbs;
	WarpSum		sum;

	part.add_group(kSumWarps);
	limbs = part.limbs();
	if (array.n_chunks == 1)
	{
		if (lane_id() == 0)
			put_narrow(job.out.results + array.result, limbs,
					   part.first_cell(), 0);
		return;
	}
	sum.clear();
	sum.add(limbs, part.first_cell(), 0);
	merge_chunk<true>(job, array, chunk, sum);
}

/* The same of floats; what it reads is zero again. */
template <typename T>
static __device__ __forceinline__ void
finish_chunk(FloatShared<T> &shared, const SumJob<LongArray> &job,
			 uint32_t chunk)
{
	const LongArray array = array_of(job, chunk);
	WarpSum		sum;

#pragma unroll
	for (int g = 0; g < kSlotsPerLane; g++)
	{
		const int	slot = lane_id() + g * kWarp;

		sum.value[g] = slot < kSlots ? int64_t(shared.cells[slot]) : 0;
		if (slot < kSlots)
			shared.cells[slot] = 0;
	}
	if (shared.any_refused)
	{
		for (int i = 0; i < job.n_lanes; i++)
			shared.lanes[i].move_to(sum);
		__syncwarp();
		if (lane_id() == 0)
			shared.any_refused = 0;
	}
	if (array.n_chunks == 1)
		put_result<false>(job.out, array.result, sum);
	else
		merge_chunk<false>(job, array, chunk - array.first_chunk, sum);
}

/* The chunks of a block. */
template <typename T>
static __device__ __forceinline__ void
sum_chunks(IntShared<T> &shared, const SumJob<LongArray> &job)
{
	for (uint32_t chunk = blockIdx.x; chunk < job.n_chunks; chunk += gridDim.x)
	{
		const LongArray array = array_of(job, chunk);
		const uint32_t own = chunk - array.first_chunk;

		sum_chunk_ints(shared, ChunkTiles<T>(array, own));
		__syncthreads();
		if (threadIdx.x < kWarp)
			finish_chunk(shared, job, array, own);
		__syncthreads();
	}
}

template <typename T>
static __device__ __forceinline__ void
sum_chunks(FloatShared<T> &shared, const SumJob<LongArray> &job)
{
	Feed<T>		feed(shared.ring, shared.barriers);

	for (uint32_t chunk = blockIdx.x; chunk < job.n_chunks; chunk += gridDim.x)
	{
		const ChunkTiles<T> tiles = tiles_of<T>(job, chunk);
		bool		any_refused;

		feed.start(tiles, tiles.first);
		if (chunk == blockIdx.x)
		{
			/* while the first tiles come */
			static_assert(sizeof(shared.refused) <= 4 * kSumThreads,
						  "each thread clears a word");
			if (threadIdx.x < kSlots)
				shared.cells[threadIdx.x] = 0;
			if (threadIdx.x < sizeof(shared.refused) / 4)
				shared.refused[0][threadIdx.x] = 0;
			if (threadIdx.x == 0)
				shared.any_refused = 0;
			__syncthreads();
		}
		sum_chunk_floats(shared, feed, tiles);
		__syncthreads();
		any_refused = shared.any_refused;
		if (any_refused)
			add_all_refused(shared, job, chunk);
		if (threadIdx.x < kWarp)
			finish_chunk(shared, job, chunk);
		if (any_refused)
			feed.give_back();
		__syncthreads();
	}
}

/*
 * Long arrays: a block sums a chunk.  Shared memory: IntShared or FloatShared.
 */
template <typename T>
static __global__ void __launch_bounds__(kSumThreads, 2)
sum_long(const __grid_constant__ SumJob<LongArray> job)
{
	extern __shared__ __align__(128) unsigned char room[];

	sum_chunks(*reinterpret_cast<BlockShared<T> *>(room), job);
}

#endif							/* GA_SUM_LONG_CUH */
