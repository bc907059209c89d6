/*
 * float_products.cuh
 *		The sums of the second factors and of the products of pairs of floats:
 *		the reduction.
 *
 * A warp adds tiles on levels, as float_moments.cuh does: each factor is split
 * into three integers, with an exponent for the first factors and another one
 * for the second.  The products of the integers count in five units, 26 bits
 * apart.  Pairs of a tile that has no certificate are added one by one.
 *
 * The words of a result are those of an exact sum (cells.cuh), then the cells
 * of the sum of products, of finite pairs only, and the number of products that
 * are minus zero.  A pair with NaN or infinity counts as NaN.
 */
#ifndef GA_FLOAT_PRODUCTS_CUH
#define GA_FLOAT_PRODUCTS_CUH

#include "pair_source.cuh"
#include "mixed_source.cuh"
#include "reduce.cuh"
#include "square_levels.cuh"
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
	if (is_neg_zero(y))
		atomicAdd_block(words + kWordNegZero, 1ull);
	if (is_neg_zero_product(x, y))
		atomicAdd_block(words + kProductNegZero, 1ull);
	add_digits<3>(words, {uint32_t(b.m), uint32_t(b.m >> 32), 0}, b.place,
				  y < 0);
	if (x != 0 && y != 0)
		add_product(words + kSumWords, a.m, b.m, a.place + b.place,
					(x < 0) != (y < 0));
}

/* The totals of a thread, in units of the levels and of their products. */
struct ProductLevels
{
	int64_t sum[kSplits]; /* of the second factors */
	int64_t products[kProducts];

	__device__ __forceinline__ void
	clear()
	{
#pragma unroll
		for (int k = 0; k < kSplits; k++)
			sum[k] = 0;
#pragma unroll
		for (int k = 0; k < kProducts; k++)
			products[k] = 0;
	}

	/*
	 * Add a tile's pairs, if all lanes of the warp have a certificate; else
	 * nothing.  Sets has_neg_zero if a second factor or a product may be minus
	 * zero.
	 */
	template <typename T>
	__device__ __forceinline__ bool
	add(const ItemPairs<T> &pairs, int x_exponent, int y_exponent,
		bool &has_neg_zero)
	{
		const Anchors x_anchors(x_exponent);
		const Anchors y_anchors(y_exponent);
		int tile_sum[kSplits] = {};
		int64_t tile_products[kProducts] = {};
		unsigned x_top = 0;
		unsigned y_top = 0;
		unsigned left = 0;
		int signs = 0; /* of products, and second factors, that may be zero */

		static_assert(ItemPairs<T>::kCount <= 16, "the tile's sum fits");
#pragma unroll
		for (int i = 0; i < ItemPairs<T>::kCount; i++)
		{
			const double x = pairs.x.item(i);
			const double y = pairs.y.item(i);
			const unsigned x_high = __double2hiint(x) & kHighMagnitude;
			const unsigned y_high = __double2hiint(y) & kHighMagnitude;
			int m[kSplits];
			int n[kSplits];

			x_top = max(x_top, x_high);
			y_top = max(y_top, y_high);
			if (min(x_high, y_high) == 0)
				signs |= __double2hiint(x) | __double2hiint(y);
			left |= x_anchors.split(x, m) | y_anchors.split(y, n);
#pragma unroll
			for (int j = 0; j < kSplits; j++)
			{
				tile_sum[j] += n[j];
#pragma unroll
				for (int k = 0; k < kSplits; k++)
					tile_products[j + k] += int64_t(m[j]) * n[k];
			}
		}
		has_neg_zero = signs < 0;
		if (__any_sync(kFullMask, left != 0 ||
									  x_top >= high_bound(x_exponent) ||
									  y_top >= high_bound(y_exponent)))
			return false;
#pragma unroll
		for (int k = 0; k < kSplits; k++)
			sum[k] += tile_sum[k];
#pragma unroll
		for (int k = 0; k < kProducts; k++)
			products[k] += tile_products[k];
		return true;
	}
};

template <typename T, typename S = PairSource<T>>
struct FloatProducts
{
	using Source = S;
	using Mixed = FloatProducts<T, MixedPairSource<T>>;
	using Tile = ItemPairs<T>;
	static constexpr int kWords = kProductNegZero + 1;
	static constexpr int kRecords = 2;

	ProductLevels levels;
	int x_exponent; /* of the levels */
	int y_exponent;
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
		x_exponent = kMinSplitExponent;
		y_exponent = kMinSplitExponent;
		n_until_flush = kMaxSplitItems;
	}

	__device__ __forceinline__ void
	add(const Tile &pairs, unsigned long long *words)
	{
		bool has_neg_zero;

		if (n_until_flush < Tile::kCount)
			flush(words);
		n_until_flush -= Tile::kCount;
		if (!levels.add(pairs, x_exponent, y_exponent, has_neg_zero))
			*this = add_again(*this, pairs, words);
		else if (__any_sync(kFullMask, has_neg_zero))
			count_neg_zeros(pairs, words);
	}

	__device__ __forceinline__ void
	flush(unsigned long long *words)
	{
		add_levels(levels, x_exponent, y_exponent, words);
		levels.clear();
		n_until_flush = kMaxSplitItems;
	}

	/* Add the levels of a warp to the words. */
	static __device__ __noinline__ void
	add_levels(ProductLevels levels, int x_exponent, int y_exponent,
			   unsigned long long *words)
	{
#pragma unroll
		for (int k = 0; k < kSplits; k++)
			add_total(words, levels.sum[k],
					  y_exponent - kSplitBits * (k + 1) - kSumUnit);
#pragma unroll
		for (int k = 0; k < kProducts; k++)
			add_total(words + kSumWords, levels.products[k],
					  x_exponent + y_exponent - kSplitBits * (k + 2) -
						  kProductUnit);
	}

	/* As FloatMoments::add_again(). */
	static __device__ __noinline__ FloatProducts
	add_again(FloatProducts state, Tile pairs, unsigned long long *words)
	{
		bool has_neg_zero;

		state.flush(words);
		state.n_until_flush -= Tile::kCount;
		state.x_exponent =
			split_exponent(group_max(largest_finite_item(pairs.x), kWarp));
		state.y_exponent =
			split_exponent(group_max(largest_finite_item(pairs.y), kWarp));
		if (!state.levels.add(pairs, state.x_exponent, state.y_exponent,
							  has_neg_zero))
		{
			for (int i = 0; i < Tile::kCount; i++)
				add_pair_to_words(words, pairs.x.item(i), pairs.y.item(i));
		}
		else if (__any_sync(kFullMask, has_neg_zero))
			count_neg_zeros(pairs, words);
		return state;
	}

	static __device__ __noinline__ void
	count_neg_zeros(Tile pairs, unsigned long long *words)
	{
		int64_t n = 0;
		int64_t n_products = 0;

		for (int i = 0; i < Tile::kCount; i++)
		{
			n += is_neg_zero(pairs.y.item(i));
			n_products += is_neg_zero_product(pairs.x.item(i), pairs.y.item(i));
		}
		add_word(words + kWordNegZero, group_sum(n, kWarp));
		add_word(words + kProductNegZero, group_sum(n_products, kWarp));
	}

	static __device__ __forceinline__ void
	combine(unsigned long long *to, unsigned long long word)
	{
		atomicAdd(to, word);
	}

	static __device__ __noinline__ void
	finish(const unsigned long long *words, GaPartialSum *records)
	{
		records[1].n_neg_zero = uint32_t(words[kProductNegZero]);
		if (store_sum(records, words) &&
			store_products(records + 1, words + kSumWords, true))
			return;
		records[0].kind = GA_PARTIAL_REFUSED;
		records[1].kind = GA_PARTIAL_REFUSED;
	}
};

#endif /* GA_FLOAT_PRODUCTS_CUH */
