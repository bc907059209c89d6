/*
 * prepare_scan.cuh
 *		The kernel before scan_tiles for a segment of floats that has a
 *		prefix, and for an array that another scale refused.
 *
 * It chooses the scale, puts the prefix on it, and clears the memory that
 * scan_tiles requires to be zero.  Part of exact_scan.cu, which has the exact
 * sum on the device (exact_sum.cuh).
 *
 * Grid: at least one block of kExactThreads.  The first warp of the grid makes
 * the start, in job.prepared; all threads clear memory.  No shared memory.
 */
#ifndef GA_PREPARE_SCAN_CUH
#define GA_PREPARE_SCAN_CUH

#include "choose_scale.cuh"

/* Threads of a block, here and in exact_scan.cu. */
constexpr int kExactThreads = 128;

/* Blocks that clear memory, at most. */
constexpr uint32_t kClearBlocks = 128;

/*
 * Put the prefix on the levels of a start's scale, in units as integers; one
 * thread.  If that is not possible, the start gets no scale.
 */
static __device__ void
put_prefix(ScanStart &start, const GaExactSum *prefix)
{
	int unit[kMostLevels];
	double levels[kMostLevels] = {};

	for (int k = 0; k < start.n_levels; k++)
		unit[k] = start.unit - GA_SCALE_BITS * k;
	if (prefix->n > 0 &&
		(ga_exact_sum_exponent(prefix) > 1024 ||
		 !ga_exact_sum_to_levels(prefix, unit, start.n_levels, levels)))
		start.no_scale = 1;
	for (int k = 0; k < start.n_levels; k++)
	{
		double anchor = ga_scale_anchor(unit[k]);

		start.prefix[k] = int64_t(ga_float8_bits(anchor + levels[k]) -
								  ga_float8_bits(anchor));
	}
}

template <typename T>
static __global__ void
__launch_bounds__(kExactThreads)
	prepare_scan(const __grid_constant__ ScanJob job,
				 const __grid_constant__ GaFullSum full, int least_levels)
{
	const uint32_t thread = blockIdx.x * kExactThreads + threadIdx.x;
	const GaExactSum *prefix = (const GaExactSum *) &full;
	int top = INT32_MIN;
	ScanStart start;

	launch_dependents();
	for (uint32_t i = thread; i < job.n_clear; i += gridDim.x * kExactThreads)
		job.clear[i] = int4{};
	if (thread >= kWarp)
		return;
	start = job.start;
	start.only_neg_zeros = prefix->n == prefix->n_neg_zero;
	if (prefix->n > 0)
		top = ga_exact_sum_exponent(prefix) + kSpareBits;
	choose_scale<T>(start, job, least_levels, top);
	__syncwarp();
	if (lane_id() > 0)
		return;
	put_prefix(start, prefix);
	*job.prepared = start;
	*job.outcome =
		ScanOutcome{{}, 0, 0, 0, uint8_t(start.n_levels), int16_t(start.unit)};
}

#endif /* GA_PREPARE_SCAN_CUH */
