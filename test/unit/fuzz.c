/*
 * fuzz.c
 *		The frame of programs that try random cases, as many as one likes.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuzz.h"
#include "tap.h"

#define DEFAULT_SEED		  1
#define SECONDS_BETWEEN_NOTES 10

Rng
fuzz_rng(uint64_t seed, uint64_t number)
{
	Rng rng = {seed};

	rng.state = rng_next(&rng) + number;
	rng.state = rng_next(&rng);
	return rng;
}

size_t
fuzz_length(Rng *rng, size_t most)
{
	uint64_t kind = rng_below(rng, 10000);

	if (kind == 0)
		return rng_below(rng, most);
	if (kind < 30)
		return rng_below(rng, 9000);
	if (kind < 300)
		return rng_below(rng, 1100);
	return rng_below(rng, 65);
}

const char *
fuzz_fill(Rng *rng, const FloatType *type, const Family *(*choose)(Rng *rng),
		  double *x, size_t n)
{
	const Family *family = choose(rng);

	family_fill(family, rng, type, x, n);
	if (rng_chance(rng, 6))
	{
		size_t cut = rng_below(rng, n + 1);

		family_fill(choose(rng), rng, type, x + cut, n - cut);
		if (rng_chance(rng, 2))
			float_shuffle(rng, x, n);
	}
	if (rng_chance(rng, 8))
		sprinkle_neg_zeros(rng, rng_between(rng, 1, 30), x, n);
	if (rng_chance(rng, 20))
		sprinkle_specials(rng, rng_between(rng, 1, 100), x, n);
	return family->name;
}

/* Try cases from `first` on until n are done, or one fails. */
static void
try_cases(const Fuzz *fuzz, uint64_t n, uint64_t seed, uint64_t first)
{
	time_t noted = time(NULL);
	uint64_t done = 0;
	uint64_t i;

	for (i = first; done < n && !tap_is_failing(); i++)
	{
		done += fuzz->try_number(seed, i);
		if (time(NULL) < noted + SECONDS_BETWEEN_NOTES)
			continue;
		noted = time(NULL);
		tap_note("%llu %s, seed %llu, no wrong bit", (unsigned long long) done,
				 fuzz->what, (unsigned long long) seed);
	}
	if (tap_is_failing())
		tap_note("to repeat it: make %s CASES=1 SEED=%llu FIRST=%llu",
				 fuzz->repeat, (unsigned long long) seed,
				 (unsigned long long) i - 1);
}

int
fuzz_main(const Fuzz *fuzz, int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) :
							(uint64_t) tap_cases((long) fuzz->n_cases);
	uint64_t seed = argc <= 2					 ? DEFAULT_SEED :
					strcmp(argv[2], "time") == 0 ? (uint64_t) time(NULL) :
												   strtoull(argv[2], NULL, 10);
	uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;

	tap_note("seed %llu", (unsigned long long) seed);
	tap_begin("%llu %s, seed %llu", (unsigned long long) n, fuzz->what,
			  (unsigned long long) seed);
	try_cases(fuzz, n, seed, first);
	tap_end();
	return tap_done();
}
