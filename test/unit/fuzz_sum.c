/*
 * fuzz_sum.c
 *		Sums of random arrays of all families against MPFR.
 *
 * Each case is an array of float8 and one of float4, summed one by one and by
 * each engine.
 */
#include <stdlib.h>
#include <string.h>

#include "float_case.h"
#include "fuzz.h"

#define MAX_LENGTH 80000

static double x[MAX_LENGTH];

static const Family *
random_family(Rng *rng)
{
	return &families[rng_below(rng, n_families)];
}

static void
try_type(Rng *rng, const FloatType *type)
{
	size_t n = fuzz_length(rng, MAX_LENGTH);
	const char *name = fuzz_fill(rng, type, random_family, x, n);
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
	float_case_free(&fc);
	free(place);
}

static uint32_t
try_case(uint64_t seed, uint64_t number)
{
	Rng rng = fuzz_rng(seed, number);

	try_type(&rng, &float8_type);
	try_type(&rng, &float4_type);
	return 1;
}

int
main(int argc, char **argv)
{
	static const Fuzz fuzz = {"cases of sums", "fuzz", 1000000, try_case};

	skip_unsupported_engines();
	return fuzz_main(&fuzz, argc, argv);
}
