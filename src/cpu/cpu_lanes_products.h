/*
 * cpu_lanes_products.h
 *		Exact sums of products in vectors; a part of cpu_lanes.h.
 *
 * A product x * y is hi + lo exactly, with hi rounded to nearest.  Both go to
 * levels, as elements do in cpu_lanes_float.h: hi to all but the last level, lo
 * to all but the first.  Products of float4 are exact as they are, and go to
 * all levels.  A product that underflows leaves a residual, or a hi of zero,
 * which is looked at again.  A tile that levels cannot sum is added one by one.
 *
 * The bound of a tile of products is that of its hi, and of moments that of x.
 * doc/numerics.md has the proof.
 */

/* Each level takes two residuals of an element: one bit more than for sums. */
#define PRODUCT_SLACK	   10
#define PRODUCT_LEVEL_BITS (53 - PRODUCT_SLACK)
#define MAX_PRODUCT_LEVELS 6

/* Accumulators of a level, as many as there are registers for. */
#if LANES == 8
#define PRODUCT_CHAINS 2
#else
#define PRODUCT_CHAINS 1
#endif
#define PRODUCT_TILE (CHAIN_LENGTH * LANES * PRODUCT_CHAINS)

/*
 * Least exponents of the last level's unit, of products and of the x of x * x.
 * Products that are not zero are so large then that lo is exact.
 */
#define LEAST_PRODUCT_UNIT (-960)
#define LEAST_SQUARE_UNIT  (-484)

/* Return the exponent E of the anchor, for products below 2^top. */
static always_inline int
product_anchor(int top, int level)
{
	return top + PRODUCT_SLACK - PRODUCT_LEVEL_BITS * level;
}

/* Return the number of levels, few or many, that a tile is tried with. */
static always_inline int
product_levels(bool is_many, bool is_float4)
{
	return (is_many ? 6 : 4) - is_float4;
}

#ifdef LANES_FMS
static always_inline Doubles
product_rest(Doubles x, Doubles y, Doubles hi)
{
	return LANES_FMS(x, y, hi);
}
#else
/* Return the upper half of a double: 26 bits of its significand. */
static always_inline Doubles
upper_half(Doubles x)
{
	const Doubles scaled = x * broadcast(0x1p27 + 1);

	return scaled - (scaled - x);
}

/* Return x * y - hi, which is exact (Dekker, 1971). */
static always_inline Doubles
product_rest(Doubles x, Doubles y, Doubles hi)
{
	const Doubles a = upper_half(x);
	const Doubles b = upper_half(y);
	const Doubles c = x - a;
	const Doubles d = y - b;

	return ((a * b - hi) + a * d + c * b) + c * d;
}
#endif

/* Set the accumulators of products below 2^top to their anchors. */
#define START_PRODUCTS(a, top, n_levels)                                     \
	do                                                                       \
	{                                                                        \
		int l, c;                                                            \
                                                                             \
		for (l = 0; l < (n_levels); l++)                                     \
		{                                                                    \
			for (c = 0; c < PRODUCT_CHAINS; c++)                             \
				(a)[l][c] =                                                  \
					broadcast(ga_scale_anchor(product_anchor(top, l) - 52)); \
		}                                                                    \
	} while (0)

/* Add what x has of a level to an accumulator; x becomes the residual. */
#define CUT(accumulator, x)                    \
	do                                         \
	{                                          \
		const Doubles q = (accumulator) + (x); \
                                               \
		(x) = (x) - (q - (accumulator));       \
		(accumulator) = q;                     \
	} while (0)

/* Add hi, and lo unless they are products of float4, to levels. */
#define CUT_PRODUCT(a, chain, hi, lo, n_levels, is_float4, residual)       \
	do                                                                     \
	{                                                                      \
		int l;                                                             \
                                                                           \
		_Pragma("GCC unroll 6") for (l = 0; l < (n_levels) - !(is_float4); \
									 l++) CUT((a)[l][chain], hi);          \
		(residual) |= (Int64s) (hi);                                       \
		if (!(is_float4))                                                  \
		{                                                                  \
			_Pragma("GCC unroll 6") for (l = 1; l < (n_levels); l++)       \
				CUT((a)[l][chain], lo);                                    \
			(residual) |= (Int64s) (lo);                                   \
		}                                                                  \
	} while (0)

/* Return the sum of a level, in its units. */
static always_inline int64_t
read_level(const Doubles *chains, double anchor)
{
	Uint64s sum = {0};
	int c;

	for (c = 0; c < PRODUCT_CHAINS; c++)
		sum += (Uint64s) chains[c] - (Uint64s) broadcast(anchor);
	return sum_of_lanes((Int64s) sum);
}

/* The sums of levels, and the exponents of their units. */
typedef struct LevelSums
{
	int n;
	int64_t m[MAX_PRODUCT_LEVELS];
	int unit[MAX_PRODUCT_LEVELS];
} LevelSums;

/* Store the cells that the levels need, or GA_NO_CAPACITY. */
static always_inline GaStatus
reserve_levels(GaExactSum *sum, const LevelSums *levels)
{
	int low = levels->n - 1;
	int high = 0;

	while (low > 0 && levels->m[low] == 0)
		low--;
	while (high < low && levels->m[high] == 0)
		high++;
	if (levels->m[low] == 0)
		return GA_OK;
	return ga_exact_sum_reserve_scaled(sum, levels->unit[low],
									   levels->unit[high]);
}

/* Add the levels to a sum that has reserved their cells. */
static always_inline void
add_level_sums(GaExactSum *sum, const LevelSums *levels)
{
	int k;

	for (k = 0; k < levels->n; k++)
		(void) ga_exact_sum_add_scaled(sum, levels->m[k], levels->unit[k]);
}

static always_inline void
read_products(const Doubles (*a)[PRODUCT_CHAINS], int top, int n_levels,
			  LevelSums *sums)
{
	int k;

	sums->n = n_levels;
	for (k = 0; k < n_levels; k++)
	{
		sums->unit[k] = product_anchor(top, k) - 52;
		sums->m[k] = read_level(a[k], ga_scale_anchor(sums->unit[k]));
	}
}

/* Return element i as a double. */
static always_inline double
element_at(const char *data, size_t i, bool is_float4)
{
	double x;
	float f;

	if (is_float4)
	{
		memcpy(&f, data + i * sizeof(f), sizeof(f));
		return f;
	}
	memcpy(&x, data + i * sizeof(x), sizeof(x));
	return x;
}

/* Return the tile of data from `done` on, of `most` elements at most. */
static always_inline Tile
tile_at(const char *data, size_t done, size_t n, size_t most, bool is_float4)
{
	const size_t left = n - done;
	Tile tile;

	tile.data = data + done * (is_float4 ? sizeof(float) : sizeof(double));
	tile.n = left < most ? left : most;
	tile.whole = tile.n / LANES;
	tile.is_float4 = is_float4;
	return tile;
}
