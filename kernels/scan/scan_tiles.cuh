/*
 * scan_tiles.cuh
 *		Running totals of long arrays: blocks take tiles in turn.
 *
 * A block has threads that work at tiles and two warps that look after them, the
 * steward and the herald.  Of the tiles of a block, one after the other,
 *
 *	- the steward takes a ticket, finds out where the tile is, and passes that
 *	  on in shared memory (in the beginning, the herald chooses a grid for an
 *	  array that is alone: each block for itself, while its first tiles come);
 *	- the workers have it copied to shared memory;
 *	- each worker adds up its kScanItems neighbouring items, and each warp its
 *	  lanes;
 *	- the herald publishes the tile's sum at once, and the steward looks back for
 *	  what came before it, publishes the sum so far, and tells each of the
 *	  workers' warps what comes before it;
 *	- the workers make the totals, in place of the items if they have the same
 *	  size, and write them to device memory.
 *
 * These overlap: while the steward looks back for a tile, the workers make the
 * totals of the tile before it and add up the one behind it, and the copy
 * engine brings the next.  So the sum of a tile is published long before its
 * totals are made, and nobody has to wait for it.
 *
 * Grid: any number of blocks of kThreads; tiles are handed out by ticket,
 * in order, so that those a block waits for are always with a running block.
 */
#ifndef GA_SCAN_TILES_CUH
#define GA_SCAN_TILES_CUH

#include "scan_publisher.cuh"
#include "scan_look_back.cuh"

/*
 * Add up a worker's items.  Returns the sum of what comes before them in the
 * worker's warp.
 */
template <typename T, typename Total, typename Scan, int W>
static __device__ __forceinline__ typename TileShared<T, Total, W>::Sum
add_up_tile(TileShared<T, Total, W> &shared, const int4 *in, int turn,
			ScanNotes &notes, const Scan &scan)
{
	constexpr int kLevels = Scan::kLevels;
	Levels<kLevels> own;
	Levels<kLevels> inclusive;

	notes = ScanNotes{};
	own = scan.add_up(ItemReader<T>{in}, notes);
	inclusive = own;
	inclusive.scan(kWarp);
	if (lane_id() == kWarp - 1)
		shared.warp_sum[turn][threadIdx.x / kWarp] =
			inclusive.template as<shared.kLevels>();
	shared.added_up.tell(turn);
	inclusive.subtract(own);
	return inclusive.template as<shared.kLevels>();
}

/* Make a worker's totals, given what comes before its items in its warp. */
template <bool kExclusive, typename T, typename Total, typename Scan, int W>
static __device__ __forceinline__ void
make_totals(TileShared<T, Total, W> &shared, const int4 *in, int4 *out,
			const ScanJob &job, const Tile &tile, int turn,
			const Levels<TileShared<T, Total, W>::kLevels> &before_in_warp,
			ScanNotes &notes, const Scan &scan)
{
	constexpr int kLevels = Scan::kLevels;
	constexpr int kSize = Vector<Total>::kSize;
	const VectorSpan<T> run(tile.array.in, tile.array.n);
	const int index = int(tile.own()) * shared.kTile - run.first +
					  int(threadIdx.x) * kScanItems;
	Levels<kLevels> before = before_in_warp.template as<kLevels>();
	Vector<Total> vector;

	before.add(shared.before[turn][threadIdx.x / kWarp].template as<kLevels>());
	before.normalise();
	notes.first = index < 0 ? -index : 0;
	scan.template totals<kExclusive>(
		ItemReader<T>{in}, before, notes,
		[out, &vector](int i, Total total)
		{
			vector.item[i % kSize] = total;
			if (i % kSize == kSize - 1)
				out[permuted((threadIdx.x * kScanItems + i) / kSize)] =
					*reinterpret_cast<const int4 *>(&vector);
		});
	if constexpr (!Scan::kIsInt)
	{
		/* grids know only the zero that is positive */
		if (tile.start.no_grid || (index <= 0 && tile.start.only_neg_zeros &&
								   ((kExclusive && tile.start.has_before) ||
									is_neg_zero(run.base[run.first]))))
			notes.is_refused = true;
	}
	if (index + notes.overflow >= int(tile.array.n))
		notes.overflow = kScanItems;
	note_outcome(job.outcomes[tile.array.result], notes, index, kLevels);
}

/* The workers' life. */
template <typename T, typename Total, bool kExclusive, int W>
static __device__ __forceinline__ void
work(TileShared<T, Total, W> &shared, const ScanJob &job)
{
	using Shared = TileShared<T, Total, W>;
	typename Shared::Sum before;
	typename Shared::Sum next_before;
	ScanNotes notes;
	ScanNotes next_notes;
	bool is_any;

	/* it is known where the first two tiles are, and then all else */
	for (int i = 0; i < 2; i++)
	{
		meet<kFirstTiles, W + kWarp>();
		if (shared.tile[i].is_any)
			load_tile<T, shared.kWorkers>(shared.in[i], shared.tile[i]);
		__pipeline_commit();
	}
	meet<kFirstTiles, W + kWarp>();
	__pipeline_wait_prior(1);
	meet<kAmongWorkers, W>();
	is_any = shared.tile[0].is_any;
	if (is_any)
		with_scan<T, Total>(
			shared.tile[0].start, [&](auto scan)
			{ before = add_up_tile(shared, shared.in[0], 0, notes, scan); });
	for (int i = 0; is_any; i++)
	{
		const Tile &tile = shared.tile[i % kSlotsOfTiles];
		const Tile &next = shared.tile[(i + 1) % kSlotsOfTiles];
		const Tile &coming = shared.tile[(i + 2) % kSlotsOfTiles];
		int4 *in = shared.in[i % kStages];
		int4 *out = Shared::kInPlace ? in : shared.out;

		/* what it takes to read this is hidden here */
		is_any = next.is_any;
		__pipeline_wait_prior(0);
		meet<kAmongWorkers, W>();
		if (is_any)
			with_scan<T, Total>(next.start,
								[&](auto scan)
								{
									next_before = add_up_tile(
										shared, shared.in[(i + 1) % kStages],
										(i + 1) % 2, next_notes, scan);
								});
		shared.looked_back.wait(i);
		if (coming.is_any)
			load_tile<T, shared.kWorkers>(shared.in[(i + 2) % kStages], coming);
		__pipeline_commit();
		with_scan<T, Total>(tile.start,
							[&](auto scan)
							{
								make_totals<kExclusive>(shared, in, out, job,
														tile, i % 2, before,
														notes, scan);
							});
		meet<kAmongWorkers, W>();
		store_tile<T, Total, W>(out, tile);
		before = next_before;
		notes = next_notes;
	}
}

template <typename T, typename Total, bool kExclusive, int W>
static __global__ void
__launch_bounds__(W + 2 * kWarp, 1)
	scan_tiles(const __grid_constant__ ScanJob job)
{
	extern __shared__ __align__(16) unsigned char room[];
	TileShared<T, Total, W> &shared =
		*reinterpret_cast<TileShared<T, Total, W> *>(room);

	if (threadIdx.x == 0)
	{
		shared.added_up.barriers.init();
		shared.looked_back.barriers.init();
	}
	__syncthreads();
	wait_for_previous_kernel();
	if (threadIdx.x < W)
		work<T, Total, kExclusive>(shared, job);
	else if (threadIdx.x < W + kWarp)
		serve(shared, job);
	else
		announce(shared, job);
}

#endif /* GA_SCAN_TILES_CUH */
