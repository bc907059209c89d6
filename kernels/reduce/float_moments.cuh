/*
 * float_moments.cuh
 *		The sum and the sum of squares of floats: the reduction.
 *
 * A warp adds tiles on levels (square_levels.cuh), with an exponent that it
 * chooses for the first tile, and anew for one that has no certificate.  Items
 * of a tile that has none even then are added one by one to the cells.
 *
 * The words of a result are those of an exact sum (cells.cuh), then the cells
 * of the sum of squares, of finite items only.
 * Each item adds less than 2^32 to a cell, a flush less than 2^37, and an array
 * has less than 2^30, so that no word overflows.
 */
#ifndef GA_FLOAT_MOMENTS_CUH
#define GA_FLOAT_MOMENTS_CUH

#include "array_source.cuh"
#include "mixed_source.cuh"
#include "reduce.cuh"
#include "square_levels.cuh"
#include "wide_cells.cuh"

/* Add one item and its square to the words. */
static __device__ __noinline__ void
add_to_words(unsigned long long *words, double x)
{
	const Mantissa mantissa(x);

	if (add_to_sum(words, x))
		add_product(words + kSumWords, mantissa.m, mantissa.m,
					2 * mantissa.place, false);
}

/* The same of arrays that may be packed (residue_moments.cuh). */
template <typename T>
struct PackedMoments;

template <typename T, typename S = ArraySource<T>>
struct FloatMoments
{
	using Source = S;
	using Mixed = PackedMoments<T>;
	static constexpr int kWords = kSumWords + GA_WIDE_CELLS;
	static constexpr int kRecords = 2;
	static constexpr bool kTakesVectors = false;
	static constexpr bool kHasRuns = false;

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
		exponent = kNoExponent;
		n_until_flush = kMaxSplitItems;
	}

	__device__ __forceinline__ void
	add(const Items<T> &items, unsigned long long *words)
	{
		bool has_neg_zero;

		if (n_until_flush < kItemsPerThread<T>)
			flush(words);
		if (exponent == kNoExponent ||
			!levels.add(items, exponent, has_neg_zero))
		{
			*this = add_again(*this, items, words);
			return;
		}
		n_until_flush -= kItemsPerThread<T>;
		if (__any_sync(kFullMask, has_neg_zero))
			count_neg_zeros(items, words);
	}

	__device__ __forceinline__ void
	flush(unsigned long long *words)
	{
		if (n_until_flush < kMaxSplitItems)
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
					  2 * exponent - kSplitBits * (k + 2) - kProductUnit);
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

	static __device__ __forceinline__ void
	finish(unsigned long long *words, GaPartialSum *records)
	{
		store_sum_and_products(records, words, false);
	}
};

#endif /* GA_FLOAT_MOMENTS_CUH */
