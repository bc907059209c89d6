/*
 * sum.h
 *		What the host tells the sum kernels.
 *
 * Arrays come in classes: tiny ones are summed by kTinyGroup threads, short
 * ones by a warp, and long ones by blocks.  A block takes a chunk: its warps
 * have every so many pieces of the array.  Chunks of one array meet in a row of
 * slots in device memory; the one that comes last has the sum, and clears the
 * row for the next request.
 */
#ifndef GA_SUM_H
#define GA_SUM_H

#include "cells.cuh"

constexpr int kSumThreads = 256;
constexpr int kSumWarps = kSumThreads / kWarp;

/* Blocks of a multiprocessor: more bytes on their way do not come faster. */
constexpr int kSumBlocks = 2;

/* Threads that share the smallest arrays. */
constexpr int kTinyGroup = 4;

/*
 * Tiny arrays have at most so many vectors; short ones between these, by what
 * else there is to do.
 */
constexpr int64_t kTinyVectors = 128;
constexpr int64_t kMinShortVectors = 64 * kWarp;
constexpr int64_t kMaxShortVectors = 512 * kWarp;

/*
 * Items that a thread may add on levels.  Each is at most 2^46 of a level's
 * units, so that 32 threads have at most 2^62; more than that must not be added
 * up in 64 bits.  Short arrays have no more vectors, see the assertion.
 */
constexpr int64_t kMaxLevelItems = 2048;

static_assert(kMaxShortVectors / kWarp * kItemsPerThread<float> /
					  kVectorsPerThread<float> <=
				  kMaxLevelItems,
			  "a lane's part of a short array");

/* Whole pieces of a chunk that a warp has at most: as many as tiles. */
constexpr int kMaxWarpTiles = 1023;

/* The more superaccumulators a block has, the fewer warps wait for one. */
constexpr int kMaxLaneSums = 4;

/* From one row of kSumWords to the next. */
constexpr int kAccumulatorStride = 80;

/*
 * A row's slots count the chunks that were added to them, of which an array
 * has kMostChunks, in their upper bits.  No chunk adds more than kMostOfChunk
 * to the others.
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
	uint32_t first_share; /* of the request's */
	uint32_t n_shares;
	uint32_t accumulator;
};

/*
 * If arrays are few, short ones get a small block each: as many threads as they
 * need.  One array has more of them, since then it takes fewer instructions,
 * which have to come to the multiprocessor first; of several each has fewer
 * warps, since the host adds up what these leave.
 */
constexpr int64_t kSmallVectors = 1024; /* the most that such an array has */

/* Vectors of each of their threads. */
template <bool kIsSingle>
constexpr int kSmallPerThread = kIsSingle ? 1 : 4;

/*
 * What a warp of a small block leaves in memory of the host: totals, each of
 * them small_spacing() bits above the one before, and a tail.  The memory is
 * zero before, and each word has a bit that is not, so that it tells by itself
 * that it is there.
 */
struct alignas(32) WarpResult
{
	uint64_t total[3]; /* small_word() */
	uint64_t tail;	   /* small_tail() */
};

constexpr int kWarpResultWords = sizeof(WarpResult) / sizeof(uint64_t);

__host__ __device__ constexpr uint64_t
flagged_word(int64_t x)
{
	return uint64_t(x) << 1 | 1;
}

/* place is that of the first total's unit, over that of cells; or this. */
constexpr int32_t kPlaceRefused = -1;

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

/* Arrays that travel with the launch, if there are no more. */
constexpr int kMaxInline = 32;

struct SumParamsBase
{
	uint32_t n_arrays;
	uint32_t n_shares;
	uint32_t n_warps;	  /* of a small block */
	uint32_t n_lane_sums; /* superaccumulators of a block: kMostLanes, or
								 * what there is shared memory for */
	unsigned long long *accumulators; /* of arrays with many chunks */
	int64_t *long_sums;		  /* where those leave their slots, or NULL: with
								 * the other results */
	WarpResult *warp_results; /* n_warps for each result */
	Output out;
};

/* Buffer for one array is enough if it is alone: what travels takes time. */
template <typename A, int kCapacity = kMaxInline>
struct SumParams : SumParamsBase
{
	const A *arrays; /* in device memory, or NULL: see `few` */
	A inline_arrays[kCapacity];

	/* The same job of its only array. */
	SumParams<A, 1>
	single() const
	{
		return SumParams<A, 1>{*this, nullptr, {inline_arrays[0]}};
	}
};

template <bool kIsSingle>
using LongParams = SumParams<LongArray, kIsSingle ? 1 : kMaxInline>;

/* A block for each small array, in place of a group's threads. */
constexpr int kSmallBlock = 0;

/*
 * Launch one class of arrays of a type.  group is kTinyGroup, kWarp, or
 * kSmallBlock.
 */
extern cudaError_t launch_short_sums(GaElementType type, int group,
									 const SumParams<ShortArray> &params,
									 int max_blocks, cudaStream_t stream);
extern cudaError_t launch_long_sums(GaElementType type,
									const SumParams<LongArray> &params,
									int max_blocks, cudaStream_t stream);

/*
 * Make the kernels known to the device; blocks of each that fill it.  Long
 * arrays: of integers, of floats.
 */
extern cudaError_t prepare_sums(int n_multiprocessors, int n_lane_sums,
								int *short_blocks, int *long_blocks);

#endif /* GA_SUM_H */
