/*
 * cpu_lanes_scan.h
 *		Exact running totals of floats in vectors; a part of cpu_lanes.h.
 *
 * The total so far is carried from block to block as an exact sum.  Within a
 * block it is two or three doubles S_0, S_1(, S_2), multiples of the units of
 * a fixed grid (exact_sum.h), and exact: their additions never round.  Each
 * element is cut into multiples of the same units, z_k; S_k takes all z_k.
 * An output is the sum of the S_k, rounded once: with two levels, that is one
 * addition; with three, the smaller two are first added and rounded to odd.
 *
 * A block counts only with a certificate: no element left a rest below the
 * last unit, and no |S_0| passed 2^GA_SCALE_TOP units.  Without it, the block
 * is done again on another grid, and at last one by one.  doc/numerics.md has
 * the proof.
 */

/* Elements in a block, and between two normalisations of the carried total. */
#define SCAN_BLOCK	 1024
#define SCAN_GROUP	 32
#define SCAN_VECTORS (SCAN_GROUP / LANES)

/* Bytes that inputs and outputs are prefetched ahead. */
#define SCAN_AHEAD 2048

/* Totals of float4 beyond 2^126 might overflow: one by one, they tell where. */
#define FLOAT4_TOP 126

/* Three levels are for float8; a float4 that needs them is done one by one. */
#define GRID_MAX_LEVELS 3

/* A grid: how many levels, and the exponents of their units. */
typedef struct Grid
{
	int n_levels;
	int unit[GRID_MAX_LEVELS];
	double anchor[GRID_MAX_LEVELS];
} Grid;

/* The lanes of v moved up by some places; zeros take the first ones. */
#define UP(i, by) ((i) < (by) ? (i) : LANES + (i) - (by))
#define LAST(i)	  (LANES - 1)
#if LANES == 2
#define EACH(f, ...) f(0, ##__VA_ARGS__), f(1, ##__VA_ARGS__)
#elif LANES == 4
#define EACH(f, ...)                                               \
	f(0, ##__VA_ARGS__), f(1, ##__VA_ARGS__), f(2, ##__VA_ARGS__), \
		f(3, ##__VA_ARGS__)
#else
#define EACH(f, ...)                                                   \
	f(0, ##__VA_ARGS__), f(1, ##__VA_ARGS__), f(2, ##__VA_ARGS__),     \
		f(3, ##__VA_ARGS__), f(4, ##__VA_ARGS__), f(5, ##__VA_ARGS__), \
		f(6, ##__VA_ARGS__), f(7, ##__VA_ARGS__)
#endif
#ifdef __clang__
#define MOVE_UP(v, by) __builtin_shufflevector((Doubles){0}, v, EACH(UP, by))
#define LAST_LANE(v)   __builtin_shufflevector(v, v, EACH(LAST))
#else
#define MOVE_UP(v, by) \
	__builtin_shuffle((Doubles){0}, v, (Int64s){EACH(UP, by)})
#define LAST_LANE(v) __builtin_shuffle(v, (Int64s){EACH(LAST)})
#endif

/* Running totals within a vector. */
static always_inline Doubles
scan_lanes(Doubles v)
{
	v += MOVE_UP(v, 1);
	if (LANES > 2)
		v += MOVE_UP(v, 2);
	if (LANES > 4)
		v += MOVE_UP(v, 4);
	return v;
}

/*
 * t + d rounded to odd, where |d| is at most half a unit in t's last place:
 * if anything is cut off, the last bit of t is made 1.
 */
static always_inline Doubles
round_to_odd(Doubles t, Doubles d)
{
	Int64s bits = (Int64s) t;
	Int64s zero = {0};
	Int64s adjust = (d != (Doubles) zero) & ((bits & 1) == zero);
	Int64s towards = (bits ^ (Int64s) d) < zero; /* -1 to go down */

	/* up by 1 where the signs agree, down by 1 where they differ */
	return (Doubles) (bits + (adjust & (towards | 1)));
}

/*
 * The levels of a total, rounded once.  With to_odd the rounding is to odd, in
 * 53 bits, from where one to 24 bits is right.
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

/* A grid for totals below 2^top in magnitude. */
static always_inline Grid
grid_for(int top, int n_levels)
{
	const int lowest = GA_SCALE_LEAST + GA_SCALE_BITS * (n_levels - 1);
	int first = top - GA_SCALE_TOP;
	Grid grid;
	int k;

	if (first < lowest)
		first = lowest;
	grid.n_levels = n_levels;
	for (k = 0; k < n_levels; k++)
	{
		grid.unit[k] = first - GA_SCALE_BITS * k;
		grid.anchor[k] =
			first <= GA_SCALE_MOST ? ga_scale_anchor(grid.unit[k]) : 0;
	}
	return grid;
}

/* Lower levels have grown: carry what is a multiple of the next unit. */
static always_inline void
normalise(Doubles *levels, const Doubles *anchor, int n_levels)
{
	int k;

	_Pragma("GCC unroll 4") for (k = n_levels - 1; k > 0; k--)
	{
		Doubles over = (levels[k] + anchor[k - 1]) - anchor[k - 1];

		levels[k] = levels[k] - over;
		levels[k - 1] = levels[k - 1] + over;
	}
}

/*
 * Running totals of whole vectors from the carried levels on, which are
 * brought up to date.  True if the outputs are certified.
 */
static always_inline bool
scan_levels(const char *in, char *out, size_t nv, bool is_float4,
			const Grid *grid, int n_levels, double *levels)
{
	const Int64s sign = broadcast_bits(GA_FLOAT8_SIGN);
	const int limit = grid->unit[0] + GA_SCALE_TOP;
	const int vector_bytes = LANES * (is_float4 ? 4 : 8);
	Doubles anchor[GRID_MAX_LEVELS];
	Doubles carry[GRID_MAX_LEVELS];
	Doubles top = {0};
	Int64s left = {0};
	size_t i;
	int k;

	for (k = 0; k < n_levels; k++)
	{
		anchor[k] = broadcast(grid->anchor[k]);
		carry[k] = broadcast(levels[k]);
	}
	for (i = 0; i < nv; i++)
	{
		Doubles x = load(in, i * LANES, is_float4);
		Doubles s[GRID_MAX_LEVELS];

		/* the processor's own prefetching gives up between two streams */
		__builtin_prefetch(in + i * vector_bytes + SCAN_AHEAD);
		__builtin_prefetch(out + i * vector_bytes + SCAN_AHEAD, 1);

		_Pragma("GCC unroll 4") for (k = 0; k < n_levels; k++)
		{
			Doubles z = (x + anchor[k]) - anchor[k];

			x = x - z;
			z = scan_lanes(z);
			s[k] = carry[k] + z;
			carry[k] = carry[k] + LAST_LANE(z);
		}
		left |= (Int64s) x;
		top = LARGER_LANES((Doubles) ((Int64s) s[0] & ~sign), top);
		store_totals(out, i * LANES, scan_round(s, n_levels, is_float4),
					 is_float4);

		/* a block ends normalised, too: that bounds what it adds to a level */
		if (i % SCAN_VECTORS == SCAN_VECTORS - 1 || i == nv - 1)
			normalise(carry, anchor, n_levels);
	}
	for (k = 0; k < n_levels; k++)
		levels[k] = carry[k][0];
	if (largest_of_lanes(top) > power_of_2(limit) ||
		(is_float4 && largest_of_lanes(top) > power_of_2(FLOAT4_TOP)))
		return false;
	return ((uint64_t) or_of_lanes(left) & ~GA_FLOAT8_SIGN) == 0;
}

/*
 * One block on one grid.  True if the outputs are there, and the sum has the
 * block's elements.  Otherwise the outputs are garbage, and the sum is as
 * before.
 */
static always_inline bool
scan_block_on(GaExactSum *sum, const char *in, char *out, size_t nv, size_t n,
			  bool is_float4, const Grid *grid)
{
	double before[GRID_MAX_LEVELS];
	double after[GRID_MAX_LEVELS];
	int k;

	if (grid->unit[0] > GA_SCALE_MOST ||
		!ga_exact_sum_to_levels(sum, grid->unit, grid->n_levels, before))
		return false;
	memcpy(after, before, sizeof(before));
	if (!(grid->n_levels == 2 ?
			  scan_levels(in, out, nv, is_float4, grid, 2, after) :
			  scan_levels(in, out, nv, is_float4, grid, 3, after)))
		return false;

	/* within the anchor's binade a difference of bits counts units */
	for (k = 0; k < grid->n_levels; k++)
	{
		double anchor = grid->anchor[k];
		uint64_t units = ga_float8_bits(anchor + (after[k] - before[k])) -
						 ga_float8_bits(anchor);

		(void) ga_exact_sum_add_scaled(sum, (int64_t) units, grid->unit[k]);
	}
	sum->n += (int64_t) n;
	return true;
}

/*
 * One block of n elements, in nv whole vectors.  True if it is done; the hint
 * is kept up to date.
 */
static always_inline bool
scan_block(GaExactSum *sum, const char *in, char *out, size_t nv, size_t n,
		   bool is_float4, Guess *guess)
{
	static const struct
	{
		int n_levels;
		int slack; /* bits that the total may grow */
	} attempts[] = {{2, 12}, {2, 4}, {3, 12}};
	Run run = {in, nv * LANES, nv, is_float4};
	Survey survey;
	int top, i;

	/* a hint that a sum, or another type, left may have a level too many */
	if (guess->is_made && !(is_float4 && guess->n_levels == 3))
	{
		Grid grid = grid_for(guess->biased - 1022, guess->n_levels);

		if (scan_block_on(sum, in, out, nv, n, is_float4, &grid))
			return true;
	}
	guess->is_made = false;
	survey_run(&run, &survey);
	top = ga_exact_sum_exponent(sum);
	if (top < survey.biased - 1022)
		top = survey.biased - 1022;
	for (i = 0; i < (is_float4 ? 2 : 3); i++)
	{
		Grid grid = grid_for(top + attempts[i].slack, attempts[i].n_levels);

		if (scan_block_on(sum, in, out, nv, n, is_float4, &grid))
		{
			guess->is_made = true;
			guess->biased = top + attempts[i].slack + 1022;
			guess->n_levels = attempts[i].n_levels;
			return true;
		}
	}
	return false;
}

/* One element; GA_OVERFLOW if its total overflows. */
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

/* One by one; returns how many outputs there are, fewer at an overflow. */
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

/* A block that is not whole vectors, by way of one that is. */
static __attribute__((noinline)) bool
scan_rest(GaExactSum *sum, const char *in, char *out, size_t n, bool is_float4,
		  Guess *guess)
{
	size_t size = is_float4 ? sizeof(float) : sizeof(double);
	double padded[SCAN_BLOCK];
	double totals[SCAN_BLOCK];
	size_t nv = (n + LANES - 1) / LANES;

	memcpy(padded, in, n * size);
	memset((char *) padded + n * size, 0, (nv * LANES - n) * size);
	if (!scan_block(sum, (char *) padded, (char *) totals, nv, n, is_float4,
					guess))
		return false;
	memcpy(out, totals, n * size);
	return true;
}

static always_inline size_t
scan_floats(GaExactSum *sum, const char *in, size_t n, char *out,
			bool is_float4)
{
	size_t size = is_float4 ? sizeof(float) : sizeof(double);
	Guess guess = guess_from_hint(sum);
	size_t done = 0;

	/* while all are -0, the total is -0; grids know only +0 */
	while (done < n && sum->n_neg_zero == sum->n)
	{
		if (scan_one(sum, in, out, done, is_float4) != GA_OK)
			return done;
		done++;
	}
	while (done < n)
	{
		size_t block = n - done < SCAN_BLOCK ? n - done : SCAN_BLOCK;
		const char *from = in + done * size;
		char *to = out + done * size;
		size_t added = block;

		if (sum->n_nan > 0 || sum->n_pos_inf > 0 || sum->n_neg_inf > 0)
			added = scan_one_by_one(sum, from, to, block, is_float4);
		else if (block % LANES == 0 ?
					 !scan_block(sum, from, to, block / LANES, block, is_float4,
								 &guess) :
					 !scan_rest(sum, from, to, block, is_float4, &guess))
			added = scan_one_by_one(sum, from, to, block, is_float4);
		done += added;
		if (added < block)
			break;
	}
	hint_from_guess(sum, &guess);
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
