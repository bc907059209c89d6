/*
 * scan_look_back.cuh
 *		The look-back warp of a block: it takes tiles, and finds the prefix of
 *		each; see scan_tiles.cuh.
 */
#ifndef GA_SCAN_LOOK_BACK_CUH
#define GA_SCAN_LOOK_BACK_CUH

#include "look_back.cuh"
#include "scan_block.cuh"

/*
 * Takes tiles by ticket, in order over all blocks.  A ticket is taken one tile
 * ahead, because of its latency.
 */
struct TileTaker
{
	uint32_t ticket; /* in the first lane */

	__device__ __forceinline__ void
	take_ticket(const ScanJob &job)
	{
		if (lane_id() == 0)
			ticket = atomicAdd(job.ticket, 1);
	}

	/* Take the next tile: write its index. */
	__device__ __forceinline__ void
	take(const ScanJob &job, uint32_t &tile)
	{
		if (lane_id() == 0)
		{
			tile = ticket;
			if (ticket < job.n_tiles)
				take_ticket(job);
		}
		__syncwarp();
	}
};

/*
 * Find the sum before a tile, publish the inclusive sum, and pass the prefix of
 * each worker warp to the workers.
 */
template <typename T, typename Total, typename Scan, int W>
static __device__ __forceinline__ void
find_prefix(TileShared<T, Total, W> &shared, const ScanJob &job, uint32_t tile,
			int turn, const Scan &scan)
{
	constexpr int kLevels = Scan::kLevels;
	Levels<kLevels> inclusive = shared.tile_sum[turn].template as<kLevels>();
	Levels<kLevels> sum = look_back<kLevels>(
		job.states, kStateWords<ThreadScan<T, Total>::kLevels>, int(tile));

	sum.normalise();
	inclusive.add(sum);
	inclusive.normalise();
	if (lane_id() == 0)
	{
		publish(state_of<T, Total>(job, tile), inclusive, kInclusiveSum);
		if (tile == job.n_tiles - 1)
			put_sum(*job.outcome, scan, inclusive);
	}
	if constexpr (!Scan::kIsInt)
	{
		for (int k = 0; k < kLevels; k++)
			sum.word[k] += shared.start.prefix[k];
	}
	if (lane_id() < shared.kWarps)
	{
		sum.add(shared.prefix_in_tile[turn][lane_id()].template as<kLevels>());
		sum.normalise();
		shared.prefix[turn][lane_id()] = sum.template as<shared.kLevels>();
	}
	__syncwarp();
}

/* Take tiles until there are none left, and find their prefixes. */
template <typename T, typename Total, int W>
static __device__ __forceinline__ void
run_look_back(TileShared<T, Total, W> &shared, const ScanJob &job)
{
	TileTaker taker;

	taker.take_ticket(job);
	for (int i = 0; i < 2; i++)
	{
		taker.take(job, shared.tile[i]);
		sync_block_barrier<kFirstTilesBarrier, W + kWarp>();
	}
	sync_block_barrier<kPublishedBarrier, 2 * kWarp>();
	for (int i = 0; shared.tile[i % kTileIndices] < job.n_tiles; i++)
	{
		taker.take(job, shared.tile[(i + 2) % kTileIndices]);
		sync_block_barrier<kPublishedBarrier, 2 * kWarp>();

		const uint32_t tile = shared.tile[i % kTileIndices];

		with_scan<T, Total>(shared.start, [&](auto scan)
							{ find_prefix(shared, job, tile, i % 2, scan); });
		shared.prefix_barrier.arrive(i % 2);
	}
}

#endif /* GA_SCAN_LOOK_BACK_CUH */
