/*
 * scan_block.cuh
 *		What a block that makes running totals has in shared memory, and a tile
 *		in device memory.
 */
#ifndef GA_SCAN_BLOCK_CUH
#define GA_SCAN_BLOCK_CUH

#include "block_barriers.cuh"
#include "thread_scan.cuh"
#include "tile.cuh"

/* Tiles in shared memory: their totals are made, added up, on their way. */
constexpr int kStages = 3;

/* What is known of a tile is there longer. */
constexpr int kSlotsOfTiles = 8;

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
	Tile tile[kSlotsOfTiles];
	ScanStart alone; /* of an array that is alone, with its grid */
	AddedUp<W> added_up;
	LookedBack<W> looked_back;
	Sum warp_sum[2][kWarps];
	Sum before_in_tile[2][kWarps]; /* a warp; from herald to steward */
	Sum tile_sum[2];
	Sum before[2][kWarps]; /* a warp, all of it; from steward to workers */
};

/* A tile's state in device memory. */
template <typename T, typename Total>
static __device__ __forceinline__ uint64_t *
state_of(const ScanJob &job, const Tile &tile)
{
	return job.states +
		   uint64_t(tile.index) * kStateWords<ThreadScan<T, Total>::kLevels>;
}

#endif /* GA_SCAN_BLOCK_CUH */
