/*
 * sum.h
 *		Parameters and launches of the sum kernels; for kernels and host.
 *
 * Arrays come in classes: tiny ones are summed by kTinyGroup threads, short
 * ones by a warp, and long ones and packed ones by blocks.  Each block sums a
 * share of a long array: its warps take warp tiles of the array in turn with
 * those of the other blocks.  The shares of an array are added in an
 * accumulator in device memory, an array of kSumWords words; the block that
 * adds the last share has the sum, and zeroes the accumulator for the next
 * request.
 *
 * Called by host/request_sum.cu.
 */
#ifndef GA_SUM_H
#define GA_SUM_H

#include "cells.cuh"
#include "warp_tiles.cuh"

constexpr int kSumThreads = kTileThreads;
constexpr int kSumWarps = kTileWarps;

/* Blocks per multiprocessor: two of them saturate the memory. */
constexpr int kSumBlocks = 2;

/*
 * The same for packed arrays.  Sums of decimals compute a lot, and have
 * registers for a third one.
 */
template <typename T>
constexpr int kPackedBlocks = std::is_same<T, double>::value ? 3 : 2;

/*
 * Warps of a wide block, as many as those blocks have.  A single large array
 * has wide blocks, since separate ones would not end together; otherwise others
 * work on while one begins or ends a share.
 */
template <typename T>
constexpr int kWideWarps = kPackedBlocks<T> *kSumWarps;

constexpr int
wide_warps(GaElementType type)
{
	return type == GA_float8 ? kWideWarps<double> : kWideWarps<int64_t>;
}

/* Threads that sum a tiny array. */
constexpr int kTinyGroup = 4;

/*
 * The most vectors of a tiny array.  The most of a short array is between these
 * bounds and depends on the request.
 */
constexpr int64_t kTinyVectors = 128;
constexpr int64_t kMinShortVectors = 64 * kWarp;
constexpr int64_t kMaxShortVectors = 512 * kWarp;

/*
 * Items that a thread may add on levels.  Each is at most 2^46 of a level's
 * units, so that the 32 threads of a warp have at most 2^62: no more than that
 * may be added in 64 bits.  Short arrays keep to it, see the assertion.
 */
constexpr int64_t kMaxLevelItems = 2048;

static_assert(kMaxShortVectors / kWarp * kItemsPerThread<float> /
					  kVectorsPerThread<float> <=
				  kMaxLevelItems,
			  "a lane's items of a short array");

/* Most LaneSums of a block: the more, the fewer warps wait for one. */
constexpr int kMaxLaneSums = 4;

/* Words from one accumulator to the next. */
constexpr int kAccumulatorStride = 80;

/*
 * Each word of an accumulator counts the shares that were added to it in its
 * upper bits, up to kMaxShares.  A share adds less than kMaxShareWord to the
 * lower bits.
 */
constexpr int kMaxShares = 4095;
constexpr unsigned long long kOneShare = 1ull << 52;
constexpr int64_t kMaxShareWord = int64_t(1) << 39;

static_assert((kMaxShares + 1) * uint64_t(kMaxShareWord) <= kOneShare / 2,
			  "the sum does not reach the count");

struct ShortArray
{
	const void *data;
	uint32_t n;
	uint32_t result;
};

struct LongArray
{
	const void *data;
	uint32_t n;
	uint32_t result;
	uint32_t first_share; /* its index in the request */
	uint32_t n_shares;
	uint32_t accumulator;
};

/*
 * In a small request each short array has a small block of its own, with as
 * many threads as it needs, and at most kSmallVectors.  A single array has a
 * vector for each thread, since a thread then executes fewer instructions,
 * which the multiprocessor has to fetch first; several arrays have four, since
 * the host adds the results of their warps.
 */
constexpr int64_t kSmallVectors = 1024;

/* Vectors of each thread of a small block. */
template <bool kIsSingle>
constexpr int kSmallPerThread = kIsSingle ? 1 : 4;

/*
 * The result of a warp of a small block, in host memory: totals, each of which
 * counts in 2^total_spacing() units of the one before, and a tail.  Each word
 * has a flag bit that is 1; the memory was zero before, so the host sees from
 * the words themselves that they have arrived.
 */
struct alignas(32) WarpResult
{
	uint64_t total[3]; /* flagged_word() */
	uint64_t tail;	   /* tail_word() */
};

constexpr int kWarpResultWords = sizeof(WarpResult) / sizeof(uint64_t);

__host__ __device__ constexpr uint64_t
flagged_word(int64_t x)
{
	return uint64_t(x) << 1 | 1;
}

/* A place that says that the fast path refused an array. */
constexpr int32_t kPlaceRefused = -1;

/* place: the exponent of the first total's unit, over that of the cells. */
__host__ __device__ constexpr uint64_t
tail_word(int32_t place, uint32_t n_neg_zero)
{
	return flagged_word(int64_t(n_neg_zero) << 32 | uint32_t(place));
}

constexpr int
total_spacing(GaElementType type)
{
	return type == GA_int8 ? 32 : 47;
}

/* Most arrays that a launch can have as kernel parameters. */
constexpr int kMaxInline = 32;

struct SumParamsBase
{
	uint32_t n_arrays;
	uint32_t n_shares;
	uint32_t n_warps;	  /* of a small block */
	uint32_t n_lane_sums; /* of a block: kMaxLaneSums, or what fits */

	/* For arrays of many shares; long_sums is NULL or receives their words. */
	unsigned long long *accumulators;
	int64_t *long_sums;
	WarpResult *warp_results; /* n_warps for each result */
	Output out;
};

/*
 * Kernel parameters.  With capacity for one array only, there is less to copy
 * to the device.
 */
template <typename A, int kCapacity = kMaxInline>
struct SumParams : SumParamsBase
{
	const A *arrays; /* in device memory, or NULL: inline_arrays */
	A inline_arrays[kCapacity];

	/* Return these parameters for their only array. */
	SumParams<A, 1>
	single() const
	{
		return SumParams<A, 1>{*this, nullptr, {inline_arrays[0]}};
	}
};

template <bool kIsSingle>
using LongParams = SumParams<LongArray, kIsSingle ? 1 : kMaxInline>;

/* In place of a number of threads: a small block for each array. */
constexpr int kSmallBlock = 0;

/*
 * Launch the kernel for arrays of one class.  group is the number of threads
 * for each array, kTinyGroup or kWarp, or kSmallBlock.
 */
extern cudaError_t launch_short_sums(GaElementType type, int group,
									 const SumParams<ShortArray> &params,
									 int max_blocks, cudaStream_t stream);
extern cudaError_t launch_long_sums(GaElementType type,
									const SumParams<LongArray> &params,
									int max_blocks, cudaStream_t stream);

/* Packed arrays of any length are summed as long ones. */
extern cudaError_t launch_packed_sums(GaElementType type,
									  const SumParams<LongArray> &params,
									  bool has_rings, int n_warps, int n_blocks,
									  cudaStream_t stream);

/*
 * Configure the kernels' shared memory, and return the blocks of each that fill
 * the device; long_blocks[] is for integers and for floats.
 */
extern cudaError_t prepare_sums(int n_multiprocessors, int n_lane_sums,
								int *short_blocks, int *long_blocks);

/*
 * The same of packed arrays, blocks of kSumWarps for each type; and whether the
 * device's code has rings (ring.cuh), as all kernels have or none has.
 */
extern cudaError_t prepare_packed_sums(int n_multiprocessors, int *n_blocks,
									   bool *has_rings);

/*
 * Configure a kernel's shared memory; return the blocks that fill the device.
 */
template <typename Kernel>
static cudaError_t
prepare_kernel(Kernel kernel, size_t shared_bytes, int n_multiprocessors,
			   int *blocks, int n_threads = kSumThreads)
{
	int n = 0;
	cudaError_t result = cudaFuncSetAttribute(
		kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared_bytes));

	if (result == cudaSuccess)
		result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
			&n, kernel, n_threads, shared_bytes);
	if (result == cudaSuccess && n == 0)
		result = cudaErrorLaunchOutOfResources;
	*blocks = n * n_multiprocessors;
	return result;
}

#endif /* GA_SUM_H */
