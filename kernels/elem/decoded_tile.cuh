/*
 * decoded_tile.cuh
 *		Elements of a tile of arrays that may be packed, in shared memory.
 *
 * To decode elements of an array takes a warp, and pays for many at once.  So
 * the warps of a block divide the arrays of a tile among them, and each leaves
 * the elements of all the block's positions to the threads that have these.
 */
#ifndef GA_DECODED_TILE_CUH
#define GA_DECODED_TILE_CUH

#include "elem.h"
#include "packed/mixed_tiles.cuh"

constexpr int kElemWarps = kElemThreads / kWarp;

/* Arrays of a tile that a warp decodes. */
constexpr int kArraysOfWarp = kTileArrays / kElemWarps;

template <typename T>
struct DecodedTile
{
	static constexpr int kSize = Vector<T>::kSize;

	/* The elements of a block, by its warps' lanes. */
	using BlockItems = Items<T, kElemWarps>;
	static constexpr uint32_t kPositions = kElemThreads * kSize;

	Vector<T> vector[kTileArrays][kElemThreads];

	/* Set the elements of an array from number `from` on; a whole warp. */
	__device__ __forceinline__ void
	fill(int k, uint32_t from, T outside)
	{
		T *to = vector[k][0].item;

		for (uint32_t i = from + lane_id(); i < kPositions; i += kWarp)
			to[i] = outside;
	}

	/* Load n elements of an array one by one. */
	__device__ __forceinline__ void
	load_items(int k, const T *from, uint32_t n)
	{
		T *to = vector[k][0].item;

		for (uint32_t i = lane_id(); i < n; i += kWarp)
			to[i] = load_mixed(from + i);
	}

	/*
	 * Load n elements of an array, with `outside` behind them; a whole warp.
	 * The coding is that of a packed one; a plain one has none.
	 */
	__device__ __forceinline__ void
	load(int k, const T *from, uint32_t n, const GaPackedCoding &coding,
		 T outside)
	{
		const uintptr_t address = reinterpret_cast<uintptr_t>(from);
		const bool is_packed = ga_is_packed(address);
		const unsigned number =
			is_packed ? ga_packed_number(address, sizeof(T)) : 0;

		if (is_packed ? number % kPositions == 0 :
						n == kPositions && address % kVectorBytes == 0)
		{
			BlockItems items;

			if (is_packed)
				decode_tile(PackedVector(coding), number / kWarp, items);
#pragma unroll
			for (int v = 0; v < kElemWarps; v++)
			{
				const int thread = v * kWarp + lane_id();

				vector[k][thread] = is_packed ?
										items.vector[v] :
										load_vector(from + thread * kSize);
			}
			__syncwarp();
		}
		else
			load_items(k, from, n);
		if (n < kPositions)
			fill(k, n, outside);
	}
};

/* The arrays of a block's positions, a tile after the other. */
template <typename T>
struct TileDecoder
{
	using Tile = DecodedTile<T>;

	Tile &tile;
	const uint64_t *addresses; /* of some arrays */
	int n_arrays;
	uint64_t at;		 /* of the block's positions, bytes from there */
	uint32_t n;			 /* their number */
	GaPackedCoding next; /* lane j's: of array j of the warp, packed */

	/* Return the place of array k's elements. */
	__device__ __forceinline__ const T *
	address(int k) const
	{
		return reinterpret_cast<const T *>(addresses[k] + at);
	}

	/* Return the array of a tile that is the warp's, by number. */
	static __device__ __forceinline__ int
	of_warp(int j)
	{
		return j * kElemWarps + int(threadIdx.x / kWarp);
	}

	/* Load the headers of the tile that begins with an array. */
	__device__ __forceinline__ void
	load_headers(int first)
	{
		const int k = first + of_warp(int(lane_id()));

		if (lane_id() < kArraysOfWarp && k < n_arrays && is_packed(address(k)))
			next = load_coding<T>(reinterpret_cast<uintptr_t>(address(k)));
	}

	/*
	 * Decode the tile that begins with an array, and load the next one's
	 * headers; the whole block.
	 */
	__device__ __forceinline__ void
	decode(int first, T outside)
	{
		const GaPackedCoding codings = next;

		load_headers(first + kTileArrays);
#pragma unroll
		for (int j = 0; j < kArraysOfWarp; j++)
		{
			const int k = first + of_warp(j);

			if (k < n_arrays)
				tile.load(of_warp(j), address(k), n, coding_of_lane(codings, j),
						  outside);
			else
				tile.fill(of_warp(j), 0, outside);
		}
	}

	/* Prefetch the payloads of the next tile, which begins with an array. */
	__device__ __forceinline__ void
	prefetch(int first) const
	{
#pragma unroll
		for (int j = 0; j < kArraysOfWarp; j++)
		{
			const int k = first + of_warp(j);

			if (k < n_arrays && is_packed(address(k)))
				prefetch_payload<T>(coding_of_lane(next, j));
		}
	}
};

#endif /* GA_DECODED_TILE_CUH */
