/*
 * scan_tiles.cuh
 *		Running totals of an array that is cut into tiles.
 *
 * A block has W workers and two warps that serve them, the look-back warp and
 * the publisher warp.  For the tiles of a block, one after the other,
 *
 *	- the look-back warp takes a ticket, the index of the tile, and passes
 *	  it on in shared memory;
 *	- the workers begin to load the tile to shared memory;
 *	- each worker adds up its kScanItems neighbouring items, and each warp its
 *	  lanes;
 *	- the publisher warp publishes the sum of the tile at once; the look-back
 *	  warp looks back for the sum before it, publishes the inclusive sum, and
 *	  passes the prefix of each worker warp to the workers;
 *	- the workers make the totals, in place of the items if they have the same
 *	  size, and write them to device memory.
 *
 * These overlap: during the look-back for a tile, the workers make the totals
 * of the tile before it and add up the one behind it, while the next is loaded.
 * So the sum of a tile is published long before its totals are made, and no
 * block has to wait for it.  In the beginning, while the first tiles are
 * loaded, the publisher warp of each block chooses the scale, unless there is
 * one.
 *
 * Grid: any number of blocks of W + 2 * kWarp threads; tiles are handed out by
 * ticket, in order, so that those a block waits for are always with a running
 * block.  Shared memory: one TileShared, dynamic.  The outcome is in device
 * memory; its sum is from the look-back warp that had the last tile.  If it
 * says that there are totals already, from scan_decimals(), nothing happens.
 */
#ifndef GA_SCAN_TILES_CUH
#define GA_SCAN_TILES_CUH

#include "scan_publisher.cuh"
#include "scan_look_back.cuh"

/*
 * Add up the items of a worker.  Returns the sum of those before them in the
 * warp; that of the warp goes to shared memory.
 */
template <typename T, typename Total, typename Scan, int W>
static __device__ __forceinline__ typename TileShared<T, Total, W>::Sum
add_up_tile(TileShared<T, Total, W> &shared, const int4 *in, int turn,
			ThreadOutcome &outcome, const Scan &scan)
{
	constexpr int kLevels = Scan::kLevels;
	Levels<kLevels> own;
	Levels<kLevels> inclusive;

	outcome = ThreadOutcome{};
	own = scan.add_up(ItemReader<T>{in}, outcome);
	inclusive = own;
	inclusive.scan_lanes();
	if (lane_id() == kWarp - 1)
		shared.warp_sum[turn][threadIdx.x / kWarp] =
			inclusive.template as<shared.kLevels>();
	shared.tile_sum_barrier.arrive(turn);
	inclusive.subtract(own);
	return inclusive.template as<shared.kLevels>();
}

/* Make the totals of a worker, given the sum before its items in the warp. */
template <typename T, typename Total, typename Scan, int W>
static __device__ __forceinline__ void
make_totals(TileShared<T, Total, W> &shared, const int4 *in, int4 *out,
			const ScanJob &job, uint32_t tile, int turn,
			const Levels<TileShared<T, Total, W>::kLevels> &prefix_in_warp,
			ThreadOutcome &outcome, const Scan &scan)
{
	constexpr int kLevels = Scan::kLevels;
	constexpr int kSize = Vector<Total>::kSize;
	const VectorSpan<T> run(job.in, job.n);
	const int index =
		int(tile) * shared.kTile - run.first + int(threadIdx.x) * kScanItems;
	Levels<kLevels> prefix = prefix_in_warp.template as<kLevels>();
	Vector<Total> vector;

	prefix.add(shared.prefix[turn][threadIdx.x / kWarp].template as<kLevels>());
	prefix.normalise();
	outcome.first = index < 0 ? -index : 0;
	scan.totals(ItemReader<T>{in}, prefix, outcome,
				[out, &vector](int i, Total total)
				{
					vector.item[i % kSize] = total;
					if (i % kSize == kSize - 1)
						out[permuted((threadIdx.x * kScanItems + i) / kSize)] =
							*reinterpret_cast<const int4 *>(&vector);
				});
	if constexpr (!Scan::kIsInt)
	{
		/* scales know only the zero that is positive */
		if (shared.start.no_scale ||
			(index <= 0 && shared.start.only_neg_zeros &&
			 is_neg_zero(load_mixed(run.base + run.first))))
			outcome.is_refused = true;
	}
	if (index + outcome.overflow >= int(job.n))
		outcome.overflow = kScanItems;
	add_outcome(*job.outcome, outcome, index, kLevels);
}

/* Load the first two tiles; wait for the first, and for the start. */
template <bool kIsPacked, typename T, typename Total, int W>
static __device__ __forceinline__ void
load_first_tiles(TileShared<T, Total, W> &shared, const ScanJob &job)
{
	for (int i = 0; i < 2; i++)
	{
		sync_block_barrier<kFirstTilesBarrier, W + kWarp>();
		if (shared.tile[i] < job.n_tiles)
			load_tile<T, W, kIsPacked>(shared.in[i], job, shared.tile[i]);
		__pipeline_commit();
	}
	sync_block_barrier<kStartBarrier, W + kWarp>();
	__pipeline_wait_prior(1);
	sync_block_barrier<kWorkersBarrier, W>();
}

/* Do the part of the workers in all tiles of the block. */
template <bool kIsPacked, typename T, typename Total, int W>
static __device__ __forceinline__ void
run_workers(TileShared<T, Total, W> &shared, const ScanJob &job)
{
	using Shared = TileShared<T, Total, W>;
	typename Shared::Sum prefix;
	typename Shared::Sum next_prefix;
	ThreadOutcome outcome;
	ThreadOutcome next_outcome;
	bool is_any;

	load_first_tiles<kIsPacked>(shared, job);
	is_any = shared.tile[0] < job.n_tiles;
	if (is_any)
		with_scan<T, Total>(
			shared.start, [&](auto scan)
			{ prefix = add_up_tile(shared, shared.in[0], 0, outcome, scan); });
	for (int i = 0; is_any; i++)
	{
		const uint32_t tile = shared.tile[i % kTileIndices];
		int4 *in = shared.in[i % kStages];
		int4 *out = Shared::kInPlace ? in : shared.out;
		uint32_t coming;

		/* the latency of this is hidden here */
		is_any = shared.tile[(i + 1) % kTileIndices] < job.n_tiles;
		__pipeline_wait_prior(0);
		sync_block_barrier<kWorkersBarrier, W>();
		if (is_any)
			with_scan<T, Total>(shared.start,
								[&](auto scan)
								{
									next_prefix = add_up_tile(
										shared, shared.in[(i + 1) % kStages],
										(i + 1) % 2, next_outcome, scan);
								});
		shared.prefix_barrier.wait(i);
		coming = shared.tile[(i + 2) % kTileIndices];
		if (coming < job.n_tiles)
			load_tile<T, W, kIsPacked>(shared.in[(i + 2) % kStages], job,
									   coming);
		__pipeline_commit();
		with_scan<T, Total>(shared.start,
							[&](auto scan) {
								make_totals(shared, in, out, job, tile, i % 2,
											prefix, outcome, scan);
							});
		sync_block_barrier<kWorkersBarrier, W>();
		store_tile<T, Total, W>(out, job, tile);
		prefix = next_prefix;
		outcome = next_outcome;
	}
}

template <typename T, typename Total, int W, bool kIsPacked>
static __global__ void
__launch_bounds__(W + 2 * kWarp, 1)
	scan_tiles(const __grid_constant__ ScanJob job)
{
	extern __shared__ __align__(16) unsigned char dynamic[];
	TileShared<T, Total, W> &shared =
		*reinterpret_cast<TileShared<T, Total, W> *>(dynamic);

	if (threadIdx.x == 0)
	{
		shared.tile_sum_barrier.pair.init();
		shared.prefix_barrier.pair.init();
	}
	__syncthreads();
	wait_for_previous_kernel();
	if (std::is_same<T, double>::value && kIsPacked &&
		job.outcome->n_levels == kDecimalLevels)
		return;
	if (threadIdx.x < W)
		run_workers<kIsPacked>(shared, job);
	else if (threadIdx.x < W + kWarp)
		run_look_back(shared, job);
	else
		run_publisher(shared, job);
}

#endif /* GA_SCAN_TILES_CUH */
