/*
 * fields.cuh
 *		Fields of packed vectors (exact/packed.h): some of each lane at once.
 */
#ifndef GA_FIELDS_CUH
#define GA_FIELDS_CUH

#include "planes.cuh"

/*
 * Load the fields of a lane's slots, of which a sparse vector has kN, an even
 * number.
 */
template <int kN>
static __device__ __forceinline__ void
load_slots(const char *payload, unsigned width, unsigned lane,
		   uint32_t (&fields)[kN])
{
	const char *plane = payload + lane * 4;

#pragma unroll
	for (int k = 0; k < kN; k++)
		fields[k] = 0;
	for_each_plane(width,
				   [&](auto bits, unsigned done)
				   {
					   constexpr int kBits = bits.value;
					   uint32_t word = 0;

#pragma unroll
					   for (int k = 0; k < kN; k++)
					   {
						   if (k * kBits % 32 == 0)
						   {
							   word =
								   load_word(plane + k * kBits / 32 *
														 (4 * GA_PACKED_LANES));
							   if (kBits < 8)
								   word = __funnelshift_l(word, word, done);
						   }
						   put_bits<kBits>(fields[k], word, k, done);
					   }
					   plane += ga_packed_row_bytes(kBits, kN);
				   });
}

/* Return field r of a sparse vector. */
static __device__ __noinline__ uint32_t
load_slot(const PackedVector vector, unsigned r)
{
	return ga_packed_slot(vector.payload, vector.width, vector.count,
						  r % GA_PACKED_LANES, r / GA_PACKED_LANES);
}

/* Which elements of a lane of a sparse vector are not 0. */
struct SparseMask
{
	uint32_t bits;
	unsigned n_before; /* such elements of the lanes before it */

	__device__ __forceinline__
	SparseMask(const PackedVector &vector, unsigned lane)
	{
		const char *from =
			vector.payload + ga_packed_rows_bytes(vector.width, vector.count);

		bits = reinterpret_cast<const uint32_t *>(from)[lane];
		n_before = reinterpret_cast<const uint16_t *>(
			from + 4 * GA_PACKED_LANES)[lane];
	}

	/* Return the field of element j, or the one that stands for 0. */
	__device__ __forceinline__ uint32_t
	field(const PackedVector &vector, unsigned j) const
	{
		if ((bits >> j & 1) == 0)
			return uint32_t(-vector.base);
		return load_slot(vector, n_before + __popc(bits & ((1u << j) - 1)));
	}
};

/*
 * The fields of some elements of a lane.  kAtOnce: see load_fields_at_once().
 */
template <int kN, bool kAtOnce = false>
struct PackedFields
{
	uint32_t low[kN];
	uint32_t high[kN]; /* not 0 only if width > 32 */

	__device__ __forceinline__
	PackedFields(const PackedVector &vector, unsigned lane, unsigned j)
	{
		const char *plane = vector.payload;

		if (vector.is_sparse)
		{
			const SparseMask mask(vector, lane);

#pragma unroll
			for (int f = 0; f < kN; f++)
			{
				low[f] = mask.field(vector, j + f);
				high[f] = 0;
			}
			return;
		}
		if (vector.width < 32)
		{
			load_up_to_31(plane, vector.width, lane, j, low);
#pragma unroll
			for (int f = 0; f < kN; f++)
				high[f] = 0;
			return;
		}
#pragma unroll
		for (int f = 0; f < kN; f++)
			low[f] = 0;
		load_plane<32, kN>(plane, lane, j, 0, low);
		load_up_to_31(plane + ga_packed_plane_bytes(32), vector.width - 32,
					  lane, j, high);
	}

	static __device__ __forceinline__ void
	load_up_to_31(const char *plane, unsigned width, unsigned lane, unsigned j,
				  uint32_t (&fields)[kN])
	{
		if constexpr (kAtOnce)
			load_fields_at_once(plane, width, lane, j, fields);
		else
			load_fields(plane, width, lane, j, fields);
	}

	__device__ __forceinline__ uint64_t
	field(int f) const
	{
		return uint64_t(high[f]) << 32 | low[f];
	}
};

/* Call f() with the number of slots, a std::integral_constant. */
template <typename F>
static __device__ __forceinline__ void
with_slots(unsigned n_slots, F f)
{
	switch (n_slots)
	{
#define SLOTS(n)                             \
	case n:                                  \
		f(std::integral_constant<int, n>{}); \
		break;
		SLOTS(2)
		SLOTS(4)
		SLOTS(6)
		SLOTS(8)
		SLOTS(10)
		SLOTS(12)
		SLOTS(14)
		SLOTS(16)
#undef SLOTS
	}
	static_assert(GA_PACKED_MAX_SLOTS == 16, "all of them");
}

/*
 * The widths for which with_width() has code: those of up to 22 bits that are
 * used (ga_packed_round_width()).
 */
#define FIELD_WIDTHS(X) \
	X(0)                \
	X(1)                \
	X(2)                \
	X(3)                \
	X(4)                \
	X(5)                \
	X(6)                \
	X(7)                \
	X(8)                \
	X(9)                \
	X(10)               \
	X(12)               \
	X(13)               \
	X(14)               \
	X(16)               \
	X(17)               \
	X(18)               \
	X(20)               \
	X(21)               \
	X(22)

/* The same as bits. */
constexpr uint32_t kFieldWidths = 0
#define X(n) | 1u << n
	FIELD_WIDTHS(X)
#undef X
	;

/* Is there code for a width? */
static __device__ __forceinline__ bool
has_width(unsigned width)
{
	return (kFieldWidths >> min(width, 31u) & 1) != 0;
}

/* Call f() with such a width, a std::integral_constant. */
template <typename F>
static __device__ __forceinline__ void
with_width(unsigned width, F f)
{
	switch (width)
	{
#define X(n)                                 \
	case n:                                  \
		f(std::integral_constant<int, n>{}); \
		break;
		FIELD_WIDTHS(X)
#undef X
	}
}

/*
 * Call f(fields) with all fields of a lane, of up to 32 bits, or with those in
 * all slots of a sparse vector.
 */
template <typename F>
static __device__ __forceinline__ void
with_all_fields(const PackedVector &vector, unsigned lane, F f)
{
	if (vector.is_sparse)
		with_slots(vector.count,
				   [&](auto n)
				   {
					   uint32_t fields[n.value];

					   load_slots(vector.payload, vector.width, lane, fields);
					   f(fields);
				   });
	else
	{
		uint32_t fields[GA_PACKED_LANE_ITEMS];

		load_fields(vector.payload, vector.width, lane, 0, fields);
		f(fields);
	}
}

#endif /* GA_FIELDS_CUH */
