/*
 * sum_packed.cuh
 *		Sums of packed arrays: each block sums shares.
 *
 * Shares, accumulators and results are those of sum_long().  A warp adds whole
 * vectors to a sum for each thread, and these to the block's cells.  Integers
 * and most decimals are added by their fields, through a ring, where there is
 * one; then other vectors by their items, where they are, and those that a
 * stage has no room for.  A vector that is partly in the array is an edge.
 *
 * Items of floats are added on levels, with an anchor that is chosen anew for
 * a tile that has no certificate; items of a tile that has none even then are
 * added to the cells one by one.
 *
 * Grid: blocks of kSumThreads, as many as fill the device or as there are
 * shares.  Shared memory: PackedShared.
 */
#ifndef GA_SUM_PACKED_CUH
#define GA_SUM_PACKED_CUH

#include "decimal_sum.cuh"
#include "packed_loader.cuh"
#include "sum_long.cuh"

/*
 * The sum of a warp.  takes() says whether add_vector() can add a vector, from
 * its fields; if not, add() of an ItemSum adds the items of its parts.
 * Integers need neither anchors nor flushes.
 */
template <typename T>
struct PackedSum
{
	using ItemSum = PackedSum;

	ThreadSum<T> sum;

	static __device__ __forceinline__ bool
	takes(const PackedVector &vector)
	{
		return vector.form == GA_PACKED_INTEGERS;
	}

	__device__ __forceinline__ void
	add_vector(const PackedVector &vector, unsigned long long *)
	{
		unsigned n;
		const uint64_t fields = sum_of_fields(vector, lane_id(), &n);

		add_integers(sum, vector.base, n, fields);
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
	using ItemSum = PackedFloatSum;

	ThreadSum<T> sum;
	int n_until_flush; /* tiles */
	bool has_anchor;   /* if not, there were only zeros so far */

	static __device__ __forceinline__ bool
	takes(const PackedVector &)
	{
		return false;
	}

	__device__ __forceinline__ void
	add_vector(const PackedVector &, unsigned long long *)
	{
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

/* Doubles are summed by their integers; what has none, apart. */
template <>
struct PackedSum<double> : DecimalSum
{
	using ItemSum = PackedFloatSum<double>;

	__device__ __forceinline__ void
	add_vector(const PackedVector &vector, unsigned long long *cells)
	{
		add(vector, cells);
	}
};

/* What sums read of payloads that they add by their fields. */
template <typename T>
struct FieldNeeds
{
	static __device__ __forceinline__ uint32_t
	n_bytes(const GaPackedCoding &coding)
	{
		const PackedVector vector(coding);

		if (!PackedSum<T>::takes(vector))
			return kLeftOut;
		/* not which elements have the fields */
		if (vector.is_sparse)
			return ga_packed_rows_bytes(vector.width, vector.count);
		return ga_packed_bytes(coding.code, sizeof(T));
	}
};

/*
 * The share's sum; see WarpSum.  An item or a flush adds less than 2^32 to a
 * cell, and a share has less than 2^30 of both.
 */
struct PackedShared
{
	unsigned long long cells[kSumWords];
	PackedRing::Barriers barriers;
	PackedHeaders headers;
	PackedRing::Memory ring; /* last: some devices have no memory for it */
};

/* Add a vector that is partly in an array to cells; a whole warp. */
template <typename T>
static __device__ __noinline__ void
add_edge(const VectorSpan<T> run, int at, unsigned long long *cells)
{
	constexpr int kTile = kWarp * kItemsPerThread<T>;
	typename PackedSum<T>::ItemSum sum;

	sum.init();
	for (int end = at + GA_PACKED_VECTOR; at < end; at += kTile)
	{
		Items<T> items;

		if (at >= run.end || at + kTile <= run.first)
			continue;
		load_packed_edge(run, at, items, T(0));
		sum.add(items, cells);
	}
	sum.flush(cells);
}

/* Add a vector by its items. */
template <typename T>
static __device__ __forceinline__ void
add_items(typename PackedSum<T>::ItemSum &sum, const PackedVector &vector,
		  unsigned long long *cells)
{
#pragma unroll 1
	for (unsigned j = 0; j < GA_PACKED_LANE; j += kItemsPerThread<T>)
	{
		Items<T> items;

		decode_tile(vector, j, items);
		sum.add(items, cells);
	}
}

/* Return a lane's coding to all lanes. */
static __device__ __forceinline__ GaPackedCoding
coding_of_lane(GaPackedCoding coding, int lane)
{
	coding.base = __shfl_sync(kFullMask, coding.base, lane);
	coding.code = __shfl_sync(kFullMask, coding.code, lane);
	return coding;
}

/*
 * Add a warp's whole vectors to cells, where they are: all, or those that the
 * loader has left out.
 */
template <typename T, bool kAll>
static __device__ __noinline__ void
sum_in_place(const PackedTiles<T> tiles, unsigned long long *cells)
{
	const int n_vectors = count_vectors(tiles);
	PackedSum<T> sum;
	typename PackedSum<T>::ItemSum item_sum;

	sum.init();
	item_sum.init();
	for (int first = 0; first < n_vectors; first += kWarp)
	{
		const int i = first + lane_id();
		GaPackedCoding mine = {};
		unsigned todo;

		if (i < n_vectors)
			mine = load_coding<T>(reinterpret_cast<uintptr_t>(
				tiles.run.base + tiles.first + i * tiles.whole.step));
		todo = __ballot_sync(
			kFullMask, i < n_vectors && (kAll || FieldNeeds<T>::n_bytes(mine) >
													 kPackedStageBytes));
		for (; todo != 0; todo &= todo - 1)
		{
			const unsigned next = todo & (todo - 1);
			const PackedVector vector(coding_of_lane(mine, __ffs(todo) - 1));

			if (next != 0)
				prefetch_payload<T>(coding_of_lane(mine, __ffs(next) - 1));
			if (PackedSum<T>::takes(vector))
				sum.add_vector(vector, cells);
			else
				add_items<T>(item_sum, vector, cells);
		}
	}
	sum.flush(cells);
	item_sum.flush(cells);
}

/*
 * Add a warp's whole vectors to cells, through a ring.  Returns the loader's
 * position.
 */
template <typename T>
static __device__ __forceinline__ unsigned
sum_staged(PackedShared &shared, const PackedTiles<T> &tiles, unsigned position)
{
	PackedLoader<T, FieldNeeds<T>> loader(tiles, shared.ring, shared.barriers,
										  shared.headers, position);
	PackedSum<T> sum;

	sum.init();
	for (int n; (n = loader.wait_for_stage()) > 0; loader.release())
	{
		/* no call in this loop: it would take registers */
		for (int i = 0; i < n; i++)
			sum.add_vector(loader.vector(i), shared.cells);
	}
	sum.flush(shared.cells);
	if (loader.headers.has_left_out)
		sum_in_place<T, false>(tiles, shared.cells);
	return loader.position();
}

/* Are all vectors added by their items, never by their fields? */
template <typename T>
constexpr bool kIsItemwise = std::is_same<T, float>::value;

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
__launch_bounds__(kSumThreads, kPackedBlocks)
	sum_packed(const __grid_constant__ LongParams<false> params)
{
	extern __shared__ __align__(128) unsigned char memory[];
	PackedShared &shared =
		*kept_pointer(reinterpret_cast<PackedShared *>(memory));
	[[maybe_unused]] unsigned position = 0; /* in the ring */

#ifdef GA_HAS_RING
	PackedRing::init(shared.barriers);
#endif
	for (uint32_t share = blockIdx.x; share < params.n_shares;
		 share += gridDim.x)
	{
		const LongArray array = array_of_share<false>(params, share);
		const PackedTiles<T> tiles(array.data, array.n, array.n_shares,
								   share - array.first_share);

		for (int i = threadIdx.x; i < kSumWords; i += kSumThreads)
			shared.cells[i] = 0;
		__syncthreads();
		if (tiles.edge >= 0)
			add_edge(tiles.run, tiles.edge, shared.cells);
#ifdef GA_HAS_RING
		if constexpr (!kIsItemwise<T>)
			position = sum_staged(shared, tiles, position);
		else
#endif
			sum_in_place<T, true>(tiles, shared.cells);
		__syncthreads();
		if (threadIdx.x < kWarp)
			store_or_merge<ThreadSum<T>::kIsInt>(params, array,
												 collect_packed(shared));
		__syncthreads();
	}
}

#endif /* GA_SUM_PACKED_CUH */
