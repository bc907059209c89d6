/*
 * warp_tiles.cuh
 *		The tiles of an array that the warps of blocks load in turn.
 *
 * A warp tile is what a warp loads and adds at once.  An array is divided into
 * shares, and one block works on each.  Used by the kernels of sum/ and
 * reduce/.
 */
#ifndef GA_WARP_TILES_CUH
#define GA_WARP_TILES_CUH

#include "common.cuh"

/* Threads of a block that works on shares, but for wide ones (sum/sum.h). */
constexpr int kTileThreads = 256;
constexpr int kTileWarps = kTileThreads / kWarp;

/* Most whole warp tiles of a warp in a share of a sum. */
constexpr int kMaxWarpTiles = 1023;

/*
 * The whole tiles of a warp, which lie in the array with all their items: one
 * every `step` elements, up to position `end`.  Each has kVectors vectors for
 * each thread.
 */
template <typename T, int kVectors = kVectorsPerThread<T>>
struct WholeTiles
{
	const T *base;
	int step;
	int end;

	/* Load this lane's items of the tile at a position. */
	__device__ __forceinline__ void
	load(int at, Items<T, kVectors> &items) const
	{
#pragma unroll
		for (int k = 0; k < kVectors; k++)
			items.vector[k] = load_vector(
				base + at + (k * kWarp + lane_id()) * Vector<T>::kSize);
	}
};

/*
 * All tiles of a warp.  The warps of all shares of an array are numbered, and
 * take whole tiles in turn, or those of a range for each share (take_range()).
 * The partial tiles at the array's two ends are edges: one for the first warp
 * and one for the last.
 */
template <typename T, int kVectors = kVectorsPerThread<T>>
struct WarpTiles
{
	/* elements of a tile, a power of 2 */
	static constexpr int kTile = kWarp * Items<T, kVectors>::kCount;

	VectorSpan<T> run;
	WholeTiles<T, kVectors> whole;
	int first; /* position of the first whole tile */
	int edge;  /* position of the edge; < 0 is none */

	__device__ __forceinline__
	WarpTiles(const void *data, uint32_t n, uint32_t n_shares, uint32_t share,
			  uintptr_t align = kVectorBytes, int block_warps = kTileWarps)
		: run(data, n, align)
	{
		const int n_warps = int(n_shares) * block_warps;
		const int number = int(share) * block_warps + int(threadIdx.x / kWarp);

		whole.base = run.base;
		whole.step = n_warps * kTile;
		whole.end = run.end & -kTile;
		first = number * kTile;
		edge = -1;
		if (number == n_warps - 1 && whole.end < run.end)
			edge = whole.end;
		if (number == 0 && run.first > 0 && whole.end > 0)
		{
			edge = 0;
			first = whole.step;
		}
	}

	/*
	 * Take tiles of a range instead, in turn with the other kTileWarps warps.
	 * There are as many ranges as shares.
	 */
	__device__ __forceinline__ void
	take_range(uint32_t n_shares, uint32_t share)
	{
		const uint32_t begin = run.first > 0 && whole.end > 0; /* an edge */
		const uint32_t n = whole.end / kTile - begin;
		const uint32_t n_each = n / n_shares;
		const uint32_t n_longer = n % n_shares; /* have one more */
		const uint32_t from = begin + share * n_each + min(share, n_longer);

		first = int(from + threadIdx.x / kWarp) * kTile;
		whole.step = kTileWarps * kTile;
		whole.end = int(from + n_each + (share < n_longer)) * kTile;
	}

	/*
	 * Return a tile's number: whole tiles from 0 on, kMaxWarpTiles is the edge.
	 */
	__device__ __forceinline__ int
	number(int at) const
	{
		return at == edge ? kMaxWarpTiles : (at - first) / whole.step;
	}

	__device__ __forceinline__ int
	position(int number) const
	{
		return number == kMaxWarpTiles ? edge : first + number * whole.step;
	}

	/*
	 * Load this lane's items of any tile; items outside the array get the value
	 * `outside`.
	 */
	__device__ __forceinline__ void
	load(int at, Items<T, kVectors> &items, T outside = T(0)) const
	{
		items.load(run, at, lane_id(), kWarp, outside);
	}
};

#endif /* GA_WARP_TILES_CUH */
