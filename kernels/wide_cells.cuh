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
 * Add the total of a warp to cells in shared memory, in units of 2^place of the
 * first cell; a whole warp.  Each total is below 2^63; the sum may be larger.
 */
static __device__ __forceinline__ void
add_total(unsigned long long *cells, int64_t total, int place)
{
	const uint64_t low = group_sum(int64_t(uint32_t(total)), kWarp);
	const int64_t high = group_sum(total >> 32, kWarp) + int64_t(low >> 32);
	const int shift = place % GA_CELL_BITS;
	const uint64_t digit0 = uint64_t(uint32_t(low)) << shift;
	const uint64_t digit1 =
		(uint64_t(uint32_t(high)) << shift) + (digit0 >> GA_CELL_BITS);
	unsigned long long *to = cells + place / GA_CELL_BITS;

	if (lane_id() != 0 || (low == 0 && high == 0))
		return;
	atomicAdd_block(to, uint32_t(digit0));
	atomicAdd_block(to + 1, uint32_t(digit1));
	atomicAdd_block(to + 2,
					(uint64_t(high >> 32) << shift) + (digit1 >> GA_CELL_BITS));
}

/*
 * The digits of a total, two's complement, and the sign of the digits behind
 * them: 0 or -1.  Cells become digits; those far from the ones that are not
 * zero are not looked at.
 */
template <int kCells>
struct Digits
{
	const unsigned long long *digits;
	int from; /* of the first cell that is not zero, or kCells */
	int end;  /* behind the last digit that may differ from the sign */
	uint32_t sign;

	/* Called by a whole warp; then lane 0 alone has the digits. */
	__device__ __forceinline__
	Digits(unsigned long long *cells)
		: digits(cells), sign(0)
	{
		int first = kCells;
		int last = -1;

		for (int i = lane_id(); i < kCells; i += kWarp)
		{
			if (cells[i] != 0)
			{
				first = min(first, i);
				last = i;
			}
		}
		from = kCells - int(group_max(unsigned(kCells - first), kWarp));
		end = int(group_max(unsigned(last + 1), kWarp));
		if (lane_id() == 0)
			carry(cells);
	}

	/* Propagate carries, from the first cell that is not zero on. */
	__device__ __forceinline__ void
	carry(unsigned long long *cells)
	{
		int64_t carry = 0;
		int i;

#pragma unroll 1
		for (i = from; i < end || (i < kCells && carry != carry >> 1); i++)
		{
			carry += int64_t(cells[i]);
			cells[i] = uint32_t(carry);
			carry >>= GA_CELL_BITS;
		}
		end = i;
		sign = uint32_t(carry);
	}

	__device__ __forceinline__ uint32_t
	at(int i) const
	{
		return i < from ? 0 : i < end ? uint32_t(digits[i]) : sign;
	}

	/* Return the lowest digit that is not zero; kCells if there is none. */
	__device__ __forceinline__ int
	low() const
	{
		int i = from;

		while (i < kCells && at(i) == 0)
			i++;
		return i;
	}

	/* Return the highest digit that is not the sign, or -1. */
	__device__ __forceinline__ int
	high() const
	{
		int i = end - 1;

		while (i >= from && at(i) == sign)
			i--;
		return i < from && sign == 0 ? -1 : i;
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

/* Write a sum as a compact record; a whole warp.  False if it does not fit. */
static __device__ __forceinline__ bool
store_sum(GaPartialSum *record, unsigned long long *words)
{
	const Digits<GA_MAX_CELLS> sum(words);
	uint32_t digits[kDigits];
	int low;

	if (lane_id() != 0)
		return true;
	low = sum.low() < GA_MAX_CELLS ? sum.low() : 0;
#pragma unroll
	for (int i = 0; i < kDigits; i++)
		digits[i] = sum.at(low + i);
	if (sum.high() - low >= kDigits ||
		(digits[kDigits - 1] ^ sum.sign) >> 31 != 0 ||
		words[kWordNan] + words[kWordPosInf] + words[kWordNegInf] != 0)
		return false;
	store_digits(record, digits);
	record->first = uint8_t(low);
	record->n_neg_zero = uint32_t(words[kWordNegZero]);
	return true;
}

/*
 * Write a sum of products as a record, in units of its lowest bit; a whole
 * warp.  False if it does not fit.
 */
static __device__ __forceinline__ bool
store_products(GaPartialSum *record, unsigned long long *cells, bool is_signed)
{
	const Digits<GA_WIDE_CELLS> sum(cells);
	uint32_t digits[kDigits];
	int low;
	int high;
	int shift;

	if (lane_id() != 0)
		return true;
	low = sum.low();
	if (low == GA_WIDE_CELLS)
		return true;
	high = sum.high();
	shift = __ffs(sum.at(low)) - 1;
#pragma unroll
	for (int i = 0; i < kDigits; i++)
		digits[i] =
			__funnelshift_r(sum.at(low + i), sum.at(low + i + 1), shift);
	/* of the digit behind them, `shift` bits are among these */
	if (high - low > kDigits ||
		(high - low == kDigits &&
		 int32_t(sum.at(high)) >> shift != int32_t(sum.sign)) ||
		(is_signed && (digits[kDigits - 1] ^ sum.sign) >> 31 != 0))
		return false;
	store_digits(record, digits);
	record->unit = uint16_t(low * GA_CELL_BITS + shift);
	return true;
}

/*
 * Write the records of a sum and of a sum of products, whose cells follow the
 * words of the sum; a whole warp.
 */
static __device__ __noinline__ void
store_sum_and_products(GaPartialSum *records, unsigned long long *words,
					   bool is_signed)
{
	const bool has_sum = store_sum(records, words);
	const bool has_products =
		store_products(records + 1, words + kSumWords, is_signed);

	if (!has_sum || !has_products)
	{
		records[0].kind = GA_PARTIAL_REFUSED;
		records[1].kind = GA_PARTIAL_REFUSED;
	}
}

#endif /* GA_WIDE_CELLS_CUH */
