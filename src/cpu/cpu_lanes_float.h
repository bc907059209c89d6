/*
 * cpu_lanes_float.h
 * 		Exact sums of floats in vectors; a part of cpu_lanes.h.
 *
 * Floats are summed in tiles.  Each element is split into levels: adding it to
 * an accumulator near the anchor A = 1.5 * 2^E rounds it to a multiple of
 * 2^(E-52), and the residual goes to the next level.  Within one binade the bit
 * patterns of doubles are consecutive integers, so the difference of bits
 * between accumulator and A is the level's sum, an integer.  If all residuals
 * of the last level are zero, the integers are the exact sum of the tile.
 * Otherwise the tile is summed again with more levels, and at last without.
 *
 * E follows from the largest magnitude.  It is looked up for the first tile;
 * later tiles are summed with the hint that the last one left, and their
 * largest magnitude is found on the way.  doc/numerics.md has the proof.
 */
#include "exact/exponent_bins.h"

/* Elements that are added to an accumulator before it is read; of a tile. */
#define CHAIN_LENGTH 128
#define SUM_TILE	 (CHAIN_LENGTH * LANES * CHAINS)

/* Distance of prefetching, in bytes. */
#define SUM_PREFETCH_BYTES 6144

/*
 * With |x| <= 2^(E - SLACK), CHAIN_LENGTH additions move an accumulator by at
 * most 2^(E-2): it stays in its binade.
 */
#define SLACK	   9
#define LEVEL_BITS (53 - SLACK)
#define MAX_LEVELS 3

/*
 * A tile of elements as vectors: whole ones, and a tail, which is loaded with
 * the last LANES elements and has zeros in the lanes of the last whole vector.
 */
typedef struct Tile
{
	const char *data;
	size_t n;
	size_t whole; /* whole vectors */
	bool is_float4;
} Tile;

static always_inline Doubles
tile_vector(const Tile *tile, size_t i)
{
	return load(tile->data, i * LANES, tile->is_float4);
}

/* Return the tail; only if there is a whole vector. */
static always_inline Doubles
tile_tail(const Tile *tile)
{
	static const int64_t masks[2 * LANES] = {
		[LANES] = -1,
		[LANES + 1] = -1,
#if LANES > 2
		[LANES + 2] = -1,
		[LANES + 3] = -1,
#endif
#if LANES > 4
		[LANES + 4] = -1,
		[LANES + 5] = -1,
		[LANES + 6] = -1,
		[LANES + 7] = -1,
#endif
	};
	Int64s mask;

	memcpy(&mask, masks + tile->n % LANES, sizeof(mask));
	return (Doubles) (mask & (Int64s) load(tile->data, tile->n - LANES,
										   tile->is_float4));
}

/* What is known of a tile's elements without adding them. */
typedef struct TileStats
{
	/*
	 * Biased exponent of the largest magnitude.  A NaN may be missed, but
	 * leaves a residual.
	 */
	int biased;
	int64_t n_neg_zero;
} TileStats;

/* Add a vector to the stats in top[] and n_zero. */
#define COLLECT(chain, vector)                                            \
	do                                                                    \
	{                                                                     \
		n_zero -= LANES_EQUAL((Int64s) (vector), sign);                   \
		top[chain] =                                                      \
			LANES_MAX((Doubles) ((Int64s) (vector) & ~sign), top[chain]); \
	} while (0)

static always_inline void
finish_stats(TileStats *stats, Doubles top, Int64s n_zero)
{
	stats->biased = (int) (ga_float8_bits(largest_of_lanes(top)) >> 52);
	stats->n_neg_zero = sum_of_lanes(n_zero);
}

static always_inline void
collect_stats(const Tile *tile, TileStats *stats)
{
	const Int64s sign = broadcast_bits(GA_FLOAT8_SIGN);
	Doubles top[2] = {{0}, {0}};
	Int64s n_zero = {0};
	size_t i;

	for (i = 0; i + 1 < tile->whole; i += 2)
	{
		COLLECT(0, tile_vector(tile, i));
		COLLECT(1, tile_vector(tile, i + 1));
	}
	if (i < tile->whole)
		COLLECT(0, tile_vector(tile, i));
	COLLECT(1, tile_tail(tile));
	finish_stats(stats, LANES_MAX(top[0], top[1]), n_zero);
}

/* Return the exponent E of a level's anchor 1.5 * 2^E; level 0 is the top. */
static always_inline int
anchor_exponent(int biased, int level)
{
	int e = biased - 1022 + SLACK - LEVEL_BITS * level;

	return e > -1022 ? e : -1022;
}

/*
 * Sum a tile with n_levels levels, where every magnitude is below
 * 2^(biased - 1022).  True, with the levels' integers in sums[], if the sum is
 * exact.
 *
 * With stats, the bound is a guess: the stats are collected on the way, and the
 * result is true only if the bound holds.
 */
static always_inline bool
sum_levels(const Tile *tile, int biased, int n_levels, TileStats *stats,
		   int64_t *sums)
{
	const Int64s sign = broadcast_bits(GA_FLOAT8_SIGN);
	const int vector_bytes = LANES * (tile->is_float4 ? 4 : 8);
	Doubles anchor[MAX_LEVELS];
	Doubles a[MAX_LEVELS][CHAINS];
	Doubles top[CHAINS];
	Int64s n_zero = {0};
	Int64s residual = {0};
	size_t i;
	int c, k;

	for (c = 0; c < CHAINS; c++)
		top[c] = broadcast(0);
	for (k = 0; k < n_levels; k++)
	{
		uint64_t e = (uint64_t) (anchor_exponent(biased, k) + 1023);

		anchor[k] =
			broadcast(ga_float8_from_bits(e << 52 | GA_FLOAT8_HIDDEN / 2));
		for (c = 0; c < CHAINS; c++)
			a[k][c] = anchor[k];
	}

#define SPLIT(chain, vector)                                   \
	do                                                         \
	{                                                          \
		Doubles x = (vector);                                  \
		int l;                                                 \
                                                               \
		if (stats)                                             \
			COLLECT(chain, x);                                 \
		_Pragma("GCC unroll 4") for (l = 0; l < n_levels; l++) \
		{                                                      \
			Doubles q = a[l][chain] + x;                       \
                                                               \
			x = x - (q - a[l][chain]);                         \
			a[l][chain] = q;                                   \
		}                                                      \
		residual |= (Int64s) x;                                \
	} while (0)

	for (i = 0; i + CHAINS <= tile->whole; i += CHAINS)
	{
		for (c = 0; c < CHAINS * vector_bytes; c += 64)
			__builtin_prefetch(tile->data + i * vector_bytes + c +
							   SUM_PREFETCH_BYTES);
		_Pragma("GCC unroll 4") for (c = 0; c < CHAINS; c++)
			SPLIT(c, tile_vector(tile, i + c));
	}
	for (; i < tile->whole; i++)
		SPLIT(0, tile_vector(tile, i));
	SPLIT(CHAINS - 1, tile_tail(tile));
#undef SPLIT

	for (k = 0; k < n_levels; k++)
	{
		Uint64s sum = {0};

		for (c = 0; c < CHAINS; c++)
			sum += (Uint64s) a[k][c] - (Uint64s) anchor[k];
		sums[k] = sum_of_lanes((Int64s) sum);
	}
	if (stats)
	{
		for (c = 1; c < CHAINS; c++)
			top[0] = LANES_MAX(top[0], top[c]);
		finish_stats(stats, top[0], n_zero);
		if (stats->biased > biased)
			return false;
	}
	/* a residual of -0 is zero */
	return ((uint64_t) or_of_lanes(residual) & ~GA_FLOAT8_SIGN) == 0;
}

/* Add a tile that is shorter than a vector, or that no levels can sum. */
static __attribute__((noinline)) size_t
sum_one_by_one(GaExactSum *sum, const Tile *tile)
{
	size_t i;

	for (i = 0; i < tile->n; i++)
	{
		double x;

		if (tile->is_float4)
		{
			float f;

			memcpy(&f, tile->data + i * sizeof(f), sizeof(f));
			x = f;
		}
		else
			memcpy(&x, tile->data + i * sizeof(x), sizeof(x));
		if (ga_exact_sum_add(sum, x) != GA_OK)
			break;
	}
	return i;
}

/*
 * A tile's bound and number of levels, tried first for the next tile.  It is
 * kept in the sum, since an aggregate's next array resembles the last one.
 */
typedef struct Hint
{
	bool is_set;
	bool with_slices; /* of moments, instead of levels */
	int biased;
	int n_levels;
} Hint;

#define HINT_IS_SET		 0x8000
#define HINT_MORE_LEVELS 0x4000
#define HINT_WITH_SLICES 0x2000
#define HINT_BIASED		 0x0fff

static always_inline Hint
load_hint(const GaExactSum *sum)
{
	Hint hint;

	hint.is_set = (sum->hint & HINT_IS_SET) != 0;
	hint.with_slices = (sum->hint & HINT_WITH_SLICES) != 0;
	hint.biased = sum->hint & HINT_BIASED;
	hint.n_levels = (sum->hint & HINT_MORE_LEVELS) ? 3 : 2;
	return hint;
}

static always_inline void
store_hint(GaExactSum *sum, const Hint *hint)
{
	sum->hint = hint->is_set ?
					(uint16_t) (HINT_IS_SET | hint->biased |
								(hint->with_slices ? HINT_WITH_SLICES : 0) |
								(hint->n_levels == 3 ? HINT_MORE_LEVELS : 0)) :
					0;
}

/* Bits by which a hint's bound is above the last magnitude. */
#define HINT_MARGIN 2

/*
 * Sum a tile of LANES elements or more with levels.  False, and nothing is
 * added, if levels cannot sum it, or if the sum has no capacity: then *status
 * is GA_NO_CAPACITY.
 */
static always_inline bool
sum_tile(GaExactSum *sum, const Tile *tile, Hint *hint, GaStatus *status)
{
	TileStats stats;
	int64_t sums[MAX_LEVELS];
	int biased = hint->biased;
	bool done = false;
	int k;

	/* the hint of a scan may have no anchor here */
	if (hint->is_set && anchor_exponent(biased, 0) <= 1023)
		done = hint->n_levels == 2 ? sum_levels(tile, biased, 2, &stats, sums) :
									 sum_levels(tile, biased, 3, &stats, sums);
	if (!done)
	{
		collect_stats(tile, &stats);
		biased = stats.biased;

		/* otherwise it is too near the top of the range for an anchor */
		if (anchor_exponent(biased + HINT_MARGIN, 0) <= 1023)
		{
			hint->is_set = true;
			hint->biased = biased + HINT_MARGIN;
			hint->n_levels = 2;
			done = sum_levels(tile, biased, 2, NULL, sums);
			if (!done)
			{
				hint->n_levels = 3;
				done = sum_levels(tile, biased, 3, NULL, sums);
			}
		}
	}
	if (!done)
		return false;

	*status = ga_exact_sum_reserve_scaled(
		sum, anchor_exponent(biased, hint->n_levels - 1) - 52,
		anchor_exponent(biased, 0) - 52);
	if (*status != GA_OK)
		return false;
	for (k = 0; k < hint->n_levels; k++)
		(void) ga_exact_sum_add_scaled(sum, sums[k],
									   anchor_exponent(biased, k) - 52);
	sum->n += (int64_t) tile->n;
	sum->n_neg_zero += stats.n_neg_zero;
	return true;
}

static always_inline size_t
sum_floats(GaExactSum *sum, const char *data, size_t n, bool is_float4)
{
	size_t size = is_float4 ? sizeof(float) : sizeof(double);
	Hint hint = load_hint(sum);
	size_t done = 0;

	/* a long run is worth aligning, so that no vector spans cache lines */
	if (n >= 2 * SUM_TILE && (uintptr_t) data % size == 0)
	{
		size_t head = (0 - (uintptr_t) data) % (LANES * size) / size;
		Tile tile = {data, head, 0, is_float4};

		done = sum_one_by_one(sum, &tile);
		if (done < head)
			return done;
	}

	while (done < n)
	{
		GaStatus status = GA_OK;
		size_t left = n - done;
		size_t added;
		Tile tile;

		tile.data = data + done * size;
		tile.n = left < SUM_TILE ? left : SUM_TILE;
		tile.whole = tile.n / LANES;
		tile.is_float4 = is_float4;
		if (tile.whole > 0 && sum_tile(sum, &tile, &hint, &status))
			added = tile.n;
		else if (status != GA_OK)
			break;
		else if (left >= GA_EXPONENT_BINS_MIN)
			added = is_float4 ? ga_exponent_bins_float4(sum, tile.data, left) :
								ga_exponent_bins_float8(sum, tile.data, left);
		else
			added = sum_one_by_one(sum, &tile);
		done += added;
		if (added < tile.n)
			break;
	}
	store_hint(sum, &hint);
	return done;
}

static size_t
sum_float8(GaExactSum *sum, const void *data, size_t n)
{
	return sum_floats(sum, data, n, false);
}

static size_t
sum_float4(GaExactSum *sum, const void *data, size_t n)
{
	return sum_floats(sum, data, n, true);
}
