/*
 * cpu_lanes_products.h
 *		Exact sums of products in vectors; a part of cpu_lanes.h.
 *
 * A product x * y is hi + lo exactly, with hi rounded to nearest.  Both go to
 * levels of their own, as elements do in cpu_lanes_float.h.  Products of float4
 * are exact as they are, and have no lo.  A product that underflows leaves a
 * residual, or a hi of zero, which is looked at again.  A tile that levels
 * cannot sum is added one by one.
 *
 * The bound of a tile of products is that of its hi, and of moments that of x.
 * doc/numerics.md has the proof.
 */

#include <limits.h>

/* Levels of hi that a tile is tried with, and as many of lo. */
#define FEW_LEVELS		   2
#define SOME_LEVELS		   3
#define MANY_LEVELS		   5
#define MAX_PRODUCT_LEVELS (2 * MANY_LEVELS)

/* With hi below 2^top, lo is at most 2^(top - LO_BITS). */
#define LO_BITS 54

/* Accumulators of a level, as many as there are registers for. */
#if LANES == 8
#define PRODUCT_CHAINS 2
#else
#define PRODUCT_CHAINS 1
#endif
#define PRODUCT_TILE (CHAIN_LENGTH * LANES * PRODUCT_CHAINS)

/* Vectors of a line of memory, and no less than there are accumulators. */
#define PRODUCT_STEP(vector_bytes)                                \
	(64 / (vector_bytes) > PRODUCT_CHAINS ? 64 / (vector_bytes) : \
											PRODUCT_CHAINS)

/*
 * Least exponents of the last unit of hi, and of the last one of the x of
 * x * x.  Products that are not zero are so large then that lo is exact.
 */
#define LEAST_PRODUCT_UNIT (-960)
#define LEAST_SQUARE_UNIT  (-484)

/*
 * Return the exponent of a level's unit, for products below 2^top: levels 0 to
 * n_levels - 1 are those of hi, and the others those of lo.
 */
static always_inline int
product_unit(int top, int n_levels, int level)
{
	if (level >= n_levels)
	{
		top -= LO_BITS;
		level -= n_levels;
	}
	return top + SLACK - LEVEL_BITS * level - 52;
}

/* Are there anchors for products below 2^top? */
static always_inline bool
products_have_anchors(int top)
{
	return top + SLACK <= 1023;
}

#ifdef LANES_FMS
static always_inline Doubles
product_rest(Doubles x, Doubles y, Doubles hi)
{
	return LANES_FMS(x, y, hi);
}
#else
/*
 * Return x * y - hi, which is exact (Dekker, 1971).  The halves are those of
 * doc/numerics.md.
 */
static always_inline Doubles
product_rest(Doubles x, Doubles y, Doubles hi)
{
	const Uint64s half = (Uint64s) broadcast_bits(UINT64_C(1) << 26);
	const Uint64s lower = (Uint64s) broadcast_bits((UINT64_C(1) << 27) - 1);
	const Doubles a = (Doubles) (((Uint64s) x + half) & ~lower);
	const Doubles b = (Doubles) ((Uint64s) y & ~lower);
	const Doubles c = x - a;
	const Doubles d = y - b;

	return ((a * b - hi) + a * d + c * b) + c * d;
}
#endif

/* Set the accumulators of products below 2^top to their anchors. */
#define START_PRODUCTS(a, top, n_levels)                              \
	do                                                                \
	{                                                                 \
		int l, c;                                                     \
                                                                      \
		for (l = 0; l < 2 * (n_levels); l++)                          \
		{                                                             \
			for (c = 0; c < PRODUCT_CHAINS; c++)                      \
				(a)[l][c] = broadcast(                                \
					ga_scale_anchor(product_unit(top, n_levels, l))); \
		}                                                             \
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

/*
 * The same with the last accumulator.  The bits of the residual are not zero if
 * it is not, but for NaN, which stays in the accumulator.
 */
#define CUT_LAST(accumulator, x, residual)                         \
	do                                                             \
	{                                                              \
		const Doubles q = (accumulator) + (x);                     \
                                                                   \
		(residual) |= (Int64s) (x) ^ (Int64s) (q - (accumulator)); \
		(accumulator) = q;                                         \
	} while (0)

/* Add hi, and lo unless they are products of float4, to levels. */
#define CUT_PRODUCT(a, chain, hi, lo, n_levels, is_float4, residual) \
	do                                                               \
	{                                                                \
		int l;                                                       \
                                                                     \
		_Pragma("GCC unroll 4") for (l = 1; l < (n_levels); l++)     \
			CUT((a)[l - 1][chain], hi);                              \
		CUT_LAST((a)[(n_levels) -1][chain], hi, residual);           \
		if (!(is_float4))                                            \
		{                                                            \
			_Pragma("GCC unroll 4") for (l = 1; l < (n_levels); l++) \
				CUT((a)[(n_levels) + l - 1][chain], lo);             \
			CUT_LAST((a)[2 * (n_levels) -1][chain], lo, residual);   \
		}                                                            \
	} while (0)

/* Return bits that are not zero if the last accumulators have a NaN. */
static always_inline Int64s
nan_of_products(const Doubles (*a)[PRODUCT_CHAINS], int n_levels,
				bool is_float4)
{
	Int64s found = {0};
	int c;

	for (c = 0; c < PRODUCT_CHAINS; c++)
	{
		found |= (Int64s) (a[n_levels - 1][c] != a[n_levels - 1][c]);
		if (!is_float4)
			found |=
				(Int64s) (a[2 * n_levels - 1][c] != a[2 * n_levels - 1][c]);
	}
	return found;
}

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

/* Would few levels have done for products that many have summed? */
static always_inline bool
would_few_do(const LevelSums *sums)
{
	int k;

	for (k = 0; k < sums->n; k++)
	{
		if (k % MANY_LEVELS >= FEW_LEVELS && sums->m[k] != 0)
			return false;
	}
	return true;
}

/* Store the cells that the levels need, or GA_NO_CAPACITY. */
static always_inline GaStatus
reserve_levels(GaExactSum *sum, const LevelSums *levels)
{
	int low = INT_MAX;
	int high = INT_MIN;
	int k;

	for (k = 0; k < levels->n; k++)
	{
		if (levels->m[k] == 0)
			continue;
		if (levels->unit[k] < low)
			low = levels->unit[k];
		if (levels->unit[k] > high)
			high = levels->unit[k];
	}
	return low > high ? GA_OK : ga_exact_sum_reserve_scaled(sum, low, high);
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
			  bool is_float4, LevelSums *sums)
{
	int k;

	sums->n = is_float4 ? n_levels : 2 * n_levels;
	for (k = 0; k < sums->n; k++)
	{
		sums->unit[k] = product_unit(top, n_levels, k);
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
