/*
 * sum_packed.cu
 *		Launches of the kernels that sum packed arrays; see sum.h.
 */
#include <algorithm>

#include "sum_packed.cuh"

cudaError_t
launch_packed_sums(GaElementType type, const SumParams<LongArray> &params,
				   int max_blocks, cudaStream_t stream)
{
	const uint32_t n_blocks = std::min(params.n_shares, uint32_t(max_blocks));

	switch (type)
	{
#define X(name, family, ctype)                                           \
	case GA_##name:                                                      \
		sum_packed<ctype><<<n_blocks, kSumThreads, 0, stream>>>(params); \
		break;
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			return cudaErrorInvalidValue;
	}
	return cudaGetLastError();
}
