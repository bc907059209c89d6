/*
 * sum_floats.cuh
 *		A chunk's tiles of floats: what each warp of a block does with them.
 *
 * Shared memory: FloatShared.  The sum ends in its cells, but for the tiles
 * that were refused, of which it has a list.
 */
#ifndef GA_SUM_FLOATS_CUH
#define GA_SUM_FLOATS_CUH

#include "ring.cuh"
#include "sum_slow.cuh"

/* Tiles for which a warp does without the fast path after two refusals. */
constexpr int kSlowTiles = 14;

static_assert(kStages<double> < kSlowTiles && kStages<float> < kSlowTiles,
			  "a ring is empty then");

/* Tiles after which levels go to the cells: a lane has kMostItems then. */
template <typename T>
constexpr int kFlushTiles = int(kMostItems) / kItems<T>;

/* Words with a bit for each tile of a chunk, and what is left behind them. */
constexpr int kTileWords = kMostTiles / 32 + 1;

/* The block's shared memory, for floats. */
template <typename T>
struct FloatShared
{
	RingBarriers<T> barriers;
	unsigned long long cells[kSlots];	/* the chunk's sum; see WarpSum */
	unsigned	refused[kSumWarps][kTileWords]; /* a bit for each tile */
	unsigned	any_refused;
	union
	{
		RingShared	ring;		/* while tiles come in, where it is used */
		LaneSums	lanes[kMostLanes];	/* then; as many as the job has */
	};
};

static_assert(sizeof(RingShared) <= kMostLanes * sizeof(LaneSums),
			  "where there is a ring, all of them have room");

/* The largest finite item of a piece, in the warp, read again. */
template <typename T>
static __device__ __noinline__ unsigned
largest_of_piece(const T *base, int first, int end, Piece<T> piece)
{
	Items<T>	items;

	piece.load(Run<T>(base, first, end), items);
	return group_max(largest_finite_item(items), kWarp);
}

/* Minus zeros in the warp's piece, read again. */
template <typename T>
static __device__ __noinline__ unsigned
neg_zeros_of_piece(const T *base, int first, int end, Piece<T> piece)
{
	Items<T>	items;

	piece.load(Run<T>(base, first, end), items);
	return group_sum(count_neg_zeros(items), kWarp);
}

/*
 * What a warp's lanes have goes to the block's cells, as digits of 32 bits.
 * The totals of one warp are all that 64 bits have room for: warps meet in
 * cells only, and not before.  A flush comes after at least one tile of the
 * warp or at the chunk's end, so that an array has less than 2^23 of them, and
 * the superaccumulators add as much as 128 more for each chunk, of which there
 * are less than 2^19: cells, also those of rows, stay below 2^59.
 */
template <typename T>
static __device__ __noinline__ void
flush_levels(unsigned long long *cells, ThreadSum<T> sum)
{
	const int	lane = lane_id();
	Limbs		limbs;
	int64_t		digit = 0;

	sum.add_group(kWarp);
	limbs = sum.limbs();
#pragma unroll
	for (int i = 0; i < kDigits; i++)
		digit = lane == i ? limbs.digit(i) : digit;
	if (digit != 0)
		atomicAdd_block(cells + sum.first_cell() + lane,
						(unsigned long long) digit);
}

/* What a warp knows from one tile of floats to the next. */
template <typename T>
struct Warp
{
	ChunkTiles<T> tiles;
	Feed<T>		feed;
	ThreadSum<T> sum;
	int			at;				/* the tile that is due; < 0 is none */
	int			n_left;			/* tiles until the sum has to be flushed */
	int			n_slow;			/* tiles that are not even tried; < 0 after a
								 * refusal */
	bool		has_anchor;		/* until then there is nothing but zeros in the
								 * sum */
	bool		is_taken;		/* these are about that tile: */
	bool		is_refused;		/* by the whole warp */
	bool		has_neg_zero;	/* perhaps, and only this lane */
};

/*
 * Add the tiles of floats from one on, up to the first with a trouble, or that
 * the feed does not have as it should.  Nothing is called in here, so that all
 * of this stays in registers.
 */
template <typename T>
static __device__ __forceinline__ void
add_tiles(Warp<T> &warp)
{
	warp.feed.resume(warp.tiles, warp.at);
	while (warp.at >= 0)
	{
		Items<T>	items;

		warp.is_taken = warp.feed.has(warp.tiles, warp.at);
		if (!warp.is_taken)
			break;
		warp.feed.take(warp.tiles, warp.at, items);
		if (!warp.has_anchor)
		{
			unsigned	top = group_max(largest_finite_item(items), kWarp);

			warp.sum.set_anchor(top, 2);
			warp.has_anchor = top != 0;
		}
		warp.is_refused = !warp.sum.template add<true>(items,
													   warp.has_neg_zero);
		warp.n_left--;
		if (__any_sync(kAll, warp.is_refused || warp.has_neg_zero ||
					   warp.n_left == 0))
			break;
		warp.at = warp.tiles.next(warp.at);
	}
}

/*
 * A tile that some lanes have no certificate for, or that was not tried at all.
 * The next one may have its like: the anchor is set anew.
 */
template <typename T>
static __device__ __forceinline__ void
note_refused(FloatShared<T> &shared, Warp<T> &warp)
{
	const ChunkTiles<T> &tiles = warp.tiles;
	const int	number = tiles.number(warp.at);
	ThreadSum<T> anew;
	unsigned	top;

	if (lane_id() == 0)
	{
		shared.refused[threadIdx.x / kWarp][number / 32] |= 1u << number % 32;
		shared.any_refused = 1;
	}
	if (warp.n_slow > 0)
	{
		/* after the last of them, one refusal is enough again */
		warp.n_slow = warp.n_slow > 1 ? warp.n_slow - 1 : -1;
		return;
	}
	warp.n_slow = warp.n_slow == 0 ? -1 : kSlowTiles;

	top = largest_of_piece(tiles.run.base, tiles.run.first, tiles.run.end,
						   Piece<T>(tiles, warp.at));
	anew.set_anchor(top, 2);
	if (top == 0 || anew.exponent == warp.sum.exponent)
		return;
	flush_levels(shared.cells, warp.sum);
	warp.sum.clear();
	warp.sum.exponent = anew.exponent;
}

/* What add_tiles() has left to do; the warp's next tile is due then. */
template <typename T>
static __device__ __noinline__ void
handle_trouble(FloatShared<T> &shared, Warp<T> &warp, int from)
{
	const ChunkTiles<T> &tiles = warp.tiles;

	if (warp.at != from)
		warp.n_slow = 0;
	if (!warp.is_taken)
	{
		warp.feed.mend(tiles, warp.at);
		return;
	}
	if (warp.n_left == 0)
	{
		flush_levels(shared.cells, warp.sum);
		warp.sum.clear();
		warp.n_left = kFlushTiles<T>;
	}
	if (warp.is_refused)
		note_refused(shared, warp);
	else if (__any_sync(kAll, warp.has_neg_zero))
	{
		/* look at them once more */
		unsigned	n = neg_zeros_of_piece(tiles.run.base, tiles.run.first,
										   tiles.run.end,
										   Piece<T>(tiles, warp.at));

		if (lane_id() == 0)
			atomicAdd_block(shared.cells + kSlotNegZero, n);
		__syncwarp();
	}
	warp.at = tiles.next(warp.at);
	if (warp.n_slow <= 0)
		return;
	while (warp.n_slow > 0 && warp.at >= 0)
	{
		warp.feed.skip(warp.at);
		note_refused(shared, warp);
		warp.at = tiles.next(warp.at);
	}
	/* more were skipped than there are stages */
	if (warp.at >= 0)
		warp.feed.start(tiles, warp.at);
}

/*
 * Sum a chunk's tiles of floats; what a warp has goes to shared memory, as do
 * the tiles that it could not sum.
 */
template <typename T>
static __device__ __forceinline__ void
sum_chunk_floats(FloatShared<T> &shared, Feed<T> &feed,
				 const ChunkTiles<T> &tiles)
{
	Warp<T>		warp = {tiles, feed};

	warp.sum.clear();
	warp.sum.set_anchor(0, 0);
	warp.at = tiles.first;
	warp.n_left = kFlushTiles<T>;
	warp.n_slow = 0;
	warp.has_anchor = false;
	while (warp.at >= 0)
	{
		const int	from = warp.at;

		warp.is_taken = warp.is_refused = warp.has_neg_zero = false;
		add_tiles(warp);
		if (warp.at < 0)
			break;

		/* a copy, since only what has no address stays in registers */
		Warp<T>		in_memory = warp;

		handle_trouble(shared, in_memory, from);
		warp = in_memory;
	}
	flush_levels(shared.cells, warp.sum);
	feed = warp.feed;
}

/* Add what a warp could not sum, one by one. */
template <typename T>
static __device__ __noinline__ void
add_refused(FloatShared<T> &shared, LaneSums &lanes,
			const ChunkTiles<T> &tiles)
{
	unsigned   *refused = shared.refused[threadIdx.x / kWarp];
	unsigned	n_neg_zero = 0;

	for (int at = tiles.first; at >= 0; at = tiles.next(at))
	{
		const int	number = tiles.number(at);
		Items<T>	items;

		if (!(refused[number / 32] >> number % 32 & 1))
			continue;
		Piece<T>(tiles, at).load(tiles.run, items);
		lanes.reserve(kItems<T>);
		add_slowly(lanes, items);
		n_neg_zero += count_neg_zeros(items);
	}
	if (n_neg_zero > 0)
		atomicAdd_block(shared.cells + kSlotNegZero, n_neg_zero);
	__syncwarp();
	for (int i = lane_id(); i < kTileWords; i += kWarp)
		refused[i] = 0;
}

#endif							/* GA_SUM_FLOATS_CUH */
