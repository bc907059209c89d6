/*
 * window_sum.cu
 *		The sums of windows.
 */
#include "moving_sum.cuh"

cudaError_t
launch_window_sums(GaElementType type, const WindowParams &params,
				   cudaStream_t stream)
{
	switch (type)
	{
#define X(name, family, ctype)                                 \
	case GA_##name:                                            \
		return are_moving(params.windows) ?                    \
				   launch_moving_sums<ctype>(params, stream) : \
				   launch_windows<ctype, ElemColumn<ctype>>(params, stream);
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			return cudaErrorInvalidValue;
	}
}
