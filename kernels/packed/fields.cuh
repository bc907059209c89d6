/*
 * fields.cuh
 *		Fields of packed vectors (exact/packed.h): some of each lane at once.
 *
 * A lane's fields are loaded plane by plane: a branch for each plane, which the
 * whole warp takes, and behind it only words and shifts that are known when the
 * code is compiled.
 */
#ifndef GA_FIELDS_CUH
#define GA_FIELDS_CUH

#include "common.cuh"
extern "C"
{
#include "exact/packed.h"
}

static __constant__ GaPackedScale kPackedScales[] = {
#define X(places, power, high, low) {power, high, low},
	GA_PACKED_SCALES(X)
#undef X
};

/* The bits of an element. */
template <typename T>
using ElementBits = typename std::conditional<
	sizeof(T) == 8, uint64_t,
	typename std::conditional<sizeof(T) == 4, uint32_t, uint16_t>::type>::type;

template <typename T>
static __device__ __forceinline__ T
element_of(ElementBits<T> bits)
{
	union
	{
		ElementBits<T> bits;
		T element;
	} u;

	u.bits = bits;
	return u.element;
}

template <typename T>
static __device__ __forceinline__ ElementBits<T>
bits_of(T element)
{
	union
	{
		T element;
		ElementBits<T> bits;
	} u;

	u.element = element;
	return u.bits;
}

/* A vector's header, decoded. */
struct PackedVector
{
	int64_t base;
	uintptr_t payload;
	unsigned form;
	unsigned width;
	unsigned n_exceptions;
	bool is_sparse;
	unsigned n_slots; /* of a lane, if it is */
	uint64_t factor;  /* of fields: 1, but for multiples */

	__device__
		__forceinline__ explicit PackedVector(const GaPackedHeader &header)
		: base(header.base), payload(ga_packed_payload(header.code)),
		  form(ga_packed_form(header.code)),
		  width(ga_packed_width(header.code)),
		  n_exceptions(ga_packed_exceptions(header.code)),
		  is_sparse(ga_packed_is_sparse(header.code)),
		  n_slots(ga_packed_slots(header.code)),
		  factor(
			  form == GA_PACKED_MULTIPLES ?
				  uint64_t(kPackedScales[ga_packed_count(header.code)].power) :
				  1)
	{
	}
};

/* Load the header of the vector that has the element at an address. */
template <typename T>
static __device__ __forceinline__ GaPackedHeader
load_header(uint64_t address)
{
	union
	{
		int4 raw;
		GaPackedHeader header;
	} u;

	u.raw =
		*reinterpret_cast<const int4 *>(ga_packed_header(address, sizeof(T)));
	return u.header;
}

/* The same, decoded. */
template <typename T>
static __device__ __forceinline__ PackedVector
load_packed_header(uint64_t address)
{
	return PackedVector(load_header<T>(address));
}

/*
 * Load a lane's words w to w + kWords - 1 of a plane of kBits bits; w is a
 * multiple of kWords.
 */
template <int kBits, int kWords>
static __device__ __forceinline__ void
load_words(uintptr_t plane, unsigned lane, unsigned w,
		   uint32_t (&words)[kWords])
{
	const uintptr_t from = plane + ga_packed_word_at(kBits, lane, w);

	if constexpr (kWords >= 4)
	{
#pragma unroll
		for (int q = 0; q < kWords / 4; q++)
		{
			/* the next four words of a lane are behind those of the others */
			const int4 four = load_once(
				reinterpret_cast<const int4 *>(from + q * 16 * kWarp));

			words[4 * q] = four.x;
			words[4 * q + 1] = four.y;
			words[4 * q + 2] = four.z;
			words[4 * q + 3] = four.w;
		}
	}
	else if constexpr (kWords == 2)
	{
		const uint64_t two = *reinterpret_cast<const uint64_t *>(from);

		words[0] = uint32_t(two);
		words[1] = uint32_t(two >> 32);
	}
	else
		words[0] = *reinterpret_cast<const uint32_t *>(from);
}

/*
 * Add the bits of a plane to fields j to j + kN - 1 of a lane, from bit `done`
 * on; j is a multiple of kN.
 */
template <int kBits, int kN>
static __device__ __forceinline__ void
add_plane(uintptr_t plane, unsigned lane, unsigned j, unsigned done,
		  uint32_t (&fields)[kN])
{
	constexpr int kWords = kN * kBits >= 32 ? kN * kBits / 32 : 1;
	constexpr uint32_t kMask = 0xffffffffu >> (32 - kBits);
	uint32_t words[kWords];

	load_words<kBits>(plane, lane, j * kBits / 32, words);
	if constexpr (kN * kBits < 32)
		words[0] >>= j * kBits % 32;
#pragma unroll
	for (int f = 0; f < kN; f++)
		fields[f] |= (words[f * kBits / 32] >> f * kBits % 32 & kMask) << done;
}

/*
 * Call f(bits, done) for each plane of fields of up to 31 bits, the widest
 * first: bits is a std::integral_constant, and so many bits were done before.
 */
template <typename F>
static __device__ __forceinline__ void
for_each_plane(unsigned width, F f)
{
	unsigned done = 0;

#define PLANE(bits)                                   \
	if (width & bits)                                 \
	{                                                 \
		f(std::integral_constant<int, bits>{}, done); \
		done += bits;                                 \
	}
	PLANE(16)
	PLANE(8)
	PLANE(4)
	PLANE(2)
	PLANE(1)
#undef PLANE
}

/* Load fields of up to 31 bits, as add_plane(). */
template <int kN>
static __device__ __forceinline__ void
load_fields(uintptr_t plane, unsigned width, unsigned lane, unsigned j,
			uint32_t (&fields)[kN])
{
#pragma unroll
	for (int f = 0; f < kN; f++)
		fields[f] = 0;
	for_each_plane(width,
				   [&](auto bits, unsigned done)
				   {
					   add_plane<bits.value, kN>(plane, lane, j, done, fields);
					   plane += ga_packed_plane_bytes(bits.value);
				   });
}

/* Return field r of a sparse vector. */
static __device__ __noinline__ uint32_t
load_slot(const PackedVector vector, unsigned r)
{
	return ga_packed_slot(reinterpret_cast<const char *>(vector.payload),
						  vector.width, vector.n_slots, r % GA_PACKED_LANES,
						  r / GA_PACKED_LANES);
}

/* Which elements of a lane of a sparse vector are not 0. */
struct SparseMask
{
	uint32_t bits;
	unsigned n_before; /* such elements of the lanes before it */

	__device__ __forceinline__
	SparseMask(const PackedVector &vector, unsigned lane)
	{
		const uintptr_t from =
			vector.payload + ga_packed_rows_bytes(vector.width, vector.n_slots);

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

/* The fields of some elements of a lane. */
template <int kN>
struct PackedFields
{
	uint32_t low[kN];
	uint32_t high[kN]; /* not 0 only if width > 32 */

	__device__ __forceinline__
	PackedFields(const PackedVector &vector, unsigned lane, unsigned j)
	{
		uintptr_t plane = vector.payload;

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
			load_fields<kN>(plane, vector.width, lane, j, low);
#pragma unroll
			for (int f = 0; f < kN; f++)
				high[f] = 0;
			return;
		}
#pragma unroll
		for (int f = 0; f < kN; f++)
			low[f] = 0;
		add_plane<32, kN>(plane, lane, j, 0, low);
		load_fields<kN>(plane + ga_packed_plane_bytes(32), vector.width - 32,
						lane, j, high);
	}

	__device__ __forceinline__ uint64_t
	field(int f) const
	{
		return uint64_t(high[f]) << 32 | low[f];
	}
};

#endif /* GA_FIELDS_CUH */
