/*
 * float_moments.cuh
 *		The sum and the sum of squares of floats: the reduction.
 *
 * A warp adds tiles on levels (square_levels.cuh), with an exponent that it
 * chooses anew for the first tile that has no certificate.  Items of a tile
 * that has none even then are added one by one to the cells.
 *
 * The words of a result are those of an exact sum (cells.cuh), then the cells
 * of the sum of squares, which count from 2^-2148 on, of finite items only.
 * Each item adds less than 2^32 to a cell, a flush less than 2^37, and an array
 * has less than 2^30, so that no word overflows.
 */
#ifndef GA_FLOAT_MOMENTS_CUH
#define GA_FLOAT_MOMENTS_CUH

#include "reduce.cuh"
#include "square_levels.cuh"

/* Units of the cells' first bits, as exponents. */
constexpr int kSumUnit = -1074;
constexpr int kSquareUnit = 2 * kSumUnit;

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

/* Add a finite item, m * 2^place of the lowest cell, and its square. */
static __device__ __forceinline__ void
add_to_cells(unsigned long long *words, uint64_t m, unsigned place,
			 bool is_negative)
{
	const uint64_t low = m * m;
	const uint64_t high = __umul64hi(m, m);

	add_digits<3>(words, {uint32_t(m), uint32_t(m >> 32), 0}, place,
				  is_negative);
	add_digits<5>(words + kSumWords,
				  {uint32_t(low), uint32_t(low >> 32), uint32_t(high),
				   uint32_t(high >> 32), 0},
				  2 * place, false);
}

/* Add one item and its square to the words. */
static __device__ __noinline__ void
add_to_words(unsigned long long *words, double x)
{
	const uint64_t bits = __double_as_longlong(x);
	const unsigned biased = unsigned(bits >> 52) & 0x7ff;
	const uint64_t m = bits & GA_FLOAT8_FRACTION;
	const bool is_negative = bits >> 63;

	if (biased == 0x7ff)
		atomicAdd_block(words + (m			 ? kWordNan :
								 is_negative ? kWordNegInf :
											   kWordPosInf),
						1ull);
	else if (biased == 0 && m == 0)
		atomicAdd_block(words + kWordNegZero, (unsigned long long) is_negative);
	else
		add_to_cells(words, m | (biased ? GA_FLOAT8_HIDDEN : 0),
					 biased ? biased - 1 : 0, is_negative);
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

/* Write a sum of squares as a record.  False if it does not fit. */
static __device__ __forceinline__ bool
store_squares(GaPartialSum *record, const unsigned long long *cells)
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
	/* the digit behind them has `shift` bits */
	if (sum.high - low > kDigits ||
		(sum.high - low == kDigits && sum.digit[sum.high] >> shift != 0))
		return false;
	store_digits(record, digits);
	record->unit = uint16_t(low * GA_CELL_BITS + shift);
	return true;
}

template <typename T>
struct FloatMoments
{
	using Item = T;
	static constexpr int kWords = kSumWords + GA_WIDE_CELLS;
	static constexpr int kRecords = 2;

	SquareLevels levels;
	int exponent; /* of the levels */
	int n_until_flush;

	static __device__ __forceinline__ T
	outside()
	{
		return 0;
	}

	__device__ __forceinline__ void
	init()
	{
		levels.clear();
		exponent = kMinSplitExponent;
		n_until_flush = kMaxSplitItems;
	}

	__device__ __forceinline__ void
	add(const Items<T> &items, unsigned long long *words)
	{
		bool has_neg_zero;

		if (n_until_flush < kItemsPerThread<T>)
			flush(words);
		n_until_flush -= kItemsPerThread<T>;
		if (!levels.add(items, exponent, has_neg_zero))
			*this = add_again(*this, items, words);
		else if (__any_sync(kFullMask, has_neg_zero))
			count_neg_zeros(items, words);
	}

	__device__ __forceinline__ void
	flush(unsigned long long *words)
	{
		add_levels(levels, exponent, words);
		levels.clear();
		n_until_flush = kMaxSplitItems;
	}

	/* Add the levels of a warp to the words. */
	static __device__ __noinline__ void
	add_levels(SquareLevels levels, int exponent, unsigned long long *words)
	{
#pragma unroll
		for (int k = 0; k < kSplits; k++)
			add_total(words, levels.sum[k],
					  exponent - kSplitBits * (k + 1) - kSumUnit);
#pragma unroll
		for (int k = 0; k < kProducts; k++)
			add_total(words + kSumWords, levels.squares[k],
					  2 * exponent - kSplitBits * (k + 2) - kSquareUnit);
	}

	/*
	 * Add the items of a tile without a certificate: on levels of another
	 * exponent, or one by one.  States are values, since variables whose
	 * address is taken do not stay in registers.
	 */
	static __device__ __noinline__ FloatMoments
	add_again(FloatMoments state, Items<T> items, unsigned long long *words)
	{
		bool has_neg_zero;

		state.flush(words);
		state.n_until_flush -= kItemsPerThread<T>;
		state.exponent =
			split_exponent(group_max(largest_finite_item(items), kWarp));
		if (!state.levels.add(items, state.exponent, has_neg_zero))
		{
			for (int i = 0; i < kItemsPerThread<T>; i++)
				add_to_words(words, items.item(i));
		}
		else if (__any_sync(kFullMask, has_neg_zero))
			count_neg_zeros(items, words);
		return state;
	}

	static __device__ __noinline__ void
	count_neg_zeros(Items<T> items, unsigned long long *words)
	{
		int64_t n = 0;

		for (int i = 0; i < kItemsPerThread<T>; i++)
			n += is_neg_zero(items.item(i));
		add_word(words + kWordNegZero, group_sum(n, kWarp));
	}

	static __device__ __forceinline__ void
	combine(unsigned long long *to, unsigned long long word)
	{
		atomicAdd(to, word);
	}

	static __device__ __noinline__ void
	finish(const unsigned long long *words, GaPartialSum *records)
	{
		if (store_sum(records, words) &&
			store_squares(records + 1, words + kSumWords))
			return;
		records[0].kind = GA_PARTIAL_REFUSED;
		records[1].kind = GA_PARTIAL_REFUSED;
	}
};

#endif /* GA_FLOAT_MOMENTS_CUH */
