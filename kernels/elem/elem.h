/*
 * elem.h
 *		Parameters and launches of the kernels of sums and extremes by
 *		position; for kernels and host.
 *
 * The positions of a piece are divided among blocks, and the arrays into
 * shares.  A thread has the positions of one vector, and adds the arrays of one
 * share.  If there are several shares, a second kernel combines their records;
 * and another one rounds them, if that is wanted.  The record of a sum is a
 * GaPartialSum, that of an extreme an int64_t.
 *
 * Called by host/request_elem.cu.
 */
#ifndef GA_ELEM_H
#define GA_ELEM_H

#include "cells.cuh"
#include "exact/elem_form.h"

constexpr int kElemThreads = 128;

/*
 * Blocks per multiprocessor: as many as leave the columns of a thread, and a
 * tile, in registers.
 */
constexpr int kElemBlocks = 4;

/* Arrays of which a thread loads elements at once: a tile. */
constexpr int kTileArrays = 8;

/*
 * Most arrays of a share: with as many elements, each of 2^46 units of a level
 * at most, a thread's totals are 2^62 at most.
 */
constexpr uint32_t kMaxShareArrays = 1 << 16;

/* A piece of all arrays. */
struct ElemPiece
{
	uint32_t n; /* positions */
	uint32_t first_position;
	uint32_t first_block; /* of its blocks in a share */
	bool is_aligned;	  /* to vectors, in all arrays */
};

struct ElemParams
{
	/* Of piece p and array r: addresses[p * n_arrays + r]. */
	const uint64_t *addresses;
	const ElemPiece *pieces;
	uint32_t n_pieces;
	uint32_t n_arrays;
	uint32_t share_arrays; /* arrays of a share; the last one may have fewer */
	uint32_t n_shares;
	uint32_t n_blocks; /* of a share */
	uint32_t n_positions;
	bool any_packed; /* are any arrays? */

	/* Of the first share, then of the next ones; and of all shares. */
	void *records;
	void *results;
};

/* A piece of the array of windows, or of one of several. */
struct WindowPiece
{
	GaDeviceAddress data;
	uint32_t first; /* the number of its first element */
	uint32_t end;	/* behind the last one of its array */
};

/* Records that are to be rounded, one for each position or window. */
struct ElemRounding
{
	const GaPartialSum *records;
	unsigned long long *values; /* behind them how many have none: 0 at first */
	uint32_t n_positions;
	uint32_t first;			   /* window; 0 of positions */
	GaWindows windows;		   /* whose elements were added; see all_of() */
	const WindowPiece *pieces; /* if there are several arrays */
	uint32_t n_pieces;
	GaElementType type;
	GaElemForm form;
	bool is_int;
};

/* Records of extremes, of which values are to be made. */
struct ExtremeRecords
{
	const int64_t *records; /* of the first share, then of the next ones */
	uint64_t *values;
	uint32_t n_positions;
	uint32_t n_shares;
};

/* Return windows each of which has all n elements: those of a position. */
constexpr GaWindows
all_of(uint32_t n)
{
	return GaWindows{n, 0, 0, n};
}

/* Return the positions of a block. */
constexpr uint32_t
elem_block_positions(size_t element_size)
{
	return uint32_t(kElemThreads * kVectorBytes / element_size);
}

/* Add the arrays of each share. */
extern cudaError_t launch_elem(GaElementType type, const ElemParams &params,
							   cudaStream_t stream);

/* Combine the records of several shares. */
extern cudaError_t launch_elem_combine(const ElemParams &params,
									   cudaStream_t stream);

/* Find the extremes of each share (elem_extreme.cu). */
extern cudaError_t launch_elem_extremes(GaElementType type, bool is_max,
										const ElemParams &params,
										cudaStream_t stream);

/* Make values of the extremes of all shares; of windows there is one. */
extern cudaError_t launch_extreme_values(GaElementType type, bool is_max,
										 const ExtremeRecords &records,
										 cudaStream_t stream);

/* Round records (elem_round.cu). */
extern cudaError_t launch_elem_round(const ElemRounding &rounding,
									 cudaStream_t stream);

#endif /* GA_ELEM_H */
