/*
 * running_extreme.cuh
 *		The kernels of running extremes: windows of all elements so far.
 *
 * The elements before the first window that is wanted are divided among blocks,
 * and so are the windows.  One kernel finds the extreme of each block.  By
 * another one each block of windows combines those of the blocks before it, and
 * runs over its own elements.
 */
#ifndef GA_RUNNING_EXTREME_CUH
#define GA_RUNNING_EXTREME_CUH

#include "moving_extreme.cuh"

/* Return the blocks of n elements. */
static inline GA_HOST_DEVICE uint32_t
running_blocks(uint32_t n)
{
	return n / kMovingWindows + (n % kMovingWindows != 0);
}

/* Load the keys of up to kMovingWindows elements: put(j, key). */
template <typename Column, typename Cursor, typename Put>
static __device__ __forceinline__ void
load_keys(const WindowParams &params, uint32_t from, uint32_t end, Put put)
{
	using T = typename Column::Element;
	Cursor cursor(params, min(from + threadIdx.x, end - 1));

	for (uint32_t i = from + threadIdx.x; i < end; i += kMovingThreads)
		put(i - from, Order<T>::key(cursor.template load<T>(i)));
}

/*
 * Return the extreme of what the threads have, in all of them; a whole block,
 * which has not yet used the memory since a barrier.
 */
template <bool kIsMax, typename Key>
static __device__ __forceinline__ Key
block_extreme(Key key, Key (&of_warps)[kMovingThreads / kWarp])
{
	key = warp_max(kIsMax ? key : Key(~key));
	if (lane_id() == 0)
		of_warps[threadIdx.x / kWarp] = key;
	__syncthreads();
#pragma unroll
	for (uint32_t w = 0; w < kMovingThreads / kWarp; w++)
		key = max(key, of_warps[w]);
	return kIsMax ? key : Key(~key);
}

/* Grid: the blocks of elements before the windows, and those of the windows. */
template <typename Column, typename Cursor>
static __global__ void
__launch_bounds__(kMovingThreads)
	find_block_extremes(const __grid_constant__ WindowParams params)
{
	using Key = typename Column::Key;
	constexpr bool kIsMax = Column::kOfMax;
	__shared__ Key of_warps[kMovingThreads / kWarp];
	const uint32_t n_before = running_blocks(params.first);
	const bool is_before = blockIdx.x < n_before;
	const uint32_t from =
		is_before ? blockIdx.x * kMovingWindows :
					params.first + (blockIdx.x - n_before) * kMovingWindows;
	const uint32_t end =
		min(from + kMovingWindows,
			is_before ? params.first : params.first + params.n_windows);
	Column column;

	column.clear();
	load_keys<Column, Cursor>(params, from, end,
							  [&column](uint32_t, Key key) {
								  column.best =
									  extreme_key<kIsMax>(column.best, key);
							  });
	column.best = block_extreme<kIsMax>(column.best, of_warps);
	if (threadIdx.x == 0)
		params.of_blocks[blockIdx.x] = column.best;
}

/* Return the extreme of the blocks before one; a whole block. */
template <typename Column>
static __device__ __forceinline__ typename Column::Key
extreme_before(const WindowParams &params, uint32_t n_blocks,
			   typename Column::Key (&of_warps)[kMovingThreads / kWarp])
{
	using Key = typename Column::Key;
	Column column;

	column.clear();
	for (uint32_t b = threadIdx.x; b < n_blocks; b += kMovingThreads)
		column.best =
			extreme_key<Column::kOfMax>(column.best, Key(params.of_blocks[b]));
	return block_extreme<Column::kOfMax>(column.best, of_warps);
}

/*
 * Return the extreme of what the threads before this one in the block have, and
 * of `before`; a whole block.
 */
template <bool kIsMax, typename Key>
static __device__ __forceinline__ Key
extreme_up_to(Key key, Key before, Key (&of_warps)[kMovingThreads / kWarp])
{
	const uint32_t warp = threadIdx.x / kWarp;
	Key other;

	for (int step = 1; step < kWarp; step *= 2)
	{
		other = __shfl_up_sync(kFullMask, key, step);
		if (lane_id() >= step)
			key = extreme_key<kIsMax>(key, other);
	}
	if (lane_id() == kWarp - 1)
		of_warps[warp] = key;
	__syncthreads();
	for (uint32_t w = 0; w < warp; w++)
		before = extreme_key<kIsMax>(before, of_warps[w]);
	other = __shfl_up_sync(kFullMask, key, 1);
	return lane_id() == 0 ? before : extreme_key<kIsMax>(before, other);
}

/* Grid: the blocks of the windows. */
template <typename Column, typename Cursor>
static __global__ void
__launch_bounds__(kMovingThreads)
	run_extremes(const __grid_constant__ WindowParams params)
{
	using Key = typename Column::Key;
	constexpr bool kIsMax = Column::kOfMax;
	__shared__ Key keys[kMovingTile + kMovingGroups];
	__shared__ Key of_warps[2][kMovingThreads / kWarp];
	const uint32_t first = blockIdx.x * kMovingWindows;
	const uint32_t n = min(params.n_windows - first, kMovingWindows);
	const uint32_t own = threadIdx.x * kMovingRun;
	const uint32_t own_end = min(own + kMovingRun, n);
	Column column;
	Key before;

	load_keys<Column, Cursor>(
		params, params.first + first, params.first + first + n,
		[&keys = keys](uint32_t j, Key key) { keys[moving_place(j)] = key; });
	before = extreme_before<Column>(
		params, running_blocks(params.first) + blockIdx.x, of_warps[0]);
	column.clear();
	for (uint32_t j = own; j < own_end; j++)
	{
		column.best = extreme_key<kIsMax>(column.best, keys[moving_place(j)]);
		keys[moving_place(j)] = column.best;
	}
	before = extreme_up_to<kIsMax>(column.best, before, of_warps[1]);
	for (uint32_t j = own; j < own_end; j++)
		keys[moving_place(j)] =
			extreme_key<kIsMax>(before, keys[moving_place(j)]);
	__syncthreads();
	for (uint32_t j = threadIdx.x; j < n; j += kMovingThreads)
	{
		column.best = keys[moving_place(j)];
		column.finish(static_cast<int64_t *>(params.records) + first + j);
	}
}

template <typename Column>
static cudaError_t
launch_running_extremes(const WindowParams &params, cudaStream_t stream)
{
	const uint32_t n_blocks = running_blocks(params.n_windows);
	const uint32_t n_all = n_blocks + running_blocks(params.first);

	return launch_with_cursor(
		params,
		[&](auto *cursor)
		{
			using Cursor = CursorOf<decltype(cursor)>;

			find_block_extremes<Column, Cursor>
				<<<n_all, kMovingThreads, 0, stream>>>(params);
			run_extremes<Column, Cursor>
				<<<n_blocks, kMovingThreads, 0, stream>>>(params);
		});
}

#endif /* GA_RUNNING_EXTREME_CUH */
