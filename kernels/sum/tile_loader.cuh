/*
 * tile_loader.cuh
 *		What brings a warp its whole pieces, here by loading one ahead.
 *
 * This one brings them to registers, that of ring.cuh to shared memory; which
 * is why both are told more than they need.
 */
#ifndef GA_TILE_LOADER_CUH
#define GA_TILE_LOADER_CUH

#include "share.cuh"

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

	/* Begin a chunk, or go on from a piece on after some were skipped. */
	__device__ __forceinline__ void
	start(const WholeTiles<T> &, int)
	{
	}

	/* Go on from a piece on. */
	__device__ __forceinline__ void
	resume(const WholeTiles<T> &tiles, int at)
	{
		if (at < tiles.end)
			tiles.load(at, next);
	}

	/* The items of the piece that is due. */
	__device__ __forceinline__ void
	take(const WholeTiles<T> &tiles, int at, Items<T> &items)
	{
		items = next;
		if (at + tiles.step < tiles.end)
			tiles.load(at + tiles.step, next);
	}

	/* Pass over a piece. */
	__device__ __forceinline__ void
	skip(int)
	{
	}

	/* The room was used in other ways; a barrier of the block follows. */
	static __device__ __forceinline__ void
	fence_reuse()
	{
	}
};

#endif /* GA_TILE_LOADER_CUH */
