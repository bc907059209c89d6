/*
 * cpu_lanes_dot.h
 *		Exact sums of products of arrays in vectors; a part of cpu_lanes.h.
 *
 * See cpu_lanes_products.h for the method.
 */

/* A tile of each array. */
typedef struct TilePair
{
	Tile x;
	Tile y;
} TilePair;

/* What is known of a tile's products from their hi. */
typedef struct ProductStats
{
	int biased; /* of the largest magnitude */
	bool is_any_zero;
} ProductStats;

/* Raise top to the magnitudes of a vector of hi. */
#define RAISE_TOP(top, hi) \
	((top) = LANES_MAX((Doubles) ((Int64s) (hi) & ~sign), (top)))

/* Return the lanes of the tail that are in it. */
static always_inline Int64s
tail_mask(size_t n)
{
	static const int64_t lanes[8] = {0, 1, 2, 3, 4, 5, 6, 7};
	Int64s lane;

	memcpy(&lane, lanes, sizeof(lane));
	/* they are the last ones, in their places of the last whole vector */
	return (Int64s) (lane >= broadcast_bits(LANES - n % LANES));
}

static always_inline void
collect_product_stats(const TilePair *pair, ProductStats *stats)
{
	const Int64s sign = broadcast_bits(GA_FLOAT8_SIGN);
	Doubles top = {0};
	size_t i;

	for (i = 0; i < pair->x.whole; i++)
		RAISE_TOP(top, tile_vector(&pair->x, i) * tile_vector(&pair->y, i));
	RAISE_TOP(top, tile_tail(&pair->x) * tile_tail(&pair->y));
	stats->biased = (int) (ga_float8_bits(largest_of_lanes(top)) >> 52);
}

/*
 * Sum the products of a tile, where every hi is below 2^(biased - 1022), or
 * that is a guess.  True, with the levels' integers and the stats, if the bound
 * holds and the sum is exact, but for products whose hi is zero.
 */
static always_inline bool
sum_products(const TilePair *pair, int biased, int n_levels,
			 ProductStats *stats, LevelSums *sums)
{
	const Int64s sign = broadcast_bits(GA_FLOAT8_SIGN);
	const bool is_float4 = pair->x.is_float4;
	const int vector_bytes = LANES * (is_float4 ? 4 : 8);
	const int step = PRODUCT_STEP(vector_bytes);
	const Int64s all = broadcast_bits(UINT64_MAX);
	Doubles p[MAX_PRODUCT_LEVELS][PRODUCT_CHAINS];
	Doubles top[PRODUCT_CHAINS];
	Doubles hi[PRODUCT_CHAINS], lo[PRODUCT_CHAINS];
	Doubles least = broadcast(1); /* of 1 and magnitudes */
	Int64s residual = {0};
	size_t i;
	int c;

	for (c = 0; c < PRODUCT_CHAINS; c++)
		top[c] = hi[c] = lo[c] = broadcast(0);
	START_PRODUCTS(p, biased - 1022, n_levels);

	/* cut the last products while the next ones are computed */
#define SPLIT(chain, vector_x, vector_y, is_in)                               \
	do                                                                        \
	{                                                                         \
		const Doubles x = (vector_x);                                         \
		const Doubles y = (vector_y);                                         \
		Int64s magnitude;                                                     \
                                                                              \
		CUT_PRODUCT(p, chain, hi[chain], lo[chain], n_levels, is_float4,      \
					residual);                                                \
		hi[chain] = x * y;                                                    \
		lo[chain] = product_rest(x, y, hi[chain]);                            \
		magnitude = (Int64s) hi[chain] & ~sign;                               \
		top[chain] = LANES_MAX((Doubles) magnitude, top[chain]);              \
		/* NaN is not the least */                                            \
		least =                                                               \
			(Doubles) LANES_MIN_float8(magnitude | ~(is_in), (Int64s) least); \
	} while (0)

	for (i = 0; i + step <= pair->x.whole; i += step)
	{
		for (c = 0; c < step * vector_bytes; c += 64)
		{
			__builtin_prefetch(pair->x.data + i * vector_bytes + c +
							   SUM_PREFETCH_BYTES);
			__builtin_prefetch(pair->y.data + i * vector_bytes + c +
							   SUM_PREFETCH_BYTES);
		}
		_Pragma("GCC unroll 8") for (c = 0; c < step; c++)
			SPLIT(c % PRODUCT_CHAINS, tile_vector(&pair->x, i + c),
				  tile_vector(&pair->y, i + c), all);
	}
	for (; i < pair->x.whole; i++)
		SPLIT(0, tile_vector(&pair->x, i), tile_vector(&pair->y, i), all);
	SPLIT(PRODUCT_CHAINS - 1, tile_tail(&pair->x), tile_tail(&pair->y),
		  tail_mask(pair->x.n));
#undef SPLIT
	for (c = 0; c < PRODUCT_CHAINS; c++)
		CUT_PRODUCT(p, c, hi[c], lo[c], n_levels, is_float4, residual);

	for (c = 1; c < PRODUCT_CHAINS; c++)
		top[0] = LANES_MAX(top[0], top[c]);
	stats->biased = (int) (ga_float8_bits(largest_of_lanes(top[0])) >> 52);
	stats->is_any_zero = or_of_lanes((Int64s) (least == broadcast(0))) != 0;
	residual |= nan_of_products(p, n_levels, is_float4);
	read_products(p, biased - 1022, n_levels, is_float4, sums);
	/* a residual of -0 is zero */
	return stats->biased <= biased &&
		   ((uint64_t) or_of_lanes(residual) & ~GA_FLOAT8_SIGN) == 0;
}

/*
 * Count the products of a tile that are -0.  False if a product that is not
 * zero has underflowed to zero.
 */
static __attribute__((noinline)) bool
count_zero_products(const TilePair *pair, int64_t *n_neg_zero)
{
	const Doubles zero = broadcast(0);
	const Int64s sign = broadcast_bits(GA_FLOAT8_SIGN);
	Int64s lost = {0};
	Int64s n = {0};
	size_t i;

#define COUNT(vector_x, vector_y)                              \
	do                                                         \
	{                                                          \
		const Doubles x = (vector_x);                          \
		const Doubles y = (vector_y);                          \
		const Doubles hi = x * y;                              \
                                                               \
		n -= (Int64s) hi == sign;                              \
		lost |= (Int64s) (hi == zero) & (Int64s) (x != zero) & \
				(Int64s) (y != zero);                          \
	} while (0)

	for (i = 0; i < pair->x.whole; i++)
		COUNT(tile_vector(&pair->x, i), tile_vector(&pair->y, i));
	COUNT(tile_tail(&pair->x), tile_tail(&pair->y));
#undef COUNT
	*n_neg_zero = sum_of_lanes(n);
	return or_of_lanes(lost) == 0;
}

/* Add a tile one by one; returns how many products were added. */
static __attribute__((noinline)) size_t
dot_one_by_one(GaExactSum *sum, const TilePair *pair)
{
	size_t i;

	for (i = 0; i < pair->x.n; i++)
	{
		const double x = element_at(pair->x.data, i, pair->x.is_float4);
		const double y = element_at(pair->y.data, i, pair->y.is_float4);

		if (ga_product_sum_add(sum, x, y) != GA_OK)
			break;
	}
	return i;
}

/* Try to sum a tile with few levels (2) or many (3). */
static always_inline bool
try_products(const TilePair *pair, int biased, int few_or_many,
			 ProductStats *stats, LevelSums *sums)
{
	const int n = few_or_many == 2 ? FEW_LEVELS : MANY_LEVELS;
	/* a bound above that of the products is one, too */
	const int least = LEAST_PRODUCT_UNIT - product_unit(0, n, n - 1) + 1022;

	if (biased < least)
		biased = least;
	if (!products_have_anchors(biased - 1022))
		return false;
	return few_or_many == 2 ?
			   sum_products(pair, biased, FEW_LEVELS, stats, sums) :
			   sum_products(pair, biased, MANY_LEVELS, stats, sums);
}

/*
 * Add the products of a tile of LANES elements or more with levels.  False, and
 * nothing is added, if levels cannot sum it, or if the sum has no capacity:
 * then *status is GA_NO_CAPACITY.
 */
static always_inline bool
dot_tile(GaExactSum *sum, const TilePair *pair, Hint *hint, GaStatus *status)
{
	ProductStats stats;
	LevelSums sums;
	int64_t n_neg_zero = 0;
	bool done = false;

	if (hint->is_set)
		done = try_products(pair, hint->biased, hint->n_levels, &stats, &sums);
	if (!done)
	{
		collect_product_stats(pair, &stats);
		hint->is_set = true;
		hint->biased = stats.biased + HINT_MARGIN;
		for (hint->n_levels = 2; !done && hint->n_levels <= 3;
			 hint->n_levels += !done)
			done =
				try_products(pair, stats.biased, hint->n_levels, &stats, &sums);
	}
	if (done && stats.is_any_zero)
		done = count_zero_products(pair, &n_neg_zero);
	if (!done)
	{
		hint->is_set = false;
		return false;
	}
	*status = reserve_levels(sum, &sums);
	if (*status != GA_OK)
		return false;
	add_level_sums(sum, &sums);
	if (hint->n_levels == 3 && would_few_do(&sums))
		hint->n_levels = 2;
	sum->n += (int64_t) pair->x.n;
	sum->n_neg_zero += n_neg_zero;
	return true;
}

static always_inline size_t
dot_of_floats(GaExactSum *sum, const char *x, const char *y, size_t n,
			  bool is_float4)
{
	Hint hint = load_hint(sum);
	size_t done = 0;
	size_t added;
	TilePair pair;

	for (; done < n; done += added)
	{
		GaStatus status = GA_OK;

		pair.x = tile_at(x, done, n, PRODUCT_TILE, is_float4);
		pair.y = tile_at(y, done, n, PRODUCT_TILE, is_float4);
		if (pair.x.whole > 0 && dot_tile(sum, &pair, &hint, &status))
			added = pair.x.n;
		else if (status != GA_OK)
			break;
		else
			added = dot_one_by_one(sum, &pair);
		if (added < pair.x.n)
		{
			done += added;
			break;
		}
	}
	store_hint(sum, &hint);
	return done;
}

static size_t
dot_float8(GaExactSum *sum, const void *x, const void *y, size_t n)
{
	return dot_of_floats(sum, x, y, n, false);
}

static size_t
dot_float4(GaExactSum *sum, const void *x, const void *y, size_t n)
{
	return dot_of_floats(sum, x, y, n, true);
}
