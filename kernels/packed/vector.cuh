/*
 * vector.cuh
 *		The headers of packed vectors (exact/packed.h), and the bits of
 *		elements.
 */
#ifndef GA_VECTOR_CUH
#define GA_VECTOR_CUH

#include "common.cuh"
extern "C"
{
#include "exact/packed_decimal.h"
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

/* A vector's coding, taken apart. */
struct PackedVector
{
	int64_t base;
	const char *payload;
	unsigned form;
	unsigned width;
	unsigned n_exceptions;
	bool is_sparse;
	unsigned count;		/* slots of a lane, if it is; places of multiples */
	uint32_t high_code; /* half of its code: these, and bits of the address */

	__device__
		__forceinline__ explicit PackedVector(const GaPackedCoding &coding)
		: base(coding.base), payload(reinterpret_cast<const char *>(
								 ga_packed_payload(coding.code))),
		  form(ga_packed_form(coding.code)),
		  width(ga_packed_width(coding.code)),
		  n_exceptions(ga_packed_exceptions(coding.code)),
		  is_sparse(ga_packed_is_sparse(coding.code)),
		  count(ga_packed_count(coding.code)),
		  high_code(uint32_t(coding.code >> 32))
	{
	}

	/* Are its integers those of decimals that are not printed floats? */
	__device__ __forceinline__ bool
	has_plain_decimals() const
	{
		return form >= GA_PACKED_DECIMALS && form < GA_PACKED_FLOATS;
	}

	/* Return what fields are multiplied by. */
	__device__ __forceinline__ uint64_t
	factor() const
	{
		return form == GA_PACKED_MULTIPLES ?
				   uint64_t(kPackedScales[count].power) :
				   1;
	}
};

/* Load the coding of the vector that has the element at an address. */
template <typename T>
static __device__ __forceinline__ GaPackedCoding
load_coding(uint64_t address)
{
	union
	{
		int4 raw;
		GaPackedCoding coding;
	} u;

	u.raw =
		*reinterpret_cast<const int4 *>(ga_packed_header(address, sizeof(T)));
	return u.coding;
}

/* The same, taken apart. */
template <typename T>
static __device__ __forceinline__ PackedVector
load_packed_header(uint64_t address)
{
	return PackedVector(load_coding<T>(address));
}

/* Return a lane's coding to all lanes. */
static __device__ __forceinline__ GaPackedCoding
coding_of_lane(GaPackedCoding coding, int lane)
{
	coding.base = __shfl_sync(kFullMask, coding.base, lane);
	coding.code = __shfl_sync(kFullMask, coding.code, lane);
	return coding;
}

#endif /* GA_VECTOR_CUH */
