/*
 * sum_packed.cuh
 *		Sums of packed arrays: each block sums shares.
 *
 * Shares, accumulators and results are those of sum_long().  A warp adds the
 * tiles that it decodes to a sum for each thread, and these to the block's
 * cells.  Floats are added on levels, with an anchor that is chosen anew for a
 * tile that has no certificate; items of a tile that has none even then are
 * added to the cells one by one.
 *
 * Grid: blocks of kSumThreads, as many as fill the device or as there are
 * shares.  Shared memory: PackedShared.
 */
#ifndef GA_SUM_PACKED_CUH
#define GA_SUM_PACKED_CUH

#include "decimal_sum.cuh"
#include "packed/tile_headers.cuh"
#include "sum_long.cuh"

/*
 * The share's sum; see WarpSum.  An item or a flush adds less than 2^32 to a
 * cell, and a share has less than 2^30 of both.
 */
struct PackedShared
{
	unsigned long long cells[kSumWords];
};

/*
 * The sum of a warp.  add_fields() adds elements j to j + kItemsPerThread - 1
 * of each lane, if it can do so from their fields; add_slots() likewise slots
 * of each lane of a sparse vector; add() a tile's items.
 * Integers need neither anchors nor flushes.
 */
template <typename T>
struct PackedSum
{
	ThreadSum<T> sum;

	__device__ __forceinline__ bool
	add_fields(const PackedVector &vector, unsigned j, unsigned long long *)
	{
		if (vector.form != GA_PACKED_INTEGERS)
			return false;
		add_integers<kItemsPerThread<T>>(
			sum, vector.base,
			sum_of_fields(
				PackedFields<kItemsPerThread<T>>(vector, lane_id(), j),
				vector.width));
		return true;
	}

	__device__ __forceinline__ bool
	add_slots(const PackedVector &vector, unsigned from, unsigned end,
			  unsigned long long *)
	{
		if (vector.form != GA_PACKED_INTEGERS)
			return false;
		for (unsigned k = from; k < end; k++)
			sum.add_item(T(vector.base + own_slot(vector, k)));
		return true;
	}

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
struct PackedFloatSum
{
	ThreadSum<T> sum;
	int n_until_flush; /* tiles */
	bool has_anchor;   /* if not, there were only zeros so far */

	__device__ __forceinline__ bool
	add_fields(const PackedVector &, unsigned, unsigned long long *)
	{
		return false;
	}

	__device__ __forceinline__ bool
	add_slots(const PackedVector &, unsigned, unsigned, unsigned long long *)
	{
		return false;
	}

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
	static __device__ __noinline__ PackedFloatSum
	add_again(PackedFloatSum state, const Items<T> items,
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
struct PackedSum<float> : PackedFloatSum<float>
{
};

template <>
struct PackedSum<double> : PackedFloatSum<double>
{
	using Base = PackedFloatSum<double>;

	DecimalSum decimals;

	__device__ __forceinline__ void
	init()
	{
		Base::init();
		decimals.init();
	}

	__device__ __forceinline__ bool
	add_fields(const PackedVector &vector, unsigned j,
			   unsigned long long *cells)
	{
		if (!DecimalSum::takes(vector))
			return false;
		decimals.add<kItemsPerThread<double>>(vector, j, cells);
		return true;
	}

	__device__ __forceinline__ bool
	add_slots(const PackedVector &vector, unsigned from, unsigned end,
			  unsigned long long *cells)
	{
		if (!DecimalSum::takes(vector))
			return false;
		decimals.add_slots(vector, from, end, cells);
		return true;
	}

	__device__ __forceinline__ void
	flush(unsigned long long *cells)
	{
		Base::flush(cells);
		decimals.flush(cells);
	}
};

/*
 * Add what a tile that begins with elements j of its lanes has of a sparse
 * vector, all of which is in the array: as large a part of its slots.  False
 * if that is not possible.
 */
template <typename T>
static __device__ __forceinline__ bool
add_sparse(PackedSum<T> &sum, const MixedTiles<T> &tiles,
		   const PackedVector &vector, int at, unsigned j,
		   unsigned long long *cells)
{
	constexpr unsigned kParts = GA_PACKED_LANE / kItemsPerThread<T>;
	const int start = at - int(j) * kWarp; /* of the vector */
	const unsigned n_slots = vector.n_slots / kParts;
	const unsigned from = j / kItemsPerThread<T> * n_slots;

	static_assert(kParts <= 2, "the number of slots is even");
	return vector.is_sparse && start >= tiles.run.first &&
		   start + GA_PACKED_VECTOR <= tiles.run.end &&
		   sum.add_slots(vector, from, from + n_slots, cells);
}

/* Sum a warp's tiles of a share to the block's cells. */
template <typename T>
static __device__ __forceinline__ void
sum_packed_tiles(const MixedTiles<T> &tiles, unsigned long long *cells)
{
	TileHeaders<T> headers(tiles);
	PackedSum<T> sum;
	Items<T> items;

	sum.init();
	if (tiles.edge >= 0)
	{
		tiles.load(tiles.edge, items);
		sum.add(items, cells);
	}
	for (int at = tiles.first; at < tiles.whole.end; at += tiles.whole.step)
	{
		const uintptr_t address =
			reinterpret_cast<uintptr_t>(tiles.run.base + at);
		const PackedVector vector(headers.take(tiles, at));
		const unsigned j = ga_packed_number(address, sizeof(T)) / kWarp;

		if (add_sparse(sum, tiles, vector, at, j, cells) ||
			sum.add_fields(vector, j, cells))
			continue;
		decode_tile(vector, j, items);
		sum.add(items, cells);
	}
	sum.flush(cells);
}

/* Return the sum of a share; a whole warp. */
static __device__ __forceinline__ WarpSum
collect_packed(const PackedShared &shared)
{
	WarpSum sum;

#pragma unroll
	for (int g = 0; g < kWordsPerLane; g++)
	{
		const int i = lane_id() + g * kWarp;

		sum.word[g] = i < kSumWords ? int64_t(shared.cells[i]) : 0;
	}
	/* the bound of merge_share() */
	sum.propagate_carries();
	return sum;
}

template <typename T>
static __global__ void
__launch_bounds__(kSumThreads, kSumBlocks)
	sum_packed(const __grid_constant__ LongParams<false> params)
{
	using Shared = PackedShared;
	__shared__ Shared shared;

	for (uint32_t share = blockIdx.x; share < params.n_shares;
		 share += gridDim.x)
	{
		const LongArray array = array_of_share<false>(params, share);
		const MixedTiles<T> tiles(array.data, array.n, array.n_shares,
								  share - array.first_share);

		for (int i = threadIdx.x; i < kSumWords; i += kSumThreads)
			shared.cells[i] = 0;
		__syncthreads();
		sum_packed_tiles(tiles, shared.cells);
		__syncthreads();
		if (threadIdx.x < kWarp)
			store_or_merge<ThreadSum<T>::kIsInt>(params, array,
												 collect_packed(shared));
		__syncthreads();
	}
}

#endif /* GA_SUM_PACKED_CUH */
