/*
 * choose_scale.cuh
 *		Choose the scale of an array of floats from samples of its elements.
 *
 * A whole warp calls these functions, and all lanes have the results.
 */
#ifndef GA_CHOOSE_SCALE_CUH
#define GA_CHOOSE_SCALE_CUH

#include "packed/mixed.cuh"
#include "levels.cuh"
#include "scan.h"

/* Samples that each lane of a warp takes. */
constexpr int kSamples = 16;

/* Spare bits for totals above what the samples suggest, and for elements. */
constexpr int kSpareBits = 8;
constexpr int kSpareItemBits = 3;

/* What the samples tell about an array. */
struct Samples
{
	int top;		   /* all are below 2^top */
	int lowest;		   /* no bit is set below 2^lowest */
	unsigned n_lowest; /* those that have that bit */
	double total;	   /* of the array, if all elements are like them */
};

template <typename T>
static __device__ Samples
take_samples(const ScanJob &job)
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
			uint64_t(lane * kSamples + s) * job.n / (kSamples * kWarp);

		sample[s] = load_mixed((const T *) job.in + at);
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
	samples.total *= double(job.n) / (kSamples * kWarp);
	return samples;
}

/*
 * Choose a two-level scale, if one will do, for totals that are most probably
 * below 2^top and a prefix below 2^prefix_top.  The first unit is no lower than
 * these require, if the second unit may be so high.  Where many samples have
 * the lowest bit of all samples, they are multiples of it, and so are the other
 * elements.  Where few have it, that is chance, and the lowest bits of other
 * elements are lower, each bit half as often.
 */
static __device__ bool
choose_two_level(const Samples &samples, int top, int prefix_top, uint32_t n,
				 int &unit)
{
	const int margin = samples.n_lowest * 8 >= kSamples * kWarp ?
						   0 :
						   (32 - __clz(n / (kSamples * kWarp))) + 4;

	unit = max(min(samples.lowest - margin + GA_SCALE_BITS, top - GA_SCALE_TOP),
			   GA_SCALE_LEAST + GA_SCALE_BITS);
	return samples.n_lowest > 0 && unit <= GA_SCALE_MOST - GA_SCALE_BITS &&
		   samples.top + kSpareItemBits <= unit + GA_TWO_LEVEL_ITEM &&
		   prefix_top <= unit + GA_SCALE_TOP &&
		   fabs(samples.total) < power_of_2(unit + GA_TWO_LEVEL_TOP - 1);
}

/*
 * Complete a start, unless it names a scale that is to be tried: choose a scale
 * with no fewer levels than these for the totals of the job's array, and for a
 * prefix below 2^prefix_top.
 */
template <typename T>
static __device__ __forceinline__ void
choose_scale(ScanStart &start, const ScanJob &job, int least_levels,
			 int prefix_top)
{
	int top = start.unit + GA_SCALE_TOP;
	int greatest = sizeof(T) == 8 ? GA_SCALE_MOST : 127 - GA_SCALE_TOP;

	if (start.n_levels == 0)
	{
		const Samples samples = take_samples<T>(job);

		top = max(samples.top + (32 - __clz(job.n)) + kSpareBits, prefix_top);
		if (sizeof(T) == 8 && least_levels <= 2 &&
			choose_two_level(samples, top, prefix_top, job.n, start.unit))
		{
			start.n_levels = 2;
			return;
		}
		start.n_levels = sizeof(T) == 8 ? 3 : 2;
	}
	else if (sizeof(T) == 8 && start.n_levels == 2)
		greatest -= GA_SCALE_BITS;
	/* no higher than scales are: the totals may cancel */
	start.unit =
		max(min(max(top, prefix_top) - GA_SCALE_TOP, greatest),
			GA_SCALE_LEAST + GA_SCALE_BITS * (int(start.n_levels) - 1));
}

#endif /* GA_CHOOSE_SCALE_CUH */
