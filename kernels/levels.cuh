/*
 * levels.cuh
 *		Exact sums of floats, the fast path: anchored levels.
 *
 * A thread adds its items of a tile to accumulators that start at anchors
 * 1.5 * 2^(E - spacing * k).  While they stay in the anchor's binade, each
 * addition cuts from x what is a multiple of the level's unit, exactly, and
 * the difference of the bits of accumulator and anchor is the sum of what was
 * cut off, in units.  If nothing is left of any item behind the last level,
 * the integers are the exact sum: that, and that no item was too large, is
 * the certificate.  doc/numerics.md has the proof.
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

/* Is this a minus zero? */
static __device__ __forceinline__ bool
is_neg_zero(double x)
{
	return uint64_t(__double_as_longlong(x)) == GA_FLOAT8_SIGN;
}

/*
 * What depends on the type: how many levels, and how many bits below the
 * anchor's exponent all items have to be.  n items may sum up to a quarter of
 * the anchor: n * 2^-kSlack <= 2^-2.
 */
template <typename T>
struct Level
{
	static constexpr int kCount = sizeof(T) == 8 ? 3 : 2;
	static constexpr int kSlack = 6;
	static constexpr int kSpacing = 53 - kSlack;

	/* The anchor's exponents for which all levels are normal numbers. */
	static constexpr int kMinExponent = -1022 + kSpacing * (kCount - 1);
	static constexpr int kMaxExponent = 1022;

	/* Place of the last level's unit over 2^-1074. */
	static __device__ __forceinline__ int
	place(int exponent)
	{
		return exponent - kSpacing * (kCount - 1) - 52 + 1074;
	}
};

static_assert(kItemsPerThread<double> <= 1 << 4 &&
				  kItemsPerThread<float> <= 1 << 4,
			  "a tile has no more items than the slack is for");

/*
 * A thread's sum on levels.  With the certificate an item is at most
 * 2^(52 - kSlack) units of the first level, and what is left behind a level at
 * most as many of the next one: a thread may add kMaxLevelItems (sum.h), and so may
 * all of a warp before their totals are added up.
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
	 * Set the anchor for items whose largest finite one has these bits in its
	 * high word, and for some that are a little larger.
	 */
	__device__ __forceinline__ void
	set_anchor(unsigned high, int spare)
	{
		int above = int(high >> 20) - 1022; /* all are below 2^above */

		exponent =
			min(max(above + Level<T>::kSlack + spare, Level<T>::kMinExponent),
				Level<T>::kMaxExponent);
	}

	/* The same as add(), and the minus zeros are counted. */
	__device__ __forceinline__ bool
	add_and_count(const Items<T> &items, unsigned &n_neg_zero)
	{
		bool has_neg_zero;

#pragma unroll
		for (int i = 0; i < kItemsPerThread<T>; i++)
			n_neg_zero += is_neg_zero(items.item(i));
		return add(items, has_neg_zero);
	}

	/*
	 * Add a tile's items.  False, and nothing is added, without a
	 * certificate.  has_neg_zero: there may be a minus zero among them.
	 * Together: a whole warp adds its items, or none of its lanes does.
	 */
	template <bool kTogether = false>
	__device__ __forceinline__ bool
	add(const Items<T> &items, bool &has_neg_zero)
	{
		double anchor[kCount];
		double a[kCount];
		unsigned top = 0;
		unsigned rest_high = 0;
		unsigned rest_low = 0;
		int least = 0;
		bool is_refused;

#pragma unroll
		for (int k = 0; k < kCount; k++)
		{
			anchor[k] = 1.5 * power_of_2(exponent - Level<T>::kSpacing * k);
			a[k] = anchor[k];
		}
#pragma unroll
		for (int i = 0; i < kItemsPerThread<T>; i++)
		{
			double x = items.item(i);

			/* minus zero is the least of all as a signed integer */
			top = max(top, __double2hiint(x) & kHighMagnitude);
			least = min(least, __double2hiint(x));
#pragma unroll
			for (int k = 0; k < kCount; k++)
			{
				double q = a[k] + x;
				double z = q - a[k];

				x = x - z;
				a[k] = q;
			}
			rest_high |= __double2hiint(x) & kHighMagnitude;
			rest_low |= __double2loint(x);
		}
		has_neg_zero = least == INT32_MIN;
		is_refused = top >= unsigned(exponent - Level<T>::kSlack + 1023)
								<< 20 ||
					 (rest_high | rest_low) != 0;
		if (kTogether)
			is_refused = __any_sync(kFullMask, is_refused);
		if (is_refused)
			return false;
#pragma unroll
		for (int k = 0; k < kCount; k++)
			total[k] +=
				__double_as_longlong(a[k]) - __double_as_longlong(anchor[k]);
		return true;
	}

	/*
	 * Add some items of each lane, with an anchor for all of the warp.  True
	 * for those that have no certificate; minus zeros are counted.
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
			double x = vectors[i / kSize].item[i % kSize];

			n_neg_zero += is_neg_zero(x);
#pragma unroll
			for (int k = 0; k < kCount; k++)
			{
				double anchor =
					1.5 * power_of_2(exponent - Level<T>::kSpacing * k);
				double q = anchor + x;

				total[k] +=
					__double_as_longlong(q) - __double_as_longlong(anchor);
				x = x - (q - anchor);
			}
			left |= (__double2hiint(x) & kHighMagnitude) | __double2loint(x);
		}
		return left != 0 || top >= unsigned(exponent - Level<T>::kSlack + 1023)
									   << 20;
	}

	/*
	 * What a group of n lanes has goes to the group's every lane; the anchor is
	 * the same in all of them.
	 */
	__device__ __forceinline__ void
	add_group(int n)
	{
#pragma unroll
		for (int k = 0; k < kCount; k++)
			total[k] = group_sum(total[k], n);
	}

	/*
	 * From the cell first_cell() on.  Totals up to 2^62, shifted by up to 94
	 * and 31 bits, are below 2^188.
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

/* The high word of the largest item. */
template <typename T>
static __device__ __forceinline__ unsigned
largest_item(const Items<T> &items)
{
	unsigned top = 0;

#pragma unroll
	for (int i = 0; i < kItemsPerThread<T>; i++)
		top = max(top, __double2hiint(double(items.item(i))) & kHighMagnitude);
	return top;
}

/*
 * The same, but infinities and NaN do not count, and 0 means that there is
 * nothing else but zeros.  The smallest doubles have bits in the low word
 * alone: they make 1, for which the anchor is the same as for 0.
 */
template <typename T>
static __device__ __forceinline__ unsigned
largest_finite_item(const Items<T> &items)
{
	unsigned top = 0;

#pragma unroll
	for (int i = 0; i < kItemsPerThread<T>; i++)
	{
		double x = items.item(i);
		unsigned high = __double2hiint(x) & kHighMagnitude;
		unsigned low = __double2loint(x) != 0;

		top = max(top, high < kHighInfinity ? max(high, low) : 0);
	}
	return top;
}

#endif /* GA_LEVELS_CUH */
