/*
 * levels.cuh
 *		Exact sums of floats, the fast path: anchored levels.
 *
 * A thread adds its items of a tile to accumulators that start at anchors
 * 1.5 * 2^(E - spacing * k).  While an accumulator stays in its anchor's
 * binade, each addition extracts from x, exactly, a multiple of the level's
 * unit, and the residual goes on to the next level; the difference of the bits
 * of accumulator and anchor is the sum of what was extracted, in units.  If all
 * residuals behind the last level are zero and no item was too large, the
 * integers are the exact sum: that is the certificate.  doc/numerics.md has
 * the proof.
 */
#ifndef GA_LEVELS_CUH
#define GA_LEVELS_CUH

#include "cells.cuh"

/* Bits of the high word of a double. */
constexpr unsigned kHighMagnitude = 0x7fffffffu;
constexpr unsigned kHighInfinity = 0x7ff00000u;

static __device__ __forceinline__ double
power_of_2(int exponent)
{
	return __hiloint2double((exponent + 1023) << 20, 0);
}

/* Return 1.5 * 2^exponent. */
static __device__ __forceinline__ double
anchor_of(int exponent)
{
	return __hiloint2double((exponent + 1023) << 20 | 1 << 19, 0);
}

/* The exponent of anchors before the first tile. */
constexpr int kNoExponent = INT32_MIN;

/* Is x minus zero? */
static __device__ __forceinline__ bool
is_neg_zero(double x)
{
	return uint64_t(__double_as_longlong(x)) == GA_FLOAT8_SIGN;
}

/*
 * Constants of a type's levels: their number kCount, and the bits kSlack by
 * which all items are below the anchor's exponent.  n items may sum up to a
 * quarter of the anchor: n * 2^-kSlack <= 2^-2.
 */
template <typename T>
struct Level
{
	static constexpr int kCount = sizeof(T) == 8 ? 3 : 2;
	static constexpr int kSlack = 6;
	static constexpr int kSpacing = 53 - kSlack;

	/* Exponents of the anchor for which all levels' anchors are normal. */
	static constexpr int kMinExponent = -1022 + kSpacing * (kCount - 1);
	static constexpr int kMaxExponent = 1022;

	/* Return the exponent of the last level's unit, over -1074. */
	static __device__ __forceinline__ int
	place(int exponent)
	{
		return exponent - kSpacing * (kCount - 1) - 52 + 1074;
	}
};

/*
 * A thread's sum on levels.  With the certificate an item is at most
 * 2^(52 - kSlack) units of the first level, and the residual of a level at most
 * as many units of the next one: each thread may add kMaxLevelItems (sum.h)
 * before the totals of its warp are added.
 */
template <typename T>
struct LevelSum
{
	static constexpr int kCount = Level<T>::kCount;

	int64_t total[kCount]; /* in units of the levels */
	int exponent;		   /* of the first anchor */

	__device__ __forceinline__ void
	clear()
	{
#pragma unroll
		for (int k = 0; k < kCount; k++)
			total[k] = 0;
	}

	__device__ __forceinline__ bool
	has_any() const
	{
		int64_t bits = 0;

#pragma unroll
		for (int k = 0; k < kCount; k++)
			bits |= total[k];
		return bits != 0;
	}

	/*
	 * Set the anchor for items up to 2^spare times the largest finite one,
	 * whose high word is given.
	 */
	__device__ __forceinline__ void
	set_anchor(unsigned high, int spare)
	{
		int above = int(high >> 20) - 1022; /* all are below 2^above */

		exponent =
			min(max(above + Level<T>::kSlack + spare, Level<T>::kMinExponent),
				Level<T>::kMaxExponent);
	}

	/* Add a tile's items, as add() does, and count minus zeros. */
	template <int kVectors>
	__device__ __forceinline__ bool
	add_and_count(const Items<T, kVectors> &items, unsigned &n_neg_zero)
	{
		bool has_neg_zero;

#pragma unroll
		for (int i = 0; i < Items<T, kVectors>::kCount; i++)
			n_neg_zero += is_neg_zero(items.item(i));
		return add(items, has_neg_zero);
	}

	/*
	 * Add a tile's items.  False, and nothing is added, without a certificate.
	 * Sets has_neg_zero if there may be a minus zero among them.  kTogether:
	 * the whole warp adds its items, or none of its lanes does.
	 */
	template <bool kTogether = false, int kVectors>
	__device__ __forceinline__ bool
	add(const Items<T, kVectors> &items, bool &has_neg_zero)
	{
		double a[kCount];
		bool is_refused = accumulate(items, a, has_neg_zero);

		if (kTogether)
			is_refused = __any_sync(kFullMask, is_refused);
		if (is_refused)
			return false;
		add_accumulated(a);
		return true;
	}

	/*
	 * Set accumulators of the first levels to the sums of a tile's items, from
	 * the anchors on.  True if there is no certificate.
	 */
	template <int kLevels, int kVectors>
	__device__ __forceinline__ bool
	accumulate(const Items<T, kVectors> &items, double (&a)[kLevels],
			   bool &has_neg_zero) const
	{
		constexpr int kItems = Items<T, kVectors>::kCount;
		unsigned top = 0;
		unsigned residual_high = 0;
		unsigned residual_low = 0;
		int least = 0;

		static_assert(kItems <= 1 << (Level<T>::kSlack - 2),
					  "a tile has no more items than the slack is for");
#pragma unroll
		for (int k = 0; k < kLevels; k++)
			a[k] = anchor_of(exponent - Level<T>::kSpacing * k);
#pragma unroll
		for (int i = 0; i < kItems; i++)
		{
			double x = items.item(i);

			/* minus zero is the least of all as a signed integer */
			top = max(top, __double2hiint(x) & kHighMagnitude);
			least = min(least, __double2hiint(x));
#pragma unroll
			for (int k = 0; k < kLevels; k++)
			{
				double q = a[k] + x;
				double z = q - a[k];

				x = x - z;
				a[k] = q;
			}
			residual_high |= __double2hiint(x) & kHighMagnitude;
			residual_low |= __double2loint(x);
		}
		has_neg_zero = least == INT32_MIN;
		return top >= high_limit() || (residual_high | residual_low) != 0;
	}

	/* Have accumulators anything on the last level? */
	__device__ __forceinline__ bool
	has_last(const double (&a)[kCount]) const
	{
		return a[kCount - 1] !=
			   anchor_of(exponent - Level<T>::kSpacing * (kCount - 1));
	}

	/* Add what accumulators have, with a certificate, to the totals. */
	template <int kLevels>
	__device__ __forceinline__ void
	add_accumulated(const double (&a)[kLevels])
	{
#pragma unroll
		for (int k = 0; k < kLevels; k++)
			total[k] += __double_as_longlong(a[k]) -
						__double_as_longlong(
							anchor_of(exponent - Level<T>::kSpacing * k));
	}

	/*
	 * Add an item, or take it away.  Returns bits that are 0 if nothing is left
	 * behind the last level.
	 */
	template <bool kAdds = true>
	__device__ __forceinline__ unsigned
	add_item(double x)
	{
#pragma unroll
		for (int k = 0; k < kCount; k++)
		{
			const double anchor = anchor_of(exponent - Level<T>::kSpacing * k);
			const double q = anchor + x;
			const int64_t n =
				__double_as_longlong(q) - __double_as_longlong(anchor);

			total[k] += kAdds ? n : -n;
			x = x - (q - anchor);
		}
		return (__double2hiint(x) & kHighMagnitude) | __double2loint(x);
	}

	/* Add another sum with the same anchors. */
	__device__ __forceinline__ void
	add(const LevelSum &other)
	{
#pragma unroll
		for (int k = 0; k < kCount; k++)
			total[k] += other.total[k];
	}

	/* Return the exponent of a level's unit, over -1074. */
	__device__ __forceinline__ int
	place(int k) const
	{
		return Level<T>::place(exponent) +
			   Level<T>::kSpacing * (kCount - 1 - k);
	}

	/* Return a high word that items with a certificate have not reached. */
	__device__ __forceinline__ unsigned
	high_limit() const
	{
		return unsigned(exponent - Level<T>::kSlack + 1023) << 20;
	}

	/*
	 * Add some items of each lane of a warp, with an anchor that is set for the
	 * whole warp, and count minus zeros.  True if this lane's items have no
	 * certificate.
	 */
	template <int kN>
	__device__ __forceinline__ bool
	add_with_anchor(const Vector<T> (&vectors)[kN], unsigned &n_neg_zero)
	{
		constexpr int kSize = Vector<T>::kSize;
		unsigned top = 0;
		unsigned left = 0;

#pragma unroll
		for (int i = 0; i < kN * kSize; i++)
			top =
				max(top,
					__double2hiint(double(vectors[i / kSize].item[i % kSize])) &
						kHighMagnitude);
		top = group_max(top, kWarp);
		set_anchor(top, 0);
#pragma unroll
		for (int i = 0; i < kN * kSize; i++)
		{
			const double x = vectors[i / kSize].item[i % kSize];

			n_neg_zero += is_neg_zero(x);
			left |= add_item(x);
		}
		return left != 0 || top >= high_limit();
	}

	/*
	 * Set the totals of a group of n lanes, whose anchors are the same, to
	 * their sum, in all of them.
	 */
	__device__ __forceinline__ void
	add_group(int n)
	{
#pragma unroll
		for (int k = 0; k < kCount; k++)
			total[k] = group_sum(total[k], n);
	}

	/*
	 * Return the sum in units of cell first_cell().  Totals up to 2^62, shifted
	 * by up to 94 and 31 bits, are below 2^188.
	 */
	__device__ __forceinline__ Limbs
	limbs() const
	{
		Limbs result = {};

#pragma unroll
		for (int k = 0; k < kCount; k++)
			result.add_shifted(total[k], Level<T>::kSpacing * (kCount - 1 - k));
		result.shift_up(Level<T>::place(exponent) % GA_CELL_BITS);
		return result;
	}

	__device__ __forceinline__ int
	first_cell() const
	{
		return Level<T>::place(exponent) / GA_CELL_BITS;
	}
};

/* Return the high word of the largest magnitude. */
template <typename T, int kVectors>
static __device__ __forceinline__ unsigned
largest_item(const Items<T, kVectors> &items)
{
	unsigned top = 0;

#pragma unroll
	for (int i = 0; i < Items<T, kVectors>::kCount; i++)
		top = max(top, __double2hiint(double(items.item(i))) & kHighMagnitude);
	return top;
}

/*
 * Return the high word of the largest finite magnitude; 0 if no finite item is
 * other than zero.  The smallest doubles have bits in the low word only: they
 * count as 1, for which the anchor is the same as for 0.
 */
template <typename T, int kVectors>
static __device__ __forceinline__ unsigned
largest_finite_item(const Items<T, kVectors> &items)
{
	unsigned top = 0;

#pragma unroll
	for (int i = 0; i < Items<T, kVectors>::kCount; i++)
	{
		double x = items.item(i);
		unsigned high = __double2hiint(x) & kHighMagnitude;
		unsigned low = __double2loint(x) != 0;

		top = max(top, high < kHighInfinity ? max(high, low) : 0);
	}
	return top;
}

#endif /* GA_LEVELS_CUH */
