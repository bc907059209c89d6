/*
 * scan_look_back.cuh
 *		The warp of a block that takes tiles, and looks back for what came before
 *		them; see scan_tiles.cuh.
 */
#ifndef GA_SCAN_LOOK_BACK_CUH
#define GA_SCAN_LOOK_BACK_CUH

#include "find_array.cuh"
#include "look_back.cuh"
#include "scan_block.cuh"

/*
 * Takes tiles, for all the block to see; the steward.  The ticket is taken one
 * tile ahead, since it takes its time, and the last array is kept, since the
 * next tile is mostly of the same.
 */
struct TileTaker
{
	uint32_t ticket; /* in the first lane */
	DeviceScan array;
	ScanStart start;

	__device__ __forceinline__ void
	take_ticket(const ScanJob &job)
	{
		if (lane_id() == 0)
			ticket = atomicAdd(job.ticket, 1);
	}

	__device__ __forceinline__ void
	begin(const ScanJob &job)
	{
		array = job.arrays == nullptr ? job.alone : DeviceScan{};
		start = ScanStart{};
		take_ticket(job);
	}

	/* The next one. */
	__device__ __forceinline__ void
	take(const ScanJob &job, Tile &tile)
	{
		const uint32_t index = __shfl_sync(kFullMask, ticket, 0);

		if (index < job.n_tiles)
			take_ticket(job);
		set(job, tile, index);
	}

	__device__ __forceinline__ void
	set(const ScanJob &job, Tile &tile, uint32_t index)
	{
		const bool is_any = index < job.n_tiles;

		if (is_any && index - array.first_tile >= array.n_tiles)
		{
			uint32_t i = find_array(job.n_arrays, index,
									[&job](uint32_t k) {
										return __ldg(&job.arrays[k].first_tile);
									});

			array = job.arrays[i];
			start = job.starts[i];
		}
		if (lane_id() == 0)
		{
			tile.array = array;
			tile.start = start;
			tile.index = index;
			tile.is_any = is_any;
		}
		__syncwarp();
	}
};

/*
 * Learn what came before a tile, publish the sum of all up to its end, and tell
 * each of the workers' warps what comes before it; the steward.
 */
template <typename T, typename Total, typename Scan, int W>
static __device__ __forceinline__ void
look_back_for(TileShared<T, Total, W> &shared, const ScanJob &job,
			  const Tile &tile, int turn, const Scan &scan)
{
	constexpr int kLevels = Scan::kLevels;
	Levels<kLevels> whole = shared.tile_sum[turn].template as<kLevels>();
	Levels<kLevels> sum = look_back<kLevels>(
		job.states, kStateWords<ThreadScan<T, Total>::kLevels>,
		int(tile.array.first_tile), int(tile.index));

	whole.add(sum);
	whole.normalise();
	if (lane_id() == 0)
	{
		publish(state_of<T, Total>(job, tile), whole, kWholeSum);
		if (tile.own() == tile.array.n_tiles - 1)
			put_sum(job.outcomes[tile.array.result], scan, whole);
	}
	if constexpr (!Scan::kIsInt)
	{
		for (int k = 0; k < kLevels; k++)
			sum.word[k] += tile.start.before[k];
	}
	if (lane_id() < shared.kWarps)
	{
		sum.add(shared.before_in_tile[turn][lane_id()].template as<kLevels>());
		sum.normalise();
		shared.before[turn][lane_id()] = sum.template as<shared.kLevels>();
	}
	__syncwarp();
}

/* The steward's life. */
template <typename T, typename Total, int W>
static __device__ __forceinline__ void
serve(TileShared<T, Total, W> &shared, const ScanJob &job)
{
	TileTaker taker;

	taker.begin(job);
	taker.take(job, shared.tile[0]);
	meet<kFirstTiles, W + kWarp>();
	taker.take(job, shared.tile[1]);
	meet<kFirstTiles, W + kWarp>();
	meet<kAnnounced, 2 * kWarp>();
	if (job.arrays == nullptr)
	{
		taker.start = shared.alone;
		if (lane_id() == 0)
			shared.tile[0].start = shared.tile[1].start = taker.start;
		__syncwarp();
	}
	meet<kAnnounced, 2 * kWarp>();
	meet<kFirstTiles, W + kWarp>();
	for (int i = 0; shared.tile[i % kSlotsOfTiles].is_any; i++)
	{
		taker.take(job, shared.tile[(i + 2) % kSlotsOfTiles]);
		meet<kAnnounced, 2 * kWarp>();

		const Tile &tile = shared.tile[i % kSlotsOfTiles];

		with_scan<T, Total>(tile.start, [&](auto scan)
							{ look_back_for(shared, job, tile, i % 2, scan); });
		shared.looked_back.tell(i % 2);
	}
}

#endif /* GA_SCAN_LOOK_BACK_CUH */
