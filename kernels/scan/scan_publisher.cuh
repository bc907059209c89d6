/*
 * scan_publisher.cuh
 *		The publisher warp of a block: it publishes the sums of tiles; see
 *		scan_tiles.cuh.
 */
#ifndef GA_SCAN_PUBLISHER_CUH
#define GA_SCAN_PUBLISHER_CUH

#include "choose_scale.cuh"
#include "look_back.cuh"
#include "scan_block.cuh"

/*
 * Put the start in shared memory: the prepared one, or one whose scale is
 * chosen here, by each block for itself.
 */
template <typename T, typename Total, int W>
static __device__ __forceinline__ void
put_start(TileShared<T, Total, W> &shared, const ScanJob &job)
{
	ScanStart start = job.start;

	if (job.prepared != nullptr)
		start = *job.prepared;
	else if constexpr (!ThreadScan<T, Total>::kIsInt)
	{
		choose_scale<T>(start, job, 2, INT32_MIN);
		if (blockIdx.x == 0 && lane_id() == 0)
		{
			job.outcome->n_levels = uint8_t(start.n_levels);
			job.outcome->unit = int16_t(start.unit);
		}
	}
	if (lane_id() == 0)
		shared.start = start;
	__syncwarp();
}

/* Clear the job's memory. */
static __device__ __forceinline__ void
clear_memory(const ScanJob &job)
{
#pragma unroll 1
	for (uint32_t i = blockIdx.x * kWarp + lane_id(); i < job.n_clear;
		 i += gridDim.x * kWarp)
		job.clear[i] = int4{};
}

/* Return, in the lane of each worker warp, the sum of its part of a tile. */
template <int kLevels, typename T, typename Total, int W>
static __device__ __forceinline__ Levels<kLevels>
sum_of_warp(const TileShared<T, Total, W> &shared, int turn)
{
	Levels<kLevels> sum;

	sum.clear();
	if (lane_id() < shared.kWarps)
		sum = shared.warp_sum[turn][lane_id()].template as<kLevels>();
	return sum;
}

/*
 * Publish the sum of a tile, then scan the sums of the worker warps: what
 * precedes each of them in the tile.
 */
template <typename T, typename Total, typename Scan, int W>
static __device__ __forceinline__ void
publish_tile(TileShared<T, Total, W> &shared, const ScanJob &job, uint32_t tile,
			 int turn, const Scan &)
{
	using Sum = Levels<Scan::kLevels>;
	const Sum own = sum_of_warp<Scan::kLevels>(shared, turn);
	Sum sum = own;

	sum.add_lanes();
	sum.normalise();
	if (lane_id() == 0)
	{
		publish(state_of<T, Total>(job, tile), sum, kOwnSum);
		shared.tile_sum[turn] = sum.template as<shared.kLevels>();
	}
	sum = own;
	sum.scan_lanes();
	sum.subtract(own);
	if (lane_id() < shared.kWarps)
		shared.prefix_in_tile[turn][lane_id()] =
			sum.template as<shared.kLevels>();
}

/* Publish the sums of all tiles of the block. */
template <typename T, typename Total, int W>
static __device__ __forceinline__ void
run_publisher(TileShared<T, Total, W> &shared, const ScanJob &job)
{
	put_start(shared, job);
	sync_block_barrier<kStartBarrier, W + kWarp>();
	sync_block_barrier<kPublishedBarrier, 2 * kWarp>();
	clear_memory(job);
	for (int i = 0; shared.tile[i % kTileIndices] < job.n_tiles; i++)
	{
		const uint32_t tile = shared.tile[i % kTileIndices];

		shared.tile_sum_barrier.wait(i);
		with_scan<T, Total>(shared.start, [&](auto scan)
							{ publish_tile(shared, job, tile, i % 2, scan); });
		sync_block_barrier<kPublishedBarrier, 2 * kWarp>();
	}
}

#endif /* GA_SCAN_PUBLISHER_CUH */
