/*
 * moving_extreme.cuh
 *		The kernel of moving extremes.
 *
 * Of a block's elements the extremes of two that are neighbors are found, then
 * of four, and so on, up to a power of two that is at least half a window's
 * elements: two of these overlap, and are the window.
 */
#ifndef GA_MOVING_EXTREME_CUH
#define GA_MOVING_EXTREME_CUH

#include "elem/extreme_column.cuh"
#include "moving_tile.cuh"

constexpr uint32_t kItemsOfThread = kMovingTile / kMovingThreads;

/* Return the one of two keys that counts. */
template <bool kIsMax, typename Key>
static __device__ __forceinline__ Key
extreme_key(Key a, Key b)
{
	return kIsMax ? max(a, b) : min(a, b);
}

/*
 * Let each element's key be that of it and of those up to `apart` behind it,
 * which had that of as many themselves.  The whole block.
 */
template <bool kIsMax, typename Key>
static __device__ __forceinline__ void
double_keys(Key (&keys)[kMovingTile], uint32_t n, uint32_t apart)
{
	Key found[kItemsOfThread];

	__syncthreads();
#pragma unroll
	for (uint32_t k = 0; k < kItemsOfThread; k++)
	{
		const uint32_t j = k * kMovingThreads + threadIdx.x;

		if (j < n)
			found[k] =
				extreme_key<kIsMax>(keys[j], keys[min(j + apart, n - 1)]);
	}
	__syncthreads();
#pragma unroll
	for (uint32_t k = 0; k < kItemsOfThread; k++)
	{
		const uint32_t j = k * kMovingThreads + threadIdx.x;

		if (j < n)
			keys[j] = found[k];
	}
}

/* Grid: moving_blocks() of kMovingThreads. */
template <typename Column, typename Cursor>
static __global__ void
__launch_bounds__(kMovingThreads)
	find_moving_extremes(const __grid_constant__ WindowParams params)
{
	using T = typename Column::Element;
	using Key = typename Column::Key;
	constexpr bool kIsMax = Column::kOfMax;
	__shared__ Key keys[kMovingTile];
	const uint32_t size = params.windows.size;
	const MovingTile tile(params);
	uint32_t n_behind = 1; /* elements of which a key is */

	tile.template load<Cursor>(params, Column::outside(),
							   [&keys = keys](uint32_t j, T x)
							   { keys[j] = Order<T>::key(x); });
	for (; 2 * n_behind <= size; n_behind *= 2)
		double_keys<kIsMax>(keys, tile.n_items, n_behind);
	__syncthreads();
	for (uint32_t w = threadIdx.x; w < tile.n_windows; w += kMovingThreads)
	{
		Column column;

		column.best = extreme_key<kIsMax>(keys[w], keys[w + size - n_behind]);
		column.finish(static_cast<int64_t *>(params.records) +
					  tile.first_window + w);
	}
}

template <typename Column>
static cudaError_t
launch_moving_extremes(const WindowParams &params, cudaStream_t stream)
{
	return launch_with_cursor(
		params,
		[&](auto *cursor)
		{
			using Cursor = CursorOf<decltype(cursor)>;

			find_moving_extremes<Column, Cursor>
				<<<moving_blocks(params), kMovingThreads, 0, stream>>>(params);
		});
}

#endif /* GA_MOVING_EXTREME_CUH */
