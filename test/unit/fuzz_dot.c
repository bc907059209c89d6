/*
 * fuzz_dot.c
 *		Sums of products of random arrays against MPFR and GMP.
 *
 * Each case is a pair of arrays of float8 and one of float4.
 */
#include "fuzz.h"
#include "product_case.h"

#define MAX_LENGTH 20000

static double x[MAX_LENGTH];
static double y[MAX_LENGTH];

static const Family *
random_family(Rng *rng)
{
	return &families[rng_below(rng, n_families)];
}

/* Fill y: any family, x itself, ones, or what makes products cancel. */
static void
fill_other(Rng *rng, const FloatType *type, size_t n)
{
	const uint64_t kind = rng_below(rng, 8);
	size_t i;

	if (kind > 2)
	{
		(void) fuzz_fill(rng, type, random_family, y, n);
		return;
	}
	for (i = 0; i < n; i++)
		y[i] = kind == 0 ? x[i] : kind == 1 ? 1 : i % 2 ? -1 : 1;
	if (kind == 2)
	{
		for (i = 0; i + 1 < n; i += 2)
			x[i + 1] = x[i];
	}
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

		fill_other(&rng, types[i], n);
		product_try(types[i], name, x, y, n);
	}
	return 1;
}

int
main(int argc, char **argv)
{
	static const Fuzz fuzz = {"cases of products", "fuzz", 100000, try_case};

	skip_unsupported_engines();
	return fuzz_main(&fuzz, argc, argv);
}
