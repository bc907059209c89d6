/*
 * reduce.cu
 *		The kernels of each reduction and element type; see reduce.h.
 */
#include <algorithm>

#include "reduce.h"

static const ReductionKernels *
kernels_of(GaReduction reduction, GaElementType type)
{
	switch (reduction)
	{
		case GA_REDUCE_MIN:
		case GA_REDUCE_MAX:
			return extremum_kernels(reduction, type);
		case GA_REDUCE_MOMENTS:
			return moments_kernels(type);
		case GA_REDUCE_PRODUCTS:
		case GA_REDUCE_DOT:
			return products_kernels(reduction, type);
		default:
			return nullptr;
	}
}

int
reduction_words(GaReduction reduction, GaElementType type)
{
	const ReductionKernels *kernels = kernels_of(reduction, type);

	return kernels != nullptr ? kernels->n_words : 0;
}

cudaError_t
launch_reduction(GaReduction reduction, GaElementType type,
				 const ReduceParams &params, bool has_rings, int max_blocks,
				 cudaStream_t stream)
{
	const uint32_t n_blocks = std::min(params.n_shares, uint32_t(max_blocks));

	return kernels_of(reduction, type)
		->launch[params.any_packed](params, has_rings, int(n_blocks), stream);
}

cudaError_t
prepare_reductions(bool has_rings)
{
	cudaError_t result = cudaSuccess;

	for (int r = 0; r < GA_N_ALL_REDUCTIONS; r++)
	{
		for (int t = 0; t < GA_N_ELEMENT_TYPES && result == cudaSuccess; t++)
		{
			const ReductionKernels *kernels =
				kernels_of(GaReduction(r), GaElementType(t));

			if (kernels != nullptr)
				result = kernels->prepare(has_rings);
		}
	}
	return result;
}
