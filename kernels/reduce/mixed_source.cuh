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
	static constexpr bool kHasHeaders = false;
	static constexpr bool kHasShifted = false;

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

/*
 * The same for extremes, which headers have: no tile is taken of vectors that
 * are in the array as a whole.
 */
template <typename T>
struct HeaderSource : MixedSource<T>
{
	using Base = MixedSource<T>;
	using Base::tiles;
	static constexpr bool kHasHeaders = true;

	/* The whole vectors: the position of the first, and the last one's end. */
	int begin;
	int end;
	uint32_t thread; /* the number of this one, of all that have shares */
	uint32_t n_threads;

	template <typename Memory, typename Barriers>
	__device__ __forceinline__
	HeaderSource(const ReduceArray &array, uint32_t share, Memory &memory,
				 Barriers &barriers, unsigned position)
		: Base(array, share, memory, barriers, position),
		  thread(share * kTileThreads + threadIdx.x),
		  n_threads(array.n_shares * kTileThreads)
	{
		const uintptr_t base = reinterpret_cast<uintptr_t>(tiles.run.base);
		const int before = int(ga_packed_number(base, sizeof(T)));
		const int first = before + tiles.run.first + GA_PACKED_VECTOR - 1;
		const int last = before + tiles.run.end;

		begin = first / GA_PACKED_VECTOR * GA_PACKED_VECTOR - before;
		end = last / GA_PACKED_VECTOR * GA_PACKED_VECTOR - before;
		if (!ga_is_packed(base))
			end = begin;
	}

	/* Add the headers of this thread's whole vectors to a state. */
	template <typename State>
	__device__ __forceinline__ void
	add_headers(State &state) const
	{
		const GaPackedHeader *headers =
			reinterpret_cast<const GaPackedHeader *>(ga_packed_header(
				reinterpret_cast<uintptr_t>(tiles.run.base + begin),
				sizeof(T)));
		const int n = (end - begin) / GA_PACKED_VECTOR;

		for (int i = int(thread); i < n; i += int(n_threads))
			state.add_header(headers[i]);
	}

	/* Return where a tile is taken next, from a position of one on. */
	__device__ __forceinline__ int
	next(int at) const
	{
		const int step = tiles.whole.step;

		return at < begin || at >= end ?
				   at :
				   at + (end - at + step - 1) / step * step;
	}
};

template <typename T>
struct MixedPairSource
{
	using Tile = ItemPairs<T>;
	using Barriers = NoRing;
	using Memory = NoRing;
	static constexpr bool kHasHeaders = false;
	static constexpr bool kHasShifted = false;
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
