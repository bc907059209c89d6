/*
 * test_products.c
 *		Exact sums of products, bit by bit against GMP and MPFR.
 */
#include <math.h>
#include <stdlib.h>

#include "product_case.h"
#include "tap.h"

#define MAX_LENGTH 5000

static const FloatType *const types[] = {&float8_type, &float4_type};
static double x[MAX_LENGTH];
static double y[MAX_LENGTH];

/* All short lengths, of every family with some other. */
static void
test_lengths(Rng *rng, const FloatType *type)
{
	int i;
	size_t n;

	tap_begin("%s, lengths 0 to 70, all families", type->name);
	for (i = 0; i < n_families; i++)
	{
		for (n = 0; n <= 70; n++)
		{
			family_fill(&families[i], rng, type, x, n);
			family_fill(&families[rng_below(rng, n_families)], rng, type, y, n);
			product_try(type, families[i].name, x, y, n);
		}
	}
	tap_end();
}

/* Several tiles, with zeros, NaN and infinities here and there. */
static void
test_tiles(Rng *rng, const FloatType *type)
{
	long i;

	tap_begin("%s, lengths to %d, specials among them", type->name, MAX_LENGTH);
	for (i = tap_cases(20000); i > 0; i--)
	{
		const Family *family = &families[rng_below(rng, n_families)];
		size_t n = rng_below(rng, rng_chance(rng, 20) ? MAX_LENGTH : 1100);

		family_fill(family, rng, type, x, n);
		family_fill(rng_chance(rng, 2) ? family :
										 &families[rng_below(rng, n_families)],
					rng, type, y, n);
		if (rng_chance(rng, 4))
			sprinkle_neg_zeros(rng, rng_between(rng, 1, 100), x, n);
		if (rng_chance(rng, 4))
			sprinkle_neg_zeros(rng, rng_between(rng, 1, 100), y, n);
		if (rng_chance(rng, 8))
			sprinkle_specials(rng, rng_between(rng, 1, 1000), x, n);
		product_try(type, family->name, x, y, n);
	}
	tap_end();
}

/* Products that underflow to zero, wholly or in part, among others. */
static void
test_underflow(Rng *rng)
{
	long i;

	tap_begin("products near and below the least double among others");
	for (i = tap_cases(20000); i > 0; i--)
	{
		const size_t n = 1 + rng_below(rng, 300);
		const int e = rng_between(rng, -1150, -880);
		size_t k;

		for (k = 0; k < n; k++)
		{
			const int split = rng_between(rng, -100, 100) + e / 2;
			const bool is_other = rng_chance(rng, 3);

			x[k] = float_random(rng, &float8_type, split);
			y[k] =
				float_random(rng, &float8_type, is_other ? -split : e - split);
			if (rng_chance(rng, 2))
				x[k] = -x[k];
		}
		product_try(&float8_type, "near underflow", x, y, n);
	}
	tap_end();
}

/* Single products of any exponents, and two that almost cancel. */
static void
test_few(Rng *rng)
{
	long i;

	tap_begin("one and two products of any exponents");
	for (i = tap_cases(100000); i > 0; i--)
	{
		x[0] = float_random(rng, &float8_type, rng_between(rng, -1074, 1023));
		y[0] = float_random(rng, &float8_type, rng_between(rng, -1074, 1023));
		x[1] = rng_chance(rng, 2) ? x[0] : nextafter(x[0], 0);
		y[1] = -(rng_chance(rng, 2) ? y[0] : nextafter(y[0], 0));
		product_try(&float8_type, "one or two", x, y, 1 + rng_below(rng, 2));
	}
	tap_end();
}

/* Roots halfway between two doubles, and off by as little as can be. */
static void
test_roots(Rng *rng)
{
	long i;

	tap_begin("roots that are ties, and next to ties");
	for (i = tap_cases(20000); i > 0; i--)
	{
		const int e = rng_between(rng, -400, 400);

		/* (a + b)^2, with b half of the last place of a */
		x[0] = y[0] = float_random(rng, &float8_type, e);
		x[1] = 2 * x[0];
		x[2] = y[1] = y[2] = ldexp(1, e - 53);
		x[3] = ldexp(rng_chance(rng, 2) ? 1 : -1, e);
		y[3] =
			ldexp(1, e - rng_between(rng, 110, rng_chance(rng, 2) ? 600 : 260));
		product_try(&float8_type, "roots", x, y, rng_chance(rng, 3) ? 3 : 4);
	}
	tap_end();
}

/* Every pair of special numbers. */
static void
test_specials(void)
{
	static const double values[] = {
		0.0,	   -0.0, 1,			-1,			INFINITY,
		-INFINITY, NAN,	 0x1p-1074, -0x1p-1074, 0x1.fffffffffffffp1023};
	const int n = sizeof(values) / sizeof(values[0]);
	int i, j, k;

	tap_begin("pairs of special numbers");
	for (i = 0; i < n; i++)
	{
		for (j = 0; j < n; j++)
		{
			x[0] = values[i];
			y[0] = values[j];
			product_try(&float8_type, "specials", x, y, 1);
			for (k = 1; k < 40; k++)
			{
				x[k] = values[(i * k) % n];
				y[k] = values[(j + k) % n];
			}
			product_try(&float8_type, "specials", x, y, 2);
			product_try(&float8_type, "specials", x, y, 40);
		}
	}
	tap_end();
}

/* Merging and removing, in sums as small as they can be. */
static void
test_laws(Rng *rng)
{
	long i;

	tap_begin("merged, unmerged and removed products have the same bytes");
	for (i = tap_cases(20000); i > 0; i--)
	{
		const Family *family = &families[rng_below(rng, n_families)];
		const size_t n = rng_below(rng, 200);
		const size_t cut = rng_below(rng, n + 1);
		GaExactSum *all = product_new(GA_MIN_CELLS);
		GaExactSum *first = product_new(GA_MIN_CELLS);
		GaExactSum *second = product_new(GA_MIN_CELLS);
		ProductBytes must, first_bytes, is;

		family_fill(family, rng, &float8_type, x, n);
		family_fill(family, rng, &float8_type, y, n);
		if (rng_chance(rng, 4))
			sprinkle_specials(rng, 10, x, n);
		if (rng_chance(rng, 4))
			sprinkle_neg_zeros(rng, 3, y, n);
		product_apply_all(&all, x, y, n, 1);
		product_bytes(all, &must);
		product_apply_all(&first, x, y, cut, 1);
		product_bytes(first, &first_bytes);
		product_apply_all(&second, x + cut, y + cut, n - cut, 1);
		while (ga_exact_sum_merge(first, second) != GA_OK)
			product_grow(&first);
		product_bytes(first, &is);
		tap_check(same_products(&is, &must), "%s, merged", family->name);
		while (ga_exact_sum_unmerge(first, second) != GA_OK)
			product_grow(&first);
		product_bytes(first, &is);
		tap_check(same_products(&is, &first_bytes), "%s, unmerged",
				  family->name);
		product_apply_all(&all, x + cut, y + cut, n - cut, -1);
		product_bytes(all, &is);
		tap_check(same_products(&is, &first_bytes), "%s, removed",
				  family->name);
		free(all);
		free(first);
		free(second);
	}
	tap_end();
}

int
main(void)
{
	Rng rng = {20261125};
	int i;

	skip_unsupported_engines();
	for (i = 0; i < 2; i++)
	{
		test_lengths(&rng, types[i]);
		test_tiles(&rng, types[i]);
	}
	test_underflow(&rng);
	test_few(&rng);
	test_roots(&rng);
	test_specials();
	test_laws(&rng);
	return tap_done();
}
