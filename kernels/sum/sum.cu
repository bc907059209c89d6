/*
 * sum.cu
 *		Launches of the sum kernels for each element type; see sum.h.
 */
#include <algorithm>

#include "sum_long.cuh"
#include "sum_short.cuh"

template <typename T>
constexpr size_t kShortShared = ThreadSum<T>::kIsInt ? 0 : sizeof(LaneSums);

/*
 * Return the bytes of shared memory of sum_long().  Where it has rings,
 * n_lane_sums is kMaxLaneSums, whose memory they fit in.
 */
template <typename T>
static size_t
long_shared(uint32_t n_lane_sums)
{
	if constexpr (ThreadSum<T>::kIsInt)
		return n_lane_sums == kMaxLaneSums ? sizeof(IntShared<T>) :
											 offsetof(IntShared<T>, ring);
	else
		return offsetof(FloatShared<T>, lanes) + n_lane_sums * sizeof(LaneSums);
}

template <typename T>
static cudaError_t
launch_short(int group, const SumParams<ShortArray> &params, int max_blocks,
			 cudaStream_t stream)
{
	const uint32_t per_block = group == kSmallBlock ? 1 : kSumThreads / group;
	const uint32_t blocks = std::min(
		(params.n_arrays + per_block - 1) / per_block, uint32_t(max_blocks));

	if (group == kSmallBlock)
	{
		if (params.n_arrays == 1)
			sum_small<T, 1>
				<<<1, params.n_warps * kWarp, 0, stream>>>(params.single());
		else
			sum_small<T, kMaxInline>
				<<<params.n_arrays, params.n_warps * kWarp, 0, stream>>>(
					params);
	}
	else if (group == kWarp)
		sum_short<T, kWarp>
			<<<blocks, kSumThreads, kShortShared<T>, stream>>>(params);
	else
		sum_short<T, kTinyGroup>
			<<<blocks, kSumThreads, kShortShared<T>, stream>>>(params);
	return cudaGetLastError();
}

template <typename T>
static cudaError_t
launch_long(const SumParams<LongArray> &params, int max_blocks,
			cudaStream_t stream)
{
	uint32_t blocks =
		params.n_shares < uint32_t(max_blocks) ? params.n_shares : max_blocks;
	const size_t shared_bytes = long_shared<T>(params.n_lane_sums);

	if (params.n_arrays == 1 && params.n_shares == blocks)
		sum_long<T, true>
			<<<blocks, kSumThreads, shared_bytes, stream>>>(params.single());
	else
		sum_long<T, false>
			<<<blocks, kSumThreads, shared_bytes, stream>>>(params);
	return cudaGetLastError();
}

cudaError_t
launch_short_sums(GaElementType type, int group,
				  const SumParams<ShortArray> &params, int max_blocks,
				  cudaStream_t stream)
{
	switch (type)
	{
#define X(name, family, ctype) \
	case GA_##name:            \
		return launch_short<ctype>(group, params, max_blocks, stream);
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			return cudaErrorInvalidValue;
	}
}

cudaError_t
launch_long_sums(GaElementType type, const SumParams<LongArray> &params,
				 int max_blocks, cudaStream_t stream)
{
	switch (type)
	{
#define X(name, family, ctype) \
	case GA_##name:            \
		return launch_long<ctype>(params, max_blocks, stream);
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			return cudaErrorInvalidValue;
	}
}

/* Prepare sum_long() of a type, for a single array and for many. */
template <typename T>
static cudaError_t
prepare_long(int n_multiprocessors, int n_lane_sums, int *blocks)
{
	const size_t shared_bytes = long_shared<T>(n_lane_sums);
	cudaError_t result = prepare_kernel(sum_long<T, true>, shared_bytes,
										n_multiprocessors, blocks);

	if (result == cudaSuccess)
		result = prepare_kernel(sum_long<T, false>, shared_bytes,
								n_multiprocessors, blocks);
	*blocks = std::min(*blocks, kSumBlocks * n_multiprocessors);
	return result;
}

/* Is the loaded code for other devices, which have memory for rings? */
static cudaError_t
check_shared_memory(int n_lane_sums)
{
	bool has_rings;
	cudaError_t result = find_rings(sum_long<double, false>, &has_rings);

	if (result == cudaSuccess && n_lane_sums < kMaxLaneSums && has_rings)
		result = cudaErrorNoKernelImageForDevice;
	return result;
}

/* All kernels of a family have the same number of blocks. */
cudaError_t
prepare_sums(int n_multiprocessors, int n_lane_sums, int *short_blocks,
			 int *long_blocks)
{
	cudaError_t result = check_shared_memory(n_lane_sums);

	for (int i = 0; i < GA_N_ELEMENT_TYPES && result == cudaSuccess; i++)
	{
		const GaElementType type = GaElementType(i);

		switch (type)
		{
#define X(name, family, ctype)                                                 \
	case GA_##name:                                                            \
		result = prepare_long<ctype>(n_multiprocessors, n_lane_sums,           \
									 &long_blocks[ga_element_is_float(type)]); \
		break;
			GA_ELEMENT_TYPES(X)
#undef X
			default:
				result = cudaErrorInvalidValue;
		}
	}
	if (result == cudaSuccess)
		result =
			prepare_kernel(sum_short<double, kTinyGroup>, kShortShared<double>,
						   n_multiprocessors, short_blocks);
	return result;
}
