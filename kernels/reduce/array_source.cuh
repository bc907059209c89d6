/*
 * array_source.cuh
 *		The tiles of one array: a source of reductions.
 *
 * A source gives a warp the tiles of its share: `tiles` has their positions,
 * load_edge() and take() what each of their kParts parts is made of;
 * begin_tile() comes before a whole tile's parts.  If kHasHeaders, vectors of
 * packed arrays are taken by their headers (HeaderSource).  For reductions with
 * kTakesVectors, has_vector() says whether the tile is a packed vector, and
 * vector() which one.
 */
#ifndef GA_ARRAY_SOURCE_CUH
#define GA_ARRAY_SOURCE_CUH

#include "reduce.h"
#include "ring.cuh"

template <typename T>
struct ArraySource
{
	using Tile = Items<T>;
	using Barriers = RingBarriers<T>;
	using Memory = RingShared;
	static constexpr bool kHasHeaders = false;
	static constexpr int kParts = 1;
	static constexpr bool kHasShifted = false;

	WarpTiles<T> tiles;
	TileLoader<T> loader;

	/* Once in a kernel. */
	static __device__ __forceinline__ void
	init(Barriers &barriers)
	{
		TileLoader<T>::init(barriers);
	}

	/* For a share; position is 0, or position() after the previous share. */
	__device__ __forceinline__
	ArraySource(const ReduceArray &array, uint32_t share, Memory &memory,
				Barriers &barriers, unsigned position)
		: tiles(array.data, array.n, array.n_shares, share),
		  loader(memory, barriers, position)
	{
		tiles.take_range(array.n_shares, share);
	}

	__device__ __forceinline__ unsigned
	position() const
	{
		return loader.position();
	}

	/* Begin to load. */
	__device__ __forceinline__ void
	start()
	{
		loader.start(tiles.whole, tiles.first);
	}

	__device__ __forceinline__ void
	load_edge(int, Tile &tile, T outside) const
	{
		tiles.load(tiles.edge, tile, outside);
	}

	/* Before the first whole tile is taken. */
	__device__ __forceinline__ void
	resume()
	{
		loader.resume(tiles.whole, tiles.first);
	}

	/* Before a whole tile is taken. */
	__device__ __forceinline__ void
	begin_tile(int)
	{
	}

	/* Return the tile at a position, and load further ones. */
	__device__ __forceinline__ void
	take(int at, int, Tile &tile)
	{
		loader.take(tiles.whole, at, tile);
	}
};

#endif /* GA_ARRAY_SOURCE_CUH */
