/*
 * scan_floats.cuh
 *		Running totals of the floats of a thread; see thread_scan.cuh.
 *
 * The scales are those of the CPU engine (cpu_lanes_scan.h), and two-level
 * scales for doubles.  doc/numerics.md has the proofs, and says where a GPU
 * differs.
 */
#ifndef GA_SCAN_FLOATS_CUH
#define GA_SCAN_FLOATS_CUH

#include "levels.cuh"
#include "scan_outcome.cuh"

/*
 * Return a + b rounded to odd: if anything is cut off, the last bit is 1.  The
 * rest when a is subtracted again has to be a double.
 */
static __device__ __forceinline__ double
add_to_odd(double a, double b)
{
	double t = __dadd_rz(a, b);
	int64_t bits = __double_as_longlong(t);

	return __longlong_as_double(t - a != b ? bits | 1 : bits);
}

/* Floats on a scale of two or three levels, each a double of a few units. */
template <typename T, int kCount>
struct FloatScan
{
	static constexpr bool kIsInt = false;
	static constexpr int kLevels = kCount;

	/* Totals of float4 beyond 2^126 might overflow: the exact fallback. */
	static constexpr int kTop = sizeof(T) == 4 ? 126 : 1023;

	int unit; /* exponent of the unit of the first level */
	double anchor[kCount];

	__device__ __forceinline__ void
	start(const ScanStart &from)
	{
		unit = from.unit;
#pragma unroll
		for (int k = 0; k < kCount; k++)
			anchor[k] = __longlong_as_double(
				int64_t(unit - GA_SCALE_BITS * k + 52 + 1023) << 52 |
				int64_t(GA_FLOAT8_HIDDEN / 2));
	}

	/*
	 * Choose the unit of a scale for totals below 2^top; false: there is none.
	 */
	static __device__ __forceinline__ bool
	choose_unit(int top, int &unit)
	{
		constexpr int kLeast = GA_SCALE_LEAST + GA_SCALE_BITS * (kCount - 1);

		unit = max(top - GA_SCALE_TOP, kLeast);
		if (unit > GA_SCALE_MOST)
		{
			unit = kLeast;
			return false;
		}
		return true;
	}

	/* Exponent of the unit of the last level. */
	__device__ __forceinline__ int
	last_unit() const
	{
		return unit - GA_SCALE_BITS * (kCount - 1);
	}

	/* Return the sum on a level, less than 2^51 units: exact. */
	__device__ __forceinline__ double
	on_level(const Levels<kCount> &levels, int k) const
	{
		return __longlong_as_double(__double_as_longlong(anchor[k]) +
									levels.word[k]) -
			   anchor[k];
	}

	/* Cut x into multiples of all units but the last; return the rest. */
	__device__ __forceinline__ double
	cut(double x, double (&part)[kCount]) const
	{
#pragma unroll
		for (int k = 0; k < kCount - 1; k++)
		{
			part[k] = (x + anchor[k]) - anchor[k];
			x = x - part[k];
		}
		return x;
	}

	/*
	 * Return the sum of the items, on accumulators that start at the anchors,
	 * as in levels.cuh, which takes one addition less for each level than cut()
	 * and a sum.  Totals, and so the sum of the items, are below 2^51 units of
	 * the first level, or totals() will refuse them; an item is at most 2^46
	 * units of each other level, and on a two-level scale of the first, too.
	 */
	template <typename Item>
	__device__ __forceinline__ Levels<kCount>
	add_up(Item item, ThreadOutcome &outcome) const
	{
		Levels<kCount> result;
		double a[kCount];
		unsigned rest_high = 0;
		unsigned rest_low = 0;
		int least = 0;

#pragma unroll
		for (int k = 0; k < kCount; k++)
			a[k] = anchor[k];
#pragma unroll
		for (int i = 0; i < kScanItems; i++)
		{
			double x = item(i);

			least = min(least, __double2hiint(x));
#pragma unroll
			for (int k = 0; k < kCount; k++)
			{
				double q = a[k] + x;

				x = x - (q - a[k]);
				a[k] = q;
			}
			rest_high |= __double2hiint(x) & kHighMagnitude;
			rest_low |= __double2loint(x);
		}
		outcome.is_refused = (rest_high | rest_low) != 0;
		outcome.n_neg_zero = 0;
		if (least == INT32_MIN)
		{
#pragma unroll
			for (int i = 0; i < kScanItems; i++)
				outcome.n_neg_zero += is_neg_zero(item(i));
		}
		/* within the anchor's binade a difference of bits counts units */
#pragma unroll
		for (int k = 0; k < kCount; k++)
			result.word[k] =
				__double_as_longlong(a[k]) - __double_as_longlong(anchor[k]);
		return result;
	}

	/* Return the exact sum of the levels, rounded once. */
	static __device__ __forceinline__ T
	round(const double (&s)[kCount])
	{
		if constexpr (kCount == 3)
		{
			double h = s[0] + s[1];

			return h + add_to_odd(s[1] - (h - s[0]), s[2]);
		}
		return T(add_to_odd(s[0], s[1]));
	}

	template <typename Item, typename Sink>
	__device__ __forceinline__ void
	totals(Item item, const Levels<kCount> &from, ThreadOutcome &outcome,
		   Sink sink) const
	{
		double s[kCount];
		unsigned top = 0;

#pragma unroll
		for (int k = 0; k < kCount; k++)
			s[k] = on_level(from, k);
#pragma unroll
		for (int i = 0; i < kScanItems; i++)
		{
			double part[kCount];

			/* with a certificate the last part is all of the rest */
			part[kCount - 1] = cut(item(i), part);
#pragma unroll
			for (int k = 0; k < kCount; k++)
				s[k] = s[k] + part[k];
			top = max(top, __double2hiint(s[0]) & kHighMagnitude);
			sink(i, round(s));
		}
		if (top >= unsigned(min(unit + GA_SCALE_TOP, kTop) + 1023) << 20)
			outcome.is_refused = true;
		outcome.overflow = kScanItems;
	}
};

/*
 * Doubles on a two-level scale: totals have more units of the first level than
 * a double may have, as an integer, since elements have few.  Totals are made
 * on the scale with one more level above, where elements are zero.
 */
struct TwoLevelScan : FloatScan<double, 3>
{
	static constexpr int kLevels = 2;

	/* The most units of the level above that fit on the first level. */
	static constexpr int64_t kNear = 55;

	/* With so many units of the first level before it a thread refuses. */
	static constexpr int64_t kTooMany = INT64_C(1) << GA_TWO_LEVEL_TOP;

	__device__ __forceinline__ void
	start(const ScanStart &from)
	{
		ScanStart above = from;

		above.unit += GA_SCALE_BITS;
		FloatScan::start(above);
	}

	template <typename Item>
	__device__ __forceinline__ Levels<2>
	add_up(Item item, ThreadOutcome &outcome) const
	{
		FloatScan<double, 2> scale;
		Levels<2> sum;
		unsigned top = 0;

		scale.anchor[0] = anchor[1];
		scale.anchor[1] = anchor[2];
		sum = scale.add_up(
			[&item, &top](int i)
			{
				const double x = item(i);

				top = max(top, __double2hiint(x) & kHighMagnitude);
				return x;
			},
			outcome);
		if (top >= unsigned(unit - GA_SCALE_BITS + GA_TWO_LEVEL_ITEM + 1023)
					   << 20)
			outcome.is_refused = true;
		return sum;
	}

	/*
	 * A whole warp.  If all of its totals are near zero, the first level is one
	 * double.
	 */
	template <typename Item, typename Sink>
	__device__ __forceinline__ void
	totals(Item item, const Levels<2> &from, ThreadOutcome &outcome,
		   Sink sink) const
	{
		Levels<3> levels{{0, from.word[0], from.word[1]}};
		double s[2];

		levels.normalise();
		if (__any_sync(kFullMask,
					   levels.word[0] > kNear || levels.word[0] < -kNear))
		{
			if (from.word[0] >= kTooMany || from.word[0] <= -kTooMany)
				outcome.is_refused = true;
			FloatScan::totals(item, levels, outcome, sink);
			return;
		}
		s[0] = on_level(levels, 0) + on_level(levels, 1);
		s[1] = on_level(levels, 2);
#pragma unroll
		for (int i = 0; i < kScanItems; i++)
		{
			const double x = item(i);
			const double part = (x + anchor[1]) - anchor[1];

			s[0] = s[0] + part;
			s[1] = s[1] + (x - part);
			sink(i, s[0] + s[1]);
		}
		outcome.overflow = kScanItems;
	}
};

#endif /* GA_SCAN_FLOATS_CUH */
