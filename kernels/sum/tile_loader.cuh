/*
 * tile_loader.cuh
 *		What brings a warp its whole pieces, here by loading one ahead.
 *
 * This one brings them to registers, that of ring.cuh to shared memory; which
 * is why both are told more than they need.
 */
#ifndef GA_TILE_LOADER_CUH
#define GA_TILE_LOADER_CUH

#include "chunk.cuh"

template <typename T>
struct RegisterFeed
{
	Items<T> next;

	template <typename Barriers>
	static __device__ __forceinline__ void
	init(Barriers &)
	{
	}

	template <typename Room, typename Barriers>
	__device__ __forceinline__
	RegisterFeed(Room &, Barriers &, unsigned)
	{
	}

	__device__ __forceinline__ unsigned
	turn() const
	{
		return 0;
	}

	/* Begin a chunk, or go on from a piece on after some were skipped. */
	__device__ __forceinline__ void
	start(const WholePieces<T> &, int)
	{
	}

	/* Go on from a piece on. */
	__device__ __forceinline__ void
	resume(const WholePieces<T> &pieces, int at)
	{
		if (at < pieces.end)
			pieces.load(at, next);
	}

	/* The items of the piece that is due. */
	__device__ __forceinline__ void
	take(const WholePieces<T> &pieces, int at, Items<T> &items)
	{
		items = next;
		if (at + pieces.step < pieces.end)
			pieces.load(at + pieces.step, next);
	}

	/* Pass over a piece. */
	__device__ __forceinline__ void
	skip(int)
	{
	}

	/* The room was used in other ways; a barrier of the block follows. */
	static __device__ __forceinline__ void
	give_back()
	{
	}
};

#endif /* GA_TILE_LOADER_CUH */
