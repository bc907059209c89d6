/*
 * cpu_lanes_moments.h
 * 		Exact moments of floats in vectors; a part of cpu_lanes.h.
 *
 * A tile is tried with slices (cpu_lanes_slices.h).  If its bits are too far
 * apart for them, its elements are summed as in cpu_lanes_float.h, and their
 * squares beside them as in cpu_lanes_products.h.  A tile counts only if both
 * sums are exact.  Every element that is not zero is at least the unit of the
 * last level then, so no square underflows unless that unit is small; such a
 * tile is added one by one.
 */

/* How a tile is tried: with slices, or so many levels of the elements. */
#define WITH_SLICES 1
#define MOST_LEVELS 3

/*
 * Sum a tile and its squares, where every magnitude is below
 * 2^(biased - 1022), or that is a guess.  True, with the levels' integers and
 * the stats, if the bound holds and both sums are exact.
 */
static always_inline bool
sum_squares(const Tile *tile, int biased, int n_levels, TileStats *stats,
			LevelSums *sums, LevelSums *squares)
{
	const Int64s sign = broadcast_bits(GA_FLOAT8_SIGN);
	const bool is_float4 = tile->is_float4;
	const int vector_bytes = LANES * (is_float4 ? 4 : 8);
	const int n_products = n_levels == 2 ? SOME_LEVELS : MANY_LEVELS;
	const int top_product = 2 * (biased - 1022);
	Doubles a[MOST_LEVELS][PRODUCT_CHAINS];
	Doubles p[MAX_PRODUCT_LEVELS][PRODUCT_CHAINS];
	Doubles top[PRODUCT_CHAINS];
	Int64s n_zero = {0};
	Int64s residual = {0};
	size_t i;
	int c, k;

	for (c = 0; c < PRODUCT_CHAINS; c++)
	{
		top[c] = broadcast(0);
		for (k = 0; k < n_levels; k++)
			a[k][c] =
				broadcast(ga_scale_anchor(anchor_exponent(biased, k) - 52));
	}
	START_PRODUCTS(p, top_product, n_products);

#define SPLIT(chain, vector)                                            \
	do                                                                  \
	{                                                                   \
		Doubles x = (vector);                                           \
		Doubles hi = x * x;                                             \
		Doubles lo = product_rest(x, x, hi);                            \
		int j;                                                          \
                                                                        \
		COLLECT(chain, x);                                              \
		_Pragma("GCC unroll 3") for (j = 0; j < n_levels; j++)          \
			CUT(a[j][chain], x);                                        \
		residual |= (Int64s) x;                                         \
		CUT_PRODUCT(p, chain, hi, lo, n_products, is_float4, residual); \
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

	for (c = 1; c < PRODUCT_CHAINS; c++)
		top[0] = LANES_MAX(top[0], top[c]);
	finish_stats(stats, top[0], n_zero);
	sums->n = n_levels;
	for (k = 0; k < n_levels; k++)
	{
		sums->unit[k] = anchor_exponent(biased, k) - 52;
		sums->m[k] = read_level(a[k], ga_scale_anchor(sums->unit[k]));
	}
	residual |= nan_of_products(p, n_products, is_float4);
	read_products(p, top_product, n_products, is_float4, squares);
	/* a residual of -0 is zero */
	return stats->biased <= biased &&
		   ((uint64_t) or_of_lanes(residual) & ~GA_FLOAT8_SIGN) == 0;
}

/* Add a tile one by one; returns how many elements were added. */
static __attribute__((noinline)) size_t
moments_one_by_one(GaMoments *moments, const Tile *tile)
{
	size_t i;

	for (i = 0; i < tile->n; i++)
	{
		if (ga_moments_add(moments,
						   element_at(tile->data, i, tile->is_float4)) != GA_OK)
			break;
	}
	return i;
}

/* Try to sum a tile with slices or with levels. */
static always_inline bool
try_squares(const Tile *tile, int biased, int how, TileStats *stats,
			LevelSums *sums, LevelSums *squares)
{
	const int least =
		LEAST_SQUARE_UNIT + 52 + LEVEL_BITS * (how - 1) - SLACK + 1022;

	if (how == WITH_SLICES)
		return sum_slices(tile, biased, &stats->n_neg_zero, sums, squares);
	/* a bound above that of the elements is one, too */
	if (biased < least)
		biased = least;
	if (anchor_exponent(biased, 0) > 1023 ||
		!products_have_anchors(2 * (biased - 1022)))
		return false;
	return how == 2 ? sum_squares(tile, biased, 2, stats, sums, squares) :
					  sum_squares(tile, biased, 3, stats, sums, squares);
}

/* Store how to try the next tile, after one with these sums. */
static always_inline void
set_hint(Hint *hint, const LevelSums *sums, int how, bool is_float4)
{
	hint->with_slices =
		how == WITH_SLICES || would_slices_do(sums, hint->biased, is_float4);
	if (how == MOST_LEVELS && sums->m[MOST_LEVELS - 1] == 0)
		how--;
	hint->n_levels = how == MOST_LEVELS ? MOST_LEVELS : 2;
}

/*
 * Add a tile of LANES elements or more with levels.  False, and nothing is
 * added, if levels cannot sum it, or if the sums have no capacity: then *status
 * is GA_NO_CAPACITY.
 */
static always_inline bool
moments_tile(GaMoments *moments, const Tile *tile, Hint *hint, GaStatus *status)
{
	GaExactSum *single = ga_sum_pair_single(moments);
	GaExactSum *products = ga_sum_pair_products(moments);
	TileStats stats;
	LevelSums sums, squares;
	int how = hint->with_slices ? WITH_SLICES : hint->n_levels;
	bool done = false;

	if (hint->is_set)
		done = try_squares(tile, hint->biased, how, &stats, &sums, &squares);
	if (!done)
	{
		collect_stats(tile, &stats);
		hint->is_set = true;
		hint->biased = stats.biased + HINT_MARGIN;
		for (how = WITH_SLICES; !done && how <= MOST_LEVELS; how += !done)
			done =
				try_squares(tile, stats.biased, how, &stats, &sums, &squares);
	}
	if (!done)
	{
		hint->is_set = false;
		return false;
	}
	*status = reserve_levels(single, &sums);
	if (*status == GA_OK)
		*status = reserve_levels(products, &squares);
	if (*status != GA_OK)
		return false;
	add_level_sums(single, &sums);
	add_level_sums(products, &squares);
	set_hint(hint, &sums, how, tile->is_float4);
	single->n += (int64_t) tile->n;
	single->n_neg_zero += stats.n_neg_zero;
	products->n += (int64_t) tile->n;
	return true;
}

static always_inline size_t
moments_of_floats(GaMoments *moments, const char *data, size_t n,
				  bool is_float4)
{
	Hint hint = load_hint(ga_sum_pair_single(moments));
	size_t done = 0;
	size_t added;
	Tile tile;

	for (; done < n; done += added)
	{
		GaStatus status = GA_OK;

		tile = tile_at(data, done, n, PRODUCT_TILE, is_float4);
		if (tile.whole > 0 && moments_tile(moments, &tile, &hint, &status))
			added = tile.n;
		else if (status != GA_OK)
			break;
		else
			added = moments_one_by_one(moments, &tile);
		if (added < tile.n)
		{
			done += added;
			break;
		}
	}
	store_hint(ga_sum_pair_single(moments), &hint);
	return done;
}

static size_t
moments_float8(GaMoments *moments, const void *data, size_t n)
{
	return moments_of_floats(moments, data, n, false);
}

static size_t
moments_float4(GaMoments *moments, const void *data, size_t n)
{
	return moments_of_floats(moments, data, n, true);
}
