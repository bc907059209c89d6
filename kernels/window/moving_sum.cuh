/*
 * moving_sum.cuh
 *		The kernel of moving sums.
 *
 * A thread has kMovingRun windows one after the other.  It adds the first one's
 * elements; from each window to the next an element enters and one leaves.
 * That is exact, since a sum is of integers, which count in units of levels for
 * floats: a block's elements have the same anchors.  Without a certificate for
 * all of them, its windows are added one by one.
 */
#ifndef GA_MOVING_SUM_CUH
#define GA_MOVING_SUM_CUH

#include "elem/elem_column.cuh"
#include "moving_tile.cuh"

/* A block's elements, and the sums of kMovingRun of them each. */
template <typename T>
struct MovingShared
{
	T items[kMovingTile + kMovingGroups];
	ThreadSum<T> groups[kMovingGroups];
	unsigned negative_zeros[kMovingGroups];
	unsigned tops[kMovingThreads / kWarp];
};

/* A window's sum, and its minus zeros. */
template <typename T>
struct MovingWindow
{
	static constexpr bool kIsFloat = !ThreadSum<T>::kIsInt;

	ThreadSum<T> sum;
	unsigned n_neg_zero;

	/* Begin, with the anchors of another one. */
	__device__ __forceinline__ void
	clear(const ThreadSum<T> &like)
	{
		sum = like;
		sum.clear();
		n_neg_zero = 0;
	}

	/* Add an element, or take it away; returns bits that are 0 if it fits. */
	template <bool kAdds>
	__device__ __forceinline__ unsigned
	add(T x)
	{
		if constexpr (kIsFloat)
		{
			n_neg_zero += kAdds ? is_neg_zero(x) : -is_neg_zero(x);
			return sum.template add_item<kAdds>(x);
		}
		sum.template add_item<kAdds>(x);
		return 0;
	}

	__device__ __forceinline__ void
	store(GaPartialSum *record) const
	{
		store_compact(record, sum.limbs(), sum.first_cell(), n_neg_zero);
	}
};

/*
 * Choose anchors for all elements, whose largest magnitudes the threads have;
 * false if they are not finite.  The whole block.
 */
template <typename T>
static __device__ __forceinline__ bool
choose_anchors(MovingShared<T> &shared, unsigned top, ThreadSum<T> &sum)
{
	if constexpr (ThreadSum<T>::kIsInt)
		return true;
	else
	{
		top = group_max(top, kWarp);
		if (lane_id() == 0)
			shared.tops[threadIdx.x / kWarp] = top;
		__syncthreads();
#pragma unroll
		for (int w = 0; w < kMovingThreads / kWarp; w++)
			top = max(top, shared.tops[w]);
		sum.set_anchor(top, 0);
		return top < sum.high_limit();
	}
}

/* Load a block's elements, and choose anchors; as choose_anchors(). */
template <typename Cursor, typename T>
static __device__ __forceinline__ bool
load_moving(const WindowParams &params, const MovingTile &tile,
			MovingShared<T> &shared, ThreadSum<T> &sum)
{
	unsigned top = 0;

	tile.template load<Cursor>(
		params, T(0),
		[&shared, &top](uint32_t j, T x)
		{
			shared.items[moving_place(j)] = x;
			if constexpr (std::is_floating_point<T>::value)
				top = max(top, __double2hiint(double(x)) & kHighMagnitude);
		});
	return choose_anchors(shared, top, sum);
}

/* Add the elements in groups; returns bits that are 0 if all fit. */
template <typename T>
static __device__ __forceinline__ unsigned
add_groups(const MovingTile &tile, MovingShared<T> &shared,
		   const ThreadSum<T> &anchors)
{
	unsigned left = 0;

	for (uint32_t g = threadIdx.x; g * kMovingRun < tile.n_items;
		 g += kMovingThreads)
	{
		MovingWindow<T> group;

		group.clear(anchors);
#pragma unroll
		for (uint32_t i = 0; i < kMovingRun; i++)
		{
			const uint32_t j = g * kMovingRun + i;

			if (j < tile.n_items)
				left |= group.template add<true>(shared.items[moving_place(j)]);
		}
		shared.groups[g] = group.sum;
		shared.negative_zeros[g] = group.n_neg_zero;
	}
	return left;
}

/* Make the records of a thread's windows, of the groups and elements. */
template <typename T>
static __device__ __forceinline__ void
move_windows(const WindowParams &params, const MovingTile &tile,
			 const MovingShared<T> &shared, const ThreadSum<T> &anchors)
{
	const uint32_t size = params.windows.size;
	const uint32_t first = threadIdx.x * kMovingRun;
	const uint32_t end = min(first + kMovingRun, tile.n_windows);
	GaPartialSum *const records =
		static_cast<GaPartialSum *>(params.records) + tile.first_window;
	MovingWindow<T> window;
	uint32_t j = first;

	window.clear(anchors);
	if (first >= end)
		return;
	for (; j + kMovingRun <= first + size; j += kMovingRun)
	{
		window.sum.add(shared.groups[j / kMovingRun]);
		window.n_neg_zero += shared.negative_zeros[j / kMovingRun];
	}
	for (; j < first + size; j++)
		(void) window.template add<true>(shared.items[moving_place(j)]);
	window.store(records + first);
	for (uint32_t w = first + 1; w < end; w++)
	{
		(void) window.template add<true>(
			shared.items[moving_place(w + size - 1)]);
		(void) window.template add<false>(shared.items[moving_place(w - 1)]);
		window.store(records + w);
	}
}

/* Make the records of a thread's windows one by one. */
template <typename Cursor, typename T>
static __device__ __noinline__ void
add_windows(const WindowParams &params, const MovingTile &tile)
{
	for (uint32_t w = threadIdx.x; w < tile.n_windows; w += kMovingThreads)
	{
		const uint32_t i = tile.first_window + w;

		reduce_window<T, ElemColumn<T>, Cursor, 1>(
			params, i, nullptr,
			static_cast<GaPartialSum *>(params.records) + i);
	}
}

/* Grid: moving_blocks() of kMovingThreads. */
template <typename T, typename Cursor>
static __global__ void
__launch_bounds__(kMovingThreads)
	sum_moving(const __grid_constant__ WindowParams params)
{
	using Shared = MovingShared<T>;
	__shared__ Shared shared;
	const MovingTile tile(params);
	ThreadSum<T> anchors;
	unsigned left;

	anchors.clear();
	if (load_moving<Cursor>(params, tile, shared, anchors))
	{
		__syncthreads();
		left = add_groups(tile, shared, anchors);
		if (!__syncthreads_or(left != 0))
		{
			move_windows(params, tile, shared, anchors);
			return;
		}
	}
	add_windows<Cursor, T>(params, tile);
}

template <typename T>
static cudaError_t
launch_moving_sums(const WindowParams &params, cudaStream_t stream)
{
	return launch_with_cursor(
		params,
		[&](auto *cursor)
		{
			using Cursor = CursorOf<decltype(cursor)>;

			sum_moving<T, Cursor>
				<<<moving_blocks(params), kMovingThreads, 0, stream>>>(params);
		});
}

#endif /* GA_MOVING_SUM_CUH */
