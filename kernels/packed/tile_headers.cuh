/*
 * tile_headers.cuh
 *		The headers of a warp's tiles of a packed array, loaded ahead.
 *
 * A tile takes two loads, one after the other: a header, and what lies where
 * it says.  So headers are loaded two tiles ahead, and the payload of the next
 * tile is prefetched to the L2 cache: 128 bytes by each lane.
 */
#ifndef GA_TILE_HEADERS_CUH
#define GA_TILE_HEADERS_CUH

#include "mixed_tiles.cuh"

/* Prefetch what a tile that begins with elements j has; a whole warp. */
template <typename T>
static __device__ __forceinline__ void
prefetch_payload(const GaPackedHeader &header, unsigned j)
{
	constexpr unsigned kLine = 128;
	const unsigned form = ga_packed_form(header.code);
	uintptr_t payload = ga_packed_payload(header.code);
	/* a plane of one bit takes a line */
	unsigned n_lines = ga_packed_width(header.code);

	if (form == GA_PACKED_PLAIN)
	{
		payload += j * kWarp * sizeof(T);
		n_lines = kItemsPerThread<T> * kWarp * sizeof(T) / kLine;
	}
	else if (ga_packed_is_sparse(header.code))
		n_lines = ga_packed_bytes(header.code, sizeof(T)) / kLine;
	if (unsigned(lane_id()) < n_lines)
		prefetch_l2(payload + lane_id() * kLine);
}

template <typename T>
struct TileHeaders
{
	/* of the next tile, and of the one behind it */
	GaPackedHeader next;
	GaPackedHeader later;

	/* Begin at a warp's first whole tile. */
	__device__ __forceinline__ explicit TileHeaders(const MixedTiles<T> &tiles)
		: next(load(tiles, tiles.first)),
		  later(load(tiles, tiles.first + tiles.whole.step))
	{
	}

	/* Load the header of a tile; zeros if there is none. */
	static __device__ __forceinline__ GaPackedHeader
	load(const MixedTiles<T> &tiles, int at)
	{
		if (at >= tiles.whole.end)
			return GaPackedHeader{0, 0};
		return load_header<T>(reinterpret_cast<uintptr_t>(tiles.run.base + at));
	}

	/* Return the header of the tile at a position, the next one. */
	__device__ __forceinline__ GaPackedHeader
	take(const MixedTiles<T> &tiles, int at)
	{
		const GaPackedHeader header = next;

		next = later;
		at += tiles.whole.step;
		if (at < tiles.whole.end)
			prefetch_payload<T>(
				next, ga_packed_number(
						  reinterpret_cast<uintptr_t>(tiles.run.base + at),
						  sizeof(T)) /
						  kWarp);
		later = load(tiles, at + tiles.whole.step);
		return header;
	}
};

#endif /* GA_TILE_HEADERS_CUH */
