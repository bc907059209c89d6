/*
 * fuzz_moments.c
 *		Moments of random arrays of all families against MPFR and GMP.
 *
 * Each case is an array of float8 and one of float4: bytes and variances one by
 * one, bytes by each engine.
 */
#include "fuzz.h"
#include "moments_case.h"

#define MAX_LENGTH 20000

static double x[MAX_LENGTH];

static const Family *
random_family(Rng *rng)
{
	return &families[rng_below(rng, n_families)];
}

static uint32_t
try_case(uint64_t seed, uint64_t number)
{
	static const FloatType *const types[] = {&float8_type, &float4_type};
	Rng rng = fuzz_rng(seed, number);
	int i;

	for (i = 0; i < 2; i++)
	{
		size_t n = fuzz_length(&rng, MAX_LENGTH);
		const char *name = fuzz_fill(&rng, types[i], random_family, x, n);

		moments_try(types[i], name, x, n);
	}
	return 1;
}

int
main(int argc, char **argv)
{
	static const Fuzz fuzz = {"cases of moments", "fuzz", 100000, try_case};

	skip_unsupported_engines();
	return fuzz_main(&fuzz, argc, argv);
}
