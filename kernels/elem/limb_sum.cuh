/*
 * limb_sum.cuh
 *		The sum of a position in 192 bits, whose unit moves with it.
 *
 * A sum is below 2^190 of its units in magnitude, or it does not fit: then its
 * record is refused.  The unit is that of a cell.  It goes down for what has
 * lower bits, and up where room is needed and the lowest digits are zero.
 */
#ifndef GA_LIMB_SUM_CUH
#define GA_LIMB_SUM_CUH

#include "cells.cuh"

/* Bits of a sum, of a record without its sign and one to spare. */
constexpr int kLimbSumBits = 64 * kLimbs - 2;

struct LimbSum
{
	Limbs limbs;
	int first;			 /* cell of the unit; any if the sum is zero */
	unsigned n_neg_zero; /* inputs that are minus zero */
	bool fits;

	__device__ __forceinline__ void
	clear()
	{
		limbs = {};
		first = 0;
		n_neg_zero = 0;
		fits = true;
	}

	__device__ __forceinline__ void
	load(const GaPartialSum *record)
	{
#pragma unroll
		for (int i = 0; i < kLimbs; i++)
			limbs.limb[i] = record->limb[i];
		first = record->first;
		n_neg_zero = record->n_neg_zero;
		fits = record->kind == GA_PARTIAL_COMPACT;
	}

	__device__ __forceinline__ void
	store(GaPartialSum *record) const
	{
		store_compact(record, fits ? limbs : Limbs{}, first, n_neg_zero);
		if (!fits)
			record->kind = GA_PARTIAL_REFUSED;
	}

	__device__ __forceinline__ bool
	is_zero() const
	{
		return (limbs.limb[0] | limbs.limb[1] | limbs.limb[2]) == 0;
	}

	/* Is the sum within the units of so many bits, more than 128? */
	__device__ __forceinline__ bool
	is_within(int bits) const
	{
		const int64_t top = int64_t(limbs.limb[kLimbs - 1]);

		return top >> (bits - 64 * (kLimbs - 1)) == top >> 63;
	}

	/* Use a lower cell for the unit. */
	__device__ __forceinline__ void
	lower(int cell)
	{
#pragma unroll 1
		for (; first > cell && fits; first--)
		{
			fits = is_within(kLimbSumBits - GA_CELL_BITS);
			limbs.limb[2] =
				limbs.limb[2] << GA_CELL_BITS | limbs.limb[1] >> GA_CELL_BITS;
			limbs.limb[1] =
				limbs.limb[1] << GA_CELL_BITS | limbs.limb[0] >> GA_CELL_BITS;
			limbs.limb[0] <<= GA_CELL_BITS;
		}
	}

	/* Use a higher cell for the unit, up to one, while that loses no bits. */
	__device__ __forceinline__ void
	raise(int cell)
	{
#pragma unroll 1
		for (; first < cell && uint32_t(limbs.limb[0]) == 0; first++)
		{
			limbs.limb[0] = limbs.limb[0] >> GA_CELL_BITS | limbs.limb[1]
																<< GA_CELL_BITS;
			limbs.limb[1] = limbs.limb[1] >> GA_CELL_BITS | limbs.limb[2]
																<< GA_CELL_BITS;
			limbs.limb[2] = uint64_t(int64_t(limbs.limb[2]) >> GA_CELL_BITS);
		}
	}

	/* After an addition: use a higher cell for the unit if that makes room. */
	__device__ __forceinline__ void
	check_bounds()
	{
		if (!is_within(kLimbSumBits))
			raise(GA_MAX_CELLS - 1);
		fits &= is_within(kLimbSumBits);
	}

	/* Add m * 2^(place - 1074). */
	__device__ __forceinline__ void
	add(int64_t m, int place)
	{
		const int zeros = m != 0 ? __ffsll(m) - 1 : 0;
		const int bits = 64 - __clzll(m ^ (m >> 63));
		const int cell = (place + zeros) / GA_CELL_BITS;

		if (m == 0 || !fits)
			return;
		if (is_zero())
			first = cell;
		lower(cell);
		if (place + bits - first * GA_CELL_BITS > kLimbSumBits)
			raise(cell);
		fits &= place + bits - first * GA_CELL_BITS <= kLimbSumBits;
		if (!fits)
			return;
		limbs.add_shifted(m >> zeros, place + zeros - first * GA_CELL_BITS);
		check_bounds();
	}

	/* Add an element; NaN and infinities do not fit. */
	__device__ __forceinline__ void
	add_item(double x)
	{
		const Mantissa mantissa(x);

		if ((__double_as_longlong(x) & INT64_MAX) >> 52 == 0x7ff)
			fits = false;
		else
			add(x < 0 ? -int64_t(mantissa.m) : int64_t(mantissa.m),
				mantissa.place);
	}

	/* Add another sum, as signed digits: of few bits it has few of them. */
	__device__ __forceinline__ void
	add_digits(const LimbSum &other)
	{
		int64_t carry = 0;

#pragma unroll
		for (int i = 0; i < kDigits; i++)
		{
			carry += uint32_t(other.limbs.digit(i));

			const int digit = int32_t(uint32_t(carry));

			add(digit, (other.first + i) * GA_CELL_BITS);
			carry = (carry - digit) >> GA_CELL_BITS;
		}
	}

	/* Add another sum. */
	__device__ __forceinline__ void
	add(const LimbSum &other)
	{
		n_neg_zero += other.n_neg_zero;
		fits &= other.fits;
		if (is_zero())
		{
			limbs = other.limbs;
			first = other.first;
		}
		else if (first == other.first)
		{
			limbs.add(other.limbs);
			check_bounds();
		}
		else
			add_digits(other);
	}

	/* Return the sum of another lane, across a warp. */
	__device__ __forceinline__ LimbSum
	of_lane(int step) const
	{
		LimbSum other;

#pragma unroll
		for (int i = 0; i < kLimbs; i++)
			other.limbs.limb[i] =
				__shfl_xor_sync(kFullMask, limbs.limb[i], step);
		other.first = __shfl_xor_sync(kFullMask, first, step);
		other.n_neg_zero = __shfl_xor_sync(kFullMask, n_neg_zero, step);
		other.fits = __shfl_xor_sync(kFullMask, int(fits), step);
		return other;
	}
};

/*
 * Store the sum of the records of a group of n lanes, unless it has no place; a
 * whole warp.
 */
static __device__ __forceinline__ void
combine_sums(const GaPartialSum *record, GaPartialSum *to, int n)
{
	LimbSum sum;

	sum.clear();
	sum.load(record);
	for (int step = n / 2; step > 0; step /= 2)
		sum.add(sum.of_lane(step));
	if (to && lane_id() % n == 0)
		sum.store(to);
}

#endif /* GA_LIMB_SUM_CUH */
