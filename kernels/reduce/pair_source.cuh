/*
 * pair_source.cuh
 *		The tiles of two arrays of one length, pair by pair: a source of
 *		reductions.
 *
 * It has the interface of ArraySource.  Its tiles are half as long, since a
 * thread has the items of both arrays.  They are cut as the first array's
 * vectors are; the second one's items are loaded one by one if its vectors lie
 * otherwise: if it is shifted.
 */
#ifndef GA_PAIR_SOURCE_CUH
#define GA_PAIR_SOURCE_CUH

#include "reduce.h"
#include "ring.cuh"

template <typename T>
constexpr int kPairVectors = kVectorsPerThread<T> / 2;

/* A thread's pairs of a tile. */
template <typename T>
struct ItemPairs
{
	static constexpr int kCount = Items<T, kPairVectors<T>>::kCount;

	Items<T, kPairVectors<T>> x;
	Items<T, kPairVectors<T>> y;
};

/* Where the whole tiles of a warp lie. */
template <typename T>
struct PairTiles
{
	WholeTiles<T, kPairVectors<T>> x;
	const T *y; /* the second array's element at position 0 */

	/* Load the tile at a position. */
	__device__ __forceinline__ void
	load(int at, ItemPairs<T> &pairs) const
	{
		x.load(at, pairs.x);
#pragma unroll
		for (int k = 0; k < kPairVectors<T>; k++)
			pairs.y.vector[k] = load_vector(
				y + at + (k * kWarp + lane_id()) * Vector<T>::kSize);
	}

	/* The same if the second array's vectors lie otherwise. */
	__device__ __forceinline__ void
	load_shifted(int at, ItemPairs<T> &pairs) const
	{
		constexpr int kSize = Vector<T>::kSize;
		const T *from = y + at + lane_id() * kSize;

		x.load(at, pairs.x);
#pragma unroll
		for (int k = 0; k < kPairVectors<T>; k++)
		{
#pragma unroll
			for (int i = 0; i < kSize; i++)
				pairs.y.vector[k].item[i] = __ldg(from + k * kWarp * kSize + i);
		}
	}
};

/* Bytes of a tile in each array. */
template <typename T>
constexpr int kPairBytes = kPairVectors<T> *kWarp *kVectorBytes;

/* The loader that prefetches to registers. */
template <typename T>
struct PairRegisterLoader
{
	ItemPairs<T> next;

	template <typename Barriers>
	static __device__ __forceinline__ void
	init(Barriers &)
	{
	}

	template <typename Barriers>
	__device__ __forceinline__
	PairRegisterLoader(RingShared &, Barriers &, unsigned)
	{
	}

	__device__ __forceinline__ unsigned
	position() const
	{
		return 0;
	}

	__device__ __forceinline__ void
	start(const PairTiles<T> &, int)
	{
	}

	__device__ __forceinline__ void
	resume(const PairTiles<T> &tiles, int at)
	{
		if (at < tiles.x.end)
			tiles.load(at, next);
	}

	__device__ __forceinline__ void
	take(const PairTiles<T> &tiles, int at, ItemPairs<T> &pairs)
	{
		pairs = next;
		if (at + tiles.x.step < tiles.x.end)
			tiles.load(at + tiles.x.step, next);
	}
};

/*
 * The loader that prefetches to a ring of the block: a stage has a row, a tile
 * of each array for each warp, which lie side by side in the arrays.  Two
 * copies fill a stage.  The last warp that has read it issues the next ones.
 */
template <typename T>
struct PairRingLoader
{
	static constexpr unsigned kHalfBytes = kTileWarps * kPairBytes<T>;
	static constexpr unsigned kStages = sizeof(RingShared) / (2 * kHalfBytes);
	static constexpr int kRow = /* elements of a stage in each array */
		kHalfBytes / int(sizeof(T));

	struct Barriers
	{
		uint64_t full[kStages];	  /* the copies to the stage are complete */
		uint64_t empty[kStages];  /* all lanes have read it, for another row */
		unsigned n_read[kStages]; /* the times that a warp has */
	};

	RingShared &memory;
	Barriers &barriers;
	unsigned at_start; /* position at which the share began */
	unsigned n_rows;   /* stages of the share */
	unsigned n_taken;

	/* Once in a kernel; a barrier of the block must follow. */
	static __device__ __forceinline__ void
	init(Barriers &barriers)
	{
		if (threadIdx.x < kWarp)
		{
			init_barriers(shared_address(barriers.full), kStages);
			init_barriers(shared_address(barriers.empty), kStages,
						  kTileThreads);
		}
		if (threadIdx.x < kStages)
			barriers.n_read[threadIdx.x] = 0;
	}

	__device__ __forceinline__
	PairRingLoader(RingShared &memory, Barriers &barriers, unsigned position)
		: memory(memory), barriers(barriers), at_start(position), n_rows(0),
		  n_taken(0)
	{
	}

	/* The same in all warps, also those without a tile of the last row. */
	__device__ __forceinline__ unsigned
	position() const
	{
		return (at_start + n_rows) % (2 * kStages);
	}

	/* Issue the copies of the row at a position of an array; one thread. */
	__device__ __forceinline__ void
	issue(const PairTiles<T> &tiles, int at, unsigned to) const
	{
		const unsigned barrier = shared_address(barriers.full + to);
		const unsigned stage =
			shared_address(memory.bytes) + to * 2 * kHalfBytes;
		const unsigned n_bytes =
			unsigned(min(kRow, tiles.x.end - at)) * unsigned(sizeof(T));

		mbarrier_expect(barrier, 2 * n_bytes);
		copy_once(stage, tiles.x.base + at, n_bytes, barrier);
		copy_once(stage + kHalfBytes, tiles.y + at, n_bytes, barrier);
	}

	/* Begin a share, whose first tile of this warp is given. */
	__device__ __forceinline__ void
	start(const PairTiles<T> &tiles, int first)
	{
		const int from = first - int(threadIdx.x / kWarp) * (kRow / kTileWarps);

		if (tiles.x.end > from)
			n_rows = unsigned(tiles.x.end - from + kRow - 1) / unsigned(kRow);
		if (threadIdx.x == 0)
		{
#pragma unroll
			for (unsigned s = 0; s < kStages; s++)
			{
				if (s < n_rows)
					issue(tiles, from + int(s) * kRow,
						  (at_start + s) % kStages);
			}
		}
	}

	__device__ __forceinline__ void
	resume(const PairTiles<T> &, int)
	{
	}

	__device__ __forceinline__ void
	take(const PairTiles<T> &tiles, int at, ItemPairs<T> &pairs)
	{
		const unsigned row = at_start + n_taken;
		const unsigned stage = row % kStages;
		const unsigned warp = threadIdx.x / kWarp;
		const unsigned from = shared_address(memory.bytes) +
							  stage * 2 * kHalfBytes + warp * kPairBytes<T>;

		mbarrier_wait(shared_address(barriers.full + stage), row / kStages % 2);
		load_stage(from, pairs.x);
		load_stage(from + kHalfBytes, pairs.y);
		fence_copies();
		n_taken++;
		if (n_taken + kStages > n_rows)
			return;
		mbarrier_arrive(shared_address(barriers.empty + stage));
		__syncwarp();
		if (lane_id() == 0)
			replace(tiles, at - int(warp) * (kRow / kTileWarps), stage);
	}

	/*
	 * This warp has read a stage with the row at a position, behind which there
	 * is another one for the stage; one lane.  So all warps have tiles of it.
	 * The last one waits until all lanes have arrived.
	 */
	__device__ __forceinline__ void
	replace(const PairTiles<T> &tiles, int at, unsigned stage) const
	{
		const unsigned empty = shared_address(barriers.empty + stage);
		const unsigned n_before = atomicAdd_block(barriers.n_read + stage, 1u);

		if (n_before % kTileWarps != kTileWarps - 1)
			return;
		mbarrier_wait(empty, n_before / kTileWarps % 2);
		issue(tiles, at + int(kStages) * kRow, stage);
	}
};

#ifdef GA_HAS_RING
template <typename T>
using PairLoader = PairRingLoader<T>;
#else
template <typename T>
using PairLoader = PairRegisterLoader<T>;
#endif

template <typename T>
struct PairSource
{
	using Tile = ItemPairs<T>;
	using Barriers = typename PairRingLoader<T>::Barriers;
	using Memory = RingShared;
	static constexpr bool kHasHeaders = false;
	static constexpr int kParts = 1;
	static constexpr bool kHasShifted = true;
	static constexpr int kVectors = kPairVectors<T>;

	WarpTiles<T, kVectors> tiles; /* of the first array */
	PairTiles<T> pairs;
	PairLoader<T> loader;

	static __device__ __forceinline__ void
	init(Barriers &barriers)
	{
		PairLoader<T>::init(barriers);
	}

	__device__ __forceinline__
	PairSource(const ReduceArray &array, uint32_t share, Memory &memory,
			   Barriers &barriers, unsigned position)
		: tiles(array.data, array.n, array.n_shares, share),
		  loader(memory, barriers, position)
	{
		tiles.take_range(array.n_shares, share);
		pairs.x = tiles.whole;
		pairs.y = static_cast<const T *>(array.other) - tiles.run.first;
	}

	__device__ __forceinline__ unsigned
	position() const
	{
		return loader.position();
	}

	/* Do the second array's vectors lie otherwise?  Then take_shifted(). */
	__device__ __forceinline__ bool
	is_shifted() const
	{
		return reinterpret_cast<uintptr_t>(pairs.y) % kVectorBytes != 0;
	}

	__device__ __forceinline__ void
	start()
	{
		if (!is_shifted())
			loader.start(pairs, tiles.first);
	}

	__device__ __forceinline__ void
	load_edge(int, Tile &tile, T outside) const
	{
		constexpr int kSize = Vector<T>::kSize;
		const int from = tiles.edge + lane_id() * kSize;

		tiles.load(tiles.edge, tile.x, outside);
#pragma unroll
		for (int k = 0; k < kVectors; k++)
		{
#pragma unroll
			for (int i = 0; i < kSize; i++)
			{
				const int at = from + k * kWarp * kSize + i;

				tile.y.vector[k].item[i] =
					at >= tiles.run.first && at < tiles.run.end ? pairs.y[at] :
																  outside;
			}
		}
	}

	__device__ __forceinline__ void
	resume()
	{
		loader.resume(pairs, tiles.first);
	}

	/* Before a whole tile is taken. */
	__device__ __forceinline__ void
	begin_tile(int)
	{
	}

	__device__ __forceinline__ void
	take(int at, int, Tile &tile)
	{
		loader.take(pairs, at, tile);
	}

	__device__ __forceinline__ void
	take_shifted(int at, Tile &tile) const
	{
		pairs.load_shifted(at, tile);
	}
};

#endif /* GA_PAIR_SOURCE_CUH */
