/*
 * wide_cells.cuh
 *		Totals in cells in shared memory, and their records.
 *
 * Cells are those of exact_sum.h: 64 bits each, 32 bits apart, with carries
 * pending.  Those of products count from 2^-2148 on.
 */
#ifndef GA_WIDE_CELLS_CUH
#define GA_WIDE_CELLS_CUH

#include "cells.cuh"

/* Units of the cells' first bits, as exponents. */
constexpr int kSumUnit = -1074;
constexpr int kProductUnit = 2 * kSumUnit;

/*
 * Add a number, or take it away, to cells in shared memory: digits of 32 bits,
 * the lowest first and the last one 0, times 2^place.  No cell gets 2^32.
 */
template <int kN>
static __device__ __forceinline__ void
add_digits(unsigned long long *cells, const uint32_t (&digits)[kN],
		   unsigned place, bool is_negative)
{
	unsigned long long *to = cells + place / GA_CELL_BITS;
	const unsigned shift = place % GA_CELL_BITS;
	const int64_t sign = is_negative ? -1 : 0;
	uint64_t carry = 0;

#pragma unroll
	for (int i = 0; i < kN; i++)
	{
		carry += uint64_t(digits[i]) << shift;
		if (uint32_t(carry) != 0)
			atomicAdd_block(to + i, (int64_t(uint32_t(carry)) ^ sign) - sign);
		carry >>= GA_CELL_BITS;
	}
}

/*
 * Add an item of any kind to the words of an exact sum (cells.cuh).  Returns
 * whether it is finite and not zero.
 */
static __device__ __forceinline__ bool
add_to_sum(unsigned long long *words, double x)
{
	const uint64_t bits = __double_as_longlong(x);
	const bool is_negative = bits >> 63;
	const Mantissa mantissa(x);

	if ((unsigned(bits >> 52) & 0x7ff) == 0x7ff)
		atomicAdd_block(words + (bits & GA_FLOAT8_FRACTION ? kWordNan :
								 is_negative			   ? kWordNegInf :
															 kWordPosInf),
						1ull);
	else if (x == 0)
		atomicAdd_block(words + kWordNegZero, (unsigned long long) is_negative);
	else
	{
		add_digits<3>(words,
					  {uint32_t(mantissa.m), uint32_t(mantissa.m >> 32), 0},
					  mantissa.place, is_negative);
		return true;
	}
	return false;
}

/* Add the product of two mantissas, as add_digits() does. */
static __device__ __forceinline__ void
add_product(unsigned long long *cells, uint64_t a, uint64_t b, unsigned place,
			bool is_negative)
{
	const uint64_t low = a * b;
	const uint64_t high = __umul64hi(a, b);

	add_digits<5>(cells,
				  {uint32_t(low), uint32_t(low >> 32), uint32_t(high),
				   uint32_t(high >> 32), 0},
				  place, is_negative);
}

/*
 * The digits of a total without carries, two's complement, and the sign of the
 * digits behind them: 0 or -1.
 */
template <int kCells>
struct Digits
{
	uint32_t digit[kCells];
	uint32_t sign;
	int low;  /* the lowest one that is not zero; kCells if there is none */
	int high; /* the highest one that is not the sign, or -1 */

	__device__ __forceinline__
	Digits(const unsigned long long *cells)
		: low(kCells), high(-1)
	{
		int64_t carry = 0;

		for (int i = 0; i < kCells; i++)
		{
			carry += int64_t(cells[i]);
			digit[i] = uint32_t(carry);
			carry >>= GA_CELL_BITS;
			if (digit[i] != 0 && low == kCells)
				low = i;
		}
		sign = uint32_t(carry);
		for (int i = 0; i < kCells; i++)
		{
			if (digit[i] != sign)
				high = i;
		}
	}

	__device__ __forceinline__ uint32_t
	at(int i) const
	{
		return i < kCells ? digit[i] : sign;
	}
};

/* Write 192 bits, the lowest digit first, as a record. */
static __device__ __forceinline__ void
store_digits(GaPartialSum *record, const uint32_t (&digits)[kDigits])
{
#pragma unroll
	for (int i = 0; i < kLimbs; i++)
		record->limb[i] = uint64_t(digits[2 * i + 1]) << 32 | digits[2 * i];
}

/* Write a sum as a compact record.  False if it does not fit. */
static __device__ __forceinline__ bool
store_sum(GaPartialSum *record, const unsigned long long *words)
{
	const Digits<GA_MAX_CELLS> sum(words);
	const int low = sum.low < GA_MAX_CELLS ? sum.low : 0;
	uint32_t digits[kDigits];

	for (int i = 0; i < kDigits; i++)
		digits[i] = sum.at(low + i);
	if (sum.high - low >= kDigits ||
		(digits[kDigits - 1] ^ sum.sign) >> 31 != 0 ||
		words[kWordNan] + words[kWordPosInf] + words[kWordNegInf] != 0)
		return false;
	store_digits(record, digits);
	record->first = uint8_t(low);
	record->n_neg_zero = uint32_t(words[kWordNegZero]);
	return true;
}

/*
 * Write a sum of products as a record, in units of its lowest bit.  False if it
 * does not fit.
 */
static __device__ __forceinline__ bool
store_products(GaPartialSum *record, const unsigned long long *cells,
			   bool is_signed)
{
	const Digits<GA_WIDE_CELLS> sum(cells);
	const int low = sum.low;
	uint32_t digits[kDigits];
	int shift;

	if (low == GA_WIDE_CELLS)
		return true;
	shift = __ffs(sum.digit[low]) - 1;
	for (int i = 0; i < kDigits; i++)
		digits[i] =
			__funnelshift_r(sum.at(low + i), sum.at(low + i + 1), shift);
	/* of the digit behind them, `shift` bits are among these */
	if (sum.high - low > kDigits ||
		(sum.high - low == kDigits &&
		 int32_t(sum.at(sum.high)) >> shift != int32_t(sum.sign)) ||
		(is_signed && (digits[kDigits - 1] ^ sum.sign) >> 31 != 0))
		return false;
	store_digits(record, digits);
	record->unit = uint16_t(low * GA_CELL_BITS + shift);
	return true;
}

#endif /* GA_WIDE_CELLS_CUH */
