/*
 * thread_scan.cuh
 *		Running totals of a thread's items, for each type of elements.
 *
 * ThreadScan<T, Total> turns items into a sum on levels, integers that lie
 * GA_GRID_BITS apart; and, given the levels of all that came before, into
 * their running totals.  It asks item(i) for item i, in order, and gives
 * sink(i, total) each total.  The grids are those of the CPU engine
 * (cpu_lanes_scan.h); doc/numerics.md has the proofs, and says where a GPU goes
 * another way.
 */
#ifndef GA_THREAD_SCAN_CUH
#define GA_THREAD_SCAN_CUH

#include "levels.cuh"
#include "scan_levels.cuh"

/* What is noticed about a thread's items while they are added up. */
struct ScanNotes
{
	bool		is_refused;		/* the totals are garbage: no certificate */
	unsigned	n_neg_zero;
	int			first;			/* items before this one are not in the array */
	int			overflow;		/* the first item whose total does not fit, or
								 * kScanItems */
};

template <typename T, typename Total>
struct ThreadScan;

/* Integers: levels of one number; totals are checked for their type. */
template <typename T, typename Total>
struct IntScan
{
	static constexpr bool kIsInt = true;
	static constexpr int kLevels = 2;
	static constexpr int kLastUnit = 0;

	using Unsigned = typename std::conditional<
		sizeof(Total) == 16, unsigned __int128, uint64_t>::type;

	__int128	before;

	__device__ __forceinline__ void
	start(const ScanStart &from)
	{
		before = __int128((unsigned __int128) from.before[1] << 64 |
						  uint64_t(from.before[0]));
	}

	/* 16 items of up to 32 bits take 64, others 128. */
	using Wide = typename std::conditional<sizeof(T) == 8, __int128,
		int64_t>::type;

	template <typename Item>
	__device__ __forceinline__ Levels<kLevels>
	add_up(Item item, ScanNotes &) const
	{
		Wide		sum = 0;
		Levels<kLevels> result;

#pragma unroll
		for (int i = 0; i < kScanItems; i++)
			sum += item(i);
		result.word[0] = int64_t((sum + (Wide(1) << (GA_GRID_BITS - 1))) >>
								 GA_GRID_BITS);
		result.word[1] = int64_t(sum - (Wide(result.word[0]) <<
										GA_GRID_BITS));
		return result;
	}

	/*
	 * May totals from this one on be beyond 64 bits, for another reason than
	 * that adding an item of 64 bits just led there?
	 */
	static __device__ __forceinline__ bool
	is_far(__int128 total)
	{
		constexpr int64_t kMost = sizeof(T) == 8 ? INT64_MAX :
			INT64_MAX - (INT64_C(1) << 31) * kScanItems;

		return total > kMost || total < -kMost - 1;
	}

	/* The first item from one on whose total is beyond 64 bits. */
	template <typename Item>
	static __device__ __forceinline__ int
	first_overflow(Item item, __int128 total, int from)
	{
		int			overflow = kScanItems;

#pragma unroll
		for (int i = 0; i < kScanItems; i++)
		{
			total += item(i);
			if (int64_t(total) != total && i >= from && overflow == kScanItems)
				overflow = i;
		}
		return overflow;
	}

	template <bool kExclusive, typename Item, typename Sink>
	__device__ __forceinline__ void
	totals(Item item, const Levels<kLevels> &from, ScanNotes &notes,
		   Sink sink) const
	{
		const __int128 start = before +
			(__int128(from.word[0]) << GA_GRID_BITS) + from.word[1];
		Total		total = Total(start);
		unsigned	carries = 0;	/* a bit for each item, the last one lowest */
		bool		is_known = false;

		notes.overflow = kScanItems;
		if (sizeof(Total) == 8 && is_far(start))
		{
			/* now, since totals may take the items' place */
			notes.overflow = first_overflow(item, start, notes.first);
			is_known = true;
		}
#pragma unroll
		for (int i = 0; i < kScanItems; i++)
		{
			const Total last = total;
			const Total x = item(i);

			/* modulo 2^64, as totals that fit are */
			total = Total(Unsigned(last) + Unsigned(x));
			if (sizeof(T) == 8 && sizeof(Total) == 8)
				carries = __funnelshift_l(
					unsigned(uint64_t((last ^ total) & (x ^ total)) >> 32),
					carries, 1);
			sink(i, kExclusive ? last : total);
		}
		/* from one that fits, the first that carries leads beyond */
		if (carries != 0 && !is_known)
			notes.overflow = __clz(carries) - (32 - kScanItems);
	}
};

template <> struct ThreadScan<int16_t, int64_t> : IntScan<int16_t, int64_t> {};
template <> struct ThreadScan<int32_t, int64_t> : IntScan<int32_t, int64_t> {};
template <> struct ThreadScan<int64_t, int64_t> : IntScan<int64_t, int64_t> {};
template <> struct ThreadScan<int64_t, __int128> : IntScan<int64_t, __int128> {};

/*
 * a + b rounded to odd: if anything is cut off, the last bit is 1.  What is
 * left when a is subtracted again has to be a double.
 */
static __device__ __forceinline__ double
add_to_odd(double a, double b)
{
	double		t = __dadd_rz(a, b);
	int64_t		bits = __double_as_longlong(t);

	return __longlong_as_double(t - a != b ? bits | 1 : bits);
}

/* Floats on a grid of two or three levels. */
template <typename T, int kCount>
struct FloatScan
{
	static constexpr bool kIsInt = false;
	static constexpr int kLevels = kCount;

	/* Totals of float4 beyond 2^126 might overflow: they go the wide way. */
	static constexpr int kTop = sizeof(T) == 4 ? 126 : 1023;

	int			unit;			/* exponent of the first one */
	double		anchor[kCount];

	__device__ __forceinline__ void
	start(const ScanStart &from)
	{
		unit = from.unit;
#pragma unroll
		for (int k = 0; k < kCount; k++)
			anchor[k] = __longlong_as_double(
				int64_t(unit - GA_GRID_BITS * k + 52 + 1023) << 52 |
				int64_t(GA_FLOAT8_HIDDEN / 2));
	}

	/*
	 * Can totals below 2^top be on a grid?  Then unit is set, for use by
	 * start().
	 */
	static __device__ __forceinline__ bool
	choose_unit(int top, int &unit)
	{
		constexpr int kLeast = -1074 + GA_GRID_BITS * (kCount - 1);

		unit = max(top - GA_GRID_TOP, kLeast);
		if (unit > 971)
		{
			unit = kLeast;
			return false;
		}
		return true;
	}

	/* Cut x into multiples of all units but the last; what is left behind them. */
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
	 * Add up items: on accumulators that start at the anchors, as in levels.cuh,
	 * which takes one addition less for each level than cut() and a sum.  Of the
	 * first level's units, totals and so the items' sum are below 2^51, or
	 * totals() will refuse them; of another one's, each item has at most 2^46.
	 */
	template <typename Item>
	__device__ __forceinline__ Levels<kCount>
	add_up(Item item, ScanNotes &notes) const
	{
		Levels<kCount> result;
		double		a[kCount];
		unsigned	rest_high = 0;
		unsigned	rest_low = 0;
		int			least = 0;

#pragma unroll
		for (int k = 0; k < kCount; k++)
			a[k] = anchor[k];
#pragma unroll
		for (int i = 0; i < kScanItems; i++)
		{
			double		x = item(i);

			least = min(least, __double2hiint(x));
#pragma unroll
			for (int k = 0; k < kCount; k++)
			{
				double		q = a[k] + x;

				x = x - (q - a[k]);
				a[k] = q;
			}
			rest_high |= __double2hiint(x) & kHighMagnitude;
			rest_low |= __double2loint(x);
		}
		notes.is_refused = (rest_high | rest_low) != 0;
		notes.n_neg_zero = 0;
		if (least == INT32_MIN)
		{
#pragma unroll
			for (int i = 0; i < kScanItems; i++)
				notes.n_neg_zero += is_neg_zero(item(i));
		}
		/* within the anchor's binade a difference of bits counts units */
#pragma unroll
		for (int k = 0; k < kCount; k++)
			result.word[k] = __double_as_longlong(a[k]) -
				__double_as_longlong(anchor[k]);
		return result;
	}

	/* The exact sum of the levels, rounded once. */
	static __device__ __forceinline__ T
	round(const double (&s)[kCount])
	{
		if constexpr (kCount == 3)
		{
			double		h = s[0] + s[1];

			return h + add_to_odd(s[1] - (h - s[0]), s[2]);
		}
		return sizeof(T) == 4 ? T(add_to_odd(s[0], s[1])) : T(s[0] + s[1]);
	}

	template <bool kExclusive, typename Item, typename Sink>
	__device__ __forceinline__ void
	totals(Item item, const Levels<kCount> &from, ScanNotes &notes,
		   Sink sink) const
	{
		double		s[kCount];
		unsigned	top = 0;

#pragma unroll
		for (int k = 0; k < kCount; k++)
			s[k] = __longlong_as_double(__double_as_longlong(anchor[k]) +
										from.word[k]) - anchor[k];
#pragma unroll
		for (int i = 0; i < kScanItems; i++)
		{
			double		part[kCount];

			if (kExclusive)
				sink(i, round(s));
			/* if nothing was left, the last part is the rest */
			part[kCount - 1] = cut(item(i), part);
#pragma unroll
			for (int k = 0; k < kCount; k++)
				s[k] = s[k] + part[k];
			top = max(top, __double2hiint(s[0]) & kHighMagnitude);
			if (!kExclusive)
				sink(i, round(s));
		}
		if (top >= unsigned(min(unit + GA_GRID_TOP, kTop) + 1023) << 20)
			notes.is_refused = true;
		notes.overflow = kScanItems;
	}
};

template <> struct ThreadScan<float, float> : FloatScan<float, 2> {};
template <> struct ThreadScan<double, double> : FloatScan<double, 3> {};

/*
 * Call use(scan) with what makes an array's totals: that of the type, or one
 * with fewer levels if they will do for the array.
 */
template <typename T, typename Total, typename Use>
static __device__ __forceinline__ void
with_scan(const ScanStart &start, Use use)
{
	if constexpr (std::is_same<T, double>::value)
	{
		if (start.n_levels == 2)
		{
			FloatScan<double, 2> scan;

			scan.start(start);
			use(scan);
			return;
		}
	}
	ThreadScan<T, Total> scan;

	scan.start(start);
	use(scan);
}

/* Put down that an array's totals are not right. */
static __device__ __forceinline__ void
note_outcome(ScanOutcome &outcome, const ScanNotes &notes, int first_index,
			 int n_levels)
{
	if (notes.is_refused)
		outcome.refused = uint8_t(n_levels);
	if (notes.n_neg_zero > 0)
		atomicAdd(&outcome.n_neg_zero, notes.n_neg_zero);
	if (notes.overflow < kScanItems)
		atomicMax((unsigned long long *) &outcome.overflow,
				  ~(unsigned long long) (first_index + notes.overflow));
}

/* The sum of an array on levels, in its outcome. */
template <typename Scan>
static __device__ __forceinline__ void
put_sum(ScanOutcome &outcome, const Scan &scan,
		const Levels<Scan::kLevels> &sum)
{
	int			place = 0;

	if constexpr (!Scan::kIsInt)
		place = scan.unit - GA_GRID_BITS * (Scan::kLevels - 1) + 1074;
	put_narrow(&outcome.sum, sum.limbs(place % GA_CELL_BITS),
			   place / GA_CELL_BITS, 0);
}

#endif							/* GA_THREAD_SCAN_CUH */
