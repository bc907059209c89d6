/*
 * cpu_lanes_window.h
 *		Moving a window over floats, tile by tile; a part of cpu_lanes.h.
 *
 * What cpu_lanes_moving.h cannot compute is computed here one by one, by the
 * exact sum.
 */

/* Compute a tile of n elements that is not whole vectors, in padded copies. */
static bool
moving_partial_tile(GaExactSum *sum, MovingTile *tile, size_t n, Hint *hint)
{
	size_t size = tile->is_float4 ? sizeof(float) : sizeof(double);
	size_t out_size = tile->counts != NULL ? sizeof(double) : size;
	double in[SCAN_TILE];
	double leaving[SCAN_TILE];
	double counts[SCAN_TILE];
	double out[SCAN_TILE];
	MovingTile padded = *tile;
	size_t i;

	padded.in = (char *) in;
	padded.leaving = (char *) leaving;
	padded.nv = (n + LANES - 1) / LANES;
	memcpy(in, tile->in, n * size);
	memcpy(leaving, tile->leaving, n * size);
	memset((char *) in + n * size, 0, (padded.nv * LANES - n) * size);
	memset((char *) leaving + n * size, 0, (padded.nv * LANES - n) * size);
	if (tile->counts != NULL)
	{
		memcpy(counts, tile->counts, n * sizeof(double));
		for (i = n; i < padded.nv * LANES; i++)
			counts[i] = 1;
		padded.counts = counts;
	}
	padded.out = (char *) out;
	if (!moving_tile(sum, &padded, hint))
		return false;
	memcpy(tile->out, out, n * out_size);
	tile->has_neg_zero = padded.has_neg_zero;
	return true;
}

static always_inline double
load_one(const char *data, size_t i, bool is_float4)
{
	double x;
	float single;

	if (!is_float4)
	{
		memcpy(&x, data + i * sizeof(x), sizeof(x));
		return x;
	}
	memcpy(&single, data + i * sizeof(single), sizeof(single));
	return single;
}

/* Store an output of a tile, which fits its type. */
static always_inline void
store_one(const MovingTile *tile, size_t i, double x)
{
	float single = (float) x;

	if (tile->is_float4 && tile->counts == NULL)
		memcpy(tile->out + i * sizeof(single), &single, sizeof(single));
	else
		memcpy(tile->out + i * sizeof(x), &x, sizeof(x));
}

/* Round the sum as output i.  GA_OVERFLOW if it is out of range. */
static GaStatus
round_one(GaExactSum *sum, const MovingTile *tile, size_t i)
{
	double result = 0;
	float single = 0;
	GaStatus status;

	if (tile->counts != NULL)
	{
		sum->n = (int64_t) tile->counts[i];
		status = ga_exact_sum_mean(sum, &result);
	}
	else if (tile->is_float4)
	{
		status = ga_exact_sum_float4(sum, &single);
		result = single;
	}
	else
		status = ga_exact_sum_float8(sum, &result);
	store_one(tile, i, result);
	return status;
}

/* Compute n outputs one by one; returns the number before an overflow. */
static size_t
moving_one_by_one(GaExactSum *sum, const MovingTile *tile, size_t n)
{
	size_t i;

	/* the number of inputs only tells that there are some: -0 is added as 0 */
	for (i = 0; i < n; i++)
	{
		double x = load_one(tile->in, i, tile->is_float4);
		double y = load_one(tile->leaving, i, tile->is_float4);

		(void) ga_exact_sum_add(sum, x + 0.0);
		(void) ga_exact_sum_remove(sum, y + 0.0);
		sum->n = 1;
		if (round_one(sum, tile, i) != GA_OK)
			break;
	}
	return i;
}

/* Make outputs -0 where the window has nothing else. */
static void
set_neg_zeros(GaMoving *moving, const MovingTile *tile, size_t n, bool is_grown)
{
	size_t i;

	for (i = 0; i < n; i++)
	{
		double x = load_one(tile->in, i, tile->is_float4);
		int64_t n_items = moving->n_items + (is_grown ? 0 : (int64_t) i + 1);

		if (ga_float8_bits(x) == GA_FLOAT8_SIGN)
			moving->n_neg_zeros++;
		else
			moving->n_neg_zeros = 0;
		if (moving->n_neg_zeros >= n_items)
			store_one(tile, i, -0.0);
	}
}

/* Compute a tile of n outputs; returns the number before an overflow. */
static size_t
moving_any_tile(GaMoving *moving, MovingTile *tile, size_t n, bool is_grown,
				Hint *hint)
{
	GaExactSum *sum = ga_full_sum(&moving->sum);
	size_t n_out = n;

	if (sum->n_nan > 0 || sum->n_pos_inf > 0 || sum->n_neg_inf > 0 ||
		!(n % LANES == 0 ? moving_tile(sum, tile, hint) :
						   moving_partial_tile(sum, tile, n, hint)))
	{
		n_out = moving_one_by_one(sum, tile, n);
		tile->has_neg_zero = true;
	}
	if (tile->has_neg_zero)
		set_neg_zeros(moving, tile, n_out, is_grown);
	else
		moving->n_neg_zeros = 0;
	if (!is_grown)
		moving->n_items += (int64_t) n;
	return n_out;
}

static size_t
moving_floats(GaMoving *moving, const char *in, const char *leaving, size_t n,
			  const double *counts, char *out, bool is_float4)
{
	const size_t size = is_float4 ? sizeof(float) : sizeof(double);
	const size_t out_size = counts != NULL ? sizeof(double) : size;
	GaExactSum *sum = ga_full_sum(&moving->sum);
	Hint hint = load_hint(sum);
	size_t done, length, n_out;

	for (done = 0; done < n; done += length)
	{
		MovingTile tile;

		length = n - done < SCAN_TILE ? n - done : SCAN_TILE;
		tile.in = in + done * size;
		tile.leaving =
			leaving != NULL ? leaving + done * size : (const char *) nothing;
		tile.nv = length / LANES;
		tile.is_float4 = is_float4;
		tile.counts = counts != NULL ? counts + done : NULL;
		tile.out = out + done * out_size;
		n_out = moving_any_tile(moving, &tile, length, leaving != NULL, &hint);
		if (n_out < length)
			return done + n_out;
	}
	store_hint(sum, &hint);
	return n;
}

static size_t
moving_float8(GaMoving *moving, const void *entering, const void *leaving,
			  size_t n, const double *counts, void *out)
{
	return moving_floats(moving, entering, leaving, n, counts, out, false);
}

static size_t
moving_float4(GaMoving *moving, const void *entering, const void *leaving,
			  size_t n, const double *counts, void *out)
{
	return moving_floats(moving, entering, leaving, n, counts, out, true);
}
