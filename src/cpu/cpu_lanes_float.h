/*
 * cpu_lanes_float.h
 *		Exact sums of floats in vectors; a part of cpu_lanes.h.
 *
 * Floats are summed in blocks.  Each element is cut into levels: adding it to
 * an accumulator that stands near A = 1.5 * 2^E rounds it to a multiple of
 * 2^(E-52), and what was cut off goes to the next level.  Within one binade
 * the bit patterns of doubles are consecutive integers, so the difference of
 * bits between accumulator and A is the level's sum, an integer.  If nothing
 * is left after the last level, the integers are the exact sum of the block.
 * If something is left, the block is done again with more levels, and at last
 * without.
 *
 * E follows from the largest magnitude.  The first block is surveyed for it;
 * later ones are summed on the guess that they are like the last one, and
 * surveyed on the way.  doc/numerics.md has the proof.
 */
#include "exact/exponent_bins.h"

/* Elements an accumulator takes between two readings, and in a block. */
#define CHAIN_LENGTH 128
#define BLOCK		 (CHAIN_LENGTH * LANES * CHAINS)

/* Bytes that elements are prefetched ahead. */
#define SUM_AHEAD 6144

/*
 * With |x| <= 2^(E - SLACK), CHAIN_LENGTH additions move an accumulator by at
 * most 2^(E-2): it stays in its binade.
 */
#define SLACK	   9
#define LEVEL_BITS (53 - SLACK)
#define MAX_LEVELS 3

/* One vector of elements from memory, as doubles. */
static always_inline Doubles
load_float8(const char *data, size_t i)
{
	Doubles v;

	memcpy(&v, data + i * sizeof(double), sizeof(v));
	return v;
}

static always_inline Doubles
load_float4(const char *data, size_t i)
{
	HalfFloats v;

	memcpy(&v, data + i * sizeof(float), sizeof(v));
	return __builtin_convertvector(v, Doubles);
}

static always_inline Doubles
load(const char *data, size_t i, bool is_float4)
{
	return is_float4 ? load_float4(data, i) : load_float8(data, i);
}

/*
 * A run of elements as vectors: whole ones, and one that overlaps the last
 * whole one, where the lanes that were in it are zeroed.
 */
typedef struct Run
{
	const char *data;
	size_t n;
	size_t whole; /* whole vectors */
	bool is_float4;
} Run;

static always_inline Doubles
run_vector(const Run *run, size_t i)
{
	return load(run->data, i * LANES, run->is_float4);
}

/* The elements behind the last whole vector; only if there is a whole one. */
static always_inline Doubles
run_rest(const Run *run)
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

	memcpy(&mask, masks + run->n % LANES, sizeof(mask));
	return (Doubles) (mask &
					  (Int64s) load(run->data, run->n - LANES, run->is_float4));
}

/* What is known of a run's elements without adding them. */
typedef struct Survey
{
	int biased; /* biased exponent of the largest magnitude; a
								 * NaN may go unseen, but leaves a residual */
	int64_t n_neg_zero;
} Survey;

/* Take a vector into the survey that is under way. */
#define SURVEY(chain, vector)                                                \
	do                                                                       \
	{                                                                        \
		n_zero -= (Int64s) (vector) == sign;                                 \
		top[chain] =                                                         \
			LARGER_LANES((Doubles) ((Int64s) (vector) & ~sign), top[chain]); \
	} while (0)

static always_inline void
survey_end(Survey *survey, Doubles top, Int64s n_zero)
{
	survey->biased = (int) (ga_float8_bits(largest_of_lanes(top)) >> 52);
	survey->n_neg_zero = sum_of_lanes(n_zero);
}

static always_inline void
survey_run(const Run *run, Survey *survey)
{
	const Int64s sign = broadcast_bits(GA_FLOAT8_SIGN);
	Doubles top[2] = {{0}, {0}};
	Int64s n_zero = {0};
	size_t i;

	for (i = 0; i + 1 < run->whole; i += 2)
	{
		SURVEY(0, run_vector(run, i));
		SURVEY(1, run_vector(run, i + 1));
	}
	if (i < run->whole)
		SURVEY(0, run_vector(run, i));
	SURVEY(1, run_rest(run));
	survey_end(survey, LARGER_LANES(top[0], top[1]), n_zero);
}

/* The exponent E of a level's anchor 1.5 * 2^E; the top level is number 0. */
static always_inline int
anchor_exponent(int biased, int level)
{
	int e = biased - 1022 + SLACK - LEVEL_BITS * level;

	return e > -1022 ? e : -1022;
}

/*
 * Sum a run of at most BLOCK elements with the given number of levels, where
 * every magnitude is below 2^(biased - 1022).  True, with the levels' integers
 * in sums[], if that is exact.
 *
 * With survey, that bound is a guess.  The run is surveyed on the way, and the
 * result is true only if the guess was right.
 */
static always_inline bool
sum_levels(const Run *run, int biased, int n_levels, Survey *survey,
		   int64_t *sums)
{
	const Int64s sign = broadcast_bits(GA_FLOAT8_SIGN);
	const int vector_bytes = LANES * (run->is_float4 ? 4 : 8);
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

#define CUT(chain, vector)                                     \
	do                                                         \
	{                                                          \
		Doubles x = (vector);                                  \
		int l;                                                 \
                                                               \
		if (survey)                                            \
			SURVEY(chain, x);                                  \
		_Pragma("GCC unroll 4") for (l = 0; l < n_levels; l++) \
		{                                                      \
			Doubles q = a[l][chain] + x;                       \
                                                               \
			x = x - (q - a[l][chain]);                         \
			a[l][chain] = q;                                   \
		}                                                      \
		residual |= (Int64s) x;                                \
	} while (0)

	for (i = 0; i + CHAINS <= run->whole; i += CHAINS)
	{
		for (c = 0; c < CHAINS * vector_bytes; c += 64)
			__builtin_prefetch(run->data + i * vector_bytes + c + SUM_AHEAD);
		_Pragma("GCC unroll 4") for (c = 0; c < CHAINS; c++)
			CUT(c, run_vector(run, i + c));
	}
	for (; i < run->whole; i++)
		CUT(0, run_vector(run, i));
	CUT(CHAINS - 1, run_rest(run));
#undef CUT

	for (k = 0; k < n_levels; k++)
	{
		Uint64s sum = {0};

		for (c = 0; c < CHAINS; c++)
			sum += (Uint64s) a[k][c] - (Uint64s) anchor[k];
		sums[k] = sum_of_lanes((Int64s) sum);
	}
	if (survey)
	{
		for (c = 1; c < CHAINS; c++)
			top[0] = LARGER_LANES(top[0], top[c]);
		survey_end(survey, top[0], n_zero);
		if (survey->biased > biased)
			return false;
	}
	/* -0 is nothing left, too */
	return ((uint64_t) or_of_lanes(residual) & ~GA_FLOAT8_SIGN) == 0;
}

/* What is too short for vectors, or too wide for levels. */
static __attribute__((noinline)) size_t
sum_one_by_one(GaExactSum *sum, const Run *run)
{
	size_t i;

	for (i = 0; i < run->n; i++)
	{
		double x;

		if (run->is_float4)
		{
			float f;

			memcpy(&f, run->data + i * sizeof(f), sizeof(f));
			x = f;
		}
		else
			memcpy(&x, run->data + i * sizeof(x), sizeof(x));
		if (ga_exact_sum_add(sum, x) != GA_OK)
			break;
	}
	return i;
}

/*
 * What one block tells the next: a guess at bound and levels.  It stays with
 * the sum, since an aggregate's next array will be like the last one.
 */
typedef struct Guess
{
	bool is_made;
	int biased;
	int n_levels;
} Guess;

#define HINT_IS_MADE	 0x8000
#define HINT_MORE_LEVELS 0x4000
#define HINT_BIASED		 0x0fff

static always_inline Guess
guess_from_hint(const GaExactSum *sum)
{
	Guess guess;

	guess.is_made = (sum->hint & HINT_IS_MADE) != 0;
	guess.biased = sum->hint & HINT_BIASED;
	guess.n_levels = (sum->hint & HINT_MORE_LEVELS) ? 3 : 2;
	return guess;
}

static always_inline void
hint_from_guess(GaExactSum *sum, const Guess *guess)
{
	sum->hint = guess->is_made ?
					(uint16_t) (HINT_IS_MADE | guess->biased |
								(guess->n_levels == 3 ? HINT_MORE_LEVELS : 0)) :
					0;
}

/* Bits the guessed bound is above the last magnitude, lest it fail soon. */
#define GUESS_MARGIN 2

/*
 * Sum a run of LANES to BLOCK elements, with levels.  False, and nothing is
 * added, if that can't be done; *status is GA_NO_CAPACITY if it is for want of
 * room.
 */
static always_inline bool
sum_block(GaExactSum *sum, const Run *run, Guess *guess, GaStatus *status)
{
	Survey survey;
	int64_t sums[MAX_LEVELS];
	int biased = guess->biased;
	bool done = false;
	int k;

	/* a hint that a scan left may have no anchor here */
	if (guess->is_made && anchor_exponent(biased, 0) <= 1023)
		done = guess->n_levels == 2 ?
				   sum_levels(run, biased, 2, &survey, sums) :
				   sum_levels(run, biased, 3, &survey, sums);
	if (!done)
	{
		survey_run(run, &survey);
		biased = survey.biased;

		/* else it is too near the top of the range for an anchor above */
		if (anchor_exponent(biased + GUESS_MARGIN, 0) <= 1023)
		{
			guess->is_made = true;
			guess->biased = biased + GUESS_MARGIN;
			guess->n_levels = 2;
			done = sum_levels(run, biased, 2, NULL, sums);
			if (!done)
			{
				guess->n_levels = 3;
				done = sum_levels(run, biased, 3, NULL, sums);
			}
		}
	}
	if (!done)
		return false;

	*status = ga_exact_sum_reserve_scaled(
		sum, anchor_exponent(biased, guess->n_levels - 1) - 52,
		anchor_exponent(biased, 0) - 52);
	if (*status != GA_OK)
		return false;
	for (k = 0; k < guess->n_levels; k++)
		(void) ga_exact_sum_add_scaled(sum, sums[k],
									   anchor_exponent(biased, k) - 52);
	sum->n += (int64_t) run->n;
	sum->n_neg_zero += survey.n_neg_zero;
	return true;
}

static always_inline size_t
sum_floats(GaExactSum *sum, const char *data, size_t n, bool is_float4)
{
	size_t size = is_float4 ? sizeof(float) : sizeof(double);
	Guess guess = guess_from_hint(sum);
	size_t done = 0;

	/* a long run is worth aligning, so that no vector spans cache lines */
	if (n >= 2 * BLOCK && (uintptr_t) data % size == 0)
	{
		size_t head = (0 - (uintptr_t) data) % (LANES * size) / size;
		Run run = {data, head, 0, is_float4};

		done = sum_one_by_one(sum, &run);
		if (done < head)
			return done;
	}

	while (done < n)
	{
		GaStatus status = GA_OK;
		size_t left = n - done;
		size_t added;
		Run run;

		run.data = data + done * size;
		run.n = left < BLOCK ? left : BLOCK;
		run.whole = run.n / LANES;
		run.is_float4 = is_float4;
		if (run.whole > 0 && sum_block(sum, &run, &guess, &status))
			added = run.n;
		else if (status != GA_OK)
			break;
		else if (left >= GA_EXPONENT_BINS_MIN)
			added = is_float4 ? ga_exponent_bins_float4(sum, run.data, left) :
								ga_exponent_bins_float8(sum, run.data, left);
		else
			added = sum_one_by_one(sum, &run);
		done += added;
		if (added < run.n)
			break;
	}
	hint_from_guess(sum, &guess);
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
