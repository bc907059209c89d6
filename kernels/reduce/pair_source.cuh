/*
 * pair_source.cuh
 *		The tiles of two arrays of one length, pair by pair: a source of
 *		reductions.
 *
 * It has the interface of ArraySource.  Its tiles are a quarter as long, since
 * a thread has the items of both arrays, and prefetches those of the next tile
 * to registers: with tiles of twice that length it spills, and takes 1.1 times
 * as long.  They are cut as the first array's vectors are; the second one's
 * items are loaded one by one if its vectors lie otherwise.
 */
#ifndef GA_PAIR_SOURCE_CUH
#define GA_PAIR_SOURCE_CUH

#include "reduce.h"

template <typename T>
constexpr int kPairVectors = kVectorsPerThread<T> / 4;

/* A thread's pairs of a tile. */
template <typename T>
struct ItemPairs
{
	static constexpr int kCount = Items<T, kPairVectors<T>>::kCount;

	Items<T, kPairVectors<T>> x;
	Items<T, kPairVectors<T>> y;
};

template <typename T>
struct PairSource
{
	using Tile = ItemPairs<T>;
	struct Barriers
	{
	};
	struct Memory
	{
	};
	static constexpr int kVectors = kPairVectors<T>;

	WarpTiles<T, kVectors> tiles; /* of the first array */
	const T *others;			  /* its positions in the second array */
	bool is_aligned;			  /* have both arrays the same vectors? */
	Tile next;

	static __device__ __forceinline__ void
	init(Barriers &)
	{
	}

	__device__ __forceinline__
	PairSource(const ReduceArray &array, uint32_t share, Memory &, Barriers &,
			   unsigned)
		: tiles(array.data, array.n, array.n_shares, share),
		  others(static_cast<const T *>(array.other) - tiles.run.first),
		  is_aligned(reinterpret_cast<uintptr_t>(others) % kVectorBytes == 0)
	{
	}

	__device__ __forceinline__ unsigned
	position() const
	{
		return 0;
	}

	__device__ __forceinline__ void
	start()
	{
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
					at >= tiles.run.first && at < tiles.run.end ? others[at] :
																  outside;
			}
		}
	}

	__device__ __forceinline__ void
	resume()
	{
		if (tiles.first < tiles.whole.end)
			load(tiles.first);
	}

	__device__ __forceinline__ void
	take(int at, Tile &tile)
	{
		tile = next;
		if (at + tiles.whole.step < tiles.whole.end)
			load(at + tiles.whole.step);
	}

	/* Load the whole tile at a position. */
	__device__ __forceinline__ void
	load(int at)
	{
		constexpr int kSize = Vector<T>::kSize;
		const T *from = others + at + lane_id() * kSize;

		tiles.whole.load(at, next.x);
#pragma unroll
		for (int k = 0; k < kVectors; k++)
		{
			if (is_aligned)
				next.y.vector[k] = load_vector(from + k * kWarp * kSize);
			else
			{
#pragma unroll
				for (int i = 0; i < kSize; i++)
					next.y.vector[k].item[i] =
						__ldg(from + k * kWarp * kSize + i);
			}
		}
	}
};

#endif /* GA_PAIR_SOURCE_CUH */
