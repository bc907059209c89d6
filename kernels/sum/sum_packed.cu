/*
 * sum_packed.cu
 *		Launches of the kernels that sum packed arrays; see sum.h.
 */
#include <stddef.h>

#include <algorithm>

#include "sum_packed.cuh"

template <typename T>
static size_t
shared_bytes(bool has_rings, int n_warps)
{
	return offsetof(PackedShared<T>, loaders) +
		   (has_rings && kHasFields<T> ? n_warps * sizeof(LoaderMemory<T>) : 0);
}

template <typename T>
static cudaError_t
launch(const SumParams<LongArray> &params, bool has_rings, int n_warps,
	   int n_blocks, cudaStream_t stream)
{
	const uint32_t blocks = std::min(params.n_shares, uint32_t(n_blocks));
	const size_t n_bytes = shared_bytes<T>(has_rings, n_warps);

	sum_packed<T><<<blocks, n_warps * kWarp, n_bytes, stream>>>(params);
	return cudaGetLastError();
}

cudaError_t
launch_packed_sums(GaElementType type, const SumParams<LongArray> &params,
				   bool has_rings, int n_warps, int n_blocks,
				   cudaStream_t stream)
{
	switch (type)
	{
#define X(name, family, ctype) \
	case GA_##name:            \
		return launch<ctype>(params, has_rings, n_warps, n_blocks, stream);
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			return cudaErrorInvalidValue;
	}
}

/*
 * Return the blocks of kSumWarps that fill the device.  Shared memory is
 * configured for wide blocks at last, which have more.
 */
template <typename T>
static cudaError_t
prepare(int n_multiprocessors, bool has_rings, int *n_blocks)
{
	int ignored;
	cudaError_t result =
		prepare_kernel(sum_packed<T>, shared_bytes<T>(has_rings, kSumWarps),
					   n_multiprocessors, n_blocks);

	*n_blocks = std::min(*n_blocks, kPackedBlocks<T> * n_multiprocessors);
	if (result == cudaSuccess)
		result = prepare_kernel(
			sum_packed<T>, shared_bytes<T>(has_rings, kWideWarps<T>),
			n_multiprocessors, &ignored, kWideWarps<T> * kWarp);
	return result;
}

cudaError_t
prepare_packed_sums(int n_multiprocessors, int *n_blocks, bool *has_rings)
{
	cudaError_t result = find_rings(sum_packed<double>, has_rings);

#define X(name, family, ctype)                                 \
	if (result == cudaSuccess)                                 \
		result = prepare<ctype>(n_multiprocessors, *has_rings, \
								&n_blocks[GA_##name]);
	GA_ELEMENT_TYPES(X)
#undef X
	return result;
}
