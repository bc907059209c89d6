/*
 * test_cpu_tiles.c
 *		Sums of floats by the CPU engines: what happens from tile to tile.
 *
 * The engines sum tiles of some hundreds or thousands of elements, use a hint
 * for the magnitude of the next one, and have accumulators that must stay in
 * their binade.  A test cannot see tiles, so it tries lengths and jumps around
 * all sizes that a tile may have.
 */
#include <math.h>

#include "float_case.h"
#include "tap.h"

#define MAX_LENGTH ((1 << 18) + 16)

static const FloatType *const types[] = {&float8_type, &float4_type};
static const size_t tile_sizes[] = {256, 512, 1024, 2048, 4096, 8192};

#define N_TILE_SIZES (int) (sizeof(tile_sizes) / sizeof(tile_sizes[0]))

static double x[MAX_LENGTH];

static void
fill_equal(size_t from, size_t end, double value)
{
	for (; from < end; from++)
		x[from] = value;
}

/* A few elements fewer or more than a tile or some. */
static void
test_lengths(Rng *rng, const FloatType *type, const Family *family)
{
	int b, off;

	tap_begin("%s, lengths around tiles, %s", type->name, family->name);
	for (b = 0; b < N_TILE_SIZES; b++)
	{
		for (off = -8; off <= 8; off += (int) (8 / tap_cases(8)))
		{
			size_t n = tile_sizes[b] * rng_between(rng, 1, 3) + off;

			family_fill(family, rng, type, x, n);
			float_case_try(type, family->name, x, n);
		}
	}
	tap_end();
}

/*
 * All elements are the largest of their exponent and have the same sign: the
 * accumulators drift to their bounds, most of all where a tile ends in
 * vectors that don't fill all of them.
 */
static void
test_drift(const FloatType *type, int exponent)
{
	size_t n;
	int b, sign;

	tap_begin("%s, equal maxima below 2^%d", type->name, exponent + 1);
	for (b = 0; b < N_TILE_SIZES; b++)
	{
		size_t step = 41 / tap_cases(41);

		for (n = tile_sizes[b] - 40; n <= tile_sizes[b]; n += step)
		{
			for (sign = -1; sign <= 1; sign += 2)
			{
				fill_equal(0, n, sign * float_largest(type, exponent));
				float_case_try(type, "equal maxima", x, n);
			}
		}
	}
	tap_end();
}

/* As one array, and as two of which the first one has n_first elements. */
static void
try_cut(const FloatType *type, const char *name, size_t n, size_t n_first)
{
	FloatCase fc;
	int i;

	float_case_new(&fc, type, name, x, n);
	float_case_check_all(&fc, fc.data);
	for (i = 0; i < ga_cpu_n_engines; i++)
	{
		if (ga_cpu_engines[i]->is_supported())
			float_case_check(&fc, ga_cpu_engines[i], fc.data, GA_MIN_CELLS, 0,
							 n_first);
	}
	float_case_free(&fc);
}

/*
 * A tile's worth of equal maxima, then others that are a little larger or
 * smaller: the guess from the first tile is right, just so, or wrong.
 */
static void
test_guess_drift(const FloatType *type, int exponent, int jump)
{
	size_t n;
	int b, sign;

	tap_begin("%s, equal maxima below 2^%d, then below 2^%d", type->name,
			  exponent + 1, exponent + jump + 1);
	for (b = 1; b < N_TILE_SIZES; b++)
	{
		size_t first = tile_sizes[b];
		size_t step = 41 / tap_cases(41);

		for (n = 2 * first - 40; n <= 2 * first; n += step)
		{
			for (sign = -1; sign <= 1; sign += 2)
			{
				fill_equal(0, first, float_largest(type, exponent));
				fill_equal(first, n,
						   sign * float_largest(type, exponent + jump));
				try_cut(type, "equal maxima and others", n, first);
			}
		}
	}
	tap_end();
}

/*
 * Large numbers, and one bit far below them, as deep as levels reach and
 * beyond: nothing of it may be lost.
 */
static void
test_depth(Rng *rng, const FloatType *type)
{
	int depth, b;

	tap_begin("%s, single bits 40 to 200 exponents below", type->name);
	for (depth = 40; depth <= 200; depth++)
	{
		int e = depth / 2;

		for (b = 0; b < tap_cases(8) + 1; b++)
		{
			size_t n = rng_between(rng, 8, 3000);
			size_t at = rng_below(rng, n);

			fill_equal(0, n,
					   b % 2 == 0 ? float_largest(type, e) : -ldexp(1.0, e));
			x[at] =
				ldexp(1.0, e - depth < type->least ? type->least : e - depth);
			x[rng_below(rng, n)] = -x[at];
			x[rng_below(rng, n)] = x[at];
			float_case_try(type, "maxima and single bits", x, n);
		}
	}
	tap_end();
}

/* Exponents too far apart for levels, in arrays of all sizes. */
static void
test_far_apart(Rng *rng, const FloatType *type, const Family *family)
{
	static const size_t lengths[] = {4095,	4096,	4097,	65535,
									 65536, 65537,	69631,	69632,
									 69633, 131072, 131073, 140000};
	int i;

	tap_begin("%s, long arrays, %s", type->name, family->name);
	for (i = 0; i < tap_cases(12); i++)
	{
		family_fill(family, rng, type, x, lengths[i]);
		float_case_try(type, family->name, x, lengths[i]);
	}
	tap_end();
}

/* Plain tiles, and ones with exponents far apart, in turn. */
static void
test_mixed_blocks(Rng *rng, const FloatType *type)
{
	long i;

	tap_begin("%s, families from tile to tile", type->name);
	for (i = tap_cases(100); i > 0; i--)
	{
		size_t n = rng_between(rng, 1000, 30000);
		size_t done = 0;

		while (done < n)
		{
			size_t part = rng_between(rng, 1, 3) *
						  tile_sizes[rng_below(rng, N_TILE_SIZES)];

			part = part < n - done ? part : n - done;
			family_fill(&families[rng_below(rng, n_families)], rng, type,
						x + done, part);
			done += part;
		}
		float_case_try(type, "mixed tiles", x, n);
	}
	tap_end();
}

/* -0 in numbers that are counted, in tiles of every kind. */
static void
test_minus_zeros(Rng *rng, const FloatType *type)
{
	static const char *const names[] = {"uniform",			"exponents +-40",
										"all exponents",	"near the top",
										"jumps every 1024", "subnormals"};
	int f, one_in;

	tap_begin("%s, -0 among others", type->name);
	for (f = 0; f < 6; f++)
	{
		for (one_in = 1; one_in < 10000; one_in *= 10)
		{
			size_t n = rng_between(rng, 9000, 20000);

			family_fill(family_find(names[f]), rng, type, x, n);
			sprinkle_neg_zeros(rng, one_in, x, n);
			float_case_try(type, names[f], x, n);
		}
	}
	tap_end();
}

int
main(void)
{
	static const char *const far_apart[] = {
		"all exponents", "exponents +-131", "cancelling, all exponents",
		"near the top",	 "equal maxima",	"subnormals",
		"uniform"};
	Rng rng = {3};
	int t, i;

	skip_unsupported_engines();
	for (t = 0; t < 2; t++)
	{
		const FloatType *type = types[t];

		for (i = 0; i < n_families; i++)
			test_lengths(&rng, type, &families[i]);
		test_drift(type, 0);
		test_drift(type, type->min);
		test_drift(type, type->min - 1);
		test_drift(type, type->max - 14);
		test_drift(type, type->max - 11);
		test_drift(type, type->max);
		for (i = -1; i <= 4; i++)
			test_guess_drift(type, 3, i);
		for (i = 8; i <= 11; i++)
			test_guess_drift(type, 3, i);
		test_guess_drift(type, type->min - 1, 1);
		test_guess_drift(type, type->max - 13, 2);
		test_guess_drift(type, type->max - 12, 3);
		test_depth(&rng, type);
		for (i = 0; i < 7; i++)
			test_far_apart(&rng, type, family_find(far_apart[i]));
		test_mixed_blocks(&rng, type);
		test_minus_zeros(&rng, type);
	}
	return tap_done();
}
