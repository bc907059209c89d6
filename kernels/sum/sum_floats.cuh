/*
 * sum_floats.cuh
 *		A chunk's pieces of floats: what each warp of a block does with them.
 *
 * Shared memory: FloatShared.  The sum ends in its cells, but for the pieces
 * that were refused, of which it has a list.
 */
#ifndef GA_SUM_FLOATS_CUH
#define GA_SUM_FLOATS_CUH

#include "ring.cuh"
#include "sum_slow.cuh"

/* Pieces for which a warp does without the fast path after two refusals. */
constexpr int kSlowTiles = 14;

static_assert(kStages<double> < kSlowTiles && kStages<float> < kSlowTiles,
			  "a ring is empty then");

/* Pieces after which levels go to the cells: a lane has kMaxLevelItems then. */
template <typename T>
constexpr int kFlushTiles = int(kMaxLevelItems) / kItemsPerThread<T>;

/* Words with a bit for each of a warp's whole pieces, and for an edge. */
constexpr int kTileMaskWords = kMaxWarpTiles / 32 + 1;

/* The block's shared memory, for floats. */
template <typename T>
struct FloatShared
{
	RingBarriers<T> barriers;
	unsigned long long cells[kSumWords]; /* the chunk's sum; see WarpSum */
	unsigned refused[kSumWarps][kTileMaskWords]; /* a bit for each piece */
	unsigned any_refused;
	union
	{
		RingShared ring; /* while pieces come in, where it is used */
		LaneSums lanes[kMaxLaneSums]; /* then; as many as the job has */
	};
};

static_assert(sizeof(RingShared) <= kMaxLaneSums * sizeof(LaneSums),
			  "where there is a ring, all of them have room");

/* Flushes of a chunk without refusals: what it adds to a cell needs no carry. */
template <typename T>
constexpr int64_t kMaxFlushes = kSumWarps *(kMaxWarpTiles / kFlushTiles<T> + 2);

static_assert((kMaxFlushes<double> << GA_CELL_BITS) < kMaxShareWord &&
				  (kMaxFlushes<float> << GA_CELL_BITS) < kMaxShareWord,
			  "what put_sum() wants");

/*
 * What a warp's lanes have goes to the block's cells, as digits of 32 bits.
 * The totals of one warp are all that 64 bits have room for: warps meet in
 * cells only, and not before.  A flush comes after at least one piece of the
 * warp or at the chunk's end, so that a chunk has less than 2^14 of them, and
 * the superaccumulators add as much as 128 more: cells stay below 2^47, and are
 * carried then.
 */
template <typename T>
static __device__ __forceinline__ void
flush_levels(unsigned long long *cells, ThreadSum<T> sum)
{
	const int lane = reload_lane_id();
	Limbs limbs;
	int64_t digit = 0;

	sum.add_group(kWarp);
	limbs = sum.limbs();
#pragma unroll
	for (int i = 0; i < kDigits; i++)
		digit = lane == i ? limbs.digit(i) : digit;
	if (digit != 0)
		atomicAdd_block(cells + sum.first_cell() + lane,
						(unsigned long long) digit);
}

/* What a warp knows from one piece of floats to the next. */
template <typename T>
struct WarpState
{
	WholeTiles<T> whole;
	TileLoader<T> loader;
	ThreadSum<T> sum;
	int at;			   /* the piece that is due */
	int n_until_flush; /* pieces until the sum has to be flushed */
	int n_slow;		   /* pieces that are not even tried; < 0 after a
								 * refusal */
	bool has_anchor;   /* until then there is nothing but zeros in the
								 * sum */
	bool is_refused;   /* the piece that is due, by the whole warp */
	bool has_neg_zero; /* perhaps, and only this lane */
};

/* Add a piece, with an anchor for it if it is the first that needs one. */
template <typename T>
static __device__ __forceinline__ void
add_tile(WarpState<T> &warp, const Items<T> &items)
{
	if (!warp.has_anchor)
	{
		unsigned top = group_max(largest_finite_item(items), kWarp);

		warp.sum.set_anchor(top, 2);
		warp.has_anchor = top != 0;
	}
	warp.is_refused = !warp.sum.template add<true>(items, warp.has_neg_zero);
	warp.n_until_flush--;
}

/* The block's cells take over what the warp has. */
template <typename T>
static __device__ __forceinline__ void
flush_warp(FloatShared<T> &shared, WarpState<T> &warp)
{
	flush_levels(shared.cells, warp.sum);
	warp.sum.clear();
	warp.n_until_flush = kFlushTiles<T>;
}

/*
 * Add the whole pieces from the one that is due on.  True: that is now one
 * which was refused, or has a minus zero.  Otherwise the sum has to be flushed.
 * Nothing is called in here, so that all of this stays in registers.
 */
template <typename T>
static __device__ __forceinline__ bool
add_tiles(WarpState<T> &warp)
{
	warp.loader.resume(warp.whole, warp.at);
	while (warp.at < warp.whole.end && warp.n_until_flush > 0)
	{
		Items<T> items;

		warp.loader.take(warp.whole, warp.at, items);
		add_tile(warp, items);
		if (__any_sync(kFullMask, warp.is_refused || warp.has_neg_zero))
			return true;
		warp.at += warp.whole.step;
	}
	return false;
}

/* The piece that is due will be added one by one. */
template <typename T>
static __device__ __forceinline__ void
mark_refused(FloatShared<T> &shared, const WarpState<T> &warp,
			 const WarpTiles<T> &tiles)
{
	const int number = tiles.number(warp.at);

	if (lane_id() == 0)
	{
		shared.refused[threadIdx.x / kWarp][number / 32] |= 1u << number % 32;
		shared.any_refused = 1;
	}
}

/*
 * What a piece that was tried has left to do.  If lanes had no certificate, the
 * next one may have its like: the anchor is set anew.
 */
template <typename T>
static __device__ __forceinline__ void
finish_tile(FloatShared<T> &shared, WarpState<T> &warp,
			const WarpTiles<T> &tiles, const Items<T> &items)
{
	ThreadSum<T> anew;
	unsigned top;

	if (!warp.is_refused)
	{
		unsigned n = group_sum(count_neg_zeros(items), kWarp);

		if (lane_id() == 0 && n > 0)
			atomicAdd_block(shared.cells + kWordNegZero, n);
		__syncwarp();
		return;
	}
	mark_refused(shared, warp, tiles);
	warp.n_slow = warp.n_slow == 0 ? -1 : kSlowTiles;
	top = group_max(largest_finite_item(items), kWarp);
	anew.set_anchor(top, 2);
	if (top == 0 || anew.exponent == warp.sum.exponent)
		return;
	flush_warp(shared, warp);
	warp.sum.exponent = anew.exponent;
}

/*
 * What add_pieces() has left to do, which began at a position; the next piece
 * is due then.
 */
template <typename T>
static __device__ __noinline__ void
handle_exception(FloatShared<T> &shared, const WarpTiles<T> &tiles,
				 WarpState<T> &warp, int from)
{
	const WholeTiles<T> &whole = tiles.whole;
	Items<T> items;

	if (warp.at != from)
		warp.n_slow = 0;
	whole.load(warp.at, items); /* once more */
	finish_tile(shared, warp, tiles, items);
	warp.at += whole.step;
	if (warp.n_slow <= 0)
		return;
	while (warp.n_slow > 0 && warp.at < whole.end)
	{
		warp.loader.skip(warp.at);
		mark_refused(shared, warp, tiles);
		warp.at += whole.step;
		/* after the last of them, one refusal is enough again */
		warp.n_slow = warp.n_slow > 1 ? warp.n_slow - 1 : -1;
	}
	/* more were skipped than there are stages */
	warp.loader.start(whole, warp.at);
}

/*
 * Sum all that is left of a chunk's pieces, when the one that is due has a
 * trouble; or all of them and the edge, which is added while the first whole
 * pieces are on their way.
 */
template <bool kIsSingle, typename T>
static __device__ __noinline__ void
sum_with_exceptions(FloatShared<T> &shared, const LongParams<kIsSingle> &params,
					uint32_t share, WarpState<T> &in_memory,
					bool is_exceptional)
{
	const WarpTiles<T> tiles = tiles_of_share<T, kIsSingle>(params, share);
	int from = tiles.first;

	if (!is_exceptional)
	{
		Items<T> items;

		in_memory.at = tiles.edge;
		tiles.load(in_memory.at, items);
		add_tile(in_memory, items);
		finish_tile(shared, in_memory, tiles, items);
		in_memory.at = from;
	}
	for (;;)
	{
		/* only what has no address stays in registers */
		WarpState<T> warp = in_memory;

		if (!is_exceptional)
		{
			from = warp.at;
			is_exceptional = add_tiles(warp);
		}
		if (!is_exceptional)
			flush_warp(shared, warp);
		in_memory = warp;
		if (is_exceptional)
			handle_exception(shared, tiles, in_memory, from);
		else if (warp.at >= tiles.whole.end)
			break;
		is_exceptional = false;
	}
}

/*
 * Sum a chunk's pieces of floats; what a warp has goes to shared memory, as do
 * the pieces that it could not sum.
 */
template <bool kIsSingle, typename T>
static __device__ __forceinline__ void
sum_share(FloatShared<T> &shared, const LongParams<kIsSingle> &params,
		  uint32_t share, TileLoader<T> &loader, const WarpTiles<T> &tiles)
{
	WarpState<T> warp = {tiles.whole, loader};
	bool is_exceptional = false;

	warp.sum.clear();
	warp.sum.set_anchor(0, 0);
	warp.at = tiles.first;
	warp.n_until_flush = kFlushTiles<T>;
	warp.n_slow = 0;
	warp.has_anchor = false;
	if (tiles.edge < 0)
	{
		do
		{
			is_exceptional = add_tiles(warp);
			if (!is_exceptional)
				flush_warp(shared, warp);
		} while (!is_exceptional && warp.at < warp.whole.end);
	}
	if (tiles.edge >= 0 || is_exceptional)
	{
		WarpState<T> in_memory = warp;

		sum_with_exceptions<kIsSingle>(shared, params, share, in_memory,
									   is_exceptional);
		warp.loader = in_memory.loader;
	}
	loader = warp.loader;
}

/* Add what a warp could not sum, one by one. */
template <typename T>
static __device__ __noinline__ void
add_refused(FloatShared<T> &shared, LaneSums &lanes, const WarpTiles<T> &tiles)
{
	unsigned *refused = shared.refused[threadIdx.x / kWarp];
	unsigned n_neg_zero = 0;

	for (int i = 0; i < kTileMaskWords; i++)
	{
		for (unsigned left = refused[i]; left != 0; left &= left - 1)
		{
			Items<T> items;

			tiles.load(tiles.position(i * 32 + __ffs(left) - 1), items);
			lanes.reserve(kItemsPerThread<T>);
			add_slowly(lanes, items);
			n_neg_zero += count_neg_zeros(items);
		}
	}
	if (n_neg_zero > 0)
		atomicAdd_block(shared.cells + kWordNegZero, n_neg_zero);
	__syncwarp();
	for (int i = lane_id(); i < kTileMaskWords; i += kWarp)
		refused[i] = 0;
}

#endif /* GA_SUM_FLOATS_CUH */
