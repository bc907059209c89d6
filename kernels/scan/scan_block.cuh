/*
 * scan_block.cuh
 *		The shared memory of a block that makes running totals, and the state
 *		of a tile in device memory.
 */
#ifndef GA_SCAN_BLOCK_CUH
#define GA_SCAN_BLOCK_CUH

#include "block_barriers.cuh"
#include "thread_scan.cuh"
#include "tile.cuh"

/* Tiles in shared memory: one is loaded, one added up, one gets its totals. */
constexpr int kStages = 3;

/* Indices of tiles that are kept, longer than the tiles. */
constexpr int kTileIndices = 8;

template <typename T, typename Total, int W>
struct TileShared
{
	static constexpr int kWorkers = W;
	static constexpr int kThreads = kWorkers + 2 * kWarp;
	static constexpr int kWarps = kWorkers / kWarp;
	static constexpr int kTile = kWorkers * kScanItems;
	static constexpr int kInVectors = kTile * sizeof(T) / kVectorBytes;
	static constexpr int kOutVectors = kTile * sizeof(Total) / kVectorBytes;
	static constexpr bool kInPlace = sizeof(T) == sizeof(Total);
	static constexpr int kLevels = ThreadScan<T, Total>::kLevels;
	using Sum = Levels<kLevels>;

	int4 in[kStages][kInVectors];
	int4 out[kInPlace ? 1 : kOutVectors];
	uint32_t tile[kTileIndices]; /* the block's i-th tile, at i % kTileIndices;
								  * job.n_tiles or more: there is none */
	ScanStart start;
	TileSumBarrier<W> tile_sum_barrier;
	PrefixBarrier<W> prefix_barrier;
	Sum warp_sum[2][kWarps]; /* from the workers to the publisher warp */
	Sum tile_sum[2];		 /* from the publisher to the look-back warp */
	Sum prefix_in_tile[2][kWarps]; /* ... for each worker warp */
	Sum prefix[2][kWarps];		   /* from there to the workers, complete */
};

/* Return the state of a tile in device memory. */
template <typename T, typename Total>
static __device__ __forceinline__ uint64_t *
state_of(const ScanJob &job, uint32_t tile)
{
	return job.states +
		   uint64_t(tile) * kStateWords<ThreadScan<T, Total>::kLevels>;
}

#endif /* GA_SCAN_BLOCK_CUH */
