/*
 * sum_packed.cu
 *		Launches of the kernels that sum packed arrays; see sum.h.
 */
#include <stddef.h>

#include <algorithm>

#include "sum_packed.cuh"

static size_t
packed_shared(bool has_rings)
{
	return has_rings ? sizeof(PackedShared) : offsetof(PackedShared, ring);
}

template <typename T>
static cudaError_t
launch(const SumParams<LongArray> &params, const PackedSums &sums,
	   cudaStream_t stream)
{
	const uint32_t blocks = std::min(params.n_shares, uint32_t(sums.n_blocks));
	const size_t n_bytes = packed_shared(sums.has_rings);

	sum_packed<T><<<blocks, kSumThreads, n_bytes, stream>>>(params);
	return cudaGetLastError();
}

cudaError_t
launch_packed_sums(GaElementType type, const SumParams<LongArray> &params,
				   const PackedSums &sums, cudaStream_t stream)
{
	switch (type)
	{
#define X(name, family, ctype) \
	case GA_##name:            \
		return launch<ctype>(params, sums, stream);
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			return cudaErrorInvalidValue;
	}
}

/* All types have the same number of blocks. */
cudaError_t
prepare_packed_sums(int n_multiprocessors, PackedSums *sums)
{
	cudaError_t result = find_rings(sum_packed<double>, &sums->has_rings);
	const size_t shared_bytes = packed_shared(sums->has_rings);
	int n_blocks;

	sums->n_blocks = kPackedBlocks * n_multiprocessors;
#define X(name, family, ctype)                                   \
	if (result == cudaSuccess)                                   \
	{                                                            \
		result = prepare_kernel(sum_packed<ctype>, shared_bytes, \
								n_multiprocessors, &n_blocks);   \
		sums->n_blocks = std::min(sums->n_blocks, n_blocks);     \
	}
	GA_ELEMENT_TYPES(X)
#undef X
	return result;
}
