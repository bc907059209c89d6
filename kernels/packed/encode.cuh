/*
 * encode.cuh
 *		The payload of a vector, whose elements are distributed over a warp.
 *
 * Each lane writes the fields of its elements, and exceptions.
 */
#ifndef GA_ENCODE_CUH
#define GA_ENCODE_CUH

#include "choose_form.cuh"

/* Write a plane of kBits bits of this lane's fields, from bit `done` on. */
template <int kBits>
static __device__ __forceinline__ void
store_plane(uintptr_t plane, unsigned done,
			const uint32_t (&fields)[kLaneItems])
{
	constexpr uint32_t kMask = 0xffffffffu >> (32 - kBits);
	const uintptr_t to = plane + ga_packed_word_at(kBits, lane_id(), 0);
	uint32_t words[kBits] = {};

#pragma unroll
	for (int f = 0; f < kLaneItems; f++)
		words[f * kBits / 32] |= (fields[f] >> done & kMask) << f * kBits % 32;
#pragma unroll
	for (int w = 0; w < kBits; w++)
		*reinterpret_cast<uint32_t *>(to + (ga_packed_word_at(kBits, 0, w))) =
			words[w];
}

/* Write the planes of up to 31 bits of this lane's fields. */
static __device__ __forceinline__ void
store_fields(uintptr_t plane, unsigned width,
			 const uint32_t (&fields)[kLaneItems])
{
	for_each_plane(width,
				   [&](auto bits, unsigned done)
				   {
					   store_plane<bits.value>(plane, done, fields);
					   plane += ga_packed_plane_bytes(bits.value);
				   });
}

/* Write this lane's exceptions, behind those of the other lanes' before. */
template <typename T>
static __device__ __forceinline__ void
store_exception(const PackedVector &vector, unsigned *n_before,
				bool is_exception, unsigned place, T x)
{
	const unsigned mask = __ballot_sync(kFullMask, is_exception);
	const unsigned e = *n_before + __popc(mask & ((1u << lane_id()) - 1));
	const uintptr_t to = reinterpret_cast<uintptr_t>(vector.payload) +
						 ga_packed_plane_bytes(vector.width);

	if (is_exception)
	{
		reinterpret_cast<T *>(to)[e] = x;
		reinterpret_cast<uint16_t *>(to + vector.n_exceptions * sizeof(T))[e] =
			uint16_t(place);
	}
	*n_before += __popc(mask);
}

/* Return the field of an element; write it if it is an exception. */
template <typename T>
static __device__ __forceinline__ uint64_t
field_of(const PackedVector &vector, const LaneItems<T> &items, int j,
		 unsigned *n_before)
{
	if constexpr (std::is_floating_point<T>::value)
	{
		if (ga_packed_has_decimals(vector.form))
		{
			double i;
			const bool is_exact = is_decimal(items.item[j], vector.form, &i);

			if (vector.n_exceptions > 0)
				store_exception(vector, n_before, !is_exact, items.place_of(j),
								items.item[j]);
			return is_exact ? uint64_t(int64_t(i) - vector.base) : 0;
		}
	}
	const uint64_t field =
		uint64_t(int64_t(SignedBits<T>(bits_of(items.item[j])))) -
		uint64_t(vector.base);

	const uint64_t factor = vector.factor();

	return factor == 1 ? field : field / factor;
}

/* The fields of a sparse vector on their way to their slots. */
struct SlotFields
{
	uint32_t field[GA_PACKED_MAX_SLOTS * kWarp];
};

/* Write a plane of kBits bits of this lane's slots, from bit `done` on. */
template <int kBits>
static __device__ __forceinline__ void
store_rows(uintptr_t plane, unsigned n_slots, unsigned done,
		   const uint32_t (&fields)[GA_PACKED_MAX_SLOTS])
{
	constexpr uint32_t kMask = 0xffffffffu >> (32 - kBits);
	constexpr int kWords = (GA_PACKED_MAX_SLOTS * kBits + 31) / 32;
	uint32_t words[kWords] = {};

#pragma unroll
	for (int k = 0; k < GA_PACKED_MAX_SLOTS; k++)
		words[k * kBits / 32] |= (fields[k] >> done & kMask) << k * kBits % 32;
#pragma unroll
	for (int w = 0; w < kWords; w++)
	{
		if (unsigned(w * 32) < n_slots * kBits)
			reinterpret_cast<uint32_t *>(plane)[w * kWarp + lane_id()] =
				words[w];
	}
}

/* Write the planes of this lane's slots. */
static __device__ __forceinline__ void
store_slots(uintptr_t plane, const PackedVector &vector,
			const uint32_t (&fields)[GA_PACKED_MAX_SLOTS])
{
	for_each_plane(vector.width,
				   [&](auto bits, unsigned done)
				   {
					   store_rows<bits.value>(plane, vector.count, done,
											  fields);
					   plane += ga_packed_row_bytes(bits.value, vector.count);
				   });
}

/*
 * Write the payload of a sparse vector, given the fields of this lane's
 * elements; a whole warp.
 */
static __device__ __forceinline__ void
store_sparse(const PackedVector &vector, uint32_t mask,
			 const uint32_t (&fields)[kLaneItems], SlotFields &shared)
{
	const uintptr_t masks = reinterpret_cast<uintptr_t>(vector.payload) +
							ga_packed_rows_bytes(vector.width, vector.count);
	unsigned end = __popc(mask);
	unsigned r;
	uint32_t slots[GA_PACKED_MAX_SLOTS];

	for (int step = 1; step < kWarp; step *= 2)
	{
		const unsigned before = __shfl_up_sync(kFullMask, end, step);

		end += lane_id() >= step ? before : 0;
	}
	r = end - __popc(mask);
	reinterpret_cast<uint32_t *>(masks)[lane_id()] = mask;
	reinterpret_cast<uint16_t *>(masks + 4 * kWarp)[lane_id()] = uint16_t(r);
#pragma unroll
	for (int k = 0; k < GA_PACKED_MAX_SLOTS; k++)
		shared.field[k * kWarp + lane_id()] = uint32_t(-vector.base);
	__syncwarp();
#pragma unroll
	for (int j = 0; j < kLaneItems; j++)
	{
		if (mask >> j & 1)
			shared.field[r++] = fields[j];
	}
	__syncwarp();
#pragma unroll
	for (int k = 0; k < GA_PACKED_MAX_SLOTS; k++)
		slots[k] = unsigned(k) < vector.count ?
					   shared.field[k * kWarp + lane_id()] :
					   0;
	__syncwarp();
	store_slots(reinterpret_cast<uintptr_t>(vector.payload), vector, slots);
}

/* Write the payload of a vector; a whole warp. */
template <typename T>
static __device__ __forceinline__ void
store_payload(const PackedVector &vector, const LaneItems<T> &items,
			  SlotFields &shared)
{
	uint32_t low[kLaneItems];
	uint32_t high[kLaneItems];
	unsigned n_before = 0;
	uintptr_t plane = reinterpret_cast<uintptr_t>(vector.payload);

	if (vector.form == GA_PACKED_PLAIN)
	{
#pragma unroll
		for (int j = 0; j < kLaneItems; j++)
			reinterpret_cast<T *>(plane)[items.place_of(j)] = items.item[j];
		return;
	}
#pragma unroll
	for (int j = 0; j < kLaneItems; j++)
	{
		const uint64_t field = field_of(vector, items, j, &n_before);

		low[j] = uint32_t(field);
		high[j] = uint32_t(field >> 32);
	}
	if (vector.is_sparse)
		store_sparse(vector, mask_of(items), low, shared);
	else if (vector.width < 32)
		store_fields(plane, vector.width, low);
	else
	{
		store_plane<32>(plane, 0, low);
		store_fields(plane + ga_packed_plane_bytes(32), vector.width - 32,
					 high);
	}
}

#endif /* GA_ENCODE_CUH */
