/*
 * elem_round.cu
 *		The kernel that makes rounded sums or means of records.
 *
 * A sum's magnitude is divided, if that is wanted, by the number of elements,
 * and rounded by the same code as on the host.
 */
#include "exact_sum.cuh"
#include "find_array.cuh"
#include "elem.h"

/*
 * Words of a mean below those of the sum: a divisor of 16 bits leaves 64 bits
 * of the quotient at least, and what is below them only rounds.
 */
constexpr int kMeanWords = 2;

/*
 * The magnitude of a sum, in words of 64 bits, the lowest first; kBelow of them
 * are below its unit.  They are in registers: no index varies.
 */
template <int kBelow>
struct Magnitude
{
	static constexpr int kWords = kBelow + kLimbs;

	uint64_t word[kWords];
	int place;	  /* of the lowest bit, over -1074 */
	bool is_more; /* there are bits below it */

	__device__ __forceinline__
	Magnitude(const GaPartialSum &record)
		: word(), place(record.first * GA_CELL_BITS - kBelow * 64),
		  is_more(false)
	{
		const bool is_negative = record.limb[kLimbs - 1] >> 63;
		uint64_t carry = is_negative;

#pragma unroll
		for (int i = 0; i < kLimbs; i++)
		{
			const uint64_t bits =
				is_negative ? ~record.limb[i] : record.limb[i];

			word[kBelow + i] = bits + carry;
			carry = carry && word[kBelow + i] == 0;
		}
	}

	__device__ __forceinline__ void
	divide(uint32_t divisor)
	{
		uint64_t rest = 0;

#pragma unroll
		for (int i = kWords - 1; i >= 0; i--)
		{
			const uint64_t high = rest << 32 | word[i] >> 32;
			const uint64_t low = high % divisor << 32 | uint32_t(word[i]);

			word[i] = high / divisor << 32 | low / divisor;
			rest = low % divisor;
		}
		is_more = rest != 0;
	}

	/* Round to a format; false if it is out of range. */
	__device__ __forceinline__ bool
	round(const GaFloatFormat &format, uint64_t *bits) const
	{
		uint64_t top = 0; /* the first word that is not 0, */
		uint64_t next = 0;
		bool more = is_more; /* and whether any behind the next one is */
		bool is_behind = false;
		int first = 0; /* exponent of its lowest bit, over -1074 */
		int zeros;

#pragma unroll
		for (int i = kWords - 1; i >= 0; i--)
		{
			const bool is_top = top == 0 && word[i] != 0;

			more |= is_behind && word[i] != 0;
			is_behind |= top != 0;
			top = is_top ? word[i] : top;
			next = is_top && i > 0 ? word[i - 1] : next;
			first = is_top ? place + i * 64 : first;
		}
		*bits = 0;
		if (top == 0)
			return true;
		zeros = __clzll((long long) top);
		if (zeros > 0)
			top = top << zeros | next >> (64 - zeros);
		return ga_leading_round(top, more || next << zeros != 0,
								first + 63 - zeros, &format, bits) == GA_OK;
	}
};

/* Return the bits of a float, or of a double, as those of a double. */
static __device__ __forceinline__ double
value_of_bits(uint64_t bits, bool is_single, bool is_negative)
{
	const double magnitude = is_single ? double(__int_as_float(int(bits))) :
										 __longlong_as_double((long long) bits);

	return is_negative ? -magnitude : magnitude;
}

/* Round the magnitude of a sum over a divisor; false if it is out of range. */
static __device__ __forceinline__ bool
round_magnitude(const GaPartialSum &record, uint32_t divisor,
				const GaFloatFormat &format, uint64_t *bits)
{
	if (divisor == 1)
		return Magnitude<0>(record).round(format, bits);

	Magnitude<kMeanWords> magnitude(record);

	magnitude.divide(divisor);
	return magnitude.round(format, bits);
}

/* Make the value of a record of floats; false if it has none. */
static __device__ bool
round_floats(const GaPartialSum &record, const ElemRounding &rounding,
			 uint32_t n_elements, uint64_t *value)
{
	const bool is_single =
		rounding.type == GA_float4 && rounding.form == GA_FORM_SUM;
	uint64_t bits;
	bool is_negative;

	if (!round_magnitude(record, rounding.form == GA_FORM_MEAN ? n_elements : 1,
						 is_single ? ga_float4_format : ga_float8_format,
						 &bits))
		return false;
	/* a mean that is rounded to zero keeps its sign */
	is_negative = record.limb[kLimbs - 1] >> 63 ||
				  (record.n_neg_zero == n_elements &&
				   (record.limb[0] | record.limb[1] | record.limb[2]) == 0);
	*value = uint64_t(
		__double_as_longlong(value_of_bits(bits, is_single, is_negative)));
	return true;
}

/* Return how many elements were added for a record. */
static __device__ __forceinline__ uint32_t
count_elements(const ElemRounding &rounding, uint32_t window)
{
	const WindowPiece *pieces = rounding.pieces;
	const uint32_t from = ga_window_from(&rounding.windows, window);
	uint32_t end = ga_window_end(&rounding.windows, window);

	if (pieces != nullptr)
		end = min(end, pieces[find_array_alone(rounding.n_pieces, from,
											   [pieces](uint32_t i)
											   { return pieces[i].first; })]
						   .end);
	return end - from;
}

/* Round a position by each thread.  Grid: blocks of kElemThreads. */
static __global__ void
__launch_bounds__(kElemThreads)
	round_records(const __grid_constant__ ElemRounding rounding)
{
	const uint32_t i = blockIdx.x * kElemThreads + threadIdx.x;
	GaPartialSum record;
	uint64_t value = 0;
	bool is_there;

	if (i >= rounding.n_positions)
		return;
	record = rounding.records[i];
	is_there = record.kind == GA_PARTIAL_COMPACT;
	if (is_there && rounding.is_int)
		value = record.limb[0];
	else if (is_there)
		is_there =
			round_floats(record, rounding,
						 count_elements(rounding, rounding.first + i), &value);
	rounding.values[i] = value;
	if (!is_there)
		atomicAdd(rounding.values + rounding.n_positions, 1ull);
}

cudaError_t
launch_elem_round(const ElemRounding &rounding, cudaStream_t stream)
{
	const uint32_t n_blocks =
		(rounding.n_positions + kElemThreads - 1) / kElemThreads;

	round_records<<<n_blocks, kElemThreads, 0, stream>>>(rounding);
	return cudaGetLastError();
}
