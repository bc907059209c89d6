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

/* The loader that prefetches to a ring, both arrays' tiles to each stage. */
template <typename T>
struct PairRingLoader : Ring<2 * kPairBytes<T>>
{
	using Base = Ring<2 * kPairBytes<T>>;
	using Base::Base;
	using Base::kStages;
	using Base::stage;

	/* Issue the copies of the tile at a position; one lane. */
	__device__ __forceinline__ void
	issue(const PairTiles<T> &tiles, int at, unsigned to) const
	{
		this->expect(to);
		this->copy(to, 0, tiles.x.base + at, kPairBytes<T>);
		this->copy(to, kPairBytes<T>, tiles.y + at, kPairBytes<T>);
	}

	__device__ __forceinline__ void
	start(const PairTiles<T> &tiles, int from)
	{
		__syncwarp();
		if (lane_id() == 0)
		{
#pragma unroll
			for (int s = 0; s < kStages; s++)
			{
				const int at = from + s * tiles.x.step;

				if (at < tiles.x.end)
					issue(tiles, at, (stage + s) % kStages);
			}
		}
		__syncwarp();
	}

	__device__ __forceinline__ void
	resume(const PairTiles<T> &, int)
	{
	}

	__device__ __forceinline__ void
	take(const PairTiles<T> &tiles, int at, ItemPairs<T> &pairs)
	{
		const unsigned taken = stage;
		const int next = at + kStages * tiles.x.step;

		this->wait();
		load_stage(this->at(taken), pairs.x);
		load_stage(this->at(taken) + kPairBytes<T>, pairs.y);
		this->next_stage();
		__syncwarp();
		if (lane_id() == 0 && next < tiles.x.end)
			issue(tiles, next, taken);
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
	using Barriers = typename Ring<2 * kPairBytes<T>>::Barriers;
	using Memory = RingShared;
	static constexpr bool kHasHeaders = false;
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
	load_edge(Tile &tile, T outside) const
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

	__device__ __forceinline__ void
	take(int at, Tile &tile)
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
