/*
 * sum_long.cuh
 *		Sums of long arrays: blocks take chunks.
 *
 * Floats go the fast way first.  What that refuses is put down, tile by tile
 * and lane by lane, and added one by one when all else of the chunk is done:
 * then a few warps at a time have the block's superaccumulators for themselves.
 *
 * Grid: blocks of kSumThreads, as many as fill the device or as there are
 * chunks.  Shared memory: BlockShared.
 */
#ifndef GA_SUM_LONG_CUH
#define GA_SUM_LONG_CUH

#include "chunk.cuh"
#include "find_array.cuh"
#include "sum_slow.cuh"

/* Tiles for which a warp does without the fast path after two refusals. */
constexpr int kSlowTiles = 14;

/* Anchors that a warp may leave behind in a chunk. */
constexpr int kMoreParts = 2;

/* Tiles in a chunk at most, and what is left behind them. */
template <typename T>
constexpr int kMostTiles = int(kMostItems) / kItems<T> + 1;

/* The block's shared memory; integers have only the first part. */
template <typename T>
struct BlockShared
{
	ThreadSum<T> part[kSumWarps];	/* what each warp has */
	ThreadSum<T> more[kSumWarps][kMoreParts];	/* with other anchors */
	int			n_more[kSumWarps];
	unsigned	refused[kSumWarps][kMostTiles<T>];	/* lanes, by tile */
	unsigned	any_refused;
	unsigned	n_neg_zero;		/* of the chunk */
	unsigned	top;			/* of the largest item in the first tile */
	LaneSums	lanes[kMostLanes];	/* as many as the job has */
};

/* The largest finite item of a tile in the warp, read again. */
template <typename T>
static __device__ __noinline__ unsigned
largest_of_tile(const T *base, int first, int end, int at)
{
	const Run<T> run(base, first, end);
	Items<T>	items;

	items.load(run, at, threadIdx.x, kSumThreads);
	return group_max(largest_finite_item(items), kWarp);
}

/* Minus zeros among a tile's items, read again. */
template <typename T>
static __device__ __noinline__ unsigned
neg_zeros_of_tile(const T *base, int first, int end, int at)
{
	const Run<T> run(base, first, end);
	Items<T>	items;

	items.load(run, at, threadIdx.x, kSumThreads);
	return count_neg_zeros(items);
}

/* How many of a thread's vectors of the tile at a position have items. */
template <typename T>
static __device__ __forceinline__ int
vectors_in(const Run<T> &run, int at)
{
	constexpr int kRow = kSumThreads * Vector<T>::kSize;

	return min((run.end - at + kRow - 1) / kRow, kVectors<T>);
}

/* Sum a chunk's tiles of integers; what a warp has goes to shared memory. */
template <typename T>
static __device__ __forceinline__ void
sum_chunk_ints(BlockShared<T> &shared, const ChunkTiles<T> &tiles)
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

/*
 * Add the tiles of floats from one on, up to the first with a trouble, whose
 * position is the result; < 0 is none.  Nothing is called in here: the items
 * on their way have to stay in registers.
 */
template <typename T>
static __device__ __forceinline__ int
add_tiles(BlockShared<T> &shared, const ChunkTiles<T> &tiles, int at,
		  ThreadSum<T> &sum, bool &has_anchor, bool &has_neg_zero,
		  bool &is_refused)
{
	const Run<T> &run = tiles.run;
	Items<T>	next;

	next.load(run, at, threadIdx.x, kSumThreads);
	while (at >= 0)
	{
		const int	n_vectors = vectors_in(run, at);
		const int	behind = tiles.next(at);
		Items<T>	items = next;

		if (behind >= 0)
			next.load(run, behind, threadIdx.x, kSumThreads);
		if (!has_anchor)
		{
			/* the same for all warps, so that they can be added at once */
			unsigned	top = group_max(largest_finite_item(items), kWarp);

			if (lane_id() == 0)
				atomicMax_block(&shared.top, top);
			__syncthreads();
			sum.set_anchor(shared.top, 2);
			has_anchor = true;
		}
		if (n_vectors == kVectors<T>)
			is_refused = !sum.add(items, has_neg_zero);
		else
			is_refused = !sum.template add<false>(items, n_vectors,
												  has_neg_zero);
		if (__any_sync(kAll, is_refused || has_neg_zero))
			break;
		at = behind;
	}
	return at;
}

/*
 * A tile that some lanes have no certificate for, or that was not tried at all.
 * The next one may have its like: if there is room for what was summed with
 * the old anchor, the anchor is set anew.
 */
template <typename T>
static __device__ __forceinline__ void
note_refused(BlockShared<T> &shared, const ChunkTiles<T> &tiles, int at,
			 ThreadSum<T> &sum, bool is_refused, int &n_slow)
{
	const int	warp = threadIdx.x / kWarp;
	const unsigned lanes = __ballot_sync(kAll, is_refused);
	ThreadSum<T> old = sum;
	ThreadSum<T> anew;
	unsigned	top;

	if (lane_id() == 0)
	{
		shared.refused[warp][tiles.number(at)] = lanes;
		shared.any_refused = 1;
	}
	if (n_slow > 0)
	{
		/* after the last of them, one refusal is enough again */
		n_slow = n_slow > 1 ? n_slow - 1 : -1;
		return;
	}
	n_slow = n_slow == 0 ? -1 : kSlowTiles;

	top = largest_of_tile(tiles.run.base, tiles.run.first, tiles.run.end, at);
	anew.set_anchor(top, 2);
	if (top == 0 || anew.exponent == sum.exponent)
		return;
	if (__any_sync(kAll, sum.has_any()))
	{
		const int	n_more = shared.n_more[warp];

		__syncwarp();
		if (n_more == kMoreParts)
			return;
		old.add_group(kWarp);
		if (lane_id() == 0)
		{
			shared.more[warp][n_more] = old;
			shared.n_more[warp] = n_more + 1;
		}
		__syncwarp();
	}
	sum.clear();
	sum.exponent = anew.exponent;
}

/*
 * Sum a chunk's tiles of floats; what a warp has goes to shared memory, as do
 * the tiles that it could not sum.
 */
template <typename T>
static __device__ __forceinline__ void
sum_chunk_floats(BlockShared<T> &shared, const ChunkTiles<T> &tiles)
{
	const int	warp = threadIdx.x / kWarp;
	const Run<T> &run = tiles.run;
	ThreadSum<T> sum;
	bool		has_anchor = false;
	int			n_slow = 0;		/* tiles that are not even tried; < 0 after a
								 * refusal */

	for (int i = lane_id(); i < kMostTiles<T>; i += kWarp)
		shared.refused[warp][i] = 0;
	if (lane_id() == 0)
		shared.n_more[warp] = 0;
	__syncwarp();
	sum.clear();
	sum.set_anchor(0, 0);
	for (int at = tiles.first; at >= 0; at = tiles.next(at))
	{
		bool		has_neg_zero = false;
		bool		is_refused = true;

		if (n_slow <= 0)
		{
			const int	from = at;

			at = add_tiles(shared, tiles, at, sum, has_anchor, has_neg_zero,
						   is_refused);
			n_slow = at != from ? 0 : n_slow;
			if (at < 0)
				break;
		}
		/* refused items are looked at once more */
		if (has_neg_zero && !is_refused)
			atomicAdd_block(&shared.n_neg_zero,
							neg_zeros_of_tile(run.base, run.first, run.end,
											  at));
		__syncwarp();
		if (__any_sync(kAll, is_refused))
			note_refused(shared, tiles, at, sum, is_refused, n_slow);
	}
	sum.add_group(kWarp);
	if (lane_id() == 0)
		shared.part[warp] = sum;
}

/* Add what a warp could not sum, one by one. */
template <typename T>
static __device__ __noinline__ void
add_refused(BlockShared<T> &shared, LaneSums &lanes,
			const ChunkTiles<T> &tiles)
{
	const unsigned *refused = shared.refused[threadIdx.x / kWarp];
	unsigned	n_neg_zero = 0;

	for (int at = tiles.first; at >= 0; at = tiles.next(at))
	{
		const unsigned mask = refused[tiles.number(at)];
		Items<T>	items;

		if (mask == 0)
			continue;
		items.load(tiles.run, at, threadIdx.x, kSumThreads);
		lanes.reserve(kItems<T>);
		if (mask >> lane_id() & 1)
		{
			add_slowly(lanes, items);
			n_neg_zero += count_neg_zeros(items);
		}
	}
	if (n_neg_zero > 0)
		atomicAdd_block(&shared.n_neg_zero, n_neg_zero);
}

/*
 * Add what the fast way refused; the whole block, which has passed a barrier.
 * So many warps as there are superaccumulators work at a time.
 */
template <typename T>
static __device__ __forceinline__ void
add_all_refused(BlockShared<T> &shared, const ChunkTiles<T> &tiles,
				int n_lanes)
{
	const int	warp = threadIdx.x / kWarp;

	if (!shared.any_refused)
		return;
	for (int first = 0; first < kSumWarps; first += n_lanes)
	{
		if (warp >= first && warp < first + n_lanes)
			add_refused(shared, shared.lanes[warp - first], tiles);
		__syncthreads();
	}
}

/* A chunk is summed: on to its array; the block's first warp. */
template <typename T>
static __device__ __forceinline__ void
finish_chunk(BlockShared<T> &shared, const SumJob<LongArray> &job,
			 const LongArray &array, uint32_t chunk)
{
	constexpr bool kIsInt = ThreadSum<T>::kIsInt;
	const int	mine = lane_id() % kSumWarps;
	const unsigned n_neg_zero = kIsInt ? 0 : shared.n_neg_zero;
	ThreadSum<T> part = shared.part[mine];
	bool		is_simple = true;
	WarpSum		sum;

	if constexpr (!kIsInt)
	{
		is_simple = __all_sync(
			kAll, part.exponent == shared.part[0].exponent &&
			shared.n_more[mine] == 0 && !shared.any_refused);
	}
	sum.clear();
	if (is_simple)
	{
		Limbs		limbs;

		part.add_group(kSumWarps);
		limbs = part.limbs();
		if (array.n_chunks == 1)
		{
			if (lane_id() == 0)
				put_narrow(job.out.results + array.result, limbs,
						   part.first_cell(), n_neg_zero);
			return;
		}
		sum.add(limbs, part.first_cell(), n_neg_zero);
	}
	else if constexpr (!kIsInt)
	{
		for (int w = 0; w < kSumWarps; w++)
		{
			sum.add(shared.part[w].limbs(), shared.part[w].first_cell(),
					w == 0 ? n_neg_zero : 0);
			for (int i = 0; i < shared.n_more[w]; i++)
				sum.add(shared.more[w][i].limbs(),
						shared.more[w][i].first_cell(), 0);
		}
		for (int i = 0; shared.any_refused && i < job.n_lanes; i++)
			shared.lanes[i].move_to(sum);
		if (array.n_chunks == 1)
		{
			put_result<kIsInt>(job.out, array.result, sum);
			return;
		}
	}
	merge_chunk<kIsInt>(job, array, chunk, sum);
}

/*
 * Long arrays: a block sums a chunk.  Shared memory: BlockShared.
 */
template <typename T>
static __global__ void __launch_bounds__(kSumThreads, 2)
sum_long(const __grid_constant__ SumJob<LongArray> job)
{
	extern __shared__ __align__(16) unsigned char room[];
	BlockShared<T> &shared = *reinterpret_cast<BlockShared<T> *>(room);
	constexpr bool kIsInt = ThreadSum<T>::kIsInt;

	if constexpr (!kIsInt)
	{
		if (threadIdx.x < job.n_lanes)
			shared.lanes[threadIdx.x].init();
	}
	for (uint32_t chunk = blockIdx.x; chunk < job.n_chunks; chunk += gridDim.x)
	{
		const LongArray *arrays = job.arrays ? job.arrays : job.few;
		const LongArray array = arrays[find_array(
			job.n_arrays, chunk,
			[arrays] (uint32_t i) { return arrays[i].first_chunk; })];
		const uint32_t own = chunk - array.first_chunk;
		const ChunkTiles<T> tiles(array, own);

		if constexpr (kIsInt)
			sum_chunk_ints(shared, tiles);
		else
		{
			if (threadIdx.x == 0)
				shared.top = shared.n_neg_zero = shared.any_refused = 0;
			__syncthreads();
			sum_chunk_floats(shared, tiles);
		}
		__syncthreads();
		if constexpr (!kIsInt)
			add_all_refused(shared, tiles, int(job.n_lanes));
		if (threadIdx.x < kWarp)
			finish_chunk(shared, job, array, own);
		__syncthreads();
	}
}

#endif							/* GA_SUM_LONG_CUH */
