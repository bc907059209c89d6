/*
 * elem_extreme.cu
 *		The kernels of the least or greatest elements by position.
 */
#include "extreme_column.cuh"

/* Find the extremes of all shares, a position by each thread. */
template <typename T, bool kIsMax>
static __global__ void
__launch_bounds__(kElemThreads)
	combine_extremes(const __grid_constant__ ElemParams params)
{
	const uint32_t position = blockIdx.x * kElemThreads + threadIdx.x;
	const int64_t *key =
		static_cast<const int64_t *>(params.records) + position;
	int64_t top;

	if (position >= params.n_positions)
		return;
	top = *key;
	for (uint32_t s = 1; s < params.n_shares; s++)
	{
		key += params.n_positions;
		top = *key > top ? *key : top;
	}
	static_cast<uint64_t *>(params.results)[position] =
		value_of_record<T, kIsMax>(top);
}

template <typename T, bool kIsMax>
static cudaError_t
launch(const ElemParams &params, cudaStream_t stream)
{
	const uint32_t n_blocks =
		(params.n_positions + kElemThreads - 1) / kElemThreads;
	const cudaError_t error =
		launch_shares<T, ExtremeColumn<T, kIsMax>>(params, stream);

	if (error != cudaSuccess)
		return error;
	combine_extremes<T, kIsMax><<<n_blocks, kElemThreads, 0, stream>>>(params);
	return cudaGetLastError();
}

cudaError_t
launch_elem_extremes(GaElementType type, bool is_max, const ElemParams &params,
					 cudaStream_t stream)
{
	switch (type)
	{
#define X(name, family, ctype)                                \
	case GA_##name:                                           \
		return is_max ? launch<ctype, true>(params, stream) : \
						launch<ctype, false>(params, stream);
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			return cudaErrorInvalidValue;
	}
}
