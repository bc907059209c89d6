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

#include "level_totals.cuh"

/*
 * A thread's sum on levels.  With the certificate an item is at most
 * 2^(52 - kSlack) units of the first level, and the residual of a level at most
 * as many units of the next one: each thread may add kMaxLevelItems (sum.h)
 * before the totals of its warp are added.
 */
template <typename T>
struct LevelSum : LevelTotals<Level<T>::kCount>
{
	using Base = LevelTotals<Level<T>::kCount>;
	using Base::accumulate_item;
	using Base::add_accumulated;
	using Base::anchor;
	using Base::begin;
	using Base::exponent;
	using Base::high_limit;
	using Base::kCount;
	using Base::set_anchor;
	using Base::total;
	using Base::unit;

	__device__ __forceinline__ bool
	has_any() const
	{
		int64_t bits = 0;

#pragma unroll
		for (int k = 0; k < kCount; k++)
			bits |= total[k];
		return bits != 0;
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
		begin(a);
#pragma unroll
		for (int i = 0; i < kItems; i++)
		{
			double x = items.item(i);

			/* minus zero is the least of all as a signed integer */
			top = max(top, __double2hiint(x) & kHighMagnitude);
			least = min(least, __double2hiint(x));
			x = accumulate_item(a, 0, kLevels, x);
			residual_high |= __double2hiint(x) & kHighMagnitude;
			residual_low |= __double2loint(x);
		}
		has_neg_zero = least == INT32_MIN;
		return top >= high_limit() || (residual_high | residual_low) != 0;
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
			const double q = anchor(k) + x;
			const int64_t n =
				__double_as_longlong(q) - __double_as_longlong(anchor(k));

			total[k] += kAdds ? n : -n;
			x = x - (q - anchor(k));
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
		return unit(k) + 1074;
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
