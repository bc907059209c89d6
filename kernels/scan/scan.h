/*
 * scan.h
 *		The interface between the host and the kernels of running totals.
 *
 * A request has one array, or a segment of one with the sum of all before it,
 * the prefix.  A short array without a prefix is done by one warp
 * (scan_short.cuh).  Others are cut into tiles (scan_tiles.cuh); blocks take
 * tiles in order, and each finds the sum before its tile by looking back over
 * the sums that the tiles before it have published (Merrill and Garland,
 * "Single-pass parallel prefix scan with decoupled look-back", 2016).  Threads
 * exchange integers only, so the order of events does not matter.
 *
 * Floats are cut into multiples of the units of a scale (exact_sum.h).  If the
 * scale does not do for an array, the outcome says that it was refused, and
 * exact_scan.cu makes the totals, whatever the elements are.
 */
#ifndef GA_SCAN_H
#define GA_SCAN_H

#include "cells.cuh"

constexpr int kScanItems = 16; /* elements of a tile that a thread has */

/*
 * Threads that work at a tile.  Large tiles are faster, but three of them have
 * to fit in the shared memory of a block; small ones fit on all devices.
 */
constexpr int
small_tile(size_t total_size)
{
	return total_size == 16 ? 64 : 128;
}

constexpr int
large_tile(size_t total_size)
{
	return total_size == 16 ? 256 : 512;
}

constexpr int kLargeTileShared = 220 << 10;

/* An array that one warp does has at most so many elements. */
constexpr uint32_t kShortScan = 2048;

constexpr int kMostLevels = 3;

/* The levels that outcomes give for decimals (scan_decimals.cuh): no scale. */
constexpr int kDecimalLevels = 1;

/* Words of the state of a tile; a power of 2 that is at least the levels. */
template <int kLevels>
constexpr int kStateWords = kLevels == 2 ? 2 : 4;

/* Where the totals of an array start, and for floats the scale. */
struct ScanStart
{
	int64_t prefix[kMostLevels]; /* in units of the levels; of integers, the
								  * two halves of 128 bits */
	int32_t unit;				 /* exponent of the unit of the first level */
	uint32_t no_scale;			 /* the prefix is on no scale */
	uint32_t only_neg_zeros;	 /* the prefix is empty, or minus zeros only */
	uint32_t n_levels;			 /* of the scale; 0: scale is to be chosen */
};

/* What the kernels find out about an array. */
struct ScanOutcome
{
	GaPartialSum sum;  /* of its elements, without the minus zeros */
	uint64_t overflow; /* ~index of the first total beyond its type; 0 if
						* there is none */
	uint32_t n_neg_zero;
	uint8_t refused;  /* levels of a scale that did not do, or 0 */
	uint8_t n_levels; /* of the scale; 0 for short arrays */
	int16_t unit;	  /* exponent of the unit of the first level */
};

/*
 * What a kernel is given: an array in device memory, and where to put totals
 * and outcome.  All that follows the outcome is for arrays of tiles.
 */
struct ScanJob
{
	const void *in;
	void *out;
	uint32_t n;
	uint32_t n_tiles;
	ScanOutcome *outcome; /* zero, or as prepare_scan leaves it */
	uint64_t *states;	  /* of the tiles, zero */
	uint32_t *ticket;	  /* the next tile, zero */
	ScanStart *prepared;  /* the start, from prepare_scan; NULL: `start` is
						   * complete but for the scale, which each block
						   * chooses for itself */
	ScanStart start;
	int4 *clear; /* memory to be made zero, for another kernel */
	uint32_t n_clear;
};

/* Which kernel: the types of the request, and the size of tiles. */
struct ScanKind
{
	GaElementType type;
	GaScanTotals totals;
	bool large_tiles; /* blocks may have kLargeTileShared bytes */
};

/*
 * scan.cu: submit the totals of an array of tiles, or of a short one.
 */
extern cudaError_t launch_scan_tiles(const ScanKind &kind, const ScanJob &job,
									 int n_multiprocessors,
									 cudaStream_t stream);
extern cudaError_t launch_short_scan(const ScanKind &kind, const ScanJob &job,
									 cudaStream_t stream);

/*
 * exact_scan.cu
 */

/*
 * Submit prepare_scan: choose the scale of an array of floats for its totals
 * and its prefix, with no fewer levels than these, unless the job's start names
 * one that is to be tried.  The start goes to job.prepared, the outcome is
 * initialised, and job.clear is made zero.  The prefix is a GaExactSum of so
 * many bytes, or NULL.
 */
extern cudaError_t launch_prepare_scan(GaElementType type, const ScanJob &job,
									   const void *prefix, size_t prefix_bytes,
									   int least_levels, cudaStream_t stream);

/* Elements that a thread of the exact fallback adds one by one: its tile. */
constexpr uint32_t kExactTile = 64;

/* Elements of a pass of the exact fallback, and their tiles. */
constexpr uint32_t kExactPass = 1 << 22;
constexpr uint32_t kExactTiles = kExactPass / kExactTile;

/* Threads that add up the same word of all tiles. */
constexpr int kWordThreads = 1024;

/* Return the tiles of a pass of an array: a multiple of kWordThreads. */
static inline uint32_t
exact_tiles(uint64_t n)
{
	const uint64_t own = (n + kExactTile - 1) / kExactTile;

	return own >= kExactTiles ?
			   kExactTiles :
			   uint32_t((own + kWordThreads - 1) / kWordThreads * kWordThreads);
}

/*
 * Submit the exact fallback for floats.  In device memory: sum_words,
 * kSumWords integers: the prefix, of n_prefix elements, which becomes the sum
 * of all; and kSumWords * exact_tiles(n) integers with any content.
 */
extern cudaError_t launch_exact_scan(GaElementType type, const ScanJob &job,
									 int64_t *sum_words, int64_t n_prefix,
									 int64_t *words, cudaStream_t stream);

#endif /* GA_SCAN_H */
