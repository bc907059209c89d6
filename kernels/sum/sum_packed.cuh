/*
 * sum_packed.cuh
 *		Sums of packed arrays: each block sums shares.
 *
 * Shares, accumulators and results are those of sum_long().  A warp adds whole
 * vectors to a sum for each thread, and these to the block's cells: those of
 * one kind (vector_kind.cuh) after those of another, so that each loop has the
 * registers to itself.  Integers and most decimals are added by their fields,
 * through shared memory, where there is enough; other vectors by their items,
 * where they are.  A vector that is partly in the array is an edge.
 *
 * Grid: blocks of kSumWarps or kWideWarps warps, as many as fill the device
 * or as there are shares.  Shared memory: PackedShared.
 */
#ifndef GA_SUM_PACKED_CUH
#define GA_SUM_PACKED_CUH

#include "item_sum.cuh"
#include "packed_loader.cuh"
#include "sum_long.cuh"

/*
 * The bits of fields from which on integers are added by code for each width.
 * Narrow ones are slower with it: doc/kernels-figures.md has the figures.
 */
constexpr unsigned kWideFieldBits = 17;

/* The sum of a warp's integers, by the fields of vectors. */
template <typename T>
struct FieldSum
{
	ThreadSum<T> sum;

	__device__ __forceinline__ void
	init()
	{
		sum.clear();
	}

	template <typename Next>
	__device__ __forceinline__ void
	add_vectors(PackedVector vector, unsigned long long *, Next next)
	{
		if (!vector.is_sparse && vector.width >= kWideFieldBits &&
			has_width(vector.width))
		{
			with_width(vector.width,
					   [&](auto width)
					   {
						   if constexpr (width.value >= kWideFieldBits)
							   do
								   add_integers(
									   sum, vector.base, GA_PACKED_LANE_ITEMS,
									   sum_planes(vector.payload, width.value,
												  lane_id()));
							   while (next(&vector));
					   });
			return;
		}
		do
		{
			unsigned n;
			const uint64_t fields = sum_of_fields(vector, lane_id(), &n);

			add_integers(sum, vector.base, n, fields);
		} while (next(&vector));
	}

	__device__ __forceinline__ void
	flush(unsigned long long *cells)
	{
		flush_levels(cells, sum);
	}
};

template <>
struct FieldSum<double> : DecimalSum
{
};

/* The sum of a warp's vectors of a kind. */
template <typename T, VectorKind kKind>
using KindSum = typename std::conditional<
	kKind == kResidueVector, ResidueSum,
	typename std::conditional<kKind == kFieldVector, FieldSum<T>,
							  VectorItemSum<T>>::type>::type;

/*
 * The share's sum; see WarpSum.  It is that of several sets of cells, one for
 * each kSumWarps warps, so that fewer wait for a cell.  An item or a flush adds
 * less than 2^32 to a cell, and a share has less than 2^30 of both.
 */
template <typename T>
struct PackedShared
{
	unsigned long long cells[kPackedBlocks<T>][kSumWords];
	/* last: some devices have no memory for it; one for each warp */
	LoaderMemory<T> loaders[kWideWarps<T>];
};

template <typename T>
static __device__ __forceinline__ PackedShared<T> &
packed_shared()
{
	extern __shared__ __align__(128) unsigned char memory[];

	return *kept_pointer(reinterpret_cast<PackedShared<T> *>(memory));
}

/* Return the cells of this warp. */
template <typename T>
static __device__ __forceinline__ unsigned long long *
packed_cells()
{
	return packed_shared<T>().cells[threadIdx.x / kSumThreads];
}

/* Return the loader's memory of this warp. */
template <typename T>
static __device__ __forceinline__ LoaderMemory<T> *
loader_memory()
{
	return packed_shared<T>().loaders + threadIdx.x / kWarp;
}

/* Add a vector that is partly in an array to cells; a whole warp. */
template <typename T>
static __device__ __noinline__ void
add_edge(const VectorSpan<T> run, int at, unsigned long long *cells)
{
	constexpr int kTile = kWarp * kItemsPerThread<T>;
	ItemSum<T> sum;

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

/*
 * Add a warp's whole vectors of a kind to cells, where they are.  Returns the
 * kinds that there are.
 */
template <typename T, VectorKind kKind>
static __device__ __noinline__ unsigned
sum_in_place(const PackedTiles<T> tiles)
{
	unsigned long long *cells = packed_cells<T>();
	const int n_vectors = count_vectors(tiles);
	unsigned kinds = 0;
	KindSum<T, kKind> sum;

	sum.init();
	for (int first = 0; first < n_vectors; first += kWarp)
	{
		const int i = first + lane_id();
		GaPackedCoding mine = {};
		VectorKind kind = kNoVector;
		unsigned todo;

		if (i < n_vectors)
		{
			mine = load_coding<T>(reinterpret_cast<uintptr_t>(
				tiles.run.base + tiles.first + i * tiles.whole.step));
			kind = vector_kind<T>(mine);
		}
		kinds |= kinds_of_warp(kind);
		for (todo = __ballot_sync(kFullMask, kind == kKind); todo != 0;
			 todo &= todo - 1)
		{
			const unsigned next = todo & (todo - 1);

			if (next != 0)
				prefetch_payload<T>(coding_of_lane(mine, __ffs(next) - 1));
			sum.add_vectors(PackedVector(coding_of_lane(mine, __ffs(todo) - 1)),
							cells, [](PackedVector *) { return false; });
		}
	}
	sum.flush(cells);
	return kinds;
}

/*
 * Add a warp's whole vectors of a kind to cells, from shared memory.  Returns
 * the kinds that there are.  No call is in its loop: it would take registers.
 */
template <typename T, VectorKind kKind>
static __device__ __noinline__ unsigned
sum_copied(const PackedTiles<T> tiles, unsigned *parities)
{
	unsigned long long *cells = packed_cells<T>();
	PackedLoader<T, kKind> loader(tiles, loader_memory<T>(), *parities);
	KindSum<T, kKind> sum;

	sum.init();
	for (; loader.wait(); loader.release())
		sum.add_vectors(loader.vector(), cells,
						[&](PackedVector *vector)
						{ return loader.next_alike(vector); });
	sum.flush(cells);
	*parities = loader.parities;
	return loader.kinds;
}

/* Are vectors copied to shared memory? */
#ifdef GA_HAS_RING
template <typename T>
constexpr bool kIsCopied = kHasFields<T>;
#else
template <typename T>
constexpr bool kIsCopied = false;
#endif

/* Add a warp's whole vectors of a kind; returns the kinds that there are. */
template <typename T, VectorKind kKind>
static __device__ __forceinline__ unsigned
sum_kind(const PackedTiles<T> &tiles, unsigned *parities)
{
	if constexpr (kIsCopied<T> && kKind != kItemVector)
		return sum_copied<T, kKind>(tiles, parities);
	else
		return sum_in_place<T, kKind>(tiles);
}

/* Add all of a warp's whole vectors: those of the usual kind first. */
template <typename T>
static __device__ __forceinline__ void
sum_vectors(const PackedTiles<T> &tiles, unsigned *parities)
{
	constexpr VectorKind kFirst = std::is_same<T, double>::value ?
									  kResidueVector :
								  kHasFields<T> ? kFieldVector :
												  kItemVector;
	const unsigned kinds = sum_kind<T, kFirst>(tiles, parities);

	if constexpr (kFirst == kResidueVector)
	{
		if (has_kind(kinds, kFieldVector))
			sum_kind<T, kFieldVector>(tiles, parities);
	}
	if constexpr (kFirst != kItemVector)
	{
		if (has_kind(kinds, kItemVector))
			sum_kind<T, kItemVector>(tiles, parities);
	}
}

/* Return the sum of a share; a whole warp. */
template <typename T>
static __device__ __forceinline__ WarpSum
collect_packed(const PackedShared<T> &shared)
{
	WarpSum sum;

#pragma unroll
	for (int g = 0; g < kWordsPerLane; g++)
	{
		const int i = lane_id() + g * kWarp;

		sum.word[g] = 0;
		for (int set = 0; i < kSumWords && set < kPackedBlocks<T>; set++)
			sum.word[g] += int64_t(shared.cells[set][i]);
	}
	/* the bound of merge_share() */
	sum.propagate_carries();
	return sum;
}

template <typename T>
static __global__ void
__launch_bounds__(kWideWarps<T> *kWarp, 1)
	sum_packed(const __grid_constant__ LongParams<false> params)
{
	PackedShared<T> &shared = packed_shared<T>();
	unsigned parities = 0;

	if constexpr (kIsCopied<T>)
		init_barriers(shared_address(loader_memory<T>()->barriers),
					  kVectorsAhead);
	for (uint32_t share = blockIdx.x; share < params.n_shares;
		 share += gridDim.x)
	{
		const LongArray array = array_of_share<false>(params, share);
		const PackedTiles<T> tiles(array.data, array.n, array.n_shares,
								   share - array.first_share,
								   int(blockDim.x / kWarp));

		for (int i = threadIdx.x; i < kSumWords; i += blockDim.x)
			for (int set = 0; set < kPackedBlocks<T>; set++)
				shared.cells[set][i] = 0;
		__syncthreads();
		if (tiles.edge >= 0)
			add_edge(tiles.run, tiles.edge, packed_cells<T>());
		sum_vectors<T>(tiles, &parities);
		__syncthreads();
		if (threadIdx.x < kWarp)
			store_or_merge<ThreadSum<T>::kIsInt>(params, array,
												 collect_packed(shared));
		__syncthreads();
	}
}

#endif /* GA_SUM_PACKED_CUH */
