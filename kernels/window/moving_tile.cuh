/*
 * moving_tile.cuh
 *		Windows that move by an element at a time: what a block has of them.
 *
 * A block has kMovingWindows windows one after the other, and their elements in
 * shared memory.  Window w of the block has the elements from w up to w + size
 * of the tile; those outside the array change nothing.
 */
#ifndef GA_MOVING_TILE_CUH
#define GA_MOVING_TILE_CUH

#include "reduce_window.cuh"

constexpr uint32_t kMovingThreads = 128;

/* Windows of a thread that has them one after the other. */
constexpr uint32_t kMovingRun = 16;
constexpr uint32_t kMovingWindows = kMovingThreads * kMovingRun;

/* The most elements of a window that moves so, and those of a tile. */
constexpr uint32_t kMovingMost = 1024;
constexpr uint32_t kMovingTile = kMovingWindows + kMovingMost;

/* Groups of elements, of which a thread has some. */
constexpr uint32_t kMovingGroups = kMovingTile / kMovingRun;

/* Where an element lies: runs of a warp's threads are in different banks. */
static __device__ __forceinline__ uint32_t
moving_place(uint32_t j)
{
	return j + j / kMovingRun;
}

/* Do windows move by an element, and are they short? */
static inline bool
are_moving(const GaWindows &windows)
{
	return windows.step == 1 && windows.size > 1 && windows.size <= kMovingMost;
}

/* The windows of a block. */
struct MovingTile
{
	uint32_t first_window; /* of the request */
	uint32_t n_windows;
	uint32_t n_items;	/* of all its windows */
	int64_t first_item; /* element of the array; < 0 is before it */

	__device__ __forceinline__
	MovingTile(const WindowParams &params)
		: first_window(blockIdx.x * kMovingWindows),
		  n_windows(min(params.n_windows - first_window, kMovingWindows)),
		  n_items(n_windows + params.windows.size - 1),
		  first_item(int64_t(params.first) + first_window -
					 params.windows.before)
	{
	}

	/* Call put(j, x) for the tile's elements of this thread. */
	template <typename Cursor, typename T, typename Put>
	__device__ __forceinline__ void
	load(const WindowParams &params, T outside, Put put) const
	{
		const int64_t own = first_item + threadIdx.x;
		Cursor cursor(params, uint32_t(own < 0 ? 0 : own));

		for (uint32_t j = threadIdx.x; j < n_items; j += kMovingThreads)
		{
			const int64_t i = first_item + j;

			put(j, i >= 0 && i < params.windows.n ?
					   cursor.template load<T>(uint32_t(i)) :
					   outside);
		}
	}
};

/* The blocks of all windows. */
static inline uint32_t
moving_blocks(const WindowParams &params)
{
	return (params.n_windows + kMovingWindows - 1) / kMovingWindows;
}

#endif /* GA_MOVING_TILE_CUH */
