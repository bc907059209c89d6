/*
 * mixed_source.cuh
 *		The tiles of arrays that may be packed: sources of reductions, of one
 *		array and of pairs.
 *
 * They have the interfaces of ArraySource and PairSource.
 */
#ifndef GA_MIXED_SOURCE_CUH
#define GA_MIXED_SOURCE_CUH

#include "packed/mixed_tiles.cuh"
#include "pair_source.cuh"

/* What the sources need of neither: memory for a ring, and its barriers. */
struct NoRing
{
};

template <typename T>
struct MixedSource
{
	using Tile = Items<T>;
	using Barriers = NoRing;
	using Memory = NoRing;

	MixedTiles<T> tiles;

	static __device__ __forceinline__ void
	init(Barriers &)
	{
	}

	__device__ __forceinline__
	MixedSource(const ReduceArray &array, uint32_t share, Memory &, Barriers &,
				unsigned)
		: tiles(array.data, array.n, array.n_shares, share)
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
		tiles.load(tiles.edge, tile, outside);
	}

	__device__ __forceinline__ void
	resume()
	{
	}

	__device__ __forceinline__ void
	take(int at, Tile &tile)
	{
		tiles.load_whole(at, tile);
	}
};

template <typename T>
struct MixedPairSource
{
	using Tile = ItemPairs<T>;
	using Barriers = NoRing;
	using Memory = NoRing;
	static constexpr int kVectors = kPairVectors<T>;

	MixedTiles<T, kVectors> tiles; /* of the first array */
	const T *y;		 /* the second array's element at position 0 */
	bool is_aligned; /* are its tiles the same? */

	static __device__ __forceinline__ void
	init(Barriers &)
	{
	}

	__device__ __forceinline__
	MixedPairSource(const ReduceArray &array, uint32_t share, Memory &,
					Barriers &, unsigned)
		: tiles(array.data, array.n, array.n_shares, share),
		  y(static_cast<const T *>(array.other) - tiles.run.first),
		  is_aligned(reinterpret_cast<uintptr_t>(y) %
						 tile_alignment<T, kVectors>(y) ==
					 0)
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
					at >= tiles.run.first && at < tiles.run.end ?
						load_mixed(y + at) :
						outside;
			}
		}
	}

	__device__ __forceinline__ void
	resume()
	{
	}

	__device__ __forceinline__ void
	take(int at, Tile &tile)
	{
		constexpr int kSize = Vector<T>::kSize;
		const T *from = y + at + lane_id() * kSize;

		tiles.load_whole(at, tile.x);
		if (is_aligned && is_packed(y))
		{
			load_packed_tile(y + at, tile.y);
			return;
		}
#pragma unroll
		for (int k = 0; k < kVectors; k++)
		{
			if (is_aligned)
				tile.y.vector[k] = load_vector(from + k * kWarp * kSize);
			else
			{
#pragma unroll
				for (int i = 0; i < kSize; i++)
					tile.y.vector[k].item[i] =
						load_mixed(from + k * kWarp * kSize + i);
			}
		}
	}
};

#endif /* GA_MIXED_SOURCE_CUH */
