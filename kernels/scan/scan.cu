/*
 * scan.cu
 *		Launch the kernels of running totals, for all types.
 *
 * exact_scan.cu launches those that need the exact sum.
 */
#include "scan_decimals.cuh"
#include "scan_short.cuh"
#include "scan_tiles.cuh"

/* Set *blocks to those that fill the device, but no more than wanted. */
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
 * Launch a kernel that calls wait_for_previous_kernel().  It may start early,
 * behind prepare_scan, which lets it, if it was compiled for devices that
 * support this.
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
	if (job.prepared != nullptr)
	{
		cudaFuncAttributes attributes;
		cudaError_t result = cudaFuncGetAttributes(&attributes, kernel);

		if (result != cudaSuccess)
			return result;
		/* not the binary's version: older PTX has no such calls */
		config.numAttrs = attributes.ptxVersion >= 90;
	}
	return cudaLaunchKernelEx(&config, kernel, job);
}

/* May the totals of an array be made by scan_decimals()? */
static bool
may_be_decimals(const ScanKind &kind, const ScanJob &job)
{
	const uintptr_t in = reinterpret_cast<uintptr_t>(job.in);

	static_assert(kStateWords<2> * kScanItems * large_tile(sizeof(double)) <=
					  kStateWords<3> * kDecimalTile,
				  "the states of its tiles fit in those of scan_tiles()");
	return kind.type == GA_float8 && job.prepared == nullptr &&
		   job.start.n_levels == 0 && job.n <= kMostDecimals &&
		   ga_is_packed(in) && ga_packed_number(in, sizeof(double)) == 0 &&
		   reinterpret_cast<uintptr_t>(job.out) % kVectorBytes == 0;
}

static cudaError_t
launch_decimals(const ScanJob &job, int n_multiprocessors, cudaStream_t stream)
{
	const uint32_t n_blocks = (job.n - 1) / kDecimalTile + 1;

	scan_decimals<<<n_blocks, kDecimalThreads, 0, stream>>>(
		job, uint32_t(n_multiprocessors * kDecimalBlocks));
	return cudaGetLastError();
}

template <typename T, typename Total, int W>
static cudaError_t
launch_tiles_of(const ScanJob &job, int n_multiprocessors, cudaStream_t stream)
{
	auto kernel = ga_is_packed(reinterpret_cast<uintptr_t>(job.in)) ?
					  scan_tiles<T, Total, W, true> :
					  scan_tiles<T, Total, W, false>;
	constexpr int kThreads = TileShared<T, Total, W>::kThreads;
	constexpr size_t shared = sizeof(TileShared<T, Total, W>);
	uint32_t blocks;
	cudaError_t result = blocks_for(kernel, kThreads, shared, n_multiprocessors,
									job.n_tiles, &blocks);

	if (result != cudaSuccess)
		return result;
	return launch_behind(kernel, blocks, kThreads, shared, stream, job);
}

template <typename T, typename Total>
static cudaError_t
launch_tiles(bool large_tiles, const ScanJob &job, int n_multiprocessors,
			 cudaStream_t stream)
{
	constexpr int kLarge = large_tile(sizeof(Total));
	constexpr int kSmall = small_tile(sizeof(Total));

	static_assert(sizeof(TileShared<T, Total, kLarge>) <= kLargeTileShared,
				  "three tiles fit");
	return large_tiles ?
			   launch_tiles_of<T, Total, kLarge>(job, n_multiprocessors,
												 stream) :
			   launch_tiles_of<T, Total, kSmall>(job, n_multiprocessors,
												 stream);
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
	if (may_be_decimals(kind, job))
	{
		const cudaError_t result =
			launch_decimals(job, n_multiprocessors, stream);

		if (result != cudaSuccess)
			return result;
	}
#define X(type_, totals_, T, Total)                          \
	if (kind.type == type_ && kind.totals == totals_)        \
		return launch_tiles<T, Total>(kind.large_tiles, job, \
									  n_multiprocessors, stream);
	SCANS(X)
#undef X
	return cudaErrorInvalidValue;
}

cudaError_t
launch_short_scan(const ScanKind &kind, const ScanJob &job, cudaStream_t stream)
{
#define X(type_, totals_, T, Total)                         \
	if (kind.type == type_ && kind.totals == totals_)       \
	{                                                       \
		scan_short<T, Total><<<1, kWarp, 0, stream>>>(job); \
		return cudaGetLastError();                          \
	}
	SCANS(X)
#undef X
	return cudaErrorInvalidValue;
}
