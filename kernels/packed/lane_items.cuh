/*
 * lane_items.cuh
 *		A vector of elements to pack, distributed over a warp.
 *
 * A lane has GA_PACKED_LANE_ITEMS elements of the vector.
 */
#ifndef GA_LANE_ITEMS_CUH
#define GA_LANE_ITEMS_CUH

#include "find_array.cuh"
#include "pack.h"
#include "vector.cuh"

constexpr int kLaneItems = GA_PACKED_LANE_ITEMS;

/* Integers of the size of an element, signed. */
template <typename T>
using SignedBits = typename std::make_signed<ElementBits<T>>::type;

/* Where a warp's vector is. */
struct VectorPlace
{
	const PackPiece *piece;
	GaPackedHeader *header;
	uint32_t first; /* element of the piece */
	uint32_t n;		/* elements; 0 < n <= GA_PACKED_VECTOR */

	__device__ __forceinline__
	VectorPlace(const PackParams &params, uint32_t vector)
	{
		const PackPiece *pieces = params.pieces;
		const uint32_t p =
			find_array(params.n_pieces, vector,
					   [pieces](uint32_t i) { return pieces[i].first_vector; });
		const uint32_t i = vector - pieces[p].first_vector;

		piece = pieces + p;
		header = piece->headers + i;
		first = i * GA_PACKED_VECTOR;
		n = min(piece->n - first, uint32_t(GA_PACKED_VECTOR));
	}
};

/* A lane's elements of a vector. */
template <typename T>
struct LaneItems
{
	static constexpr int kSize = Vector<T>::kSize;

	T item[kLaneItems];

	/* Elements behind the last one are copies of the first. */
	__device__ __forceinline__ explicit LaneItems(const VectorPlace &place)
	{
		const T *from = static_cast<const T *>(place.piece->data) + place.first;

#pragma unroll
		for (int k = 0; k < kLaneItems / kSize; k++)
		{
			const uint32_t at = (k * kWarp + lane_id()) * kSize;

			if (place.n == GA_PACKED_VECTOR)
			{
				const Vector<T> v = load_vector(from + at);

#pragma unroll
				for (int i = 0; i < kSize; i++)
					item[k * kSize + i] = v.item[i];
			}
			else
			{
#pragma unroll
				for (int i = 0; i < kSize; i++)
					item[k * kSize + i] = from[at + i < place.n ? at + i : 0];
			}
		}
	}

	/* Return the place in the vector of an item of this lane. */
	static __device__ __forceinline__ unsigned
	place_of(int j)
	{
		return (j / kSize * kWarp + lane_id()) * kSize + j % kSize;
	}
};

/*
 * Two items of a lane; where they are 0, others that are not, if there are.
 * Both may be the same one then.
 */
template <typename T>
struct LaneSample
{
	static constexpr int kSecond = kLaneItems / 2 + 1; /* an odd place */

	T item[2];

	__device__ __forceinline__ explicit LaneSample(const LaneItems<T> &items)
		: item{items.item[0], items.item[kSecond]}
	{
		if (!__any_sync(kFullMask, item[0] == 0 || item[1] == 0))
			return;
#pragma unroll
		for (int j = 1; j < kLaneItems; j++)
		{
			item[0] = item[0] == 0 ? items.item[j] : item[0];
			item[1] =
				item[1] == 0 ? items.item[(kSecond + j) % kLaneItems] : item[1];
		}
	}
};

#endif /* GA_LANE_ITEMS_CUH */
