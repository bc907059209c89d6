/*
 * scan.h
 *		What the host tells the kernels of running totals.
 *
 * Short arrays, with nothing before them, are done by a warp or by eight
 * threads each.  Others are cut into tiles; blocks take tiles in order, and
 * each finds what came before its tile by looking back over the sums that the
 * tiles before it have published (Merrill and Garland, "Single-pass parallel
 * prefix scan with decoupled look-back", 2016).  All that is passed from
 * thread to thread is integers, so the order in which it happens is of no
 * consequence.
 *
 * Floats are cut into multiples of the units of a grid (exact_sum.h).  An
 * array for which the grid does not do is marked as refused, and done again by
 * exact_scan.cu, whatever its elements are.
 */
#ifndef GA_SCAN_H
#define GA_SCAN_H

#include "cells.cuh"

constexpr int kScanItems = 16; /* that a thread has of a tile */

/*
 * Threads that work at a tile.  Large tiles pay, but three of them have to be
 * in a block's shared memory; small ones fit everywhere.
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

/* Threads of a block that does short arrays, and those that share the least. */
constexpr int kScanThreads = 256;
constexpr int kTinyScanGroup = 8;

/* A tiny or short array has at most so many elements. */
constexpr uint32_t kTinyScan = kTinyScanGroup * kScanItems - 8;
constexpr uint32_t kShortScan = 2048;

constexpr int kMostLevels = 3;

/* Words of a tile's state; a power of 2 that is at least the levels. */
template <int kLevels>
constexpr int kStateWords = kLevels == 2 ? 2 : 4;

struct DeviceScan
{
	const void *in;
	void *out;
	uint32_t n;
	uint32_t result;
	uint32_t first_tile; /* of the request's; long arrays only */
	uint32_t n_tiles;
};

/* Where an array's totals start, and for floats the units they count in. */
struct ScanStart
{
	int64_t before[kMostLevels]; /* in units of the levels; of integers,
										 * both halves of 128 bits */
	int32_t unit;				 /* exponent of the first level's unit */
	uint32_t no_grid;			 /* there is none, for what came before */
	uint32_t has_before;		 /* something came before */
	uint32_t only_neg_zeros;	 /* nothing did, or nothing but minus zeros */
	uint32_t n_levels;			 /* of the grid; 0 is to be chosen, with unit */
};

struct ScanOutcome
{
	GaPartialSum sum;  /* without its minus zeros */
	uint64_t overflow; /* ~index of the first total that does not fit;
								 * 0 if all do */
	uint32_t n_neg_zero;
	uint8_t refused;  /* a grid of so many levels did not do; 0 is
								 * none */
	uint8_t n_levels; /* of the grid; 0 but for long arrays */
	int16_t unit;	  /* exponent of its first unit */
};

struct ScanJob
{
	const DeviceScan *arrays; /* in device memory, or NULL: see `alone` */
	const ScanStart *starts;  /* one for each array; long arrays only */
	ScanOutcome *outcomes;	  /* by result */
	uint64_t *states;		  /* of tiles, zero; long arrays only */
	uint32_t *ticket;		  /* zero; the next tile */
	uint32_t n_arrays;
	uint32_t n_tiles;

	/*
	 * A long array that is alone, with nothing before it if it is of floats.
	 * Then this is all that there is to be done, grid and outcome included;
	 * and memory is made zero for the next request.
	 */
	DeviceScan alone;
	ScanStart start; /* without a grid, or with one that is tried */
	int4 *clear;
	uint32_t n_clear; /* vectors of 16 bytes */
};

/* Which kernel: the request's type, totals and direction, and the device. */
struct ScanKind
{
	GaElementType type;
	GaScanTotals totals;
	bool exclusive;
	bool large_tiles; /* blocks may have kLargeTileShared bytes */
};

extern cudaError_t launch_scan_tiles(const ScanKind &kind, const ScanJob &job,
									 int n_multiprocessors,
									 cudaStream_t stream);

/* group is kTinyScanGroup or kWarp. */
extern cudaError_t launch_short_scans(const ScanKind &kind, int group,
									  const ScanJob &job, int n_multiprocessors,
									  cudaStream_t stream);

/*
 * exact_scan.cu
 */

/* Elements that a thread adds one by one, and those in a segment. */
constexpr uint32_t kWideChunk = 64;
constexpr uint32_t kWideSegment = 1 << 22;
constexpr uint32_t kWideChunks = kWideSegment / kWideChunk;

/* Threads that add up what is in the same slot of chunks. */
constexpr int kSlotThreads = 1024;

/* The chunks of a segment of an array: a multiple of kSlotThreads. */
static inline uint32_t
wide_chunks(uint64_t n)
{
	const uint64_t own = (n + kWideChunk - 1) / kWideChunk;

	return own >= kWideChunks ?
			   kWideChunks :
			   uint32_t((own + kSlotThreads - 1) / kSlotThreads * kSlotThreads);
}

/* Arrays of at most so many elements are done by a thread. */
constexpr uint32_t kWideAlone = 2 * kShortScan;

/* An array that a grid refused. */
struct WideArray
{
	DeviceScan array;
	uint32_t request_index;
	int64_t n_before; /* elements that came before */
	int64_t *row;	  /* kSumWords: the sum so far, brought up to date */
};

/*
 * Choose the grids of floats, with no fewer levels than these, where starts do
 * not name one that is to be tried; and put them down in the outcomes, which
 * have nothing else then.  before[i] is the GaExactSum before array i on the
 * device, or NULL.  n_clear words are made zero.
 */
extern cudaError_t
launch_scan_starts(GaElementType type, const DeviceScan *arrays,
				   const void *const *before, ScanStart *starts,
				   uint32_t n_arrays, int least_levels, ScanOutcome *outcomes,
				   uint64_t *clear, uint32_t n_clear, cudaStream_t stream);

/* Arrays of at most kWideAlone elements, in device memory. */
extern cudaError_t launch_wide_short(const ScanKind &kind,
									 const WideArray *arrays, uint32_t n_arrays,
									 ScanOutcome *outcomes,
									 cudaStream_t stream);

/* One long array; room is for kSumWords * wide_chunks(n) integers. */
extern cudaError_t launch_wide_long(const ScanKind &kind,
									const WideArray &array, int64_t *room,
									ScanOutcome *outcomes, cudaStream_t stream);

#endif /* GA_SCAN_H */
