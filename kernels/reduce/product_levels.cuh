/*
 * product_levels.cuh
 *		Exact sums of products of floats: levels, as levels.cuh has for items.
 *
 * A product is two doubles: the rounded one, and what rounding left, which a
 * fused multiply-add gives.  The second is below a last place of the first, so
 * it begins on the second level, and ends on the one behind the first's last.
 * Products of floats have no second part.  One level less does for products
 * that are not far apart.
 *
 * doc/numerics.md has the proof.
 */
#ifndef GA_PRODUCT_LEVELS_CUH
#define GA_PRODUCT_LEVELS_CUH

#include "levels.cuh"
#include "pair_source.cuh"

/* Pairs that a thread may add before its totals are flushed. */
constexpr int kMaxProductPairs = 2048;

/* Are products of a type two doubles? */
template <typename T>
constexpr bool kHasLow = sizeof(T) == 8;

template <typename T>
struct ProductLevels : LevelTotals<3 + kHasLow<T>>
{
	using Base = LevelTotals<3 + kHasLow<T>>;
	using Base::accumulate_item;
	using Base::begin;
	using Base::high_limit;
	using Base::kSlack;

	/*
	 * The least magnitude of a product whose rest does not underflow, 2^-960,
	 * as a high word; of floats, of one that is not zero.
	 */
	static constexpr unsigned kLeastHigh = kHasLow<T> ? (1023 - 960) << 20 : 1;

	/*
	 * Set accumulators of the first levels to the sums of a tile's products,
	 * from the anchors on.  True if there is no certificate.  Sets is_tiny if
	 * products are zero or may have underflowed: see has_underflow().
	 */
	template <int kLevels>
	__device__ __forceinline__ bool
	accumulate(const ItemPairs<T> &pairs, double (&a)[kLevels],
			   bool &is_tiny) const
	{
		unsigned top = 0;
		unsigned least = kHighInfinity;
		unsigned left_high = 0;
		unsigned left_low = 0;

		static_assert(ItemPairs<T>::kCount * (1 + kHasLow<T>) <=
						  1 << (kSlack - 2),
					  "a tile has no more items than the slack is for");
		begin(a);
#pragma unroll
		for (int i = 0; i < ItemPairs<T>::kCount; i++)
		{
			const double x = pairs.x.item(i);
			const double y = pairs.y.item(i);
			const double product = x * y;
			const unsigned high = __double2hiint(product) & kHighMagnitude;
			double left = accumulate_item(a, 0, kLevels - kHasLow<T>, product);

			top = max(top, high);
			least = min(least, high);
			left_high |= __double2hiint(left);
			left_low |= __double2loint(left);
			if (kHasLow<T>)
			{
				left = accumulate_item(a, 1, kLevels, __fma_rn(x, y, -product));
				left_high |= __double2hiint(left);
				left_low |= __double2loint(left);
			}
		}
		is_tiny = least < kLeastHigh;
		return top >= high_limit() ||
			   ((left_high & kHighMagnitude) | left_low) != 0;
	}
};

/* Has a product of a tile underflowed?  One of zero has not. */
template <typename T>
static __device__ __forceinline__ bool
has_underflow(const ItemPairs<T> &pairs)
{
	bool result = false;

#pragma unroll
	for (int i = 0; i < ItemPairs<T>::kCount; i++)
	{
		const double x = pairs.x.item(i);
		const double y = pairs.y.item(i);
		const unsigned high = __double2hiint(x * y) & kHighMagnitude;

		result |= high < ProductLevels<T>::kLeastHigh && x != 0 && y != 0;
	}
	return result;
}

/* Return the high word of the largest finite product. */
template <typename T>
static __device__ __forceinline__ unsigned
largest_product(const ItemPairs<T> &pairs)
{
	unsigned top = 0;

#pragma unroll
	for (int i = 0; i < ItemPairs<T>::kCount; i++)
	{
		const double product = double(pairs.x.item(i)) * pairs.y.item(i);
		const unsigned high = __double2hiint(product) & kHighMagnitude;

		top = max(top, high < kHighInfinity ? high : 0);
	}
	return top;
}

#endif /* GA_PRODUCT_LEVELS_CUH */
