/*
 * window.h
 *		Parameters and launches of the kernels of windows.
 *
 * A bucket has a thread, a group of lanes or a warp, by its size; a block has
 * many windows that move or run.  The record of a window, as that of a position
 * (elem/elem.h), becomes a value by another kernel.  Differences are values at
 * once.
 *
 * Called by host/request_window.cu.
 */
#ifndef GA_WINDOW_KERNELS_H
#define GA_WINDOW_KERNELS_H

#include "elem/elem.h"

constexpr int kWindowThreads = 128;

/* Blocks per multiprocessor that registers leave room for. */
constexpr int kWindowBlocks = 5;

/*
 * The lanes of a group, and the fewest elements of a window that has one, or a
 * warp.  Warps have packed windows from fewer elements on, since a warp decodes
 * them together, and a few windows, which would not be enough groups to fill a
 * device.
 */
constexpr int kWindowGroup = 8;
constexpr uint32_t kGroupWindow = 32;
constexpr uint32_t kWarpWindow = 1024;
constexpr uint32_t kWarpWindowOfFew = 64;
constexpr uint32_t kFewWindows = 8192;

/* A lane adds no more elements than a share of arrays may have. */
static_assert(GA_WINDOW_MOST / kWarp <= kMaxShareArrays &&
				  kWarpWindow <= kMaxShareArrays,
			  "the elements of a thread");

/* Pieces that are parameters, with the empty one behind them. */
constexpr uint32_t kInlinePieces = 40;

struct WindowParams
{
	const WindowPiece *pieces; /* behind the last one is one that is empty */
	WindowPiece inline_pieces[kInlinePieces]; /* if there is no list */
	uint32_t n_pieces;
	GaWindows windows;
	uint32_t first; /* window */
	uint32_t n_windows;
	bool any_packed;	/* are any pieces? */
	void *records;		/* GaPartialSum, or int64_t of extremes */
	int64_t *of_blocks; /* extreme_blocks() keys */
};

/* Add the elements of each window. */
extern cudaError_t launch_window_sums(GaElementType type,
									  const WindowParams &params,
									  cudaStream_t stream);

/* Return the blocks of which a launch keeps the extremes. */
extern uint32_t extreme_blocks(const WindowParams &params);

/* Find the extreme of each window. */
extern cudaError_t launch_window_extremes(GaElementType type, bool is_max,
										  const WindowParams &params,
										  cudaStream_t stream);

/*
 * Make the differences of neighbors, and count those that have none behind the
 * values (window_delta.cu).
 */
extern cudaError_t launch_window_deltas(GaElementType type,
										const WindowParams &params,
										unsigned long long *values,
										cudaStream_t stream);

#endif /* GA_WINDOW_KERNELS_H */
