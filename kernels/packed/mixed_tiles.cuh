/*
 * mixed_tiles.cuh
 *		The tiles of an array that may be packed.
 *
 * A tile of a packed array is one of its vectors, or a part of one; so tiles
 * are cut where the array's vectors are, not where the part begins that is
 * read.
 */
#ifndef GA_MIXED_TILES_CUH
#define GA_MIXED_TILES_CUH

#include "mixed.cuh"
#include "warp_tiles.cuh"

/* Decode the tile that begins with elements j of a vector's lanes. */
template <bool kAtOnce = false, typename T, int kVectors>
static __device__ __forceinline__ void
decode_tile(const PackedVector &vector, unsigned j, Items<T, kVectors> &items)
{
	constexpr int kSize = Vector<T>::kSize;
	constexpr int kCount = Items<T, kVectors>::kCount;
	T x[kCount];

	static_assert(kWarp * kCount <= GA_PACKED_VECTOR, "a tile is in a vector");
	decode<kAtOnce>(vector, lane_id(), j, x);
#pragma unroll
	for (int i = 0; i < kCount; i++)
		items.vector[i / kSize].item[i % kSize] = x[i];
}

/* Load this lane's items of the tile at a packed address; a whole warp. */
template <typename T, int kVectors>
static __device__ __forceinline__ void
load_packed_tile(const T *at, Items<T, kVectors> &items)
{
	const uintptr_t address = reinterpret_cast<uintptr_t>(at);

	decode_tile(load_packed_header<T>(address),
				ga_packed_number(address, sizeof(T)) / kWarp, items);
}

/*
 * Have the fields or elements of a payload come to the L2 cache: 128 bytes, as
 * many as a plane of one bit has, by each lane.
 */
template <typename T>
static __device__ __forceinline__ void
prefetch_payload(const GaPackedCoding &coding)
{
	constexpr unsigned kLine = 128;
	const uintptr_t payload = ga_packed_payload(coding.code);
	unsigned n_lines = ga_packed_width(coding.code);

	static_assert(GA_PACKED_VECTOR / 8 == kLine, "a plane of one bit");
	if (ga_packed_form(coding.code) == GA_PACKED_PLAIN)
		n_lines = GA_PACKED_VECTOR * sizeof(T) / kLine;
	else if (ga_packed_is_sparse(coding.code))
		n_lines = ga_packed_bytes(coding.code, sizeof(T)) / kLine;
	for (unsigned i = lane_id(); i < n_lines; i += kWarp)
		prefetch_l2(payload + i * kLine);
}

/* Set the items of a tile that are outside its array. */
template <typename T, int kVectors>
static __device__ __forceinline__ void
replace_outside(const VectorSpan<T> &run, int at, Items<T, kVectors> &items,
				T outside)
{
	constexpr int kSize = Vector<T>::kSize;

#pragma unroll
	for (int i = 0; i < Items<T, kVectors>::kCount; i++)
	{
		const int from = at + (i / kSize * kWarp + lane_id()) * kSize;

		if (from + i % kSize < run.first || from + i % kSize >= run.end)
			items.vector[i / kSize].item[i % kSize] = outside;
	}
}

/* Load a tile that is not wholly in its array. */
template <typename T, int kVectors>
static __device__ __forceinline__ void
load_packed_edge(const VectorSpan<T> &run, int at, Items<T, kVectors> &items,
				 T outside)
{
	load_packed_tile(run.base + at, items);
	replace_outside(run, at, items, outside);
}

/* Return what the vectors of an array are aligned to, in bytes. */
template <typename T>
static __device__ __forceinline__ uintptr_t
vector_alignment(const void *data)
{
	return is_packed(data) ? GA_PACKED_VECTOR * sizeof(T) : kVectorBytes;
}

/* Tiles of as many elements as a vector: those of a packed array. */
template <typename T>
struct PackedTiles : WarpTiles<T, GA_PACKED_LANE_ITEMS / Vector<T>::kSize>
{
	using Base = WarpTiles<T, GA_PACKED_LANE_ITEMS / Vector<T>::kSize>;

	__device__ __forceinline__
	PackedTiles(const void *data, uint32_t n, uint32_t n_shares, uint32_t share,
				int block_warps = kTileWarps)
		: Base(data, n, n_shares, share, vector_alignment<T>(data), block_warps)
	{
	}
};

/*
 * Reads whole vectors of an array that may be packed, a part after the other.
 * Headers of a packed one are loaded together, one by each lane, and the
 * payload of the next vector comes to the L2 cache meanwhile.
 */
template <typename T>
struct VectorReader
{
	const T *base;
	GaPackedCoding mine;
	GaPackedCoding coding; /* of the vector */
	int lane;			   /* that has the next one's */
	int next;			   /* where that vector is */

	/* For the elements of which the first one is at position 0. */
	__device__ __forceinline__ explicit VectorReader(const T *base)
		: base(base), mine(), coding(), lane(kWarp), next(0)
	{
	}

	/* Begin with the vector at a position, one of a warp's tiles. */
	template <typename Tiles>
	__device__ __forceinline__ void
	begin(int at, const Tiles &tiles)
	{
		if (!is_packed(base))
			return;
		if (lane == kWarp || at != next)
		{
			const int64_t of_lane = at + int64_t(tiles.step) * lane_id();

			lane = 0;
			if (of_lane < tiles.end)
				mine =
					load_coding<T>(reinterpret_cast<uintptr_t>(base + of_lane));
		}
		next = at + tiles.step;
		coding = coding_of_lane(mine, lane++);
		if (lane < int(kWarp) && next < tiles.end)
			prefetch_payload<T>(coding_of_lane(mine, lane));
	}

	/* Load the part of this vector that is at a position. */
	template <int kVectors>
	__device__ __forceinline__ void
	load(int at, Items<T, kVectors> &items) const
	{
		const uintptr_t address = reinterpret_cast<uintptr_t>(base + at);

		if (ga_is_packed(address))
			decode_tile(PackedVector(coding),
						ga_packed_number(address, sizeof(T)) / kWarp, items);
		else
		{
#pragma unroll
			for (int k = 0; k < kVectors; k++)
				items.vector[k] = load_vector(
					base + at + (k * kWarp + lane_id()) * Vector<T>::kSize);
		}
	}
};

/* Load a part of a tile that is not wholly in its array. */
template <typename T, int kVectors>
static __device__ __forceinline__ void
load_mixed_edge(const VectorSpan<T> &run, int at, Items<T, kVectors> &items,
				T outside)
{
	if (is_packed(run.base))
		load_packed_edge(run, at, items, outside);
	else
		items.load(run, at, lane_id(), kWarp, outside);
}

#endif /* GA_MIXED_TILES_CUH */
