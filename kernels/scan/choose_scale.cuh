/*
 * choose_scale.cuh
 *		The grid of an array of floats, chosen by looking at some elements.
 */
#ifndef GA_CHOOSE_SCALE_CUH
#define GA_CHOOSE_SCALE_CUH

#include "levels.cuh"
#include "scan.h"

/* Elements that each lane of a warp looks at to choose a grid. */
constexpr int kSamples = 16;

/* Bits that totals may have above what the samples promise, and elements. */
constexpr int kSpareBits = 8;
constexpr int kSpareItemBits = 3;

/* What a warp finds out about an array by looking at some elements. */
struct Samples
{
	int top;		   /* all are below 2^top */
	int lowest;		   /* no bit is set below 2^lowest */
	unsigned n_lowest; /* those that have that bit */
	double total;	   /* of all of the array, if they are like it */
};

template <typename T>
static __device__ Samples
take_samples(const DeviceScan &array)
{
	const int lane = lane_id();
	int lowest_bit[kSamples];
	T sample[kSamples];
	unsigned biased = 0;
	unsigned lowest = UINT32_MAX;
	Samples samples;

	samples.n_lowest = 0;
	samples.total = 0;
#pragma unroll
	for (int s = 0; s < kSamples; s++)
	{
		/* evenly from the whole array */
		uint64_t at =
			uint64_t(lane * kSamples + s) * array.n / (kSamples * kWarp);

		sample[s] = ((const T *) array.in)[at];
	}
#pragma unroll
	for (int s = 0; s < kSamples; s++)
	{
		uint64_t bits = uint64_t(__double_as_longlong(sample[s]));
		unsigned field = unsigned(bits >> 52) & 0x7ff;
		uint64_t m = bits & GA_FLOAT8_FRACTION;

		lowest_bit[s] = INT32_MAX;
		if (field == 0x7ff || (field == 0 && m == 0))
			continue;
		m |= field ? GA_FLOAT8_HIDDEN : 0;
		lowest_bit[s] = int(field ? field - 1 : 0) + __ffsll(m) - 1;
		biased = max(biased, field);
		lowest = min(lowest, unsigned(lowest_bit[s]));
		samples.total += double(sample[s]);
	}
	biased = group_max(biased, kWarp);
	lowest = ~group_max(~lowest, kWarp);
#pragma unroll
	for (int s = 0; s < kSamples; s++)
		samples.n_lowest += lowest_bit[s] == int(lowest);
	samples.n_lowest = group_sum(samples.n_lowest, kWarp);
	samples.top = int(biased) - 1022;
	samples.lowest = int(lowest) - 1074;
	for (int step = kWarp / 2; step > 0; step /= 2)
		samples.total += __shfl_xor_sync(kFullMask, samples.total, step);
	samples.total *= double(array.n) / (kSamples * kWarp);
	return samples;
}

/*
 * Choose a wide grid, if one will do, for totals that are most probably below
 * 2^top and for what is below 2^least_top.  Its first unit is no lower than that
 * takes, if the second one may be so high.  Where many samples have the lowest bit
 * that any has, they are multiples of it, and so are the others.  Where few have,
 * it came by chance, and others go deeper, each bit half as many.
 */
static __device__ bool
choose_wide(const Samples &samples, int top, int least_top, uint32_t n,
			int &unit)
{
	const int margin = samples.n_lowest * 8 >= kSamples * kWarp ?
						   0 :
						   (32 - __clz(n / (kSamples * kWarp))) + 4;

	unit = max(min(samples.lowest - margin + GA_SCALE_BITS, top - GA_SCALE_TOP),
			   GA_SCALE_LEAST + GA_SCALE_BITS);
	return samples.n_lowest > 0 && unit <= GA_SCALE_MOST - GA_SCALE_BITS &&
		   samples.top + kSpareItemBits <= unit + GA_WIDE_ITEM &&
		   least_top <= unit + GA_SCALE_TOP &&
		   fabs(samples.total) < power_of_2(unit + GA_WIDE_TOP - 1);
}

/*
 * Complete a start: a grid with no fewer levels than these, if it does not name
 * one that is to be tried, for the array's totals and for what is below
 * 2^least_top.  A whole warp; all lanes have the same.
 */
template <typename T>
static __device__ __forceinline__ void
choose_grid(ScanStart &start, const DeviceScan &array, int least_levels,
			int least_top)
{
	int top = start.unit + GA_SCALE_TOP;
	int greatest = sizeof(T) == 8 ? GA_SCALE_MOST : 127 - GA_SCALE_TOP;

	if (start.n_levels == 0)
	{
		const Samples samples = take_samples<T>(array);

		top = max(samples.top + (32 - __clz(array.n)) + kSpareBits, least_top);
		if (sizeof(T) == 8 && least_levels <= 2 &&
			choose_wide(samples, top, least_top, array.n, start.unit))
		{
			start.n_levels = 2;
			return;
		}
		start.n_levels = sizeof(T) == 8 ? 3 : 2;
	}
	else if (sizeof(T) == 8 && start.n_levels == 2)
		greatest -= GA_SCALE_BITS;
	/* no higher than there are grids: the totals may cancel */
	start.unit =
		max(min(max(top, least_top) - GA_SCALE_TOP, greatest),
			GA_SCALE_LEAST + GA_SCALE_BITS * (int(start.n_levels) - 1));
}

#endif /* GA_CHOOSE_SCALE_CUH */
