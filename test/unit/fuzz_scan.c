/*
 * fuzz_scan.c
 *		Running totals of random arrays of all families against MPFR.
 *
 * Each case is an array of float8 and one of float4, scanned by each engine at
 * once, by some of them in parts, and from a sum that is not empty.  All
 * totals are compared.
 */
#include "fuzz.h"
#include "running_case.h"
#include "running_families.h"

#define MAX_LENGTH 40000

static double x[MAX_LENGTH];

static void
try_type(Rng *rng, const FloatType *type)
{
	size_t n = fuzz_length(rng, MAX_LENGTH);
	const char *name = fuzz_fill(rng, type, random_running_family, x, n);

	running_case_try(type, name, x, n, rng);
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
	static const Fuzz fuzz = {"cases of running totals", "fuzz", 100000,
							  try_case};

	skip_unsupported_engines();
	return fuzz_main(&fuzz, argc, argv);
}
