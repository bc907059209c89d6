/*
 * cpu_lanes_scan.h
 *		Exact running totals of floats in vectors; a part of cpu_lanes.h.
 *
 * Between tiles the total is an exact sum.  Within a tile it is two or three
 * doubles S_0, S_1(, S_2), multiples of the units of a fixed scale
 * (exact_sum.h), and exact: their additions never round.  Each element is split
 * into multiples z_k of the same units, and z_k is added to S_k.  An output is
 * the sum of the S_k, rounded once: with two levels, that is one addition; with
 * three, the smaller two are first added and rounded to odd.
 *
 * The outputs of a tile need a certificate: no element has a residual below the
 * last unit, and no |S_0| passed 2^GA_SCALE_TOP units.  Without it, the tile is
 * computed again on another scale, and at last one by one.  doc/numerics.md has
 * the proof.
 */

/* Elements of a tile; elements between two normalizations of the levels. */
#define SCAN_TILE	 1024
#define SCAN_GROUP	 32
#define SCAN_VECTORS (SCAN_GROUP / LANES)

/* Distance of prefetching inputs and outputs, in bytes. */
#define SCAN_PREFETCH_BYTES 2048

/* Totals of float4 beyond 2^126 may overflow: they are computed one by one. */
#define FLOAT4_TOP 126

/* float8 has up to three levels; float4 has two, or is computed one by one. */
#define SCALE_MAX_LEVELS 3

/* A scale: the number of levels, the exponents of their units, the anchors. */
typedef struct Scale
{
	int n_levels;
	int unit[SCALE_MAX_LEVELS];
	double anchor[SCALE_MAX_LEVELS];
} Scale;

/* Return the running totals within a vector. */
static always_inline Doubles
scan_lanes(Doubles v)
{
	v += SHIFT_LANES_UP(v, 1);
	if (LANES > 2)
		v += SHIFT_LANES_UP(v, 2);
	if (LANES > 4)
		v += SHIFT_LANES_UP(v, 4);
	return v;
}

/*
 * Round t + d to odd, where |d| is at most half a unit in t's last place: if
 * the result is not exact, its last bit is 1.
 */
static always_inline Doubles
round_to_odd(Doubles t, Doubles d)
{
	Int64s bits = (Int64s) t;
	Int64s zero = {0};
	Int64s adjust = (d != (Doubles) zero) & ((bits & 1) == zero);
	Int64s towards = (bits ^ (Int64s) d) < zero; /* -1: decrease */

	/* up by 1 where the signs agree, down by 1 where they differ */
	return (Doubles) (bits + (adjust & (towards | 1)));
}

/*
 * Return the sum of a total's levels, rounded once.  With to_odd it is rounded
 * to odd in 53 bits; rounding that to float is correct.
 */
static always_inline Doubles
scan_round(const Doubles *s, int n_levels, bool to_odd)
{
	Doubles h = s[0] + s[1];
	Doubles rest = s[1] - (h - s[0]);

	if (n_levels == 3)
	{
		Doubles t = rest + s[2];

		return h + round_to_odd(t, s[2] - (t - rest));
	}
	return to_odd ? round_to_odd(h, rest) : h;
}

static always_inline void
store_totals(char *out, size_t i, Doubles totals, bool is_float4)
{
	if (is_float4)
	{
		HalfFloats v = __builtin_convertvector(totals, HalfFloats);

		memcpy(out + i * sizeof(float), &v, sizeof(v));
	}
	else
		memcpy(out + i * sizeof(double), &totals, sizeof(totals));
}

static always_inline double
power_of_2(int exponent)
{
	return ga_float8_from_bits((uint64_t) (exponent + 1023) << 52);
}

/* Return a scale for totals below 2^top in magnitude. */
static always_inline Scale
make_scale(int top, int n_levels)
{
	const int lowest = GA_SCALE_LEAST + GA_SCALE_BITS * (n_levels - 1);
	int first = top - GA_SCALE_TOP;
	Scale scale;
	int k;

	if (first < lowest)
		first = lowest;
	scale.n_levels = n_levels;
	for (k = 0; k < n_levels; k++)
	{
		scale.unit[k] = first - GA_SCALE_BITS * k;
		scale.anchor[k] =
			first <= GA_SCALE_MOST ? ga_scale_anchor(scale.unit[k]) : 0;
	}
	return scale;
}

/* Carry multiples of the next larger unit from each lower level. */
static always_inline void
normalize(Doubles *levels, const Doubles *anchor, int n_levels)
{
	int k;

	_Pragma("GCC unroll 4") for (k = n_levels - 1; k > 0; k--)
	{
		Doubles carried = (levels[k] + anchor[k - 1]) - anchor[k - 1];

		levels[k] = levels[k] - carried;
		levels[k - 1] = levels[k - 1] + carried;
	}
}

/*
 * Compute the running totals of nv whole vectors.  levels[] is the total before
 * them, and afterwards the total behind them.  True if the outputs have the
 * certificate.
 */
static always_inline bool
scan_levels(const char *in, char *out, size_t nv, bool is_float4,
			const Scale *scale, int n_levels, double *levels)
{
	const Int64s sign = broadcast_bits(GA_FLOAT8_SIGN);
	const int limit = scale->unit[0] + GA_SCALE_TOP;
	const int vector_bytes = LANES * (is_float4 ? 4 : 8);
	Doubles anchor[SCALE_MAX_LEVELS];
	Doubles prefix[SCALE_MAX_LEVELS];
	Doubles top = {0};
	Int64s residual = {0};
	size_t i;
	int k;

	for (k = 0; k < n_levels; k++)
	{
		anchor[k] = broadcast(scale->anchor[k]);
		prefix[k] = broadcast(levels[k]);
	}
	for (i = 0; i < nv; i++)
	{
		Doubles x = load(in, i * LANES, is_float4);
		Doubles s[SCALE_MAX_LEVELS];

		/* hardware prefetching does not follow two streams */
		__builtin_prefetch(in + i * vector_bytes + SCAN_PREFETCH_BYTES);
		__builtin_prefetch(out + i * vector_bytes + SCAN_PREFETCH_BYTES, 1);

		_Pragma("GCC unroll 4") for (k = 0; k < n_levels; k++)
		{
			Doubles z = (x + anchor[k]) - anchor[k];

			x = x - z;
			z = scan_lanes(z);
			s[k] = prefix[k] + z;
			prefix[k] = prefix[k] + LAST_LANE(z);
		}
		residual |= (Int64s) x;
		top = LANES_MAX((Doubles) ((Int64s) s[0] & ~sign), top);
		store_totals(out, i * LANES, scan_round(s, n_levels, is_float4),
					 is_float4);

		/* also at the end of a tile, which bounds what it adds to a level */
		if (i % SCAN_VECTORS == SCAN_VECTORS - 1 || i == nv - 1)
			normalize(prefix, anchor, n_levels);
	}
	for (k = 0; k < n_levels; k++)
		levels[k] = prefix[k][0];
	if (largest_of_lanes(top) > power_of_2(limit) ||
		(is_float4 && largest_of_lanes(top) > power_of_2(FLOAT4_TOP)))
		return false;
	return ((uint64_t) or_of_lanes(residual) & ~GA_FLOAT8_SIGN) == 0;
}

/* Add what a certified tile has added to the levels. */
static always_inline void
add_levels(GaExactSum *sum, const Scale *scale, const double *before,
		   const double *after)
{
	int k;

	/* within the anchor's binade, a difference of bits counts units */
	for (k = 0; k < scale->n_levels; k++)
	{
		double anchor = scale->anchor[k];
		uint64_t units = ga_float8_bits(anchor + (after[k] - before[k])) -
						 ga_float8_bits(anchor);

		(void) ga_exact_sum_add_scaled(sum, (int64_t) units, scale->unit[k]);
	}
}

/*
 * Compute a tile on one scale.  True if the outputs are right and the sum has
 * the tile's elements.  Otherwise the outputs are undefined, and the sum is
 * not changed.
 */
static always_inline bool
scan_tile_on_scale(GaExactSum *sum, const char *in, char *out, size_t nv,
				   size_t n, bool is_float4, const Scale *scale)
{
	double before[SCALE_MAX_LEVELS];
	double after[SCALE_MAX_LEVELS];

	if (scale->unit[0] > GA_SCALE_MOST ||
		!ga_exact_sum_to_levels(sum, scale->unit, scale->n_levels, before))
		return false;
	memcpy(after, before, sizeof(before));
	if (!(scale->n_levels == 2 ?
			  scan_levels(in, out, nv, is_float4, scale, 2, after) :
			  scan_levels(in, out, nv, is_float4, scale, 3, after)))
		return false;

	add_levels(sum, scale, before, after);
	sum->n += (int64_t) n;
	return true;
}

/* The scales to try, by the largest of the total and the tile's elements. */
static const struct
{
	int n_levels;
	int slack; /* bits that the total may grow */
} attempts[] = {{2, 12}, {2, 4}, {3, 12}};

#define N_ATTEMPTS(is_float4) ((is_float4) ? 2 : 3)

/*
 * Compute a tile of n elements in nv whole vectors, and update the hint.  False
 * if no scale fits.
 */
static always_inline bool
scan_tile(GaExactSum *sum, const char *in, char *out, size_t nv, size_t n,
		  bool is_float4, Hint *hint)
{
	Tile tile = {in, nv * LANES, nv, is_float4};
	TileStats stats;
	int top, i;

	/* the hint of a sum or of another type may have a level too many */
	if (hint->is_set && !(is_float4 && hint->n_levels == 3))
	{
		Scale scale = make_scale(hint->biased - 1022, hint->n_levels);

		if (scan_tile_on_scale(sum, in, out, nv, n, is_float4, &scale))
			return true;
	}
	hint->is_set = false;
	collect_stats(&tile, &stats);
	top = ga_exact_sum_exponent(sum);
	if (top < stats.biased - 1022)
		top = stats.biased - 1022;
	for (i = 0; i < N_ATTEMPTS(is_float4); i++)
	{
		Scale scale = make_scale(top + attempts[i].slack, attempts[i].n_levels);

		if (scan_tile_on_scale(sum, in, out, nv, n, is_float4, &scale))
		{
			hint->is_set = true;
			hint->biased = top + attempts[i].slack + 1022;
			hint->n_levels = attempts[i].n_levels;
			return true;
		}
	}
	return false;
}

/* Compute one element's total; GA_OVERFLOW if that overflows. */
static always_inline GaStatus
scan_one(GaExactSum *sum, const char *in, char *out, size_t i, bool is_float4)
{
	double total;
	float single;
	GaStatus status;

	if (is_float4)
	{
		memcpy(&single, in + i * sizeof(single), sizeof(single));
		(void) ga_exact_sum_add(sum, single);
		status = ga_exact_sum_float4(sum, &single);
		memcpy(out + i * sizeof(single), &single, sizeof(single));
	}
	else
	{
		memcpy(&total, in + i * sizeof(total), sizeof(total));
		(void) ga_exact_sum_add(sum, total);
		status = ga_exact_sum_float8(sum, &total);
		memcpy(out + i * sizeof(total), &total, sizeof(total));
	}
	return status;
}

/* Compute n totals one by one; returns the number before an overflow. */
static __attribute__((noinline)) size_t
scan_one_by_one(GaExactSum *sum, const char *in, char *out, size_t n,
				bool is_float4)
{
	size_t i;

	for (i = 0; i < n; i++)
	{
		if (scan_one(sum, in, out, i, is_float4) != GA_OK)
			break;
	}
	return i;
}

/* Compute a tile that is not whole vectors, in a copy padded with zeros. */
static __attribute__((noinline)) bool
scan_partial_tile(GaExactSum *sum, const char *in, char *out, size_t n,
				  bool is_float4, Hint *hint)
{
	size_t size = is_float4 ? sizeof(float) : sizeof(double);
	double padded[SCAN_TILE];
	double totals[SCAN_TILE];
	size_t nv = (n + LANES - 1) / LANES;

	memcpy(padded, in, n * size);
	memset((char *) padded + n * size, 0, (nv * LANES - n) * size);
	if (!scan_tile(sum, (char *) padded, (char *) totals, nv, n, is_float4,
				   hint))
		return false;
	memcpy(out, totals, n * size);
	return true;
}

static always_inline size_t
scan_floats(GaExactSum *sum, const char *in, size_t n, char *out,
			bool is_float4)
{
	size_t size = is_float4 ? sizeof(float) : sizeof(double);
	Hint hint = load_hint(sum);
	size_t done = 0;

	/* while all elements are -0, so is the total; scales have +0 only */
	while (done < n && sum->n_neg_zero == sum->n)
	{
		if (scan_one(sum, in, out, done, is_float4) != GA_OK)
			return done;
		done++;
	}
	while (done < n)
	{
		size_t length = n - done < SCAN_TILE ? n - done : SCAN_TILE;
		const char *from = in + done * size;
		char *to = out + done * size;
		size_t added = length;

		if (sum->n_nan > 0 || sum->n_pos_inf > 0 || sum->n_neg_inf > 0)
			added = scan_one_by_one(sum, from, to, length, is_float4);
		else if (length % LANES == 0 ? !scan_tile(sum, from, to, length / LANES,
												  length, is_float4, &hint) :
									   !scan_partial_tile(sum, from, to, length,
														  is_float4, &hint))
			added = scan_one_by_one(sum, from, to, length, is_float4);
		done += added;
		if (added < length)
			break;
	}
	store_hint(sum, &hint);
	return done;
}

static size_t
scan_float8(GaExactSum *sum, const void *in, size_t n, double *out)
{
	return scan_floats(sum, in, n, (char *) out, false);
}

static size_t
scan_float4(GaExactSum *sum, const void *in, size_t n, float *out)
{
	return scan_floats(sum, in, n, (char *) out, true);
}
