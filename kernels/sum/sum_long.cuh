/*
 * sum_long.cuh
 *		Sums of long arrays: blocks take chunks.
 *
 * Each warp has a feed of its own.  Floats go the fast way first, with an
 * anchor and levels of the warp's own, which end in the block's cells.  What
 * the fast way refuses is put down, piece by piece, and added one by one when
 * all else of the chunk is done: then a few warps at a time have the block's
 * superaccumulators for themselves.
 *
 * Grid: blocks of kSumThreads, as many as fill the device or as there are
 * chunks.  Shared memory: IntShared or FloatShared.
 */
#ifndef GA_SUM_LONG_CUH
#define GA_SUM_LONG_CUH

#include "sum_floats.cuh"

/* The block's shared memory, for integers. */
template <typename T>
struct IntShared
{
	RingBarriers<T> barriers;
	ThreadSum<T> part[kSumWarps]; /* what each warp has */
	RingShared ring; /* last, for devices that have no room for it */
};

template <typename T>
using BlockShared =
	typename std::conditional<ThreadSum<T>::kIsInt, IntShared<T>,
							  FloatShared<T>>::type;

/* The sum of a warp's edge. */
template <typename T, bool kAlone>
static __device__ __noinline__ ThreadSum<T>
sum_edge(const LongJob<kAlone> &job, uint32_t chunk)
{
	const WarpPieces<T> pieces = pieces_of<T, kAlone>(job, chunk);
	ThreadSum<T> sum;
	Items<T> items;

	sum.clear();
	pieces.load(pieces.edge, items);
#pragma unroll
	for (int k = 0; k < kVectors<T>; k++)
		sum.add(items.vector[k]);
	return sum;
}

/* Sum a chunk's pieces of integers; what a warp has goes to shared memory. */
template <bool kAlone, typename T>
static __device__ __forceinline__ void
sum_chunk(IntShared<T> &shared, const LongJob<kAlone> &job, uint32_t chunk,
		  Feed<T> &feed, const WarpPieces<T> &pieces)
{
	const WholePieces<T> whole = pieces.whole;
	ThreadSum<T> sum;

	sum.clear();
	if (pieces.edge >= 0)
		sum = sum_edge<T, kAlone>(job, chunk);
	feed.resume(whole, pieces.first);
	for (int at = pieces.first; at < whole.end; at += whole.step)
	{
		Items<T> items;

		feed.take(whole, at, items);
#pragma unroll
		for (int k = 0; k < kVectors<T>; k++)
			sum.add(items.vector[k]);
	}
	sum.add_group(kWarp);
	if (lane_id() == 0)
		shared.part[threadIdx.x / kWarp] = sum;
}

/* The sum of a chunk of integers. */
template <typename T>
static __device__ __forceinline__ WarpSum
take_sum(IntShared<T> &shared)
{
	ThreadSum<T> part = shared.part[lane_id() % kSumWarps];
	WarpSum sum;

	part.add_group(kSumWarps);
	sum.clear();
	sum.add(part.limbs(), part.first_cell(), 0);
	return sum;
}

/* The sum of a chunk of floats; what it reads is zero again. */
template <typename T>
static __device__ __forceinline__ WarpSum
take_sum(FloatShared<T> &shared)
{
	const int lane = lane_id_anew();
	WarpSum sum;

#pragma unroll
	for (int g = 0; g < kSlotsPerLane; g++)
	{
		const int slot = lane + g * kWarp;

		sum.value[g] = slot < kSlots ? int64_t(shared.cells[slot]) : 0;
		if (slot < kSlots)
			shared.cells[slot] = 0;
	}
	return sum;
}

/*
 * A chunk is summed: on to its array, which may be all of it; a whole warp.  No
 * slot is as large as kMostOfChunk.
 */
template <bool kIsInt>
static __device__ __forceinline__ void
put_sum(const SumTask &job, const LongArray &array, const WarpSum &sum)
{
	if (array.n_chunks == 1)
		put_result<kIsInt>(job.out, array.result, sum);
	else
		merge_chunk<kIsInt>(job, array, sum);
}

/*
 * What a block does when all warps have summed their pieces, and have met at a
 * barrier.
 */
template <bool kAlone, typename T>
static __device__ __forceinline__ void
end_chunk(IntShared<T> &shared, const LongJob<kAlone> &job, uint32_t chunk)
{
	if (threadIdx.x < kWarp)
		put_sum<true>(job, array_of<kAlone>(job, chunk), take_sum(shared));
}

/*
 * The same if the fast way refused pieces of floats.  So many warps as there
 * are superaccumulators add theirs at a time.
 */
template <bool kAlone, typename T>
static __device__ __noinline__ void
end_refused(FloatShared<T> &shared, const LongJob<kAlone> &job, uint32_t chunk)
{
	const WarpPieces<T> pieces = pieces_of<T, kAlone>(job, chunk);
	const int warp = threadIdx.x / kWarp;
	const int n_lanes = int(job.n_lanes);

	if (int(threadIdx.x) < n_lanes)
		shared.lanes[threadIdx.x].init();
	__syncthreads();
	for (int first = 0; first < kSumWarps; first += n_lanes)
	{
		if (warp >= first && warp < first + n_lanes)
			add_refused(shared, shared.lanes[warp - first], pieces);
		__syncthreads();
	}
	if (warp == 0)
	{
		WarpSum sum = take_sum(shared);

		for (int i = 0; i < n_lanes; i++)
			shared.lanes[i].move_to(sum);
		__syncwarp();
		if (lane_id() == 0)
			shared.any_refused = 0;
		sum.carry_some();
		put_sum<false>(job, array_of<kAlone>(job, chunk), sum);
	}
	Feed<T>::give_back();
}

template <bool kAlone, typename T>
static __device__ __forceinline__ void
end_chunk(FloatShared<T> &shared, const LongJob<kAlone> &job, uint32_t chunk)
{
	if (shared.any_refused)
		end_refused<kAlone>(shared, job, chunk);
	else if (threadIdx.x < kWarp)
		put_sum<false>(job, array_of<kAlone>(job, chunk), take_sum(shared));
}

/* What a block does before its first chunk, while the first pieces come. */
template <typename T>
static __device__ __forceinline__ void
prepare_block(IntShared<T> &)
{
}

template <typename T>
static __device__ __forceinline__ void
prepare_block(FloatShared<T> &shared)
{
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

/* A chunk, from its order to its end; returns the feed's turn. */
template <bool kAlone, typename T>
static __device__ __forceinline__ unsigned
take_chunk(BlockShared<T> &shared, const LongJob<kAlone> &job, uint32_t chunk,
		   unsigned turn)
{
	const WarpPieces<T> pieces = pieces_of<T, kAlone>(job, chunk);
	Feed<T> feed(shared.ring, shared.barriers, turn);

	feed.start(pieces.whole, pieces.first);
	if (chunk == blockIdx.x)
		prepare_block(shared);
	sum_chunk<kAlone>(shared, job, chunk, feed, pieces);
	__syncthreads();
	end_chunk<kAlone>(shared, job, chunk);
	return feed.turn();
}

/*
 * Long arrays: a block sums chunks.  kAlone: there is one array, and a block
 * for each of its chunks; what else there may be takes registers and
 * instructions, which such a request has to wait for.  Shared memory: IntShared or
 * FloatShared.
 */
template <typename T, bool kAlone>
static __global__ void
__launch_bounds__(kSumThreads, kSumBlocks)
	sum_long(const __grid_constant__ LongJob<kAlone> job)
{
	extern __shared__ __align__(128) unsigned char room[];
	BlockShared<T> &shared = *reinterpret_cast<BlockShared<T> *>(room);
	unsigned turn = 0;

	Feed<T>::init(shared.barriers);
	if constexpr (kAlone)
		take_chunk<true, T>(shared, job, blockIdx.x, turn);
	else
	{
		for (uint32_t chunk = blockIdx.x; chunk < job.n_chunks;
			 chunk += gridDim.x)
		{
			turn = take_chunk<false, T>(shared, job, chunk, turn);
			__syncthreads();
		}
	}
}

#endif /* GA_SUM_LONG_CUH */
