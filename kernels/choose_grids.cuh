/*
 * choose_grids.cuh
 *		The first of the kernels for running totals of floats: a grid for each
 *		array, by looking at some elements.
 *
 * Part of wide_scan.cu, which has the exact sum on the device (exact_sum.cuh).
 */
#ifndef GA_CHOOSE_GRIDS_CUH
#define GA_CHOOSE_GRIDS_CUH

#include "scan.h"

/* Threads of a block, here and in wide_scan.cu. */
constexpr int kWideThreads = 128;

/* Elements that each lane of a warp looks at to choose a grid. */
constexpr int kSamples = 16;

/* Bits that totals may have above what the samples promise. */
constexpr int kSpareBits = 8;

/* Blocks that clear memory, at most. */
constexpr uint32_t kClearBlocks = 128;

/* What a warp finds out about an array by looking at some elements. */
struct Samples
{
	int			top;			/* all are below 2^top */
	int			lowest;			/* no bit is set below 2^lowest */
	unsigned	n_lowest;		/* those that have that bit */
};

template <typename T>
static __device__ Samples
take_samples(const DeviceScan &array)
{
	const int	lane = lane_id();
	int			lowest_bit[kSamples];
	T			sample[kSamples];
	unsigned	biased = 0;
	unsigned	lowest = UINT32_MAX;
	Samples		samples;

	samples.n_lowest = 0;
#pragma unroll
	for (int s = 0; s < kSamples; s++)
	{
		/* evenly from the whole array */
		uint64_t	at = uint64_t(lane * kSamples + s) * array.n /
			(kSamples * kWarp);

		sample[s] = ((const T *) array.in)[at];
	}
#pragma unroll
	for (int s = 0; s < kSamples; s++)
	{
		uint64_t	bits = ga_float8_bits(sample[s]);
		unsigned	field = unsigned(bits >> 52) & 0x7ff;
		uint64_t	m = bits & GA_FLOAT8_FRACTION;

		lowest_bit[s] = INT32_MAX;
		if (field == 0x7ff || (field == 0 && m == 0))
			continue;
		m |= field ? GA_FLOAT8_HIDDEN : 0;
		lowest_bit[s] = int(field ? field - 1 : 0) + __ffsll(m) - 1;
		biased = max(biased, field);
		lowest = min(lowest, unsigned(lowest_bit[s]));
	}
	biased = group_max(biased, kWarp);
	lowest = ~group_max(~lowest, kWarp);
#pragma unroll
	for (int s = 0; s < kSamples; s++)
		samples.n_lowest += lowest_bit[s] == int(lowest);
	samples.n_lowest = group_sum(samples.n_lowest, kWarp);
	samples.top = int(biased) - 1022;
	samples.lowest = int(lowest) - 1074;
	return samples;
}

/*
 * Will a grid of two levels do for totals below 2^top?  Where many samples
 * have the lowest bit that any has, they are multiples of it, and so are the
 * others.  Where few have, it came by chance, and others go deeper, each bit
 * half as many.
 */
static __device__ bool
two_levels_do(const Samples &samples, int top, uint32_t n)
{
	int			margin = samples.n_lowest * 8 >= kSamples * kWarp ? 0 :
		(32 - __clz(n / (kSamples * kWarp))) + 4;

	return samples.lowest - margin >= top - GA_GRID_TOP - GA_GRID_BITS;
}

/*
 * One warp an array: a grid for its totals, and what came before on it.  All of
 * them clear what the next kernel wants to be zero.
 */
template <typename T>
static __global__ void __launch_bounds__(kWideThreads)
choose_grids(const DeviceScan *arrays, const GaExactSum *const *before,
			 ScanStart *starts, uint32_t n_arrays, int least_levels,
			 ScanOutcome *outcomes, uint64_t *clear, uint32_t n_clear)
{
	uint32_t	i = (blockIdx.x * kWideThreads + threadIdx.x) / kWarp;
	Samples		samples = {};
	bool		is_given;
	int			top;
	int			unit[kMostLevels];
	double		levels[kMostLevels] = {};
	ScanStart	start;

	let_next_kernel_come();
	for (uint32_t k = blockIdx.x * kWideThreads + threadIdx.x; k < n_clear;
		 k += gridDim.x * kWideThreads)
		clear[k] = 0;
	if (i >= n_arrays)
		return;
	start = starts[i];
	is_given = start.n_levels > 0;
	if (!is_given)
		samples = take_samples<T>(arrays[i]);
	__syncwarp();
	if (lane_id() > 0)
		return;

	top = is_given ? start.unit + GA_GRID_TOP :
		samples.top + (32 - __clz(arrays[i].n)) + kSpareBits;
	start.only_neg_zeros = 1;
	if (before[i] != nullptr)
	{
		start.has_before = before[i]->n > 0;
		top = max(top, ga_exact_sum_exponent(before[i]) + kSpareBits);
		start.only_neg_zeros = before[i]->n == before[i]->n_neg_zero;
	}
	/* no higher than there are grids: the totals may cancel */
	top = min(top, sizeof(T) == 8 ? 971 + GA_GRID_TOP : 127);
	if (!is_given)
		start.n_levels = sizeof(T) == 4 ||
			(least_levels <= 2 && two_levels_do(samples, top, arrays[i].n)) ?
			2 : 3;
	start.unit = max(top - GA_GRID_TOP,
					 -1074 + GA_GRID_BITS * (int(start.n_levels) - 1));
	for (int k = 0; k < start.n_levels; k++)
		unit[k] = start.unit - GA_GRID_BITS * k;
	if (before[i] != nullptr &&
		(ga_exact_sum_exponent(before[i]) > 1024 ||
		 !ga_exact_sum_to_levels(before[i], unit, start.n_levels, levels)))
		start.no_grid = 1;
	for (int k = 0; k < start.n_levels; k++)
	{
		double		anchor = ga_grid_anchor(unit[k]);

		start.before[k] = int64_t(ga_float8_bits(anchor + levels[k]) -
								  ga_float8_bits(anchor));
	}
	starts[i] = start;
	outcomes[arrays[i].result] = ScanOutcome{
		{}, 0, 0, 0, uint8_t(start.n_levels), int16_t(start.unit)};
}

#endif							/* GA_CHOOSE_GRIDS_CUH */
