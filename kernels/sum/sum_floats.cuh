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
constexpr int kSlowPieces = 14;

static_assert(kStages<double> < kSlowPieces && kStages<float> < kSlowPieces,
			  "a ring is empty then");

/* Pieces after which levels go to the cells: a lane has kMostItems then. */
template <typename T>
constexpr int kFlushPieces = int(kMostItems) / kItems<T>;

/* Words with a bit for each of a warp's whole pieces, and for an edge. */
constexpr int kPieceWords = kMostPieces / 32 + 1;

/* The block's shared memory, for floats. */
template <typename T>
struct FloatShared
{
	RingBarriers<T> barriers;
	unsigned long long cells[kSlots];		  /* the chunk's sum; see WarpSum */
	unsigned refused[kSumWarps][kPieceWords]; /* a bit for each piece */
	unsigned any_refused;
	union
	{
		RingShared ring;			/* while pieces come in, where it is used */
		LaneSums lanes[kMostLanes]; /* then; as many as the job has */
	};
};

static_assert(sizeof(RingShared) <= kMostLanes * sizeof(LaneSums),
			  "where there is a ring, all of them have room");

/* Flushes of a chunk without refusals: what it adds to a cell needs no carry. */
template <typename T>
constexpr int64_t kMostFlushes = kSumWarps *(kMostPieces / kFlushPieces<T> + 2);

static_assert((kMostFlushes<double> << GA_CELL_BITS) < kMostOfChunk &&
				  (kMostFlushes<float> << GA_CELL_BITS) < kMostOfChunk,
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
	const int lane = lane_id_anew();
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
struct Warp
{
	WholePieces<T> whole;
	Feed<T> feed;
	ThreadSum<T> sum;
	int at;			   /* the piece that is due */
	int n_left;		   /* pieces until the sum has to be flushed */
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
add_piece(Warp<T> &warp, const Items<T> &items)
{
	if (!warp.has_anchor)
	{
		unsigned top = group_max(largest_finite_item(items), kWarp);

		warp.sum.set_anchor(top, 2);
		warp.has_anchor = top != 0;
	}
	warp.is_refused = !warp.sum.template add<true>(items, warp.has_neg_zero);
	warp.n_left--;
}

/* The block's cells take over what the warp has. */
template <typename T>
static __device__ __forceinline__ void
flush_warp(FloatShared<T> &shared, Warp<T> &warp)
{
	flush_levels(shared.cells, warp.sum);
	warp.sum.clear();
	warp.n_left = kFlushPieces<T>;
}

/*
 * Add the whole pieces from the one that is due on.  True: that is now one
 * which was refused, or has a minus zero.  Otherwise the sum has to be flushed.
 * Nothing is called in here, so that all of this stays in registers.
 */
template <typename T>
static __device__ __forceinline__ bool
add_pieces(Warp<T> &warp)
{
	warp.feed.resume(warp.whole, warp.at);
	while (warp.at < warp.whole.end && warp.n_left > 0)
	{
		Items<T> items;

		warp.feed.take(warp.whole, warp.at, items);
		add_piece(warp, items);
		if (__any_sync(kAll, warp.is_refused || warp.has_neg_zero))
			return true;
		warp.at += warp.whole.step;
	}
	return false;
}

/* The piece that is due will be added one by one. */
template <typename T>
static __device__ __forceinline__ void
put_down(FloatShared<T> &shared, const Warp<T> &warp,
		 const WarpPieces<T> &pieces)
{
	const int number = pieces.number(warp.at);

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
settle(FloatShared<T> &shared, Warp<T> &warp, const WarpPieces<T> &pieces,
	   const Items<T> &items)
{
	ThreadSum<T> anew;
	unsigned top;

	if (!warp.is_refused)
	{
		unsigned n = group_sum(count_neg_zeros(items), kWarp);

		if (lane_id() == 0 && n > 0)
			atomicAdd_block(shared.cells + kSlotNegZero, n);
		__syncwarp();
		return;
	}
	put_down(shared, warp, pieces);
	warp.n_slow = warp.n_slow == 0 ? -1 : kSlowPieces;
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
handle_trouble(FloatShared<T> &shared, const WarpPieces<T> &pieces,
			   Warp<T> &warp, int from)
{
	const WholePieces<T> &whole = pieces.whole;
	Items<T> items;

	if (warp.at != from)
		warp.n_slow = 0;
	whole.load(warp.at, items); /* once more */
	settle(shared, warp, pieces, items);
	warp.at += whole.step;
	if (warp.n_slow <= 0)
		return;
	while (warp.n_slow > 0 && warp.at < whole.end)
	{
		warp.feed.skip(warp.at);
		put_down(shared, warp, pieces);
		warp.at += whole.step;
		/* after the last of them, one refusal is enough again */
		warp.n_slow = warp.n_slow > 1 ? warp.n_slow - 1 : -1;
	}
	/* more were skipped than there are stages */
	warp.feed.start(whole, warp.at);
}

/*
 * Sum all that is left of a chunk's pieces, when the one that is due has a
 * trouble; or all of them and the edge, which is added while the first whole
 * pieces are on their way.
 */
template <bool kAlone, typename T>
static __device__ __noinline__ void
sum_with_troubles(FloatShared<T> &shared, const LongJob<kAlone> &job,
				  uint32_t chunk, Warp<T> &in_memory, bool has_trouble)
{
	const WarpPieces<T> pieces = pieces_of<T, kAlone>(job, chunk);
	int from = pieces.first;

	if (!has_trouble)
	{
		Items<T> items;

		in_memory.at = pieces.edge;
		pieces.load(in_memory.at, items);
		add_piece(in_memory, items);
		settle(shared, in_memory, pieces, items);
		in_memory.at = from;
	}
	for (;;)
	{
		/* only what has no address stays in registers */
		Warp<T> warp = in_memory;

		if (!has_trouble)
		{
			from = warp.at;
			has_trouble = add_pieces(warp);
		}
		if (!has_trouble)
			flush_warp(shared, warp);
		in_memory = warp;
		if (has_trouble)
			handle_trouble(shared, pieces, in_memory, from);
		else if (warp.at >= pieces.whole.end)
			break;
		has_trouble = false;
	}
}

/*
 * Sum a chunk's pieces of floats; what a warp has goes to shared memory, as do
 * the pieces that it could not sum.
 */
template <bool kAlone, typename T>
static __device__ __forceinline__ void
sum_chunk(FloatShared<T> &shared, const LongJob<kAlone> &job, uint32_t chunk,
		  Feed<T> &feed, const WarpPieces<T> &pieces)
{
	Warp<T> warp = {pieces.whole, feed};
	bool has_trouble = false;

	warp.sum.clear();
	warp.sum.set_anchor(0, 0);
	warp.at = pieces.first;
	warp.n_left = kFlushPieces<T>;
	warp.n_slow = 0;
	warp.has_anchor = false;
	if (pieces.edge < 0)
	{
		do
		{
			has_trouble = add_pieces(warp);
			if (!has_trouble)
				flush_warp(shared, warp);
		} while (!has_trouble && warp.at < warp.whole.end);
	}
	if (pieces.edge >= 0 || has_trouble)
	{
		Warp<T> in_memory = warp;

		sum_with_troubles<kAlone>(shared, job, chunk, in_memory, has_trouble);
		warp.feed = in_memory.feed;
	}
	feed = warp.feed;
}

/* Add what a warp could not sum, one by one. */
template <typename T>
static __device__ __noinline__ void
add_refused(FloatShared<T> &shared, LaneSums &lanes,
			const WarpPieces<T> &pieces)
{
	unsigned *refused = shared.refused[threadIdx.x / kWarp];
	unsigned n_neg_zero = 0;

	for (int i = 0; i < kPieceWords; i++)
	{
		for (unsigned left = refused[i]; left != 0; left &= left - 1)
		{
			Items<T> items;

			pieces.load(pieces.position(i * 32 + __ffs(left) - 1), items);
			lanes.reserve(kItems<T>);
			add_slowly(lanes, items);
			n_neg_zero += count_neg_zeros(items);
		}
	}
	if (n_neg_zero > 0)
		atomicAdd_block(shared.cells + kSlotNegZero, n_neg_zero);
	__syncwarp();
	for (int i = lane_id(); i < kPieceWords; i += kWarp)
		refused[i] = 0;
}

#endif /* GA_SUM_FLOATS_CUH */
