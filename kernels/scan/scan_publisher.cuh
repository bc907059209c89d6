/*
 * scan_publisher.cuh
 *		The warp of a block that tells what its tiles add up to; see
 *		scan_tiles.cuh.
 */
#ifndef GA_SCAN_PUBLISHER_CUH
#define GA_SCAN_PUBLISHER_CUH

#include "choose_scale.cuh"
#include "look_back.cuh"
#include "scan_block.cuh"

/* The sum of a worker warp's part of a tile, each in a lane; a whole warp. */
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

/* Choose the grid of an array that is alone; the herald, in each block. */
template <typename T, typename Total, int W>
static __device__ __forceinline__ void
prepare_alone(TileShared<T, Total, W> &shared, const ScanJob &job)
{
	ScanStart start = job.start;

	if constexpr (!ThreadScan<T, Total>::kIsInt)
	{
		choose_grid<T>(start, job.alone, 2, INT32_MIN);
		if (blockIdx.x == 0 && lane_id() == 0)
		{
			job.outcomes->n_levels = uint8_t(start.n_levels);
			job.outcomes->unit = int16_t(start.unit);
		}
	}
	if (lane_id() == 0)
		shared.alone = start;
	__syncwarp();
}

/* Make memory zero for the next request; the herald. */
static __device__ __forceinline__ void
clear_for_next(const ScanJob &job)
{
#pragma unroll 1
	for (uint32_t i = blockIdx.x * kWarp + lane_id(); i < job.n_clear;
		 i += gridDim.x * kWarp)
		job.clear[i] = int4{};
}

/*
 * Publish the sum of a tile that has been added up, and then find what comes
 * before each warp in it; the herald.
 */
template <typename T, typename Total, typename Scan, int W>
static __device__ __forceinline__ void
announce_tile(TileShared<T, Total, W> &shared, const ScanJob &job,
			  const Tile &tile, int turn, const Scan &)
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
	sum.scan(kWarp);
	sum.subtract(own);
	if (lane_id() < shared.kWarps)
		shared.before_in_tile[turn][lane_id()] =
			sum.template as<shared.kLevels>();
}

/* The herald's life. */
template <typename T, typename Total, int W>
static __device__ __forceinline__ void
announce(TileShared<T, Total, W> &shared, const ScanJob &job)
{
	if (job.arrays == nullptr)
		prepare_alone(shared, job);
	meet<kAnnounced, 2 * kWarp>();
	meet<kAnnounced, 2 * kWarp>();
	clear_for_next(job);
	for (int i = 0; shared.tile[i % kSlotsOfTiles].is_any; i++)
	{
		const Tile &tile = shared.tile[i % kSlotsOfTiles];

		shared.added_up.wait(i);
		with_scan<T, Total>(tile.start, [&](auto scan)
							{ announce_tile(shared, job, tile, i % 2, scan); });
		meet<kAnnounced, 2 * kWarp>();
	}
}

#endif /* GA_SCAN_PUBLISHER_CUH */
