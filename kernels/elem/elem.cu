/*
 * elem.cu
 *		The kernels of sums by position; see elem.h.
 */
#include "elem_column.cuh"

/*
 * Combine the records of all shares, a position by each group of lanes.  Grid:
 * blocks of kElemThreads for all positions.
 */
static __global__ void
__launch_bounds__(kElemThreads)
	combine_shares(const __grid_constant__ ElemParams params, int group)
{
	const uint32_t position =
		blockIdx.x * (kElemThreads / group) + threadIdx.x / group;
	const bool is_inside = position < params.n_positions;
	LimbSum sum;

	sum.clear();
	for (uint32_t s = threadIdx.x % group; s < params.n_shares && is_inside;
		 s += group)
	{
		LimbSum share;

		share.load(static_cast<GaPartialSum *>(params.records) +
				   uint64_t(s) * params.n_positions + position);
		sum.add(share);
	}
	for (int step = group / 2; step > 0; step /= 2)
		sum.add(sum.of_lane(step));
	if (is_inside && threadIdx.x % group == 0)
		sum.store(static_cast<GaPartialSum *>(params.results) + position);
}

cudaError_t
launch_elem(GaElementType type, const ElemParams &params, cudaStream_t stream)
{
	switch (type)
	{
#define X(name, family, ctype) \
	case GA_##name:            \
		return launch_shares<ctype, ElemColumn<ctype>>(params, stream);
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			return cudaErrorInvalidValue;
	}
}

cudaError_t
launch_elem_combine(const ElemParams &params, cudaStream_t stream)
{
	constexpr uint32_t kRecords = 4; /* of a lane, as long as lanes are left */
	uint32_t group = 1;
	uint32_t n_blocks;

	while (group < kWarp && group * kRecords < params.n_shares)
		group *= 2;
	n_blocks =
		uint32_t((uint64_t(params.n_positions) * group + kElemThreads - 1) /
				 kElemThreads);
	combine_shares<<<n_blocks, kElemThreads, 0, stream>>>(params, int(group));
	return cudaGetLastError();
}
