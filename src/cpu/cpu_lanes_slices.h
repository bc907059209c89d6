/*
 * cpu_lanes_slices.h
 * 		Sums of floats and of their squares in slices; a part of cpu_lanes.h.
 *
 * Each element is cut into slices, multiples of units that are SLICE_BITS
 * binades apart, as the levels of cpu_lanes_float.h do it.  A slice has at most
 * 2^23 units, so a product of two slices has at most 2^46, and a double holds
 * the sum of those of a tile exactly: products need no cutting, and no rest.
 *
 * If nothing is left of any element, and the sums of squares of first slices
 * are below 2^53, all sums are exact.  doc/numerics.md has the proof.
 */

/* Binades between units; slices of an element. */
#define SLICE_BITS 24
#define MAX_SLICES 3

/*
 * The elements of a tile should be below 2^E for an E in this range, so that
 * units and products of units are doubles, and so are their inverses.
 */
#define LEAST_SLICE_TOP	   (-420)
#define GREATEST_SLICE_TOP 480

/* Return the exponent of a slice's unit, for elements below 2^top. */
static always_inline int
slice_unit(int top, int slice)
{
	return top + 1 - SLICE_BITS * (slice + 1);
}

static always_inline int
n_slices_of(bool is_float4)
{
	return is_float4 ? 2 : MAX_SLICES;
}

static always_inline int
slice_top(int biased)
{
	const int top = biased - 1022;

	return top > LEAST_SLICE_TOP ? top : LEAST_SLICE_TOP;
}

static always_inline double
power_of_two(int exponent)
{
	return ga_float8_from_bits((uint64_t) (exponent + 1023) << 52);
}

/* Return the sum of all lanes of all chains, in units of 2^unit. */
static always_inline int64_t
read_slices(const Doubles *chains, int unit)
{
	const double inverse = power_of_two(-unit);
	int64_t sum = 0;
	int c, lane;

	for (c = 0; c < PRODUCT_CHAINS; c++)
	{
		for (lane = 0; lane < LANES; lane++)
			sum += (int64_t) (chains[c][lane] * inverse);
	}
	return sum;
}

/* Read the sums of products of slices j and k, j <= k. */
static always_inline void
read_squares(const Doubles (*p)[MAX_SLICES][PRODUCT_CHAINS], int top,
			 int n_slices, LevelSums *squares)
{
	int j, k;

	squares->n = 2 * n_slices - 1;
	for (k = 0; k < squares->n; k++)
		squares->m[k] = 0;
	for (j = 0; j < n_slices; j++)
	{
		for (k = j; k < n_slices; k++)
		{
			const int unit = slice_unit(top, j) + slice_unit(top, k);
			const int64_t sum = read_slices(p[j][k], unit);

			squares->unit[j + k] = unit;
			squares->m[j + k] += j == k ? sum : 2 * sum;
		}
	}
}

/*
 * Sum a tile and its squares in slices, where every magnitude should be below
 * 2^(biased - 1022).  True, with the sums, if they are exact.
 */
static always_inline bool
sum_slices(const Tile *tile, int biased, int64_t *n_neg_zero, LevelSums *sums,
		   LevelSums *squares)
{
	const Int64s sign = broadcast_bits(GA_FLOAT8_SIGN);
	const int vector_bytes = LANES * (tile->is_float4 ? 4 : 8);
	const int n_slices = n_slices_of(tile->is_float4);
	const int top = slice_top(biased);
	Doubles a[MAX_SLICES][PRODUCT_CHAINS];
	Doubles p[MAX_SLICES][MAX_SLICES][PRODUCT_CHAINS];
	Doubles limit;
	Int64s n_zero = {0};
	Int64s residual = {0};
	Int64s is_in_range = ~residual;
	size_t i;
	int c, k;

	if (top > GREATEST_SLICE_TOP)
		return false;
	for (c = 0; c < PRODUCT_CHAINS; c++)
	{
		for (k = 0; k < n_slices; k++)
		{
			a[k][c] = broadcast(ga_scale_anchor(slice_unit(top, k)));
			p[0][k][c] = p[1][k][c] = p[2][k][c] = broadcast(0);
		}
	}

#define SPLIT(chain, vector)                                                  \
	do                                                                        \
	{                                                                         \
		Doubles x = (vector);                                                 \
		Doubles z[MAX_SLICES];                                                \
		int j, l;                                                             \
                                                                              \
		n_zero -= LANES_EQUAL((Int64s) x, sign);                              \
		_Pragma("GCC unroll 3") for (l = 0; l < n_slices; l++)                \
		{                                                                     \
			const Doubles q = a[l][chain] + x;                                \
                                                                              \
			z[l] = q - a[l][chain];                                           \
			a[l][chain] = q;                                                  \
			if (l == n_slices - 1)                                            \
			{                                                                 \
				residual |= (Int64s) x ^ (Int64s) z[l];                       \
				z[l] = x;                                                     \
			}                                                                 \
			else                                                              \
				x = x - z[l];                                                 \
			_Pragma("GCC unroll 3") for (j = 0; j <= l; j++) p[j][l][chain] = \
				LANES_FMA(z[j], z[l], p[j][l][chain]);                        \
		}                                                                     \
	} while (0)

	for (i = 0; i + PRODUCT_CHAINS <= tile->whole; i += PRODUCT_CHAINS)
	{
		for (c = 0; c < PRODUCT_CHAINS * vector_bytes; c += 64)
			__builtin_prefetch(tile->data + i * vector_bytes + c +
							   SUM_PREFETCH_BYTES);
		_Pragma("GCC unroll 2") for (c = 0; c < PRODUCT_CHAINS; c++)
			SPLIT(c, tile_vector(tile, i + c));
	}
	for (; i < tile->whole; i++)
		SPLIT(0, tile_vector(tile, i));
	SPLIT(PRODUCT_CHAINS - 1, tile_tail(tile));
#undef SPLIT

	*n_neg_zero = sum_of_lanes(n_zero);
	limit = broadcast(power_of_two(53 + 2 * slice_unit(top, 0)));
	for (c = 0; c < PRODUCT_CHAINS; c++)
		is_in_range &= (Int64s) (p[0][0][c] < limit);
	/* a residual of -0 is zero */
	if (or_of_lanes(~is_in_range) != 0 ||
		((uint64_t) or_of_lanes(residual) & ~GA_FLOAT8_SIGN) != 0)
		return false;
	sums->n = n_slices;
	for (k = 0; k < n_slices; k++)
	{
		sums->unit[k] = slice_unit(top, k);
		sums->m[k] = read_level(a[k], ga_scale_anchor(sums->unit[k]));
	}
	read_squares(p, top, n_slices, squares);
	return true;
}

/* Would slices probably do for the elements that levels have summed? */
static always_inline bool
would_slices_do(const LevelSums *sums, int biased, bool is_float4)
{
	const int last = slice_unit(slice_top(biased), n_slices_of(is_float4) - 1);
	int k;

	for (k = 0; k < sums->n; k++)
	{
		const int below = last - sums->unit[k];

		if (below > 0 &&
			(sums->m[k] & (int64_t) (below < 64 ? (UINT64_C(1) << below) - 1 :
												  UINT64_MAX)) != 0)
			return false;
	}
	return true;
}
