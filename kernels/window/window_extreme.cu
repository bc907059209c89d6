/*
 * window_extreme.cu
 *		The least or greatest elements of windows.
 */
#include "elem/extreme_column.cuh"
#include "reduce_window.cuh"

/* Make values of records.  Grid: blocks of kWindowThreads. */
template <typename T, bool kIsMax>
static __global__ void
__launch_bounds__(kWindowThreads)
	make_values(const __grid_constant__ WindowParams params)
{
	const uint32_t i = blockIdx.x * kWindowThreads + threadIdx.x;

	if (i < params.n_windows)
		params.values[i] = value_of_record<T, kIsMax>(
			static_cast<const int64_t *>(params.records)[i]);
}

template <typename T, bool kIsMax>
static cudaError_t
launch(const WindowParams &params, cudaStream_t stream)
{
	const uint32_t n_blocks =
		(params.n_windows + kWindowThreads - 1) / kWindowThreads;
	const cudaError_t error =
		launch_windows<T, ExtremeColumn<T, kIsMax>>(params, stream);

	if (error != cudaSuccess)
		return error;
	make_values<T, kIsMax><<<n_blocks, kWindowThreads, 0, stream>>>(params);
	return cudaGetLastError();
}

cudaError_t
launch_window_extremes(GaElementType type, bool is_max,
					   const WindowParams &params, cudaStream_t stream)
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
