/*
 * square_levels.cuh
 *		Exact sums of floats and of their squares: levels of integers.
 *
 * Of items below 2^exponent each is split into three integers k, in units of
 * 2^(exponent - 26), 2^(exponent - 52) and 2^(exponent - 78): by an addition of
 * 1.5 * 2^52 units an integer comes to lie in the low bits of a double, rounded
 * to the nearest, and the exact residual goes on to the next level.  If nothing
 * is left behind the last level, and no item was too large, the integers are
 * the item: that is the certificate.  The first integer is 2^26 at most in
 * magnitude, the others 2^25.
 *
 * The square is a sum of products of these integers, which count in five units,
 * 26 bits apart.  doc/numerics.md has the proof.
 */
#ifndef GA_SQUARE_LEVELS_CUH
#define GA_SQUARE_LEVELS_CUH

#include "levels.cuh"

constexpr int kSplits = 3;
constexpr int kSplitBits = 26;
constexpr int kProducts = 2 * kSplits - 1;

/* The exponents for which all anchors and units are doubles. */
constexpr int kMinSplitExponent = -1074 + kSplits * kSplitBits;
constexpr int kMaxSplitExponent = 1022 - kSplitBits;

/*
 * Items that a thread may add before its totals are flushed.  Each adds less
 * than 2^53 to a total of products.
 */
constexpr int kMaxSplitItems = 512;

/* Return the least exponent for items whose largest has this high word. */
static __device__ __forceinline__ int
split_exponent(unsigned high)
{
	const int above = int(high >> 20) - 1022; /* all are below 2^above */

	return min(max(above, kMinSplitExponent), kMaxSplitExponent);
}

/* The anchors of the levels for items below 2^exponent. */
struct Anchors
{
	double anchor[kSplits];

	__device__ __forceinline__
	Anchors(int exponent)
	{
#pragma unroll
		for (int k = 0; k < kSplits; k++)
			anchor[k] = anchor_of(exponent + kSplitBits * (1 - k));
	}

	/* Split x into integers; returns bits that are 0 if nothing is left. */
	__device__ __forceinline__ unsigned
	split(double x, int (&n)[kSplits]) const
	{
#pragma unroll
		for (int k = 0; k < kSplits; k++)
		{
			const double q = anchor[k] + x;

			n[k] = __double2loint(q);
			x = x - (q - anchor[k]);
		}
		return (__double2hiint(x) & kHighMagnitude) | __double2loint(x);
	}
};

/* Return a high word that items below 2^exponent have not reached. */
static __device__ __forceinline__ unsigned
high_bound(int exponent)
{
	return unsigned(exponent + 1023) << 20;
}

struct SquareLevels
{
	int64_t sum[kSplits];
	int64_t squares[kProducts];

	__device__ __forceinline__ void
	clear()
	{
#pragma unroll
		for (int k = 0; k < kSplits; k++)
			sum[k] = 0;
#pragma unroll
		for (int k = 0; k < kProducts; k++)
			squares[k] = 0;
	}

	/*
	 * Add a tile's items, if all lanes of the warp have a certificate; else
	 * nothing.  Sets has_neg_zero if there may be a minus zero among them.
	 */
	template <typename T>
	__device__ __forceinline__ bool
	add(const Items<T> &items, int exponent, bool &has_neg_zero)
	{
		const Anchors anchors(exponent);
		int tile_sum[kSplits] = {};
		int64_t square[kSplits] = {};
		int64_t product[kSplits] = {}; /* of the other two integers */
		unsigned top = 0;
		unsigned left = 0;
		int least = 0;

		static_assert(kItemsPerThread<T> <= 16, "the tile's sum fits");
#pragma unroll
		for (int i = 0; i < kItemsPerThread<T>; i++)
		{
			const double x = items.item(i);
			int n[kSplits];

			top = max(top, __double2hiint(x) & kHighMagnitude);
			least = min(least, __double2hiint(x));
			left |= anchors.split(x, n);
#pragma unroll
			for (int k = 0; k < kSplits; k++)
			{
				tile_sum[k] += n[k];
				square[k] += int64_t(n[k]) * n[k];
				product[k] +=
					int64_t(n[(k + 1) % kSplits]) * n[(k + 2) % kSplits];
			}
		}
		has_neg_zero = least == INT32_MIN;
		if (__any_sync(kFullMask, left != 0 || top >= high_bound(exponent)))
			return false;
#pragma unroll
		for (int k = 0; k < kSplits; k++)
			sum[k] += tile_sum[k];
		squares[0] += square[0];
		squares[1] += 2 * product[2];
		squares[2] += 2 * product[1] + square[1];
		squares[3] += 2 * product[0];
		squares[4] += square[2];
		return true;
	}
};

#endif /* GA_SQUARE_LEVELS_CUH */
