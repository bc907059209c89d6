/*
 * tile_loader.cuh
 *		The loader of a warp's whole tiles that prefetches to registers.
 *
 * It has the interface of RingLoader (ring.cuh), which prefetches to shared
 * memory; arguments that only the other one needs are ignored.
 */
#ifndef GA_TILE_LOADER_CUH
#define GA_TILE_LOADER_CUH

#include "warp_tiles.cuh"

template <typename T>
struct RegisterLoader
{
	Items<T> next;

	template <typename Barriers>
	static __device__ __forceinline__ void
	init(Barriers &)
	{
	}

	template <typename Memory, typename Barriers>
	__device__ __forceinline__
	RegisterLoader(Memory &, Barriers &, unsigned)
	{
	}

	__device__ __forceinline__ unsigned
	position() const
	{
		return 0;
	}

	/* Begin a share, or go on after skipped tiles. */
	__device__ __forceinline__ void
	start(const WholeTiles<T> &, int)
	{
	}

	/* Prefetch the tile at a position. */
	__device__ __forceinline__ void
	resume(const WholeTiles<T> &tiles, int at)
	{
		if (at < tiles.end)
			tiles.load(at, next);
	}

	/* Return the current tile's items, and prefetch the next tile. */
	__device__ __forceinline__ void
	take(const WholeTiles<T> &tiles, int at, Items<T> &items)
	{
		items = next;
		if (at + tiles.step < tiles.end)
			tiles.load(at + tiles.step, next);
	}

	/* Skip a tile. */
	__device__ __forceinline__ void
	skip(int)
	{
	}

	/* The ring's memory was used otherwise; a barrier of the block follows. */
	static __device__ __forceinline__ void
	fence_reuse()
	{
	}
};

#endif /* GA_TILE_LOADER_CUH */
