/*
 * test_short_sum.c
 *		Sums of a few floats: right where they are told, and told for usual
 *		data.
 *
 * MPFR tells what they must be, and exact sums where MPFR tells nothing: of NaN
 * and infinities.
 */
#include <math.h>
#include <string.h>

#include "exact/short_sum.h"
#include "float_families.h"
#include "oracle.h"
#include "tap.h"

#define MAX_LENGTH 32

static double x[MAX_LENGTH];

/* Compute the short sum of n of x; false if it is not told. */
static bool
short_sum(const FloatType *type, size_t n, double *result)
{
	float singles[MAX_LENGTH];
	float single;
	size_t i;

	if (type->size == 8)
		return ga_short_sum(GA_float8, x, n, result);
	for (i = 0; i < n; i++)
		singles[i] = (float) x[i];
	if (!ga_short_sum(GA_float4, singles, n, &single))
		return false;
	*result = single;
	return true;
}

static void
check(const FloatType *type, const char *name, size_t n)
{
	GaExactSum *sum = sum_of(x, n);
	double must = 0, is = 0;
	GaStatus status = sum_result(sum, type, &must);

	if (short_sum(type, n, &is))
		tap_check(same_result(status, must, GA_OK, is), "%s: %zu: %a, not %a",
				  name, n, is, must);
	sum_free(sum);
}

static void
test_families(Rng *rng, const FloatType *type)
{
	int i;
	long k;

	tap_begin("%s, short sums", type->name);
	for (i = 0; i < n_families; i++)
	{
		for (k = tap_cases(3000); k > 0; k--)
		{
			size_t n = 1 + rng_below(rng, MAX_LENGTH);

			family_fill(&families[i], rng, type, x, n);
			if (rng_chance(rng, 9))
				sprinkle_specials(rng, 5, x, n);
			if (rng_chance(rng, 9))
				sprinkle_neg_zeros(rng, 2, x, n);
			check(type, families[i].name, n);
		}
	}
	tap_end();
}

/* Ends of the range, where the sum overflows or is just in range. */
static void
test_ends(Rng *rng, const FloatType *type)
{
	long k;

	tap_begin("%s, short sums at the ends of the range", type->name);
	for (k = tap_cases(100000); k > 0; k--)
	{
		size_t n = 1 + rng_below(rng, 6), i;

		for (i = 0; i < n; i++)
		{
			double most = float_largest(type, type->max);
			double some[] = {most,
							 -most,
							 ldexp(1, type->max),
							 ldexp(1, type->max - type->precision),
							 ldexp(1, type->max - type->precision - 1),
							 ldexp(1, type->least),
							 -ldexp(1, type->least)};

			x[i] = some[rng_below(rng, 7)];
		}
		check(type, "ends", n);
	}
	tap_end();
}

/* Readings with some digits need no exact sum, nor do numbers of one scale. */
static void
test_usual(Rng *rng)
{
	int n_told = 0;
	int k;

	tap_begin("sums of usual data are told");
	for (k = 0; k < 1000; k++)
	{
		double sum;
		size_t i;

		for (i = 0; i < 7; i++)
			x[i] = (double) rng_below(rng, 10000) / 100;
		n_told += short_sum(&float8_type, 7, &sum);
	}
	tap_check(n_told > 990, "%d of 1000", n_told);
	tap_end();
}

int
main(void)
{
	Rng rng = {5};

	test_families(&rng, &float8_type);
	test_families(&rng, &float4_type);
	test_ends(&rng, &float8_type);
	test_ends(&rng, &float4_type);
	test_usual(&rng);
	return tap_done();
}
