/*
 * sum_floats.cuh
 *		A warp's tiles of floats: the fast path of sum_long().
 *
 * Shared memory: FloatShared.  The warps add their tiles to its cells, and mark
 * the tiles that the fast path refused in its bit masks.  A tile is exceptional
 * if it was refused or has a minus zero.
 */
#ifndef GA_SUM_FLOATS_CUH
#define GA_SUM_FLOATS_CUH

#include "ring.cuh"
#include "share.cuh"
#include "sum_slow.cuh"

/* Tiles that a warp does not try on levels after two refusals in a row. */
constexpr int kSlowTiles = 14;

static_assert(RingLoader<double>::kStages < kSlowTiles &&
				  RingLoader<float>::kStages < kSlowTiles,
			  "the ring is empty then");

/* Tiles after which levels are flushed: a lane has kMaxLevelItems then. */
template <typename T>
constexpr int kFlushTiles = int(kMaxLevelItems) / kItemsPerThread<T>;

/* Words of a bit mask of a warp's whole tiles and its edge. */
constexpr int kTileMaskWords = kMaxWarpTiles / 32 + 1;

/* The shared memory of a block, for floats. */
template <typename T>
struct FloatShared
{
	RingBarriers<T> barriers;
	unsigned long long cells[kSumWords]; /* the share's sum; see WarpSum */
	unsigned refused[kSumWarps][kTileMaskWords]; /* a bit for each tile */
	unsigned any_refused;
	union
	{
		RingShared ring; /* while tiles are loaded, where it is used */
		LaneSums lanes[kMaxLaneSums]; /* afterwards; n_lane_sums of them */
	};
};

static_assert(sizeof(RingShared) <= kMaxLaneSums * sizeof(LaneSums),
			  "where there is a ring, all LaneSums fit");

/* Most flushes of a share; without refusals, its cells need no carries. */
template <typename T>
constexpr int64_t kMaxFlushes = kSumWarps *(kMaxWarpTiles / kFlushTiles<T> + 2);

static_assert((kMaxFlushes<double> << GA_CELL_BITS) < kMaxShareWord &&
				  (kMaxFlushes<float> << GA_CELL_BITS) < kMaxShareWord,
			  "the bound of merge_share()");

/* Add an integer in units of cell `first` to cells; a whole warp. */
static __device__ __forceinline__ void
add_limbs(unsigned long long *cells, const Limbs &limbs, int first)
{
	const int lane = reload_lane_id();
	int64_t digit = 0;

#pragma unroll
	for (int i = 0; i < kDigits; i++)
		digit = lane == i ? limbs.digit(i) : digit;
	if (digit != 0)
		atomicAdd_block(cells + first + lane, (unsigned long long) digit);
}

/*
 * Add a warp's levels to the block's cells, as digits of 32 bits; a whole warp.
 * 64 bits hold the totals of one warp, not of more: warps are added in cells
 * only.  A flush follows at least one tile of the warp or the share's end, so
 * that a share has less than 2^16 flushes, and LaneSums add up to 128 times as
 * much as one: cells stay below 2^49, and are carried then.
 */
template <typename T>
static __device__ __forceinline__ void
flush_levels(unsigned long long *cells, ThreadSum<T> sum)
{
	sum.add_group(kWarp);
	add_limbs(cells, sum.limbs(), sum.first_cell());
}

/* The state of a warp between two tiles of floats. */
template <typename T>
struct WarpState
{
	WholeTiles<T> whole;
	TileLoader<T> loader;
	ThreadSum<T> sum;
	int at;			   /* position of the current tile */
	int n_until_flush; /* tiles until the levels have to be flushed */
	int n_slow;		   /* tiles still to be skipped; < 0 after a refusal */
	bool has_anchor;   /* if not, there were only zeros so far */
	bool is_refused;   /* the current tile, by the whole warp */
	bool has_neg_zero; /* the current tile, perhaps, in this lane */
};

/*
 * Add a tile; the first one with a finite item other than zero sets the anchor.
 */
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

/* Add the warp's levels to the block's cells, and clear them. */
template <typename T>
static __device__ __forceinline__ void
flush_warp(FloatShared<T> &shared, WarpState<T> &warp)
{
	flush_levels(shared.cells, warp.sum);
	warp.sum.clear();
	warp.n_until_flush = kFlushTiles<T>;
}

/*
 * Add whole tiles from the current one on.  True: the current tile is
 * exceptional, and has been added unless it was refused.  False: the levels
 * must be flushed.  No function is called here, so that all variables stay in
 * registers.
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

/* Mark the current tile as refused: its items will be added one by one. */
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
 * Finish the current tile after add_tile(): count its minus zeros, or mark it
 * as refused and set the anchor to its items, which the next ones may resemble.
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
 * Finish the exceptional tile at which add_tiles() stopped, which began at
 * position `from`, and skip tiles after two refusals in a row.
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
	whole.load(warp.at, items); /* again */
	finish_tile(shared, warp, tiles, items);
	warp.at += whole.step;
	if (warp.n_slow <= 0)
		return;
	while (warp.n_slow > 0 && warp.at < whole.end)
	{
		warp.loader.skip(warp.at);
		mark_refused(shared, warp, tiles);
		warp.at += whole.step;
		/* behind them, one refusal is enough to skip again */
		warp.n_slow = warp.n_slow > 1 ? warp.n_slow - 1 : -1;
	}
	/* the ring is empty: more tiles were skipped than it has stages */
	warp.loader.start(whole, warp.at);
}

/*
 * Sum the rest of a warp's tiles, when the current tile is exceptional; or all
 * of them and the edge, which is added while the first whole tiles are loaded.
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
		/* only variables whose address is not taken stay in registers */
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
 * Sum a warp's tiles of floats to the block's cells, and mark those that the
 * fast path refused.
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

/* Add the items of the warp's refused tiles, one by one. */
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
