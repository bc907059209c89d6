/*
 * scan_tiles.cuh
 *		Running totals of long arrays: blocks take tiles in turn.
 *
 * A block has threads that work at tiles and two warps that look after them, the
 * steward and the herald.  Of the tiles of a block, one after the other,
 *
 *	- the steward takes a ticket, finds out where the tile is, and passes that
 *	  on in shared memory;
 *	- the workers have it copied to shared memory;
 *	- each worker adds up its kScanItems neighbouring items, and each warp its
 *	  lanes;
 *	- the herald publishes the tile's sum at once, and the steward looks back for
 *	  what came before it, and publishes the sum so far;
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

#include "find_array.cuh"
#include "look_back.cuh"
#include "meet.cuh"
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

	int4		in[kStages][kInVectors];
	int4		out[kInPlace ? 1 : kOutVectors];
	Tile		tile[kSlotsOfTiles];
	AddedUp<W>	added_up;
	Sum			warp_sum[2][kWarps];
	Sum			tile_sum[2];
	Sum			before[2];
};

/*
 * Takes tiles, for all the block to see; the steward.  The ticket is taken one
 * tile ahead, since it takes its time, and the last array is kept, since the
 * next tile is mostly of the same.
 */
struct TileTaker
{
	uint32_t	ticket;			/* in the first lane */
	DeviceScan	array;
	ScanStart	start;

	__device__ __forceinline__ void
	take_ticket(const ScanJob &job)
	{
		if (lane_id() == 0)
			ticket = atomicAdd(job.ticket, 1);
	}

	__device__ __forceinline__ void
	begin(const ScanJob &job)
	{
		array = DeviceScan{};
		take_ticket(job);
	}

	/* The next one. */
	__device__ __forceinline__ void
	take(const ScanJob &job, Tile &tile)
	{
		const uint32_t index = __shfl_sync(kAll, ticket, 0);

		if (index < job.n_tiles)
			take_ticket(job);
		set(job, tile, index);
	}

	__device__ __forceinline__ void
	set(const ScanJob &job, Tile &tile, uint32_t index)
	{
		const bool	is_any = index < job.n_tiles;

		if (is_any && index - array.first_tile >= array.n_tiles)
		{
			uint32_t	i = find_array(
				job.n_arrays, index, [&job] (uint32_t k)
				{ return __ldg(&job.arrays[k].first_tile); });

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

/* A tile's state in device memory. */
template <typename T, typename Total>
static __device__ __forceinline__ uint64_t *
state_of(const ScanJob &job, const Tile &tile)
{
	return job.states + uint64_t(tile.index) *
		kStateWords<ThreadScan<T, Total>::kLevels>;
}

/* The sum of a tile that has been added up, in all lanes; a whole warp. */
template <int kLevels, typename T, typename Total, int W>
static __device__ __forceinline__ Levels<kLevels>
sum_of_tile(const TileShared<T, Total, W> &shared, int turn)
{
	Levels<kLevels> sum;

	sum.clear();
	if (lane_id() < shared.kWarps)
		sum = shared.warp_sum[turn][lane_id()].template as<kLevels>();
	sum.add_lanes();
	sum.normalise();
	return sum;
}

/*
 * Learn what came before a tile, and publish the sum of all up to its end; the
 * steward.
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
		if constexpr (!Scan::kIsInt)
		{
			for (int k = 0; k < kLevels; k++)
				sum.word[k] += tile.start.before[k];
		}
		sum.normalise();
		shared.before[turn] = sum.template as<shared.kLevels>();
		if (tile.own() == tile.array.n_tiles - 1)
			put_sum(job.outcomes[tile.array.result], scan, whole);
	}
	__syncwarp();
}

/* The steward's life; see the head of this file. */
template <typename T, typename Total, int W>
static __device__ __forceinline__ void
serve(TileShared<T, Total, W> &shared, const ScanJob &job)
{
	TileTaker	taker;

	taker.begin(job);
	taker.take(job, shared.tile[0]);
	taker.take(job, shared.tile[1]);
	meet<kAnnounced, 2 * kWarp>();
	meet<kLookedBack, W + kWarp>();
	for (int i = 0; shared.tile[i % kSlotsOfTiles].is_any; i++)
	{
		taker.take(job, shared.tile[(i + 2) % kSlotsOfTiles]);
		meet<kAnnounced, 2 * kWarp>();

		const Tile &tile = shared.tile[i % kSlotsOfTiles];

		with_scan<T, Total>(tile.start, [&] (auto scan)
			{ look_back_for(shared, job, tile, i % 2, scan); });
		meet<kLookedBack, W + kWarp>();
	}
}

/* The herald's. */
template <typename T, typename Total, int W>
static __device__ __forceinline__ void
announce(TileShared<T, Total, W> &shared, const ScanJob &job)
{
	meet<kAnnounced, 2 * kWarp>();
	for (int i = 0; shared.tile[i % kSlotsOfTiles].is_any; i++)
	{
		const Tile &tile = shared.tile[i % kSlotsOfTiles];

		shared.added_up.wait(i);
		with_scan<T, Total>(
			tile.start, [&] (auto scan)
			{
				auto		sum = sum_of_tile<scan.kLevels>(shared, i % 2);

				if (lane_id() == 0)
				{
					publish(state_of<T, Total>(job, tile), sum, kOwnSum);
					shared.tile_sum[i % 2] =
						sum.template as<shared.kLevels>();
				}
			});
		meet<kAnnounced, 2 * kWarp>();
	}
}

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
	const Run<T> run(tile.array.in, tile.array.n);
	const int	index = int(tile.own()) * shared.kTile - run.first +
		int(threadIdx.x) * kScanItems;
	Levels<kLevels> before = before_in_warp.template as<kLevels>();
	Vector<Total> vector;

	for (int w = 0; w < threadIdx.x / kWarp; w++)
		before.add(shared.warp_sum[turn][w].template as<kLevels>());
	before.add(shared.before[turn].template as<kLevels>());
	before.normalise();
	notes.first = index < 0 ? -index : 0;
	scan.template totals<kExclusive>(
		ItemReader<T>{in}, before, notes,
		[out, &vector] (int i, Total total)
		{
			vector.item[i % kSize] = total;
			if (i % kSize == kSize - 1)
				out[permuted((threadIdx.x * kScanItems + i) / kSize)] =
					*reinterpret_cast<const int4 *>(&vector);
		});
	if constexpr (!Scan::kIsInt)
	{
		/* grids know only the zero that is positive */
		if (tile.start.no_grid ||
			(index <= 0 && tile.start.only_neg_zeros &&
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
	ScanNotes	notes;
	ScanNotes	next_notes;

	/* the first two tiles are known */
	meet<kLookedBack, W + kWarp>();
	if (shared.tile[0].is_any)
		load_tile<T, shared.kWorkers>(shared.in[0], shared.tile[0]);
	__pipeline_commit();
	if (shared.tile[1].is_any)
		load_tile<T, shared.kWorkers>(shared.in[1], shared.tile[1]);
	__pipeline_commit();
	__pipeline_wait_prior(1);
	meet<kAmongWorkers, W>();
	if (shared.tile[0].is_any)
		with_scan<T, Total>(
			shared.tile[0].start, [&] (auto scan)
			{
				before = add_up_tile(shared, shared.in[0], 0, notes, scan);
			});
	for (int i = 0; shared.tile[i % kSlotsOfTiles].is_any; i++)
	{
		const Tile &tile = shared.tile[i % kSlotsOfTiles];
		const Tile &next = shared.tile[(i + 1) % kSlotsOfTiles];
		const Tile &coming = shared.tile[(i + 2) % kSlotsOfTiles];
		int4	   *in = shared.in[i % kStages];
		int4	   *out = Shared::kInPlace ? in : shared.out;

		__pipeline_wait_prior(0);
		meet<kAmongWorkers, W>();
		if (next.is_any)
			with_scan<T, Total>(
				next.start, [&] (auto scan)
				{
					next_before = add_up_tile(
						shared, shared.in[(i + 1) % kStages], (i + 1) % 2,
						next_notes, scan);
				});
		meet<kLookedBack, W + kWarp>();
		if (coming.is_any)
			load_tile<T, shared.kWorkers>(shared.in[(i + 2) % kStages], coming);
		__pipeline_commit();
		with_scan<T, Total>(
			tile.start, [&] (auto scan)
			{
				make_totals<kExclusive>(shared, in, out, job, tile, i % 2,
										before, notes, scan);
			});
		meet<kAmongWorkers, W>();
		store_tile<T, Total, W>(out, tile);
		before = next_before;
		notes = next_notes;
	}
}

template <typename T, typename Total, bool kExclusive, int W>
static __global__ void __launch_bounds__(W + 2 * kWarp, 1)
scan_tiles(const __grid_constant__ ScanJob job)
{
	extern __shared__ __align__(16) unsigned char room[];
	TileShared<T, Total, W> &shared =
		*reinterpret_cast<TileShared<T, Total, W> *>(room);

	if (threadIdx.x == 0)
		shared.added_up.init();
	__syncthreads();
	wait_for_last_kernel();
	if (threadIdx.x < W)
		work<T, Total, kExclusive>(shared, job);
	else if (threadIdx.x < W + kWarp)
		serve(shared, job);
	else
		announce(shared, job);
}

#endif							/* GA_SCAN_TILES_CUH */
