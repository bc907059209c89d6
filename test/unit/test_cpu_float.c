/*
 * test_cpu_float.c
 *		Sums of floats by the CPU engines: lengths and places in memory.
 *
 * Each case is compared with MPFR bit by bit, and with additions one by one
 * in all bytes of the state.
 */
#include <stdlib.h>

#include "float_case.h"
#include "tap.h"

#define SHORT	   600 /* lengths tried one by one */
#define MAX_LENGTH ((1 << 18) + 1)

static const FloatType *const types[] = {&float8_type, &float4_type};

static double x[MAX_LENGTH];
static Guarded guarded;

/* All lengths from 0 on, with guard pages right behind and before. */
static void
test_short_lengths(Rng *rng, const FloatType *type, const Family *family)
{
	int step = (int) (SHORT / tap_cases(SHORT));
	size_t n;

	tap_begin("%s, lengths 0 to %d, %s", type->name, SHORT, family->name);
	for (n = 0; n <= SHORT; n += rng_between(rng, 1, 2 * step - 1))
	{
		FloatCase fc;

		if (n % 16 == 0)
			family_fill(family, rng, type, x, SHORT);
		float_case_new(&fc, type, family->name, x, n);
		float_case_check_guarded(&fc, &guarded, 0);
		float_case_free(&fc);
	}
	tap_end();
}

/* Powers of two and the lengths next to them. */
static void
test_long_lengths(Rng *rng, const FloatType *type, const Family *family)
{
	int last = tap_is_long() ? 18 : 13;
	int k, off;

	tap_begin("%s, lengths around 2^9 to 2^%d, %s", type->name, last,
			  family->name);
	for (k = 9; k <= last; k++)
	{
		family_fill(family, rng, type, x, (1 << k) + 1);
		for (off = -1; off <= 1; off++)
			float_case_try(type, family->name, x, (1 << k) + off);
	}
	tap_end();
}

/* Data at any address, though never far from a guard page. */
static void
test_alignment(Rng *rng, const FloatType *type, size_t base)
{
	const Family *family = family_find("exponents +-20");
	size_t offset, n;

	tap_begin("%s, byte offsets 0 to 9, lengths from %zu", type->name, base);
	for (n = base; n < base + 24; n++)
	{
		FloatCase fc;

		family_fill(family, rng, type, x, n);
		float_case_new(&fc, type, family->name, x, n);
		for (offset = 0; offset < 10; offset++)
			float_case_check_guarded(&fc, &guarded, offset);
		float_case_free(&fc);
	}
	tap_end();
}

/* Specials among the elements of each family, and -0. */
static void
test_sprinkled(Rng *rng, const FloatType *type)
{
	long i;

	tap_begin("%s, NaN, infinities and -0 at random places", type->name);
	for (i = tap_cases(6000); i > 0; i--)
	{
		const Family *family = &families[rng_below(rng, n_families)];
		size_t n = rng_below(rng, rng_chance(rng, 20) ? 9000 : 300);

		family_fill(family, rng, type, x, n);
		if (rng_chance(rng, 2))
			sprinkle_neg_zeros(rng, rng_between(rng, 1, 100), x, n);
		if (rng_chance(rng, 2))
			sprinkle_specials(rng, rng_between(rng, 1, 1000), x, n);
		float_case_try(type, family->name, x, n);
	}
	tap_end();
}

/* One -0, special or outlier, once at each place of an array of length n. */
static void
check_each_place(Rng *rng, const FloatType *type, size_t n, size_t step)
{
	const double odd[] = {-0.0,
						  random_special(rng),
						  float_random(rng, type, type->max),
						  float_random(rng, type, type->min),
						  float_random(rng, type, 11),
						  float_largest(type, type->min - 1)};
	const Family *family = family_find("uniform with signs");
	size_t i;
	int j;

	family_fill(family, rng, type, x, n);
	for (i = 0; i < n; i += (i < 70 || i + 70 > n) ? 1 : step)
	{
		double kept = x[i];

		for (j = 0; j < 6; j++)
		{
			x[i] = odd[j];
			float_case_try(type, "uniform but one", x, n);
		}
		x[i] = kept;
	}
}

static void
test_each_place(Rng *rng, const FloatType *type)
{
	const size_t tiles[] = {511, 513, 1024, 1031, 2047, 4096, 4103};
	size_t n;

	tap_begin("%s, an odd one out at each place", type->name);
	for (n = 1; n <= (size_t) tap_cases(70) + 1; n++)
		check_each_place(rng, type, n, 1);
	for (n = 0; n < (size_t) tap_cases(7); n++)
		check_each_place(rng, type, tiles[n], 61);
	tap_end();
}

/* Runs of any length that go on where the last one ended. */
static void
test_segments(Rng *rng, const FloatType *type)
{
	long i;

	tap_begin("%s, in parts, with any engine", type->name);
	for (i = tap_cases(3000); i > 0; i--)
	{
		const Family *family = &families[rng_below(rng, n_families)];
		size_t n = rng_below(rng, 6000);
		GaExactSum *sum = sum_new(GA_MIN_CELLS);
		size_t done = 0;
		SumBytes bytes;
		FloatCase fc;

		family_fill(family, rng, type, x, n);
		float_case_new(&fc, type, family->name, x, n);
		while (done < n)
		{
			const GaCpuEngine *engine =
				ga_cpu_engines[rng_below(rng, ga_cpu_n_engines)];
			size_t part = rng_below(rng, rng_chance(rng, 2) ? 3000 : 20);

			part = part < n - done ? part : n - done;
			if (!engine->is_supported())
				continue;
			sum_add_run(&sum, engine, type,
						(char *) fc.data + done * type->size, part);
			done += part;
		}
		sum_bytes(sum, &bytes);
		tap_check(same_bytes(&bytes, &fc.bytes), "%zu of %s", n, fc.family);
		sum_free(sum);
		float_case_free(&fc);
	}
	tap_end();
}

int
main(void)
{
	Rng rng = {2};
	int t, f;

	skip_unsupported_engines();
	guarded_new(&guarded, 8204 * sizeof(double));
	for (t = 0; t < 2; t++)
	{
		for (f = 0; f < n_families; f++)
			test_short_lengths(&rng, types[t], &families[f]);
		for (f = 0; f < n_families; f++)
			test_long_lengths(&rng, types[t], &families[f]);
		test_alignment(&rng, types[t], 0);
		test_alignment(&rng, types[t], 24);
		test_alignment(&rng, types[t], 1020);
		test_alignment(&rng, types[t], 2040);
		test_alignment(&rng, types[t], 4090);
		test_alignment(&rng, types[t], 8180);
		test_sprinkled(&rng, types[t]);
		test_each_place(&rng, types[t]);
		test_segments(&rng, types[t]);
	}
	guarded_free(&guarded);
	return tap_done();
}
