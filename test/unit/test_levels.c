/*
 * test_levels.c
 *		An exact sum as a few doubles: exact, and only if it fits.
 *
 * GMP tells what fits: a multiple of the last unit that is below 2^49 of the
 * first one.  The levels must add up to the sum, each a multiple of its unit,
 * none larger than what may be carried, all of one sign.
 */
#include <math.h>

#include "oracle.h"
#include "tap.h"

#define MAX_LEVELS 3

/* The units of a scale, the first one given. */
static void
make_units(int *unit, int first, int n_levels)
{
	int k;

	for (k = 0; k < n_levels; k++)
		unit[k] = first - GA_SCALE_BITS * k;
}

/* Does the value fit, by its definition? */
static bool
fits(const Exact *exact, const int *unit, int n_levels)
{
	int lowest = (int) mpz_scan1(exact->value, 0) - 1074;
	int bits = (int) mpz_sizeinbase(exact->value, 2) - 1074;

	return mpz_sgn(exact->value) == 0 ||
		   (lowest >= unit[n_levels - 1] && bits <= unit[0] + GA_SCALE_TOP);
}

/* Is the level a multiple of its unit, small enough, and of the sum's sign? */
static void
check_level(const Exact *exact, double level, int unit, int k)
{
	double units = ldexp(level, -unit / 2);

	units = ldexp(units, -(unit - unit / 2));
	tap_check(units == rint(units), "level %d, %a, is no multiple of 2^%d", k,
			  level, unit);
	tap_check(fabs(units) < ldexp(1, k == 0 ? GA_SCALE_TOP : GA_SCALE_BITS),
			  "level %d, %a, is too large for 2^%d", k, level, unit);
	tap_check(level == 0 ? !signbit(level) :
						   (level < 0) == (mpz_sgn(exact->value) < 0),
			  "level %d, %a, has another sign", k, level);
}

static void
check_levels(const Exact *exact, const GaExactSum *sum, int first, int n_levels)
{
	double levels[MAX_LEVELS + 1] = {7, 7, 7, 7};
	int unit[MAX_LEVELS];
	bool must;
	Exact rest;
	int k;

	make_units(unit, first, n_levels);
	must = fits(exact, unit, n_levels);
	tap_check(ga_exact_sum_to_levels(sum, unit, n_levels, levels) == must,
			  "%d levels from 2^%d: must %sfit", n_levels, first,
			  must ? "" : "not ");
	tap_check(levels[n_levels] == 7, "written beyond %d levels", n_levels);
	if (!must)
		return;
	exact_init(&rest);
	mpz_set(rest.value, exact->value);
	for (k = 0; k < n_levels; k++)
	{
		check_level(exact, levels[k], unit[k], k);
		exact_add(&rest, levels[k], -1);
	}
	tap_check(mpz_sgn(rest.value) == 0, "%d levels from 2^%d are not the sum",
			  n_levels, first);
	exact_clear(&rest);
}

/* All numbers of levels and all scales near the one that just fits. */
static void
check_grids(const Exact *exact, const GaExactSum *sum)
{
	int bits = (int) mpz_sizeinbase(exact->value, 2) - 1074;
	int n_levels, first;

	for (n_levels = 1; n_levels <= MAX_LEVELS; n_levels++)
	{
		int lowest = -1074 + GA_SCALE_BITS * (n_levels - 1);

		for (first = bits - GA_SCALE_TOP - 2; first <= bits + 60; first++)
		{
			if (first >= lowest && first <= 971)
				check_levels(exact, sum, first, n_levels);
		}
		check_levels(exact, sum, lowest, n_levels);
		check_levels(exact, sum, 971, n_levels);
	}
}

/* A few integers, scaled, so that there are bits at random places. */
static void
test_random(Rng *rng)
{
	long i;

	tap_begin("sums of a few numbers as levels");
	for (i = tap_cases(6000); i > 0; i--)
	{
		GaExactSum *sum = sum_new(GA_MAX_CELLS);
		int middle = rng_between(rng, -1074, 900);
		int terms = rng_between(rng, 0, 4);
		Exact exact;

		exact_init(&exact);
		for (; terms > 0; terms--)
		{
			int e = middle + rng_between(rng, -70, 70);
			double x;

			e = e < -1074 ? -1074 : e > 971 ? 971 : e;
			x = ldexp(rng_chance(rng, 2) ? 1 : -1, e);
			if (rng_chance(rng, 2))
				x *= 1 + (double) (rng_next(rng) >> rng_between(rng, 11, 63));
			if (!isfinite(x))
				continue;
			sum_add(&sum, x);
			exact_add(&exact, x, 1);
		}
		check_grids(&exact, sum);
		exact_clear(&exact);
		sum_free(sum);
	}
	tap_end();
}

/* Exactly at both ends, and off them by one bit. */
static void
test_ends(void)
{
	int step = (int) (10 / tap_cases(10));
	int e, sign, low, off;

	tap_begin("sums that just fit, or just do not");
	for (e = -1074; e <= 1023; e += 13 * step)
	{
		for (low = 0; low <= 150; low += 7)
		{
			for (sign = -1; sign <= 1; sign += 2)
			{
				for (off = -1; off <= 1; off++)
				{
					GaExactSum *sum = sum_new(GA_MAX_CELLS);
					double bit = e - low < -1074 ? 0 : off * ldexp(1, e - low);
					Exact exact;

					exact_init(&exact);
					sum_add(&sum, sign * ldexp(1, e));
					sum_add(&sum, bit);
					exact_add(&exact, sign * ldexp(1, e), 1);
					exact_add(&exact, bit, 1);
					check_grids(&exact, sum);
					exact_clear(&exact);
					sum_free(sum);
				}
			}
		}
	}
	tap_end();
}

/* An empty sum, and sums that have come to zero, fit anywhere. */
static void
test_zero(void)
{
	GaExactSum *sum = sum_new(GA_MAX_CELLS);
	Exact exact;

	tap_begin("zero as levels");
	exact_init(&exact);
	check_grids(&exact, sum);
	sum_add(&sum, -0.0);
	check_grids(&exact, sum);
	sum_add(&sum, 0x1p1023);
	sum_add(&sum, 0x1p-1074);
	sum_add(&sum, -0x1p1023);
	sum_add(&sum, -0x1p-1074);
	check_grids(&exact, sum);
	exact_clear(&exact);
	sum_free(sum);
	tap_end();
}

/* A sum far beyond the range of doubles is refused by all scales. */
static void
test_beyond(void)
{
	GaExactSum *sum = sum_new(GA_MAX_CELLS);
	Exact exact;
	int i;

	tap_begin("sums beyond the range of doubles as levels");
	exact_init(&exact);
	for (i = 0; i < 100; i++)
	{
		double x = i % 7 == 0 ? -0x1p1000 : -0x1.fffffffffffffp1023;

		sum_add(&sum, x);
		exact_add(&exact, x, 1);
		check_grids(&exact, sum);
	}
	exact_clear(&exact);
	sum_free(sum);
	tap_end();
}

int
main(void)
{
	Rng rng = {27};

	test_random(&rng);
	test_ends();
	test_zero();
	test_beyond();
	return tap_done();
}
