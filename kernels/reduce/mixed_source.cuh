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
	static constexpr int kParts = GA_PACKED_LANE_ITEMS / Tile::kCount;
	static constexpr int kPart = kWarp * Tile::kCount;

	PackedTiles<T> tiles;
	VectorReader<T> reader;

	static __device__ __forceinline__ void
	init(Barriers &)
	{
	}

	__device__ __forceinline__
	MixedSource(const ReduceArray &array, uint32_t share, Memory &, Barriers &,
				unsigned)
		: tiles(array.data, array.n, array.n_shares, share),
		  reader(tiles.run.base)
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
	load_edge(int part, Tile &tile, T outside) const
	{
		load_mixed_edge(tiles.run, tiles.edge + part * kPart, tile, outside);
	}

	__device__ __forceinline__ void
	resume()
	{
	}

	__device__ __forceinline__ void
	begin_tile(int at)
	{
		reader.begin(at, tiles.whole);
	}

	/* Is the tile that was begun a packed vector? */
	__device__ __forceinline__ bool
	has_vector() const
	{
		return is_packed(tiles.run.base);
	}

	__device__ __forceinline__ PackedVector
	vector() const
	{
		return PackedVector(reader.coding);
	}

	__device__ __forceinline__ void
	take(int at, int part, Tile &tile)
	{
		reader.load(at + part * kPart, tile);
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

/* A vector of each of two packed arrays. */
struct PackedPair
{
	PackedVector x;
	PackedVector y;
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
	static constexpr int kCount = Items<T, kVectors>::kCount;
	static constexpr int kParts = GA_PACKED_LANE_ITEMS / kCount;
	static constexpr int kPart = kWarp * kCount;

	PackedTiles<T> tiles; /* of the first array */
	VectorReader<T> reader;
	VectorReader<T> other;
	bool is_aligned; /* are the second array's vectors the same? */

	static __device__ __forceinline__ void
	init(Barriers &)
	{
	}

	__device__ __forceinline__
	MixedPairSource(const ReduceArray &array, uint32_t share, Memory &,
					Barriers &, unsigned)
		: tiles(array.data, array.n, array.n_shares, share),
		  reader(tiles.run.base),
		  other(static_cast<const T *>(array.other) - tiles.run.first),
		  is_aligned(reinterpret_cast<uintptr_t>(other.base) %
						 vector_alignment<T>(other.base) ==
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

	/* Load the second array's elements of a part one by one. */
	__device__ __forceinline__ void
	load_others(int from, Tile &tile, int first, int end, T outside) const
	{
		constexpr int kSize = Vector<T>::kSize;

#pragma unroll
		for (int i = 0; i < kCount; i++)
		{
			const int at =
				from + (i / kSize * kWarp + lane_id()) * kSize + i % kSize;

			tile.y.vector[i / kSize].item[i % kSize] =
				at >= first && at < end ? load_mixed(other.base + at) : outside;
		}
	}

	__device__ __forceinline__ void
	load_edge(int part, Tile &tile, T outside) const
	{
		const int from = tiles.edge + part * kPart;

		load_mixed_edge(tiles.run, from, tile.x, outside);
		load_others(from, tile, tiles.run.first, tiles.run.end, outside);
	}

	__device__ __forceinline__ void
	resume()
	{
	}

	__device__ __forceinline__ void
	begin_tile(int)
	{
	}

	/* Load the headers of a tile. */
	__device__ __forceinline__ void
	begin_readers(int at)
	{
		reader.begin(at, tiles.whole);
		if (is_aligned)
			other.begin(at, tiles.whole);
	}

	/* Are tiles packed vectors of both arrays? */
	__device__ __forceinline__ bool
	has_vectors() const
	{
		return is_aligned && is_packed(tiles.run.base) && is_packed(other.base);
	}

	/* Return the vectors of the tile whose headers were loaded. */
	__device__ __forceinline__ PackedPair
	vectors() const
	{
		return PackedPair{PackedVector(reader.coding),
						  PackedVector(other.coding)};
	}

	/* Headers are loaded here: otherwise registers are spilled. */
	__device__ __forceinline__ void
	take(int at, int part, Tile &tile)
	{
		const int from = at + part * kPart;

		if (part == 0)
			begin_readers(at);
		reader.load(from, tile.x);
		if (is_aligned)
			other.load(from, tile.y);
		else
			load_others(from, tile, from, from + kPart, T(0));
	}
};

#endif /* GA_MIXED_SOURCE_CUH */
