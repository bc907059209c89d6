/*
 * field_sums.cuh
 *		Sums of the fields of packed vectors, without taking them apart: the
 *		fields of a word are added by instructions that add bytes, halves or
 *		bits.
 */
#ifndef GA_FIELD_SUMS_CUH
#define GA_FIELD_SUMS_CUH

#include "fields.cuh"

/* Return a sum, and the fields of kBits bits of a word. */
template <int kBits>
static __device__ __forceinline__ uint32_t
add_word(uint32_t sum, uint32_t word)
{
	constexpr unsigned kOnes = 0x01010101;

	if constexpr (kBits == 16)
		return __dp2a_lo(word, kOnes, sum);
	else if constexpr (kBits == 8)
		return __dp4a(word, kOnes, sum);
	else if constexpr (kBits == 4)
		return __dp4a((word & 0x0f0f0f0f) + (word >> 4 & 0x0f0f0f0f), kOnes,
					  sum);
	else if constexpr (kBits == 2)
		return sum + __popc(word & 0x55555555) + 2 * __popc(word & 0xaaaaaaaa);
	else
		return sum + __popc(word);
}

/* Return the sum of all of a lane's fields of up to 31 bits. */
static __device__ __forceinline__ uint64_t
sum_planes(const char *plane, unsigned width, unsigned lane)
{
	uint64_t total = 0;

	for_each_plane(width,
				   [&](auto bits, unsigned done)
				   {
					   constexpr int kBits = bits.value;
					   uint32_t words[kBits];
					   uint32_t sum = 0;

					   load_words<kBits>(plane, lane, 0, words);
#pragma unroll
					   for (int w = 0; w < kBits; w++)
						   sum = add_word<kBits>(sum, words[w]);
					   total += uint64_t(sum) << done;
					   plane += ga_packed_plane_bytes(kBits);
				   });
	return total;
}

/* The same of a sparse vector: what no slot has is 0. */
static __device__ __forceinline__ uint64_t
sum_slots(const PackedVector &vector, unsigned lane)
{
	const char *plane = vector.payload + lane * 4;
	uint64_t total = 0;

	for_each_plane(vector.width,
				   [&](auto bits, unsigned done)
				   {
					   constexpr int kBits = bits.value;
					   constexpr unsigned kWordBytes = 4 * GA_PACKED_LANES;
					   const unsigned n_bytes =
						   ga_packed_row_bytes(kBits, vector.count);
					   uint32_t sum = 0;

					   for (unsigned at = 0; at < n_bytes; at += kWordBytes)
						   sum = add_word<kBits>(sum, load_word(plane + at));
					   total += uint64_t(sum) << done;
					   plane += n_bytes;
				   });
	return total;
}

/* Return the sum of a lane's fields, and set their number. */
static __device__ __forceinline__ uint64_t
sum_of_fields(const PackedVector &vector, unsigned lane, unsigned *n)
{
	constexpr int kQuarter = GA_PACKED_LANE_ITEMS / 4;
	uint64_t total = 0;

	static_assert(GA_PACKED_MAX_WIDTH + 5 <= 64, "no overflow");
	*n = GA_PACKED_LANE_ITEMS;
	if (vector.is_sparse)
	{
		*n = vector.count;
		return sum_slots(vector, lane);
	}
	if (vector.width < 32)
		return sum_planes(vector.payload, vector.width, lane);
#pragma unroll 1
	for (int w = 0; w < GA_PACKED_LANE_ITEMS; w += kQuarter)
	{
		uint32_t words[kQuarter];

		load_words<32>(vector.payload, lane, w, words);
#pragma unroll
		for (int f = 0; f < kQuarter; f++)
			total += words[f];
	}
	return total + (sum_planes(vector.payload + ga_packed_plane_bytes(32),
							   vector.width - 32, lane)
					<< 32);
}

#endif /* GA_FIELD_SUMS_CUH */
