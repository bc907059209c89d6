/*
 * choose_scales.cuh
 *		The first of the kernels for running totals of long arrays of floats,
 *		but for those that request_alone.cu submits: a grid for each.
 *
 * Part of exact_scan.cu, which has the exact sum on the device (exact_sum.cuh).
 */
#ifndef GA_CHOOSE_SCALES_CUH
#define GA_CHOOSE_SCALES_CUH

#include "choose_scale.cuh"

/* Threads of a block, here and in exact_scan.cu. */
constexpr int kWideThreads = 128;

/* Blocks that clear memory, at most. */
constexpr uint32_t kClearBlocks = 128;

/*
 * One warp an array: a grid for its totals, and what came before on it.  All of
 * them clear what the next kernel wants to be zero.
 */
template <typename T>
static __global__ void
__launch_bounds__(kWideThreads)
	choose_grids(const DeviceScan *arrays, const GaExactSum *const *before,
				 ScanStart *starts, uint32_t n_arrays, int least_levels,
				 ScanOutcome *outcomes, uint64_t *clear, uint32_t n_clear)
{
	uint32_t i = (blockIdx.x * kWideThreads + threadIdx.x) / kWarp;
	int top = INT32_MIN;
	int unit[kMostLevels];
	double levels[kMostLevels] = {};
	ScanStart start;

	launch_dependents();
	for (uint32_t k = blockIdx.x * kWideThreads + threadIdx.x; k < n_clear;
		 k += gridDim.x * kWideThreads)
		clear[k] = 0;
	if (i >= n_arrays)
		return;
	start = starts[i];
	start.only_neg_zeros = 1;
	if (before[i] != nullptr)
	{
		start.has_before = before[i]->n > 0;
		top = ga_exact_sum_exponent(before[i]) + kSpareBits;
		start.only_neg_zeros = before[i]->n == before[i]->n_neg_zero;
	}
	choose_grid<T>(start, arrays[i], least_levels, top);
	__syncwarp();
	if (lane_id() > 0)
		return;

	for (int k = 0; k < start.n_levels; k++)
		unit[k] = start.unit - GA_SCALE_BITS * k;
	if (before[i] != nullptr &&
		(ga_exact_sum_exponent(before[i]) > 1024 ||
		 !ga_exact_sum_to_levels(before[i], unit, start.n_levels, levels)))
		start.no_grid = 1;
	for (int k = 0; k < start.n_levels; k++)
	{
		double anchor = ga_scale_anchor(unit[k]);

		start.before[k] = int64_t(ga_float8_bits(anchor + levels[k]) -
								  ga_float8_bits(anchor));
	}
	starts[i] = start;
	outcomes[arrays[i].result] =
		ScanOutcome{{}, 0, 0, 0, uint8_t(start.n_levels), int16_t(start.unit)};
}

#endif /* GA_CHOOSE_SCALES_CUH */
