/*
 * cpu_lanes_moving.h
 *		Exact moving sums of floats in vectors; a part of cpu_lanes.h.
 *
 * As running totals (cpu_lanes_scan.h), with what leaves the window taken off:
 * each level takes the difference of two multiples of its unit, exactly.  So
 * the sum never drifts, and where levels cannot hold it, the exact sum adds and
 * removes element by element.  NaN and infinities leave again, as the exact
 * sum counts them.
 *
 * The certificate of a tile: as there, and no |x| that leaves passed
 * 2^GA_SCALE_TOP units of the first level.  One that enters and does shows in
 * the total.
 *
 * Levels have no -0.  The sum of a window is -0 if it has nothing else: if as
 * many of the last elements are -0 as it has.
 */

/* Elements between two normalizations: a level takes two of each. */
#define MOVING_GROUP   (SCAN_GROUP / 2)
#define MOVING_VECTORS (MOVING_GROUP / LANES)

/* A tile of moving sums, in whole vectors. */
typedef struct MovingTile
{
	const char *in;
	const char *leaving;
	size_t nv;
	bool is_float4;
	const double *counts; /* NULL for sums */
	char *out;
	bool has_neg_zero; /* was there any among what entered? */
} MovingTile;

/* What leaves where nothing does. */
static const double nothing[SCAN_TILE];

/*
 * Compute the sums of a tile, into out or, for means, as levels into s.
 * levels[] is the total before, and afterwards the total behind.  True if the
 * outputs have the certificate.
 */
static always_inline bool
moving_levels(MovingTile *tile, const Scale *scale, int n_levels,
			  double *levels, bool is_float4, double (*s_out)[SCAN_TILE])
{
	const Int64s sign = broadcast_bits(GA_FLOAT8_SIGN);
	const int limit = scale->unit[0] + GA_SCALE_TOP;
	const int vector_bytes = LANES * (is_float4 ? 4 : 8);
	Doubles anchor[SCALE_MAX_LEVELS];
	Doubles prefix[SCALE_MAX_LEVELS];
	Doubles top = {0};
	Int64s residual = {0};
	Int64s residual_leaving = {0};
	size_t i;
	int k;

	for (k = 0; k < n_levels; k++)
	{
		anchor[k] = broadcast(scale->anchor[k]);
		prefix[k] = broadcast(levels[k]);
	}
	for (i = 0; i < tile->nv; i++)
	{
		Doubles x = load(tile->in, i * LANES, is_float4);
		Doubles y = load(tile->leaving, i * LANES, is_float4);
		Doubles s[SCALE_MAX_LEVELS];

		__builtin_prefetch(tile->in + i * vector_bytes + SCAN_PREFETCH_BYTES);
		if (s_out == NULL)
			__builtin_prefetch(
				tile->out + i * vector_bytes + SCAN_PREFETCH_BYTES, 1);
		top = LANES_MAX((Doubles) ((Int64s) y & ~sign), top);

		_Pragma("GCC unroll 4") for (k = 0; k < n_levels; k++)
		{
			Doubles zx = (x + anchor[k]) - anchor[k];
			Doubles zy = (y + anchor[k]) - anchor[k];
			Doubles z = scan_lanes(zx - zy);

			x = x - zx;
			y = y - zy;
			s[k] = prefix[k] + z;
			prefix[k] = prefix[k] + LAST_LANE(z);
			if (s_out != NULL)
				memcpy(s_out[k] + i * LANES, &s[k], sizeof(s[k]));
		}
		residual |= (Int64s) x;
		residual_leaving |= (Int64s) y;
		top = LANES_MAX((Doubles) ((Int64s) s[0] & ~sign), top);
		if (s_out == NULL)
			store_totals(tile->out, i * LANES,
						 scan_round(s, n_levels, is_float4), is_float4);
		if (i % MOVING_VECTORS == MOVING_VECTORS - 1 || i == tile->nv - 1)
			normalize(prefix, anchor, n_levels);
	}
	for (k = 0; k < n_levels; k++)
		levels[k] = prefix[k][0];
	if (largest_of_lanes(top) > power_of_2(limit) ||
		(is_float4 && largest_of_lanes(top) > power_of_2(FLOAT4_TOP)))
		return false;

	/* what is left of a -0 is -0 */
	tile->has_neg_zero = or_of_lanes(residual) < 0;
	return ((uint64_t) or_of_lanes(residual | residual_leaving) &
			~GA_FLOAT8_SIGN) == 0;
}

/* Compute the means of a tile. */
static always_inline bool
moving_means(MovingTile *tile, const Scale *scale, int n_levels, double *levels,
			 bool is_float4)
{
	double s[SCALE_MAX_LEVELS][SCAN_TILE];

	if (scale->unit[n_levels - 1] < MEAN_LEAST_UNIT ||
		scale->unit[0] > MEAN_MOST_UNIT ||
		!moving_levels(tile, scale, n_levels, levels, is_float4, s))
		return false;
	divide_tile(s, n_levels, tile->nv, tile->counts, (double *) tile->out);
	return true;
}

/* One function for each kind of output, type and number of levels. */
#define DEFINE_OUTPUTS(name, ...)                             \
	static __attribute__((noinline)) bool name(               \
		MovingTile *tile, const Scale *scale, double *levels) \
	{                                                         \
		return __VA_ARGS__;                                   \
	}
DEFINE_OUTPUTS(moving_sums_float4,
			   moving_levels(tile, scale, 2, levels, true, NULL))
DEFINE_OUTPUTS(moving_sums_float8_2,
			   moving_levels(tile, scale, 2, levels, false, NULL))
DEFINE_OUTPUTS(moving_sums_float8_3,
			   moving_levels(tile, scale, 3, levels, false, NULL))
DEFINE_OUTPUTS(moving_means_float4, moving_means(tile, scale, 2, levels, true))
DEFINE_OUTPUTS(moving_means_float8_2,
			   moving_means(tile, scale, 2, levels, false))
DEFINE_OUTPUTS(moving_means_float8_3,
			   moving_means(tile, scale, 3, levels, false))

/* Compute a tile's outputs, as moving_levels() does. */
static bool
moving_outputs(MovingTile *tile, const Scale *scale, double *levels)
{
	if (tile->counts == NULL)
		return tile->is_float4 ? moving_sums_float4(tile, scale, levels) :
			   scale->n_levels == 2 ?
								 moving_sums_float8_2(tile, scale, levels) :
								 moving_sums_float8_3(tile, scale, levels);
	return tile->is_float4		? moving_means_float4(tile, scale, levels) :
		   scale->n_levels == 2 ? moving_means_float8_2(tile, scale, levels) :
								  moving_means_float8_3(tile, scale, levels);
}

/*
 * Compute a tile on one scale.  True if the outputs are right and the sum has
 * moved.  Otherwise the outputs are undefined, and the sum is not changed.
 */
static bool
moving_tile_on_scale(GaExactSum *sum, MovingTile *tile, const Scale *scale)
{
	double before[SCALE_MAX_LEVELS];
	double after[SCALE_MAX_LEVELS];

	if (scale->unit[0] > GA_SCALE_MOST ||
		!ga_exact_sum_to_levels(sum, scale->unit, scale->n_levels, before))
		return false;
	memcpy(after, before, sizeof(before));
	if (!moving_outputs(tile, scale, after))
		return false;
	add_levels(sum, scale, before, after);
	return true;
}

/* Return the least e such that all of the tile's elements are below 2^e. */
static int
moving_exponent(const MovingTile *moving)
{
	Tile tile = {moving->in, moving->nv * LANES, moving->nv, moving->is_float4};
	TileStats entering, leaving;

	collect_stats(&tile, &entering);
	tile.data = moving->leaving;
	collect_stats(&tile, &leaving);
	return (entering.biased > leaving.biased ? entering.biased :
											   leaving.biased) -
		   1022;
}

/* Compute a tile, and update the hint.  False if no scale fits. */
static bool
moving_tile(GaExactSum *sum, MovingTile *tile, Hint *hint)
{
	int top, of_elements, i;

	if (hint->is_set && !(tile->is_float4 && hint->n_levels == 3))
	{
		Scale scale = make_scale(hint->biased - 1022, hint->n_levels);

		if (moving_tile_on_scale(sum, tile, &scale))
			return true;
	}
	hint->is_set = false;
	top = ga_exact_sum_exponent(sum);
	of_elements = moving_exponent(tile);
	if (top < of_elements)
		top = of_elements;
	for (i = 0; i < N_ATTEMPTS(tile->is_float4); i++)
	{
		Scale scale = make_scale(top + attempts[i].slack, attempts[i].n_levels);

		if (moving_tile_on_scale(sum, tile, &scale))
		{
			hint->is_set = true;
			hint->biased = top + attempts[i].slack + 1022;
			hint->n_levels = attempts[i].n_levels;
			return true;
		}
	}
	return false;
}
