/*
 * test_moments.c
 *		Exact moments: variances and deviations, bit by bit against MPFR.
 */
#include <math.h>
#include <stdlib.h>

#include "moments_case.h"
#include "tap.h"

#define MAX_LENGTH 5000

static const FloatType *const types[] = {&float8_type, &float4_type};
static double x[MAX_LENGTH];

/* All short lengths, of every family; so engines see each tail. */
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
			moments_try(type, families[i].name, x, n);
		}
	}
	tap_end();
}

/* Several tiles, with -0, NaN and infinities here and there. */
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
		if (rng_chance(rng, 4))
			sprinkle_neg_zeros(rng, rng_between(rng, 1, 100), x, n);
		if (rng_chance(rng, 8))
			sprinkle_specials(rng, rng_between(rng, 1, 1000), x, n);
		moments_try(type, family->name, x, n);
	}
	tap_end();
}

/* Fill a run with magnitudes of these exponents, or with one magnitude. */
static void
fill_run(Rng *rng, const FloatType *type, int least, int most, double *run,
		 size_t n)
{
	const bool is_one = rng_chance(rng, 3);
	double one = rng_chance(rng, 2) ? float_largest(type, most) :
									  float_random(rng, type, most);
	size_t i;

	for (i = 0; i < n; i++)
	{
		run[i] = is_one ?
					 one :
					 float_random(rng, type, rng_between(rng, least, most));
		if (rng_chance(rng, 2))
			run[i] = -run[i];
	}
}

/*
 * Runs whose magnitudes rise from one to the next, above the bound that the
 * last tile left, and whose bits reach to the last slice or beyond; around the
 * limits of slices, too.
 */
static void
test_slices(Rng *rng, const FloatType *type)
{
	long i;

	tap_begin("%s, runs of magnitudes", type->name);
	for (i = tap_cases(3000); i > 0; i--)
	{
		const int limits[] = {0, -1, -422, -354, 480, 500};
		const int middle = limits[rng_below(rng, type == &float8_type ? 6 : 2)];
		const size_t n = 1 + rng_below(rng, MAX_LENGTH);
		int top = rng_between(rng, middle - 12, middle + 8);
		size_t from, length;

		for (from = 0; from < n; from += length)
		{
			length = 1 + rng_below(rng, n - from);
			fill_run(rng, type, top - rng_between(rng, 0, 40), top, x + from,
					 length);
			top += rng_between(rng, -2, 7);
		}
		moments_try(type, "runs of magnitudes", x, n);
	}
	tap_end();
}

/* One or two elements, of any exponents. */
static void
test_few(Rng *rng)
{
	long i;

	tap_begin("one and two elements of any exponents");
	for (i = tap_cases(200000); i > 0; i--)
	{
		const int e = rng_between(rng, -1074, 1023);
		size_t n = 1 + rng_below(rng, 2);

		x[0] = float_random(rng, &float8_type, e);
		x[1] =
			rng_chance(rng, 2) ?
				float_random(rng, &float8_type, rng_between(rng, -1074, 1023)) :
				nextafter(x[0], rng_chance(rng, 2) ? 0 : INFINITY);
		if (rng_chance(rng, 4))
			x[1] = -x[1];
		free(moments_of("one or two", x, n));
	}
	tap_end();
}

/* Three numbers a, a + d, a - d, whose variance is d * d exactly. */
static void
test_ties(Rng *rng)
{
	long i;

	tap_begin("variances that are squares, ties and subnormals");
	for (i = tap_cases(100000); i > 0; i--)
	{
		const int bits = rng_between(rng, 1, 53);
		const double d = ldexp((double) (rng_next(rng) >> (64 - bits)),
							   rng_between(rng, -1074, 480));

		x[0] = 0;
		x[1] = d;
		x[2] = -d;
		free(moments_of("a, a + d, a - d", x, 3));

		/* a variance of half of d * d: the bits of a tie, or near one */
		x[0] = d;
		free(moments_of("0 and d", x, 2));
		x[1] = 0;
		x[2] = nextafter(d, 0);
		free(moments_of("0, d and less", x, 3));
	}
	tap_end();
}

static void
check_value(const double *values, size_t n, double var_pop, double var_samp)
{
	GaMoments *moments = moments_of("values", values, n);
	double result = -1;

	tap_check(ga_moments_var_pop(moments, &result) == GA_OK &&
				  result == var_pop,
			  "%a, must be %a", result, var_pop);
	if (n > 1)
		tap_check(ga_moments_var_samp(moments, &result) == GA_OK &&
					  result == var_samp,
				  "%a, must be %a", result, var_samp);
	free(moments);
}

/* The norm of two numbers, with the sign of zero. */
static void
check_norm(const double x[2], double must)
{
	GaMoments *moments = moments_of("two", x, 2);
	double norm = 0;

	tap_check(ga_moments_norm(moments, &norm) == GA_OK &&
				  (norm == must || (norm != norm && must != must)) &&
				  signbit(norm) == 0,
			  "%a, must be %a", norm, must);
	free(moments);
}

/* What anybody can compute, and where double precision fails. */
static void
test_values(void)
{
	GaMoments *moments;
	double result = -1;

	tap_begin("known variances");
	check_value((const double[]){1, 2, 3, 4}, 4, 1.25, 5.0 / 3);
	check_value((const double[]){7}, 1, 0, 0);
	check_value((const double[]){1e308}, 1, 0, 0);
	check_value((const double[]){0x1p-1074}, 1, 0, 0);
	check_value((const double[]){1e16, 1e16 + 2}, 2, 1, 2);
	check_value((const double[]){1e300, 1e300, 1e300}, 3, 0, 0);
	check_value((const double[]){-0.0, 0.0}, 2, 0, 0);
	/* less than half of the least double, half of it, and more */
	check_value((const double[]){0, 0x1p-537}, 2, 0, 0);
	check_value((const double[]){0, 0x1p-536}, 2, 0x1p-1074, 0x1p-1073);
	check_value((const double[]){0, 0x1.8p-537}, 2, 0x1p-1074, 0x1p-1074);
	tap_end();

	tap_begin("a variance that overflows has a deviation");
	moments = moments_of("far apart", (const double[]){1e300, -1e300}, 2);
	tap_check(ga_moments_var_pop(moments, &result) == GA_OVERFLOW, "%a",
			  result);
	tap_check(ga_moments_stddev_pop(moments, &result) == GA_OK &&
				  result == 1e300,
			  "%a", result);
	free(moments);
	moments = moments_of(
		"farthest",
		(const double[]){0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023}, 2);
	tap_check(ga_moments_stddev_samp(moments, &result) == GA_OVERFLOW, "%a",
			  result);
	tap_check(ga_moments_stddev_pop(moments, &result) == GA_OK &&
				  result == 0x1.fffffffffffffp1023,
			  "%a", result);
	tap_check(ga_moments_norm(moments, &result) == GA_OVERFLOW, "%a", result);
	free(moments);
	tap_end();

	tap_begin("norms");
	check_norm((const double[]){-0x3p600, 0x4p600}, 0x5p600);
	check_norm((const double[]){0x1p-1074, 0}, 0x1p-1074);
	check_norm((const double[]){-0.0, -0.0}, 0);
	check_norm((const double[]){-INFINITY, 1}, INFINITY);
	check_norm((const double[]){INFINITY, -INFINITY}, INFINITY);
	check_norm((const double[]){NAN, INFINITY}, NAN);
	tap_end();
}

/* Merging and removing, in pairs as small as they can be. */
static void
test_laws(Rng *rng)
{
	long i;

	tap_begin("merged, unmerged and removed moments have the same bytes");
	for (i = tap_cases(20000); i > 0; i--)
	{
		const Family *family = &families[rng_below(rng, n_families)];
		const size_t n = rng_below(rng, 200);
		const size_t cut = rng_below(rng, n + 1);
		GaMoments *all, *first = pair_new(0), *second = pair_new(0);
		MomentsBytes must, first_bytes, is;

		family_fill(family, rng, &float8_type, x, n);
		if (rng_chance(rng, 4))
			sprinkle_specials(rng, 10, x, n);
		all = moments_of(family->name, x, n);
		moments_bytes(all, &must);
		moments_apply_all(&first, x, cut, 1);
		moments_bytes(first, &first_bytes);
		moments_apply_all(&second, x + cut, n - cut, 1);
		while (ga_sum_pair_merge(first, second) != GA_OK)
		{
			moments_bytes(first, &is);
			tap_check(same_moments(&is, &first_bytes), "changed by a merge");
			pair_grow(&first);
		}
		moments_bytes(first, &is);
		tap_check(same_moments(&is, &must), "%s, merged", family->name);
		moments_apply_all(&all, x + cut, n - cut, -1);
		moments_bytes(all, &is);
		tap_check(same_moments(&is, &first_bytes), "%s, removed", family->name);
		while (ga_sum_pair_unmerge(first, second) != GA_OK)
			pair_grow(&first);
		moments_bytes(first, &is);
		tap_check(same_moments(&is, &first_bytes), "%s, unmerged",
				  family->name);
		tap_check(ga_moments_is_valid(first), "not valid");
		free(all);
		free(first);
		free(second);
	}
	tap_end();
}

/* Merge a state with itself, again and again: n to 2^56. */
static void
test_many(Rng *rng)
{
	GaMoments *moments = pair_new(0);
	GaFullSumPair copy;
	Exact sum, squares;
	double is = 0, must = 0;
	int i;

	tap_begin("moments of 2^56 elements of the largest magnitude");
	exact_init(&sum);
	exact_init(&squares);
	for (i = 0; i < 4; i++)
	{
		x[0] = float_random(rng, &float8_type, i ? 1023 : -1074);
		moments_apply_all(&moments, x, 1, 1);
		exact_add(&sum, x[0], INT64_C(1) << 54);
		exact_add_product(&squares, x[0], x[0], INT64_C(1) << 54);
	}
	for (i = 0; i < 54; i++)
	{
		ga_sum_pair_move(ga_full_sum_pair(&copy), GA_SUM_PAIR_FULL, moments);
		while (ga_sum_pair_merge(moments, ga_full_sum_pair(&copy)) != GA_OK)
			pair_grow(&moments);
		tap_check(ga_moments_is_valid(moments), "not valid");
	}
	tap_check(ga_moments_n(moments) == GA_EXACT_SUM_MAX_N, "n");
	tap_check(ga_moments_stddev_samp(moments, &is) == GA_OK &&
				  oracle_variance(&sum, &squares, true, true, &must) == GA_OK &&
				  is == must,
			  "%a, must be %a", is, must);
	exact_clear(&sum);
	exact_clear(&squares);
	free(moments);
	tap_end();
}

/* Bytes are read as what they were written of, and no other bytes are. */
static void
test_bytes(Rng *rng)
{
	GaFullSumPair full;
	long i;

	tap_begin("bytes that were changed are refused, or canonical");
	for (i = tap_cases(20000); i > 0; i--)
	{
		const Family *family = &families[rng_below(rng, n_families)];
		const size_t n = 1 + rng_below(rng, 20);
		GaMoments *moments;
		MomentsBytes bytes, again;
		size_t cut;

		family_fill(family, rng, &float8_type, x, n);
		moments = moments_of(family->name, x, n);
		moments_bytes(moments, &bytes);
		free(moments);
		tap_check(ga_moments_deserialize(&full, bytes.bytes, bytes.n) == GA_OK,
				  "refused");
		moments = ga_full_sum_pair(&full);
		tap_check(ga_moments_is_valid(moments), "not valid");
		moments_bytes(moments, &again);
		tap_check(same_moments(&again, &bytes), "other bytes");

		cut = rng_below(rng, bytes.n);
		tap_check(ga_moments_deserialize(&full, bytes.bytes, cut) != GA_OK,
				  "%zu of %zu bytes", cut, bytes.n);
		bytes.bytes[rng_below(rng, bytes.n)] ^= 1 << rng_below(rng, 8);
		if (ga_moments_deserialize(&full, bytes.bytes, bytes.n) != GA_OK)
			continue;
		tap_check(ga_moments_is_valid(moments), "not valid");
		moments_bytes(moments, &again);
		tap_check(same_moments(&again, &bytes), "other bytes");
	}
	tap_end();
}

/* The sums of no inputs: a square sum below (sum)^2 / n, or below zero. */
static void
test_impossible(void)
{
	GaMoments *moments;
	GaFullSumPair full;
	MomentsBytes bytes;
	double result;

	tap_begin("sums of no inputs are refused");
	moments = moments_of("one", (const double[]){1, 2, 3}, 3);
	(void) ga_product_sum_remove(ga_sum_pair_products(moments), 1, 2.5);
	ga_sum_pair_products(moments)->n++;
	moments_bytes(moments, &bytes);
	tap_check(ga_moments_deserialize(&full, bytes.bytes, bytes.n) ==
				  GA_BAD_STATE,
			  "14 - 2.5 < 36 / 3");
	tap_check(ga_moments_var_pop(moments, &result) == GA_BAD_STATE, "var_pop");
	(void) ga_product_sum_add(ga_sum_pair_products(moments), 1, 0.5);
	ga_sum_pair_products(moments)->n--;
	moments_bytes(moments, &bytes);
	tap_check(ga_moments_deserialize(&full, bytes.bytes, bytes.n) == GA_OK,
			  "14 - 2.5 + 0.5 = 36 / 3");
	(void) ga_product_sum_remove(ga_sum_pair_products(moments), 10, 10);
	moments_bytes(moments, &bytes);
	tap_check(ga_moments_deserialize(&full, bytes.bytes, bytes.n) ==
				  GA_BAD_STATE,
			  "squares below zero");
	free(moments);
	tap_end();
}

int
main(void)
{
	Rng rng = {20261125};
	int i;

	skip_unsupported_engines();
	test_values();
	for (i = 0; i < 2; i++)
	{
		test_lengths(&rng, types[i]);
		test_tiles(&rng, types[i]);
		test_slices(&rng, types[i]);
	}
	test_few(&rng);
	test_ties(&rng);
	test_laws(&rng);
	test_many(&rng);
	test_bytes(&rng);
	test_impossible();
	return tap_done();
}
