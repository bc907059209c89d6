/*
 * feed.cuh
 *		What a warp of a block takes of a tile, and loads one tile ahead.
 *
 * A feed brings the tiles of a chunk in turn: this one to registers; that of
 * ring.cuh to shared memory, which is why both are told more than they need.
 */
#ifndef GA_FEED_CUH
#define GA_FEED_CUH

#include "chunk.cuh"

/* A warp's part of a tile: so many vectors of each lane, from a position on. */
template <typename T>
struct Piece
{
	int			from;
	int			n_rows;

	__device__ __forceinline__
	Piece(const ChunkTiles<T> &tiles, int at)
		: n_rows(at < tiles.whole_end ? kVectors<T> : tiles.last_rows)
	{
		from = at + int(threadIdx.x / kWarp) * n_rows * kWarp *
			Vector<T>::kSize;
	}

	/* Is all of it in the array? */
	__device__ __forceinline__ bool
	is_inside(const Run<T> &run) const
	{
		return from >= run.first &&
			from + n_rows * kWarp * Vector<T>::kSize <= run.end;
	}

	/* Load it; rows that it does not have are zero. */
	__device__ __forceinline__ void
	load(const Run<T> &run, Items<T> &items) const
	{
		constexpr int kStep = kWarp * Vector<T>::kSize;
		const int	mine = from + lane_id() * Vector<T>::kSize;

		if (n_rows == kVectors<T> && is_inside(run))
		{
#pragma unroll
			for (int k = 0; k < kVectors<T>; k++)
				items.vector[k] = load_vector(run.base + mine + k * kStep);
			return;
		}
#pragma unroll
		for (int k = 0; k < kVectors<T>; k++)
		{
			items.vector[k] = Vector<T>{};
			if (k < n_rows)
				items.vector[k] = run.load(mine + k * kStep);
		}
	}
};

/* Tiles in registers. */
template <typename T>
struct RegisterFeed
{
	Items<T>	next;

	template <typename Room, typename Barriers>
	__device__ __forceinline__
	RegisterFeed(Room &, Barriers &)
	{
	}

	/* Begin a chunk, or go on from a tile on after some were skipped. */
	__device__ __forceinline__ void
	start(const ChunkTiles<T> &, int)
	{
	}

	/* Go on from a tile on. */
	__device__ __forceinline__ void
	resume(const ChunkTiles<T> &tiles, int at)
	{
		Piece<T>(tiles, at).load(tiles.run, next);
	}

	/* Can the tile that is due be taken?  If not, mend() helps. */
	__device__ __forceinline__ bool
	has(const ChunkTiles<T> &, int) const
	{
		return true;
	}

	__device__ __forceinline__ void
	mend(const ChunkTiles<T> &, int)
	{
	}

	/* The items of the tile that is due. */
	__device__ __forceinline__ void
	take(const ChunkTiles<T> &tiles, int at, Items<T> &items)
	{
		const int	behind = tiles.next(at);

		items = next;
		if (behind >= 0)
			Piece<T>(tiles, behind).load(tiles.run, next);
	}

	/* Pass over a tile. */
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

#endif							/* GA_FEED_CUH */
