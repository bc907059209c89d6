/*
 * sum.cu
 *		Which kernel sums what, and with how many blocks; see sum.h.
 */
#include "sum_long.cuh"
#include "sum_short.cuh"

template <typename T>
constexpr size_t kShortShared = ThreadSum<T>::kIsInt ? 0 : sizeof(LaneSums);

/* Where a block has a ring, n_lanes is kMostLanes: that is room enough. */
template <typename T>
static size_t
long_shared(uint32_t n_lanes)
{
	if constexpr (ThreadSum<T>::kIsInt)
		return sizeof(IntShared<T>);
	else
		return offsetof(FloatShared<T>, lanes) + n_lanes * sizeof(LaneSums);
}

template <typename T>
static cudaError_t
launch_short(int group, const SumJob<ShortArray> &job, int max_blocks,
			 cudaStream_t stream)
{
	uint32_t	per_block = group < kSumThreads ? kSumThreads / group : 1;
	uint32_t	blocks = (job.n_arrays + per_block - 1) / per_block;

	blocks = blocks < uint32_t(max_blocks) ? blocks : max_blocks;
	if (group == kSmallThreads)
		sum_small<T><<<job.n_arrays, job.n_threads, 0, stream>>>(job);
	else if (group == kWarp)
		sum_short<T, kWarp><<<blocks, kSumThreads, kShortShared<T>,
			stream>>>(job);
	else
		sum_short<T, kTinyGroup><<<blocks, kSumThreads, kShortShared<T>,
			stream>>>(job);
	return cudaGetLastError();
}

template <typename T>
static cudaError_t
launch_long(const SumJob<LongArray> &job, int max_blocks, cudaStream_t stream)
{
	uint32_t	blocks = job.n_chunks < uint32_t(max_blocks) ?
		job.n_chunks : max_blocks;

	sum_long<T><<<blocks, kSumThreads, long_shared<T>(job.n_lanes),
		stream>>>(job);
	return cudaGetLastError();
}

cudaError_t
launch_short_sums(GaElementType type, int group,
				  const SumJob<ShortArray> &job, int max_blocks,
				  cudaStream_t stream)
{
	switch (type)
	{
#define X(name, family, ctype) \
		case GA_##name: \
			return launch_short<ctype>(group, job, max_blocks, stream);
			GA_ELEMENT_TYPES(X)
#undef X
		default:
			return cudaErrorInvalidValue;
	}
}

cudaError_t
launch_long_sums(GaElementType type, const SumJob<LongArray> &job,
				 int max_blocks, cudaStream_t stream)
{
	switch (type)
	{
#define X(name, family, ctype) \
		case GA_##name: \
			return launch_long<ctype>(job, max_blocks, stream);
			GA_ELEMENT_TYPES(X)
#undef X
		default:
			return cudaErrorInvalidValue;
	}
}

/* Blocks of a kernel that fill the device, after it may use its memory. */
template <typename Kernel>
static cudaError_t
prepare(Kernel kernel, size_t shared_bytes, int n_multiprocessors, int *blocks)
{
	int			n = 0;
	cudaError_t result = cudaFuncSetAttribute(
		kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
		int(shared_bytes));

	if (result == cudaSuccess)
		result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
			&n, kernel, kSumThreads, shared_bytes);
	if (result == cudaSuccess && n == 0)
		result = cudaErrorLaunchOutOfResources;
	*blocks = n * n_multiprocessors;
	return result;
}

/* Is the code for other devices, which have room for rings? */
static cudaError_t
check_room(int n_lanes)
{
	cudaFuncAttributes attributes;
	cudaError_t result = cudaFuncGetAttributes(&attributes, sum_long<double>);

	if (result == cudaSuccess && n_lanes < kMostLanes &&
		10 * attributes.ptxVersion >= GA_RING_FROM &&
		10 * attributes.ptxVersion < GA_RING_END)
		result = cudaErrorNoKernelImageForDevice;
	return result;
}

/* Of each family no kernel needs more blocks than that of 64 bits. */
cudaError_t
prepare_sums(int n_multiprocessors, int n_lanes, int *short_blocks,
			 int *long_blocks)
{
	cudaError_t result = prepare(sum_long<int64_t>,
								 long_shared<int64_t>(n_lanes),
								 n_multiprocessors, &long_blocks[false]);

	if (result == cudaSuccess)
		result = check_room(n_lanes);
	if (result == cudaSuccess)
		result = prepare(sum_long<float>, long_shared<float>(n_lanes),
						 n_multiprocessors, &long_blocks[true]);
	if (result == cudaSuccess)
		result = prepare(sum_long<double>, long_shared<double>(n_lanes),
						 n_multiprocessors, &long_blocks[true]);
	if (result == cudaSuccess)
		result = prepare(sum_short<double, kTinyGroup>, kShortShared<double>,
						 n_multiprocessors, short_blocks);
	return result;
}
