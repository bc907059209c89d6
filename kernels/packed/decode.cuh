/*
 * decode.cuh
 *		Elements of packed arrays (exact/packed.h): some of each lane at once.
 */
#ifndef GA_DECODE_CUH
#define GA_DECODE_CUH

#include "fields.cuh"

/*
 * The integer of a decimal, as a double.  Base and field are added in the
 * mantissa of a double, exactly: both, and 2^52 - base, are integers below
 * 2^53.
 */
struct DecimalDecoder
{
	double offset; /* 2^52 - base */
	double high;
	double low;
	bool is_printed; /* floats are */

	/* Not initialized. */
	DecimalDecoder() = default;

	__device__ __forceinline__
	DecimalDecoder(unsigned form, int64_t base)
		: high(kPackedScales[ga_packed_places(form)].high),
		  low(kPackedScales[ga_packed_places(form)].low),
		  is_printed(form >= GA_PACKED_FLOATS)
	{
		set_base(base);
	}

	__device__ __forceinline__ void
	set_base(int64_t base)
	{
		offset = double((INT64_C(1) << 52) - base);
	}

	__device__ __forceinline__ double
	integer(uint32_t field_high, uint32_t field_low) const
	{
		return __hiloint2double(0x43300000 | field_high, field_low) - offset;
	}

	/* As ga_packed_decimal(). */
	__device__ __forceinline__ double
	decimal(double i) const
	{
		return __fma_rn(i, high, i * low);
	}

	/* Return the element of an integer, before it is rounded to its type. */
	__device__ __forceinline__ double
	element(double i) const
	{
		return is_printed ?
				   ga_packed_printed(decimal(i),
									 kPackedScales[GA_PACKED_PRINTED_PLACES]) :
				   decimal(i);
	}
};

/* Return exception e of a vector, and set its place. */
template <typename T>
static __device__ __forceinline__ T
exception_of(const PackedVector &vector, unsigned e, unsigned *i)
{
	const char *from = vector.payload + ga_packed_plane_bytes(vector.width);

	*i = reinterpret_cast<const uint16_t *>(from +
											vector.n_exceptions * sizeof(T))[e];
	return reinterpret_cast<const T *>(from)[e];
}

/* Put exceptions among elements j to j + kN - 1 of a lane in their place. */
template <typename T, int kN>
static __device__ __forceinline__ void
put_exceptions(const PackedVector &vector, unsigned lane, unsigned j,
			   T (&items)[kN])
{
	for (unsigned e = 0; e < vector.n_exceptions; e++)
	{
		unsigned i;
		unsigned place;
		const T x = exception_of<T>(vector, e, &i);

		if (ga_packed_lane(i, sizeof(T), &place) != lane)
			continue;
#pragma unroll
		for (int f = 0; f < kN; f++)
			items[f] = place == j + f ? x : items[f];
	}
}

/* Load plain elements j to j + kN - 1 of a lane. */
template <typename T, int kN>
static __device__ __forceinline__ void
load_plain(const PackedVector &vector, unsigned lane, unsigned j,
		   T (&items)[kN])
{
	constexpr int kSize = Vector<T>::kSize;
	const T *from = reinterpret_cast<const T *>(vector.payload);

	if constexpr (kN < kSize)
		items[0] = from[(j / kSize * kWarp + lane) * kSize + j % kSize];
	else
	{
#pragma unroll
		for (int k = 0; k < kN / kSize; k++)
		{
			union
			{
				int4 raw;
				Vector<T> vector;
			} u;

			u.raw = load_four(vector.payload +
							  ((j / kSize + k) * kWarp + lane) * kVectorBytes);
#pragma unroll
			for (int i = 0; i < kSize; i++)
				items[k * kSize + i] = u.vector.item[i];
		}
	}
}

/* Decode elements whose fields are integers. */
template <typename T, int kN, typename Fields>
static __device__ __forceinline__ void
decode_integers(const PackedVector &vector, const Fields &fields,
				T (&items)[kN])
{
	const uint64_t factor = vector.factor();

#pragma unroll
	for (int f = 0; f < kN; f++)
	{
		if constexpr (sizeof(T) == 8)
			items[f] =
				element_of<T>(uint64_t(vector.base) + fields.field(f) * factor);
		else
			items[f] = element_of<T>(ElementBits<T>(
				uint32_t(vector.base) + fields.low[f] * uint32_t(factor)));
	}
}

/*
 * Decode elements j to j + kN - 1 of a lane; j is a multiple of kN.  kN is 1,
 * or the elements of one or more loads of 16 bytes.  kAtOnce: see
 * load_fields_at_once().
 */
template <bool kAtOnce = false, typename T, int kN>
static __device__ __forceinline__ void
decode(const PackedVector &vector, unsigned lane, unsigned j, T (&items)[kN])
{
	if (vector.form == GA_PACKED_PLAIN)
	{
		load_plain(vector, lane, j, items);
		return;
	}

	const PackedFields<kN, kAtOnce> fields(vector, lane, j);

	if constexpr (std::is_floating_point<T>::value)
	{
		if (ga_packed_has_decimals(vector.form))
		{
			const DecimalDecoder decoder(vector.form, vector.base);

#pragma unroll
			for (int f = 0; f < kN; f++)
				items[f] = T(decoder.element(
					decoder.integer(fields.high[f], fields.low[f])));
			put_exceptions(vector, lane, j, items);
			return;
		}
	}
	decode_integers(vector, fields, items);
}

/* Return the element at a packed address. */
template <typename T>
static __device__ __noinline__ T
load_packed_element(uint64_t address)
{
	const PackedVector vector = load_packed_header<T>(address);
	T item[1];
	unsigned j;
	const unsigned lane =
		ga_packed_lane(ga_packed_number(address, sizeof(T)), sizeof(T), &j);

	decode(vector, lane, j, item);
	return item[0];
}

/* Return the elements at a packed address that is a multiple of 16. */
template <typename T>
static __device__ __noinline__ Vector<T>
load_packed_vector(uint64_t address)
{
	const PackedVector vector = load_packed_header<T>(address);
	Vector<T> result;
	unsigned j;
	const unsigned lane =
		ga_packed_lane(ga_packed_number(address, sizeof(T)), sizeof(T), &j);

	decode(vector, lane, j, result.item);
	return result;
}

#endif /* GA_DECODE_CUH */
