/*
 * elem_round.cu
 *		The kernel that makes rounded sums or means of records.
 *
 * The digits of a sum's magnitude are divided, if that is wanted, by the number
 * of arrays, and rounded by the text of the host.
 */
#include "exact_sum.cuh"
#include "find_array.cuh"
#include "elem.h"

/*
 * Digits of a mean below those of the sum: a divisor of 16 bits leaves 64 bits
 * of the quotient at least, and what is below them only rounds.
 */
constexpr int kMeanDigits = 3;
constexpr int kRoundDigits = kMeanDigits + kDigits;

/* The magnitude of a sum, the lowest digit first. */
struct Magnitude
{
	uint32_t digit[kRoundDigits];
	int place; /* of the lowest digit */
	bool is_negative;
	bool is_more; /* there are bits below it */

	__device__ __forceinline__
	Magnitude(const GaPartialSum &record)
		: digit(), place((record.first - kMeanDigits) * GA_CELL_BITS),
		  is_negative(record.limb[kLimbs - 1] >> 63), is_more(false)
	{
		uint64_t carry = is_negative;

#pragma unroll
		for (int i = 0; i < kDigits; i++)
		{
			const uint32_t bits =
				uint32_t(record.limb[i / 2] >> (i % 2 ? GA_CELL_BITS : 0));

			carry += is_negative ? uint32_t(~bits) : bits;
			digit[kMeanDigits + i] = uint32_t(carry);
			carry >>= GA_CELL_BITS;
		}
	}

	__device__ __forceinline__ void
	divide(uint32_t divisor)
	{
		uint64_t rest = 0;

#pragma unroll
		for (int i = kRoundDigits - 1; i >= 0; i--)
		{
			rest = rest << GA_CELL_BITS | digit[i];
			digit[i] = uint32_t(rest / divisor);
			rest %= divisor;
		}
		is_more = rest != 0;
	}

	/* Round to a format; false if it is out of range. */
	__device__ __forceinline__ bool
	round(const GaFloatFormat &format, uint64_t *bits) const
	{
		int n = kRoundDigits;

		while (n > 0 && digit[n - 1] == 0)
			n--;
		*bits = 0;
		return n == 0 || ga_digits_round(digit, n, place, is_more, &format,
										 bits) == GA_OK;
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

/* Make the value of a record of floats; false if it has none. */
static __device__ bool
round_floats(const GaPartialSum &record, const ElemRounding &rounding,
			 uint32_t n_elements, uint64_t *value)
{
	const bool is_single =
		rounding.type == GA_float4 && rounding.form == GA_FORM_SUM;
	Magnitude magnitude(record);
	uint64_t bits;
	bool is_negative;

	if (rounding.form == GA_FORM_MEAN)
		magnitude.divide(n_elements);
	if (!magnitude.round(is_single ? ga_float4_format : ga_float8_format,
						 &bits))
		return false;
	/* a mean that is rounded to zero keeps its sign */
	is_negative = magnitude.is_negative ||
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
