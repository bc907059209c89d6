/*
 * test_scan_special.c
 *		Running totals with NaN, infinities and zeros of both signs; totals
 *		that overflow.
 */
#include <math.h>

#include "running_case.h"
#include "running_families.h"
#include "tap.h"

#define MAX_LENGTH 4000

static const FloatType *const types[] = {&float8_type, &float4_type};

static double x[MAX_LENGTH];

/* -0 as long as nothing else has come, whatever that is; then never again. */
static void
test_minus_zeros(Rng *rng, const FloatType *type)
{
	const double next[] = {-0.0, 0.0, 1.5, -1.5, NAN, INFINITY, -INFINITY};
	int step = (int) (70 / tap_cases(70));
	size_t n_zeros;
	int i;

	tap_begin("%s, totals that begin with -0", type->name);
	for (n_zeros = 0; n_zeros <= 2100; n_zeros += n_zeros < 70 ? step : 290)
	{
		for (i = 0; i < 7; i++)
		{
			size_t n = n_zeros;

			family_fill(family_find("minus zeros"), rng, type, x, n);
			x[n++] = next[i];
			running_case_try(type, "-0, and one more", x, n, rng);
			x[n++] = -0.0;
			x[n++] = -next[i];
			x[n++] = -0.0;
			x[n++] = 0.0;
			x[n++] = -0.0;
			running_case_try(type, "-0, and more", x, n, rng);
		}
	}
	tap_end();
}

/* A family with -0 here and there. */
static void
test_zeros_between(Rng *rng, const FloatType *type)
{
	long i;

	tap_begin("%s, totals with -0 and 0 between", type->name);
	for (i = tap_cases(1000); i > 0; i--)
	{
		const Family *family = random_running_family(rng);
		size_t n = rng_below(rng, rng_chance(rng, 8) ? 3000 : 200);

		family_fill(family, rng, type, x, n);
		sprinkle_neg_zeros(rng, rng_between(rng, 1, 9), x, n);
		running_case_try(type, family->name, x, n, rng);
	}
	tap_end();
}

/* Each kind of special at each place, and a second one behind it. */
static void
check_each_place(Rng *rng, const FloatType *type, size_t n, size_t step)
{
	const double specials[] = {INFINITY, -INFINITY, NAN, -NAN};
	size_t i;
	int j;

	for (i = 0; i < n; i += step)
	{
		for (j = 0; j < 4; j++)
		{
			family_fill(random_running_family(rng), rng, type, x, n);
			x[i] = specials[j];
			running_case_try(type, "one special", x, n, rng);
			x[i + rng_below(rng, n - i)] = specials[rng_below(rng, 4)];
			x[i + rng_below(rng, n - i)] = specials[rng_below(rng, 4)];
			running_case_try(type, "three specials", x, n, rng);
		}
	}
}

static void
test_specials(Rng *rng, const FloatType *type)
{
	size_t n;

	tap_begin("%s, totals with NaN and infinities", type->name);
	for (n = 1; n <= (size_t) tap_cases(60) + 1; n++)
		check_each_place(rng, type, n, 1 + n / 9);
	check_each_place(rng, type, 1024, 1023 / tap_cases(20));
	check_each_place(rng, type, 2500, 2499 / tap_cases(20));
	tap_end();
}

/* Known arrays, behind so many zeros: what overflows, and what does not. */
static void
try_known(Rng *rng, const FloatType *type, size_t n_zeros, double sign)
{
	double max = float_largest(type, type->max);
	double half = ldexp(1, type->max - type->precision);
	double least = ldexp(1, type->least);
	const double known[][6] = {
		{max, -max, max, max, -max, -max},
		{max, half, -half, half / 2, half / 2, -half},
		{max, half / 2, half / 4, half / 4, -least, least},
		{max, half, -least, least, -least, -least},
		{max, -least, half, -half, half, least},
		{max, least, half, -least, -least, half},
		{max / 2, max / 2, max / 2, -max / 2, -max, max},
		{max / 2, max / 2, half / 2, half / 2, -max, -max},
	};
	size_t i;
	int k;

	for (k = 0; k < 8; k++)
	{
		for (i = 0; i < n_zeros; i++)
			x[i] = 0;
		for (i = 0; i < 6; i++)
			x[n_zeros + i] = sign * known[k][i];
		running_case_try(type, "totals around the largest number", x,
						 n_zeros + 6, rng);
	}
}

static void
test_known_overflows(Rng *rng, const FloatType *type)
{
	size_t n_zeros;

	tap_begin("%s, totals that overflow, or nearly", type->name);
	for (n_zeros = 0; n_zeros < 40; n_zeros++)
	{
		try_known(rng, type, n_zeros, 1);
		try_known(rng, type, n_zeros, -1);
	}
	try_known(rng, type, 1022, 1);
	try_known(rng, type, 1030, -1);
	tap_end();
}

/* The example of the contract, in the numbers of the contract. */
static void
test_example(void)
{
	const double example[] = {1e308, -1e308, 1e308, 1e308, -1e308};
	double totals[5];
	int i;

	tap_begin("{1e308, -1e308, 1e308, 1e308} overflows at the last one");
	for (i = 0; i < ga_cpu_n_engines; i++)
	{
		GaExactSum *sum = sum_new(GA_MAX_CELLS);

		if (ga_cpu_engines[i]->is_supported())
		{
			size_t n = ga_cpu_engines[i]->scan_float8(sum, example, 5, totals);

			tap_check(n == 3, "%s: %zu", ga_cpu_engines[i]->name, n);
			tap_check(totals[0] == 1e308 && totals[1] == 0 &&
						  totals[2] == 1e308,
					  "%s: other totals", ga_cpu_engines[i]->name);
		}
		sum_free(sum);
	}
	tap_end();
}

/* Near the end, at any place of any length. */
static void
test_random_overflows(Rng *rng, const FloatType *type)
{
	long i;

	tap_begin("%s, totals near the end of the range", type->name);
	for (i = tap_cases(2500); i > 0; i--)
	{
		size_t n = rng_below(rng, rng_chance(rng, 8) ? 3500 : 100) + 1;
		size_t cut = rng_below(rng, n);
		int family = n_running_families() - rng_between(rng, 1, 3);

		family_fill(random_running_family(rng), rng, type, x, n);
		family_fill(running_family(family), rng, type, x + cut, n - cut);
		running_case_try(type, running_family(family)->name, x, n, rng);
	}
	tap_end();
}

int
main(void)
{
	Rng rng = {24};
	int t;

	skip_unsupported_engines();
	test_example();
	for (t = 0; t < 2; t++)
	{
		test_minus_zeros(&rng, types[t]);
		test_zeros_between(&rng, types[t]);
		test_specials(&rng, types[t]);
		test_known_overflows(&rng, types[t]);
		test_random_overflows(&rng, types[t]);
	}
	return tap_done();
}
