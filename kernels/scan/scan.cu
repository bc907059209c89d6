/*
 * scan.cu
 *		Which kernel of running totals is for what, and how many blocks.
 */
#include "scan_short.cuh"
#include "scan_tiles.cuh"

/* Blocks that fill the device, and that find work. */
template <typename Kernel>
static cudaError_t
blocks_for(Kernel kernel, int n_threads, size_t shared_bytes,
		   int n_multiprocessors, uint32_t n_wanted, uint32_t *blocks)
{
	int n = 0;
	cudaError_t result = cudaSuccess;

	if (shared_bytes > 48 << 10)
		result = cudaFuncSetAttribute(
			kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
			int(shared_bytes));
	if (result == cudaSuccess)
		result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
			&n, kernel, n_threads, shared_bytes);
	if (result == cudaSuccess && n == 0)
		result = cudaErrorLaunchOutOfResources;
	*blocks = uint32_t(n * n_multiprocessors);
	if (*blocks > n_wanted)
		*blocks = n_wanted;
	return result;
}

/*
 * Launch a kernel that calls wait_for_previous_kernel(): if there is one before it
 * that lets it, and it was compiled for devices that know how to, it comes
 * early.
 */
static cudaError_t
launch_behind(void (*kernel)(ScanJob), uint32_t blocks, int n_threads,
			  size_t shared_bytes, cudaStream_t stream, const ScanJob &job)
{
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute early = {};

	config.gridDim = blocks;
	config.blockDim = unsigned(n_threads);
	config.dynamicSmemBytes = shared_bytes;
	config.stream = stream;
	early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	early.val.programmaticStreamSerializationAllowed = 1;
	config.attrs = &early;
	if (job.arrays != nullptr)
	{
		cudaFuncAttributes attributes;
		cudaError_t result = cudaFuncGetAttributes(&attributes, kernel);

		if (result != cudaSuccess)
			return result;
		/* not by what it became: code for older ones has no such calls */
		config.numAttrs = attributes.ptxVersion >= 90;
	}
	return cudaLaunchKernelEx(&config, kernel, job);
}

template <typename T, typename Total, bool kExclusive, int W>
static cudaError_t
launch_tiles_of(const ScanJob &job, int n_multiprocessors, cudaStream_t stream)
{
	auto kernel = scan_tiles<T, Total, kExclusive, W>;
	constexpr int kThreads = TileShared<T, Total, W>::kThreads;
	constexpr size_t shared = sizeof(TileShared<T, Total, W>);
	uint32_t blocks;
	cudaError_t result = blocks_for(kernel, kThreads, shared, n_multiprocessors,
									job.n_tiles, &blocks);

	if (result != cudaSuccess)
		return result;
	return launch_behind(kernel, blocks, kThreads, shared, stream, job);
}

template <typename T, typename Total, bool kExclusive>
static cudaError_t
launch_tiles(const ScanKind &kind, const ScanJob &job, int n_multiprocessors,
			 cudaStream_t stream)
{
	constexpr int kLarge = large_tile(sizeof(Total));

	static_assert(sizeof(TileShared<T, Total, kLarge>) <= kLargeTileShared,
				  "three tiles fit");
	return kind.large_tiles ?
			   launch_tiles_of<T, Total, kExclusive, kLarge>(
				   job, n_multiprocessors, stream) :
			   launch_tiles_of<T, Total, kExclusive, small_tile(sizeof(Total))>(
				   job, n_multiprocessors, stream);
}

template <typename T, typename Total, bool kExclusive, int kGroup>
static cudaError_t
launch_groups(const ScanJob &job, int n_multiprocessors, cudaStream_t stream)
{
	auto kernel = scan_short<T, Total, kExclusive, kGroup>;
	constexpr uint32_t kPerBlock = kScanThreads / kGroup;
	uint32_t blocks;
	cudaError_t result =
		blocks_for(kernel, kScanThreads, 0, n_multiprocessors,
				   (job.n_arrays + kPerBlock - 1) / kPerBlock, &blocks);

	if (result != cudaSuccess)
		return result;
	kernel<<<blocks, kScanThreads, 0, stream>>>(job);
	return cudaGetLastError();
}

/* X(element type, totals, C type of elements, C type of totals) */
#define SCANS(X)                                    \
	X(GA_int2, GA_TOTALS_PLAIN, int16_t, int64_t)   \
	X(GA_int4, GA_TOTALS_PLAIN, int32_t, int64_t)   \
	X(GA_int8, GA_TOTALS_PLAIN, int64_t, int64_t)   \
	X(GA_int8, GA_TOTALS_INT128, int64_t, __int128) \
	X(GA_float4, GA_TOTALS_PLAIN, float, float)     \
	X(GA_float8, GA_TOTALS_PLAIN, double, double)

cudaError_t
launch_scan_tiles(const ScanKind &kind, const ScanJob &job,
				  int n_multiprocessors, cudaStream_t stream)
{
#define X(type_, totals_, T, Total)                                            \
	if (kind.type == type_ && kind.totals == totals_)                          \
		return kind.exclusive ?                                                \
				   launch_tiles<T, Total, true>(kind, job, n_multiprocessors,  \
												stream) :                      \
				   launch_tiles<T, Total, false>(kind, job, n_multiprocessors, \
												 stream);
	SCANS(X)
#undef X
	return cudaErrorInvalidValue;
}

cudaError_t
launch_short_scans(const ScanKind &kind, int group, const ScanJob &job,
				   int n_multiprocessors, cudaStream_t stream)
{
#define X(type_, totals_, T, Total)                                        \
	if (kind.type == type_ && kind.totals == totals_)                      \
	{                                                                      \
		if (group == kWarp)                                                \
			return kind.exclusive ? launch_groups<T, Total, true, kWarp>(  \
										job, n_multiprocessors, stream) :  \
									launch_groups<T, Total, false, kWarp>( \
										job, n_multiprocessors, stream);   \
		return kind.exclusive ?                                            \
				   launch_groups<T, Total, true, kTinyScanGroup>(          \
					   job, n_multiprocessors, stream) :                   \
				   launch_groups<T, Total, false, kTinyScanGroup>(         \
					   job, n_multiprocessors, stream);                    \
	}
	SCANS(X)
#undef X
	return cudaErrorInvalidValue;
}
