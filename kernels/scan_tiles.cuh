/*
 * scan_tiles.cuh
 *		Running totals of long arrays: blocks take tiles in turn.
 *
 * A block has eight warps that work at tiles and one that looks after them,
 * the steward.  Of the tiles of a block, one after the other,
 *
 *	- the steward takes a ticket, finds out where the tile is, and passes that
 *	  on in shared memory;
 *	- the workers have it copied to shared memory;
 *	- each worker adds up its kScanItems neighbouring items, and each warp its
 *	  lanes;
 *	- the steward publishes the tile's sum, looks back for what came before it,
 *	  and publishes the sum so far;
 *	- the workers make the totals, in place of the items if they have the same
 *	  size, and write them to device memory.
 *
 * These overlap: while the steward looks back for a tile, the workers make the
 * totals of the tile before it and add up the one behind it, and the copy
 * engine brings the next.  So the sum of a tile is published long before its
 * totals are made, and nobody has to wait for it.
 *
 * In shared memory the vectors of a tile are permuted such that both ways of
 * access, thread by thread and vector by vector, are free of bank conflicts.
 *
 * Grid: any number of blocks of kTileThreads; tiles are handed out by ticket,
 * in order, so that those a block waits for are always with a running block.
 */
#ifndef GA_SCAN_TILES_CUH
#define GA_SCAN_TILES_CUH

#include <cuda_pipeline.h>

#include "find_array.cuh"
#include "look_back.cuh"

constexpr int kTileThreads = kScanThreads + kWarp;

/* Tiles in shared memory: their totals are made, added up, on their way. */
constexpr int kStages = 3;

/* What is known of a tile is there longer. */
constexpr int kSlotsOfTiles = 8;

/* Barriers of the block, by hardware number. */
enum Barrier
{
	kWorkers = 1,				/* among the workers */
	kAddedUp = 2,				/* two, taken in turn: sums for the steward */
	kLookedBack = 4				/* two: its answer to the workers */
};

static __device__ __forceinline__ void
barrier_sync(int id, int n)
{
	asm volatile("barrier.sync %0, %1;" : : "r"(id), "r"(n) : "memory");
}

static __device__ __forceinline__ void
barrier_arrive(int id, int n)
{
	asm volatile("barrier.arrive %0, %1;" : : "r"(id), "r"(n) : "memory");
}

/* A tile, and where it is in its array. */
struct Tile
{
	DeviceScan	array;
	ScanStart	start;
	uint32_t	index;			/* among all tiles */
	bool		is_any;			/* otherwise there was no tile left */

	__device__ __forceinline__ uint32_t
	own() const
	{
		return index - array.first_tile;
	}
};

template <typename T, typename Total>
struct TileShared
{
	static constexpr int kInVectors = kScanTile * sizeof(T) / kVectorBytes;
	static constexpr int kOutVectors = kScanTile * sizeof(Total) /
		kVectorBytes;
	static constexpr bool kInPlace = sizeof(T) == sizeof(Total);
	using Sum = Levels<ThreadScan<T, Total>::kLevels>;

	int4		in[kStages][kInVectors];
	int4		out[kInPlace ? 1 : kOutVectors];
	Tile		tile[kSlotsOfTiles];
	Sum			warp_sum[2][kScanWarps];
	Sum			before[2];
};

/* Where vector i of a tile lies. */
static __device__ __forceinline__ int
permuted(int i)
{
	return i ^ (i >> 3 & 7);
}

/* A tile's place among its array's vectors. */
template <typename T>
struct Place
{
	Run<T>		run;
	int			at;				/* its first position */

	__device__ __forceinline__
	Place(const Tile &tile)
		: run(tile.array.in, tile.array.n),
		at(int(tile.own()) * kScanTile)
	{
	}

	__device__ __forceinline__ bool
	is_whole() const
	{
		return at >= run.first && at + kScanTile <= run.end;
	}
};

/* Begin to load a tile; workers. */
template <typename T>
static __device__ __forceinline__ void
load_tile(int4 *to, const Tile &tile)
{
	constexpr int kSize = Vector<T>::kSize;
	constexpr int kPerThread = kScanItems / kSize;
	const Place<T> place(tile);
	const T    *from = place.run.base + place.at;

	if (place.is_whole())
	{
#pragma unroll
		for (int k = 0; k < kPerThread; k++)
		{
			int			i = k * kScanThreads + threadIdx.x;

			__pipeline_memcpy_async(to + permuted(i), from + i * kSize,
									kVectorBytes);
		}
	}
	else
	{
		for (int k = 0; k < kPerThread; k++)
		{
			int			i = k * kScanThreads + threadIdx.x;
			Vector<T>	vector = place.run.load(place.at + i * kSize);

			to[permuted(i)] = *reinterpret_cast<const int4 *>(&vector);
		}
	}
}

/* Reads a worker's items of a tile, in order, from shared memory. */
template <typename T>
struct ItemReader
{
	const int4 *from;
	Vector<T>	vector;

	__device__ __forceinline__ T
	operator() (int i)
	{
		constexpr int kSize = Vector<T>::kSize;
		constexpr int kPerThread = kScanItems / kSize;

		if (i % kSize == 0)
			*reinterpret_cast<int4 *>(&vector) =
				from[permuted(threadIdx.x * kPerThread + i / kSize)];
		return vector.item[i % kSize];
	}
};

/* Write totals from shared to device memory, those that are in the array. */
template <typename T, typename Total>
static __device__ __forceinline__ void
store_tile(const int4 *from, const Tile &tile)
{
	constexpr int kSize = Vector<Total>::kSize;
	constexpr int kPerThread = kScanItems / kSize;
	const Place<T> place(tile);
	char	   *to = (char *) tile.array.out +
		int64_t(place.at - place.run.first) * int64_t(sizeof(Total));

	if (place.is_whole() && (uintptr_t) to % kVectorBytes == 0)
	{
#pragma unroll
		for (int k = 0; k < kPerThread; k++)
		{
			int			i = k * kScanThreads + threadIdx.x;

			__stcs((int4 *) to + i, from[permuted(i)]);
		}
	}
	else
	{
		/* words of at most 8 bytes, in order */
		constexpr int kWord = sizeof(Total) < 8 ? sizeof(Total) : 8;
		constexpr int kWords = sizeof(Total) / kWord;
		using Word = typename std::conditional<kWord == 4, uint32_t,
			uint64_t>::type;
		const int	begin = max(place.run.first - place.at, 0);
		const int	end = min(place.run.end - place.at, kScanTile);

		for (int i = begin * kWords + threadIdx.x; i < end * kWords;
			 i += kScanThreads)
		{
			int			vector = i * kWord / kVectorBytes;
			int			in_vector = i % (kVectorBytes / kWord);

			((Word *) to)[i] = ((const Word *) (from + permuted(vector)))
				[in_vector];
		}
	}
}

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

	__device__ __forceinline__ void
	take(const ScanJob &job, Tile &tile)
	{
		const uint32_t index = __shfl_sync(kAll, ticket, 0);
		const bool	is_any = index < job.n_tiles;

		if (is_any)
			take_ticket(job);
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

/* Publish a tile's sum and learn what came before it; the steward. */
template <typename T, typename Total>
static __device__ __forceinline__ void
look_back_for(TileShared<T, Total> &shared, const ScanJob &job,
			  const Tile &tile, int turn)
{
	using Scan = ThreadScan<T, Total>;
	constexpr int kLevels = Scan::kLevels;
	uint64_t   *state = job.states + uint64_t(tile.index) *
		kStateWords<kLevels>;
	Levels<kLevels> sum;
	Levels<kLevels> whole;

	sum.clear();
	whole.clear();
	for (int w = 0; w < kScanWarps; w++)
		whole.add(shared.warp_sum[turn][w]);
	whole.normalise();
	if (tile.own() > 0)
	{
		if (lane_id() == 0)
			publish(state, whole, kOwnSum);
		sum = look_back<kLevels>(job.states, tile.array.first_tile,
								 tile.index);
	}
	whole.add(sum);
	whole.normalise();
	if (lane_id() == 0)
	{
		publish(state, whole, kWholeSum);
		if constexpr (!Scan::kIsInt)
		{
			for (int k = 0; k < kLevels; k++)
				sum.word[k] += tile.start.before[k];
		}
		sum.normalise();
		shared.before[turn] = sum;
		if (tile.own() == tile.array.n_tiles - 1)
		{
			Scan		scan;

			scan.start(tile.start);
			put_sum(job.outcomes[tile.array.result], scan, whole);
		}
	}
	__syncwarp();
}

/* The steward's life; see the head of this file. */
template <typename T, typename Total>
static __device__ __forceinline__ void
serve(TileShared<T, Total> &shared, const ScanJob &job)
{
	TileTaker	taker;

	taker.begin(job);
	taker.take(job, shared.tile[0]);
	taker.take(job, shared.tile[1]);
	barrier_arrive(kLookedBack + 1, kTileThreads);
	for (int i = 0; shared.tile[i % kSlotsOfTiles].is_any; i++)
	{
		taker.take(job, shared.tile[(i + 2) % kSlotsOfTiles]);
		barrier_sync(kAddedUp + i % 2, kTileThreads);
		look_back_for(shared, job, shared.tile[i % kSlotsOfTiles], i % 2);
		barrier_arrive(kLookedBack + i % 2, kTileThreads);
	}
}

/*
 * Add up a worker's items.  Returns the sum of what comes before them in the
 * worker's warp; the warp's sum goes to the steward.
 */
template <typename T, typename Total>
static __device__ __forceinline__ Levels<ThreadScan<T, Total>::kLevels>
add_up_tile(TileShared<T, Total> &shared, const int4 *in, const Tile &tile,
			int turn, ScanNotes &notes)
{
	using Scan = ThreadScan<T, Total>;
	Levels<Scan::kLevels> own;
	Levels<Scan::kLevels> inclusive;
	Scan		scan;

	notes = ScanNotes{};
	scan.start(tile.start);
	own = scan.add_up(ItemReader<T>{in}, notes);
	inclusive = own;
	inclusive.scan(kWarp);
	if (lane_id() == kWarp - 1)
		shared.warp_sum[turn][threadIdx.x / kWarp] = inclusive;
	barrier_arrive(kAddedUp + turn, kTileThreads);
	inclusive.subtract(own);
	return inclusive;
}

/* Make a worker's totals, given what comes before its items in its warp. */
template <typename T, typename Total, bool kExclusive>
static __device__ __forceinline__ void
make_totals(TileShared<T, Total> &shared, const int4 *in, int4 *out,
			const ScanJob &job, const Tile &tile, int turn,
			Levels<ThreadScan<T, Total>::kLevels> before, ScanNotes &notes)
{
	using Scan = ThreadScan<T, Total>;
	constexpr int kSize = Vector<Total>::kSize;
	const Run<T> run(tile.array.in, tile.array.n);
	const int	index = int(tile.own()) * kScanTile - run.first +
		int(threadIdx.x) * kScanItems;
	Vector<Total> vector;
	Scan		scan;

	for (int w = 0; w < threadIdx.x / kWarp; w++)
		before.add(shared.warp_sum[turn][w]);
	before.add(shared.before[turn]);
	before.normalise();
	notes.first = index < 0 ? -index : 0;
	scan.start(tile.start);
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
	note_outcome(job.outcomes[tile.array.result], notes, index);
}

/* The workers' life. */
template <typename T, typename Total, bool kExclusive>
static __device__ __forceinline__ void
work(TileShared<T, Total> &shared, const ScanJob &job)
{
	using Shared = TileShared<T, Total>;
	typename Shared::Sum before;
	typename Shared::Sum next_before;
	ScanNotes	notes;
	ScanNotes	next_notes;

	/* the first two tiles are known */
	barrier_sync(kLookedBack + 1, kTileThreads);
	if (shared.tile[0].is_any)
		load_tile<T>(shared.in[0], shared.tile[0]);
	__pipeline_commit();
	if (shared.tile[1].is_any)
		load_tile<T>(shared.in[1], shared.tile[1]);
	__pipeline_commit();
	__pipeline_wait_prior(1);
	barrier_sync(kWorkers, kScanThreads);
	if (shared.tile[0].is_any)
		before = add_up_tile(shared, shared.in[0], shared.tile[0], 0, notes);
	for (int i = 0; shared.tile[i % kSlotsOfTiles].is_any; i++)
	{
		const Tile &tile = shared.tile[i % kSlotsOfTiles];
		const Tile &next = shared.tile[(i + 1) % kSlotsOfTiles];
		const Tile &coming = shared.tile[(i + 2) % kSlotsOfTiles];
		int4	   *in = shared.in[i % kStages];
		int4	   *out = Shared::kInPlace ? in : shared.out;

		__pipeline_wait_prior(0);
		barrier_sync(kWorkers, kScanThreads);
		if (next.is_any)
			next_before = add_up_tile(shared, shared.in[(i + 1) % kStages],
									  next, (i + 1) % 2, next_notes);
		barrier_sync(kLookedBack + i % 2, kTileThreads);
		if (coming.is_any)
			load_tile<T>(shared.in[(i + 2) % kStages], coming);
		__pipeline_commit();
		make_totals<T, Total, kExclusive>(shared, in, out, job, tile, i % 2,
										  before, notes);
		barrier_sync(kWorkers, kScanThreads);
		store_tile<T, Total>(out, tile);
		before = next_before;
		notes = next_notes;
	}
}

template <typename T, typename Total, bool kExclusive>
static __global__ void __launch_bounds__(kTileThreads, 2)
scan_tiles(const __grid_constant__ ScanJob job)
{
	extern __shared__ __align__(16) unsigned char room[];
	TileShared<T, Total> &shared =
		*reinterpret_cast<TileShared<T, Total> *>(room);

	if (threadIdx.x < kScanThreads)
		work<T, Total, kExclusive>(shared, job);
	else
		serve(shared, job);
}

#endif							/* GA_SCAN_TILES_CUH */
