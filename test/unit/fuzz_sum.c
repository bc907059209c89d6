/*
 * fuzz_sum.c
 *		Sums and running totals of random arrays of all families against MPFR,
 *		as many as one likes.
 *
 *		fuzz_sum [cases [seed [first]]]
 *
 * Each case is an array of float8 and one of float4, summed one by one and by
 * each engine; half of them are scanned, too.  It depends on the seed and its number alone, so that the case
 * that failed can be repeated by itself: one case, the seed, its number.  A
 * seed of "time" is taken from the clock.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scan_case.h"
#include "tap.h"

#define DEFAULT_CASES		  1000000
#define DEFAULT_SEED		  1
#define MAX_LENGTH			  80000
#define SECONDS_BETWEEN_NOTES 10

static double x[MAX_LENGTH];

/* Mostly short; some of a few blocks, and very few of many. */
static size_t
random_length(Rng *rng)
{
	uint64_t kind = rng_below(rng, 10000);

	if (kind == 0)
		return rng_below(rng, MAX_LENGTH);
	if (kind < 30)
		return rng_below(rng, 9000);
	if (kind < 300)
		return rng_below(rng, 1100);
	return rng_below(rng, 65);
}

/*
 * A family, or two of them one behind the other or mixed, with -0 or specials
 * here and there.  Returns a name for it.
 */
static const char *
fill(Rng *rng, const FloatType *type, size_t n)
{
	const Family *family = &families[rng_below(rng, n_families)];

	family_fill(family, rng, type, x, n);
	if (rng_chance(rng, 6))
	{
		size_t cut = rng_below(rng, n + 1);

		family_fill(&families[rng_below(rng, n_families)], rng, type, x + cut,
					n - cut);
		if (rng_chance(rng, 2))
			float_shuffle(rng, x, n);
	}
	if (rng_chance(rng, 8))
		sprinkle_neg_zeros(rng, rng_between(rng, 1, 30), x, n);
	if (rng_chance(rng, 20))
		sprinkle_specials(rng, rng_between(rng, 1, 100), x, n);
	return family->name;
}

/* The running totals of a case; most of them are compared one by one only. */
static void
try_scan(Rng *rng, const FloatCase *fc, const void *data, size_t n_before,
		 size_t n_first)
{
	size_t size = fc->type->size;
	char *totals = malloc(fc->n * size);
	ScanCase sc;
	int i;

	scan_case_new(&sc, fc, n_before);
	if (sc.n_totals > 0)
		scan_case_check_total(&sc, rng_below(rng, sc.n_totals));
	for (i = 0; i < ga_cpu_n_engines; i++)
	{
		if (ga_cpu_engines[i]->is_supported())
			scan_case_check(&sc, ga_cpu_engines[i],
							(const char *) data + n_before * size, totals,
							n_first);
	}
	scan_case_free(&sc);
	free(totals);
}

static void
try_type(Rng *rng, const FloatType *type)
{
	size_t n = random_length(rng);
	const char *name = fill(rng, type, n);
	int capacity = rng_chance(rng, 4) ? GA_MAX_CELLS : GA_MIN_CELLS;
	size_t n_before = rng_chance(rng, 4) ? rng_below(rng, n + 1) : 0;
	size_t n_first = rng_chance(rng, 3) ? rng_below(rng, n - n_before + 1) : 0;
	size_t offset = rng_below(rng, 8);
	char *place = malloc(n * type->size + offset);
	FloatCase fc;
	int i;

	float_case_new(&fc, type, name, x, n);
	if (n > 0)
		memcpy(place + offset, fc.data, n * type->size);
	for (i = 0; i < ga_cpu_n_engines; i++)
	{
		if (ga_cpu_engines[i]->is_supported())
			float_case_check(&fc, ga_cpu_engines[i], place + offset, capacity,
							 n_before, n_first);
	}
	if (rng_chance(rng, 2))
		try_scan(rng, &fc, place + offset, n_before, n_first);
	float_case_free(&fc);
	free(place);
}

static void
try_case(uint64_t seed, uint64_t number)
{
	Rng rng = {seed};

	rng.state = rng_next(&rng) + number;
	rng.state = rng_next(&rng);
	try_type(&rng, &float8_type);
	try_type(&rng, &float4_type);
}

int
main(int argc, char **argv)
{
	uint64_t cases = argc > 1 ? strtoull(argv[1], NULL, 10) :
								(uint64_t) tap_cases(DEFAULT_CASES);
	uint64_t seed = argc <= 2					 ? DEFAULT_SEED :
					strcmp(argv[2], "time") == 0 ? (uint64_t) time(NULL) :
												   strtoull(argv[2], NULL, 10);
	uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	time_t noted = time(NULL);
	uint64_t i;

	tap_note("seed %llu", (unsigned long long) seed);
	skip_unsupported_engines();
	tap_begin("%llu cases of sums and running totals, seed %llu",
			  (unsigned long long) cases, (unsigned long long) seed);
	for (i = first; i < first + cases && !tap_is_failing(); i++)
	{
		try_case(seed, i);
		if (time(NULL) >= noted + SECONDS_BETWEEN_NOTES)
		{
			noted = time(NULL);
			tap_note("%llu cases, seed %llu, no wrong bit",
					 (unsigned long long) (i + 1 - first),
					 (unsigned long long) seed);
		}
	}
	if (tap_is_failing())
		tap_note("to repeat it: make fuzz CASES=1 SEED=%llu FIRST=%llu",
				 (unsigned long long) seed, (unsigned long long) i - 1);
	tap_end();
	return tap_done();
}
