/*
 * float_products.cuh
 *		The sums of the second factors and of the products of pairs of floats:
 *		the reduction.
 *
 * A warp adds tiles on levels: of the second factors (levels.cuh) and of the
 * products (product_levels.cuh), with anchors that it chooses for the first
 * tile, and anew for one that has no certificate.  A tile is tried without the
 * last level first, which most do not need.  Pairs of a tile that has no
 * certificate even then are added one by one.
 *
 * If nobody wants the sum of the second factors, it is left out, also where
 * pairs are added one by one.
 *
 * The words of a result are those of an exact sum (cells.cuh), then the cells
 * of the sum of products, of finite pairs only, and the number of products that
 * are minus zero.  A pair with NaN or infinity counts as NaN.
 */
#ifndef GA_FLOAT_PRODUCTS_CUH
#define GA_FLOAT_PRODUCTS_CUH

#include "pair_source.cuh"
#include "mixed_source.cuh"
#include "product_levels.cuh"
#include "reduce.cuh"
#include "wide_cells.cuh"

/* Index of the number of products that are minus zero. */
constexpr int kProductNegZero = kSumWords + GA_WIDE_CELLS;

/* Is an item NaN or infinite? */
static __device__ __forceinline__ bool
is_special(double x)
{
	return (__double2hiint(x) & kHighInfinity) == kHighInfinity;
}

/* Is the exact product of two finite items minus zero? */
static __device__ __forceinline__ bool
is_neg_zero_product(double x, double y)
{
	return (x == 0 || y == 0) && ((__double2hiint(x) ^ __double2hiint(y)) < 0);
}

/* Add one pair to the words. */
template <bool kHasSum>
static __device__ __noinline__ void
add_pair_to_words(unsigned long long *words, double x, double y)
{
	const Mantissa a(x);
	const Mantissa b(y);

	if (is_special(x) || is_special(y))
	{
		atomicAdd_block(words + kWordNan, 1ull);
		return;
	}
	if (kHasSum && is_neg_zero(y))
		atomicAdd_block(words + kWordNegZero, 1ull);
	if (is_neg_zero_product(x, y))
		atomicAdd_block(words + kProductNegZero, 1ull);
	if (kHasSum)
		add_digits<3>(words, {uint32_t(b.m), uint32_t(b.m >> 32), 0}, b.place,
					  y < 0);
	if (x != 0 && y != 0)
		add_product(words + kSumWords, a.m, b.m, a.place + b.place,
					(x < 0) != (y < 0));
}

/* The same of arrays that may be packed (residue_products.cuh). */
template <typename T, bool kHasSum>
struct PackedProducts;

template <typename T, bool kHasSum, typename S = PairSource<T>>
struct FloatProducts
{
	using Source = S;
	using Mixed = PackedProducts<T, kHasSum>;
	using Tile = ItemPairs<T>;
	static constexpr int kWords = kProductNegZero + 1;
	static constexpr int kRecords = 2;
	static constexpr bool kTakesVectors = false;
	static constexpr bool kHasRuns = false;

	LevelSum<T> sum; /* of the second factors */
	ProductLevels<T> products;
	int n_until_flush;
	bool is_wide; /* the last tile needed all levels */

	static __device__ __forceinline__ T
	outside()
	{
		return 0;
	}

	__device__ __forceinline__ void
	init()
	{
		sum.exponent = kNoExponent;
		products.exponent = kNoExponent;
		is_wide = false;
		clear();
	}

	__device__ __forceinline__ void
	clear()
	{
		sum.clear();
		products.clear();
		n_until_flush = kMaxProductPairs;
	}

	__device__ __forceinline__ void
	add(const Tile &pairs, unsigned long long *words)
	{
		if (n_until_flush < Tile::kCount)
			flush(words);
		if (products.exponent == kNoExponent || is_wide ||
			!add_to_levels<false>(pairs, words))
			*this = add_again(*this, pairs, words);
	}

	/*
	 * Add a tile's pairs, on all levels or on those before the last, if all
	 * lanes of the warp have a certificate; else nothing.
	 */
	template <bool kAll>
	__device__ __forceinline__ bool
	add_to_levels(const Tile &pairs, unsigned long long *words)
	{
		double of_sum[LevelSum<T>::kCount - !kAll] = {};
		double of_products[ProductLevels<T>::kCount - !kAll];
		bool has_neg_zero = false;
		bool is_tiny;
		bool is_refused = products.accumulate(pairs, of_products, is_tiny);

		if (kHasSum)
			is_refused |= sum.accumulate(pairs.y, of_sum, has_neg_zero);
		if (__any_sync(kFullMask, is_refused))
			return false;
		if (__any_sync(kFullMask, is_tiny || has_neg_zero) &&
			!count_zeros(pairs, words))
			return false;
		if constexpr (kAll)
			is_wide = __any_sync(kFullMask, (kHasSum && sum.has_last(of_sum)) ||
												products.has_last(of_products));
		if (kHasSum)
			sum.add_accumulated(of_sum);
		products.add_accumulated(of_products);
		n_until_flush -= Tile::kCount;
		return true;
	}

	__device__ __forceinline__ void
	flush(unsigned long long *words)
	{
		if (n_until_flush < kMaxProductPairs)
			add_levels(sum, products, words);
		clear();
	}

	/* Add the levels of a warp to the words. */
	static __device__ __noinline__ void
	add_levels(LevelSum<T> sum, ProductLevels<T> products,
			   unsigned long long *words)
	{
#pragma unroll
		for (int k = 0; k < LevelSum<T>::kCount && kHasSum; k++)
			add_total(words, sum.total[k], sum.place(k));
#pragma unroll
		for (int k = 0; k < ProductLevels<T>::kCount; k++)
			add_total(words + kSumWords, products.total[k],
					  products.unit(k) - kProductUnit);
	}

	/*
	 * Add the pairs of a tile on all levels, or with other anchors, or one by
	 * one.  States are values, since variables whose address is taken do not
	 * stay in registers.
	 */
	static __device__ __noinline__ FloatProducts
	add_again(FloatProducts state, Tile pairs, unsigned long long *words)
	{
		if (state.products.exponent != kNoExponent &&
			state.template add_to_levels<true>(pairs, words))
			return state;
		state.flush(words);
		if (kHasSum)
			state.sum.set_anchor(group_max(largest_finite_item(pairs.y), kWarp),
								 0);
		state.products.set_anchor(group_max(largest_product(pairs), kWarp));
		if (!state.template add_to_levels<true>(pairs, words))
		{
			for (int i = 0; i < Tile::kCount; i++)
				add_pair_to_words<kHasSum>(words, pairs.x.item(i),
										   pairs.y.item(i));
		}
		return state;
	}

	/*
	 * Count minus zeros, of second factors and products.  False, and nothing
	 * is counted, if a product of a lane has underflowed.
	 */
	static __device__ __noinline__ bool
	count_zeros(Tile pairs, unsigned long long *words)
	{
		int64_t n = 0;
		int64_t n_products = 0;

		if (__any_sync(kFullMask, has_underflow(pairs)))
			return false;
		for (int i = 0; i < Tile::kCount; i++)
		{
			n += kHasSum && is_neg_zero(pairs.y.item(i));
			n_products += is_neg_zero_product(pairs.x.item(i), pairs.y.item(i));
		}
		add_word(words + kWordNegZero, group_sum(n, kWarp));
		add_word(words + kProductNegZero, group_sum(n_products, kWarp));
		return true;
	}

	static __device__ __forceinline__ void
	combine(unsigned long long *to, unsigned long long word)
	{
		atomicAdd(to, word);
	}

	static __device__ __forceinline__ void
	finish(unsigned long long *words, GaPartialSum *records)
	{
		if (lane_id() == 0)
			records[1].n_neg_zero = uint32_t(words[kProductNegZero]);
		store_sum_and_products(records, words, true);
	}
};

#endif /* GA_FLOAT_PRODUCTS_CUH */
