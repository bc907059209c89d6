/*
 * item_sum.cuh
 *		Sums of packed vectors by their items.
 *
 * Items of floats are added on levels, with an anchor that is chosen anew for
 * a tile that has no certificate; items of a tile that has none even then are
 * added to the cells one by one.
 */
#ifndef GA_ITEM_SUM_CUH
#define GA_ITEM_SUM_CUH

#include "packed/mixed_tiles.cuh"
#include "sum_floats.cuh"
#include "wide_cells.cuh"

/*
 * The sum of a warp's items of vectors.  Integers need neither anchors nor
 * flushes.
 */
template <typename T>
struct ItemSum
{
	ThreadSum<T> sum;

	__device__ __forceinline__ void
	init()
	{
		sum.clear();
	}

	__device__ __forceinline__ void
	add(const Items<T> &items, unsigned long long *)
	{
#pragma unroll
		for (int k = 0; k < kVectorsPerThread<T>; k++)
			sum.add(items.vector[k]);
	}

	__device__ __forceinline__ void
	flush(unsigned long long *cells)
	{
		flush_levels(cells, sum);
	}
};

template <typename T>
struct FloatItemSum
{
	ThreadSum<T> sum;
	int n_until_flush; /* tiles */
	bool has_anchor;   /* if not, there were only zeros so far */

	__device__ __forceinline__ void
	init()
	{
		sum.clear();
		sum.set_anchor(0, 0);
		n_until_flush = kFlushTiles<T>;
		has_anchor = false;
	}

	__device__ __forceinline__ void
	flush(unsigned long long *cells)
	{
		flush_levels(cells, sum);
		sum.clear();
		n_until_flush = kFlushTiles<T>;
	}

	/* Count a tile's minus zeros. */
	static __device__ __noinline__ void
	add_neg_zeros(const Items<T> items, unsigned long long *cells)
	{
		const unsigned n = group_sum(count_neg_zeros(items), kWarp);

		if (lane_id() == 0 && n > 0)
			atomicAdd_block(cells + kWordNegZero, n);
	}

	/* Set the anchor to a tile's items. */
	__device__ __forceinline__ void
	set_anchor(const Items<T> &items)
	{
		const unsigned top = group_max(largest_finite_item(items), kWarp);

		sum.set_anchor(top, 2);
		has_anchor = top != 0;
	}

	/*
	 * Add the items of a tile without a certificate: with an anchor of their
	 * own, or one by one.  States are values, since variables whose address is
	 * taken do not stay in registers.
	 */
	static __device__ __noinline__ FloatItemSum
	add_again(FloatItemSum state, const Items<T> items,
			  unsigned long long *cells)
	{
		bool has_neg_zero;

		state.flush(cells);
		state.set_anchor(items);
		state.n_until_flush--;
		if (state.sum.template add<true>(items, has_neg_zero))
		{
			if (__any_sync(kFullMask, has_neg_zero))
				add_neg_zeros(items, cells);
			return state;
		}
		for (int i = 0; i < kItemsPerThread<T>; i++)
			(void) add_to_sum(cells, items.item(i));
		__syncwarp();
		return state;
	}

	__device__ __forceinline__ void
	add(const Items<T> &items, unsigned long long *cells)
	{
		bool has_neg_zero;

		if (n_until_flush == 0)
			flush(cells);
		n_until_flush--;
		if (!has_anchor)
			set_anchor(items);
		if (!sum.template add<true>(items, has_neg_zero))
			*this = add_again(*this, items, cells);
		else if (__any_sync(kFullMask, has_neg_zero))
			add_neg_zeros(items, cells);
	}
};

template <>
struct ItemSum<float> : FloatItemSum<float>
{
};

template <>
struct ItemSum<double> : FloatItemSum<double>
{
};

/* The sum of a warp's whole vectors, by their items. */
template <typename T>
struct VectorItemSum : ItemSum<T>
{
	template <typename Next>
	__device__ __forceinline__ void
	add_vectors(const PackedVector &vector, unsigned long long *cells, Next)
	{
#pragma unroll 1
		for (unsigned j = 0; j < GA_PACKED_LANE_ITEMS; j += kItemsPerThread<T>)
		{
			Items<T> items;

			decode_tile(vector, j, items);
			ItemSum<T>::add(items, cells);
		}
	}
};

#endif /* GA_ITEM_SUM_CUH */
