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
			anchor[k] = 1.5 * power_of_2(exponent + kSplitBits * (1 - k));
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
		int64_t tile_squares[kProducts] = {};
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
				tile_sum[k] += n[k];
			tile_squares[0] += int64_t(n[0]) * n[0];
			tile_squares[1] += int64_t(2 * n[0]) * n[1];
			tile_squares[2] += int64_t(2 * n[0]) * n[2];
			tile_squares[2] += int64_t(n[1]) * n[1];
			tile_squares[3] += int64_t(2 * n[1]) * n[2];
			tile_squares[4] += int64_t(n[2]) * n[2];
		}
		has_neg_zero = least == INT32_MIN;
		if (__any_sync(kFullMask, left != 0 || top >= high_bound(exponent)))
			return false;
#pragma unroll
		for (int k = 0; k < kSplits; k++)
			sum[k] += tile_sum[k];
#pragma unroll
		for (int k = 0; k < kProducts; k++)
			squares[k] += tile_squares[k];
		return true;
	}
};

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

#endif /* GA_SQUARE_LEVELS_CUH */
