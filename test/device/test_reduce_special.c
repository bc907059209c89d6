/*
 * test_reduce_special.c
 *		A device's minima, maxima, moments and products of special values:
 *		NaN, infinities, zeros, ends of the range, exponents far apart, order.
 */
#include <math.h>
#include <stdlib.h>

#include "running_families.h"
#include "specials.h"
#include "tap.h"

#define ORDER_LENGTH 20000
#define MANY_LENGTH	 70000

static Fixture fixture;
static double x[MANY_LENGTH];

/* Moments and products of single results: some are refused, but not all. */
static void
check_some_fit(const ArraySet *set)
{
	uint32_t *n_parts_of = malloc((set->n_arrays + 1) * sizeof(*n_parts_of));
	uint32_t n_refused;
	uint32_t i;

	for (i = 0; i < set->n_arrays; i++)
		n_parts_of[i] = 1;
	n_refused = array_set_check_reduction(&fixture, set, GA_REDUCE_MOMENTS,
										  n_parts_of, set->n_arrays);
	tap_check(n_refused > 0 && n_refused < set->n_arrays,
			  "moments: %u of %u are refused", (unsigned) n_refused,
			  (unsigned) set->n_arrays);
	n_refused =
		array_set_check_products(&fixture, set, n_parts_of, set->n_arrays);
	tap_check(n_refused > 0 && n_refused < set->n_arrays,
			  "products: %u of %u are refused", (unsigned) n_refused,
			  (unsigned) set->n_arrays);
	free(n_parts_of);
}

/*
 * Two and three numbers over the whole range: squares from the least double's
 * to the largest one's, most of which double has not, and sums of squares and
 * of products of up to 192 bits and of more.
 */
static void
test_pairs(GaElementType type)
{
	const FloatType *float_type = element_float_type(type);
	const int step = fixture_is_quick() ? 13 : 3;
	ArraySet set;
	int below, e;

	tap_begin("%s: pairs of powers of two", ga_element_name(type));
	array_set_init(&set, type);
	for (e = float_type->least; e <= float_type->max; e += step)
	{
		for (below = 0; e - below >= float_type->least && below < 120;
			 below += below < 90 ? step : 1)
		{
			x[0] = ldexp(1, e);
			x[1] = -ldexp(1, e - below);
			x[2] = x[0];
			array_set_add_doubles(&set, "a pair", x, 2);
			array_set_add_doubles(&set, "three", x, 3);
		}
	}
	check_some_fit(&set);
	array_set_free(&set);
	tap_end();
}

/* Add n numbers, 1 + 2^-d and 1 - 2^-d in turn, times 2^e. */
static void
add_faint(ArraySet *set, size_t n, int d, int e, bool has_larger)
{
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = ldexp(i % 2 == 0 ? 1 + ldexp(1, -d) : 1 - ldexp(1, -d), e);
	if (has_larger)
		x[0] = x[n - 1] = ldexp(1, e + 50);
	array_set_add_doubles(set, "faint", x, n);
}

/*
 * Products whose rest is at the end of the range, or behind it: the rounded
 * product is a power of two.  In short arrays there are zeros besides, and a
 * larger number in the same tile leaves the rest behind the last level.
 */
static void
test_faint(GaElementType type)
{
	const FloatType *float_type = element_float_type(type);
	const int bits[] = {float_type->precision / 2 + 3,
						float_type->precision - 3};
	ArraySet set;
	int k, e;

	tap_begin("%s: faint products", ga_element_name(type));
	array_set_init(&set, type);
	for (k = 0; k < 2; k++)
	{
		const int middle = float_type->least / 2;

		for (e = middle - bits[k]; e <= middle + 3 * bits[k];
			 e += fixture_is_quick() ? 3 : 1)
		{
			add_faint(&set, 2, bits[k], e, false);
			add_faint(&set, 600, bits[k], e, false);
			add_faint(&set, 200, bits[k], e, true);
		}
	}
	array_set_check_reductions(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

/* So many times the same, at any exponent. */
static void
test_equal(Rng *rng, GaElementType type)
{
	static const size_t lengths[] = {1, 100, 3000, MANY_LENGTH};
	const FloatType *float_type = element_float_type(type);
	ArraySet set;
	size_t n;
	int e;

	tap_begin("%s: all equal", ga_element_name(type));
	array_set_init(&set, type);
	for (e = float_type->least; e <= float_type->max;
		 e += fixture_is_quick() ? 149 : 17)
	{
		const double value = float_random(rng, float_type, e);
		size_t i, k;

		for (k = 0; k < 4; k++)
		{
			n = lengths[k];
			for (i = 0; i < n; i++)
				x[i] = value;
			array_set_add_doubles(&set, "all equal", x, n);
		}
	}
	array_set_check_reductions(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

static int
compare(const void *a, const void *b)
{
	const double l = *(const double *) a;
	const double r = *(const double *) b;

	return (l > r) - (l < r);
}

/* The same elements in both orders and in none. */
static void
test_order(Rng *rng, GaElementType type)
{
	ArraySet set;
	int family;
	size_t i;

	tap_begin("%s: sorted, both ways", ga_element_name(type));
	array_set_init(&set, type);
	for (family = 0; family < n_running_families(); family += 2)
	{
		const size_t n = rng_below(rng, ORDER_LENGTH);

		family_fill(running_family(family), rng, element_float_type(type), x,
					n);
		array_set_add_doubles(&set, "in no order", x, n);
		qsort(x, n, sizeof(double), compare);
		array_set_add_doubles(&set, "rising", x, n);
		for (i = 0; i < n / 2; i++)
		{
			const double other = x[i];

			x[i] = x[n - 1 - i];
			x[n - 1 - i] = other;
		}
		array_set_add_doubles(&set, "falling", x, n);
	}
	array_set_check_reductions(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

/*
 * Small numbers first, then one so much larger, and small ones again: what was
 * chosen for the first ones is of no use for it.
 */
static void
test_steps(Rng *rng, GaElementType type)
{
	const FloatType *float_type = element_float_type(type);
	ArraySet set;
	int step;
	size_t i;

	tap_begin("%s: exponents that rise and fall", ga_element_name(type));
	array_set_init(&set, type);
	for (step = 0; step < 200; step += 7)
	{
		const size_t n = 2000 + rng_below(rng, 20000);
		const size_t run = 1 + rng_below(rng, 5000);
		const int e = rng_between(rng, -100, 0);
		const int high = e + step < float_type->max ? e + step : e;

		for (i = 0; i < n; i++)
			x[i] = float_random(rng, float_type, i / run % 3 == 1 ? high : e);
		array_set_add_doubles(&set, "steps", x, n);
	}
	array_set_check_reductions(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

/* All at an end of the range, at both, and one of them among others. */
static void
test_int_ends(Rng *rng, GaElementType type)
{
	static int64_t y[MANY_LENGTH];
	const int64_t least = INT64_MIN >> (64 - 8 * (int) ga_element_size(type));
	const int64_t ends[] = {least, -(least + 1), 0, -1, 1};
	ArraySet set;
	size_t i, k;

	tap_begin("%s: ends of the range", ga_element_name(type));
	array_set_init(&set, type);
	for (k = 0; k < 5; k++)
	{
		for (i = 0; i < MANY_LENGTH; i++)
			y[i] = ends[k];
		array_set_add_ints(&set, "all equal", y, MANY_LENGTH);
		array_set_add_ints(&set, "few equal", y, 1 + k);
	}
	for (k = 0; k < 40; k++)
	{
		const size_t n = 1 + rng_below(rng, k < 20 ? 200 : MANY_LENGTH);

		for (i = 0; i < n; i++)
			y[i] = k % 2 ? ends[rng_below(rng, 2)] : rng_between(rng, -9, 9);
		y[rng_below(rng, n)] = ends[k / 2 % 2];
		array_set_add_ints(&set, "ends", y, n);
	}
	array_set_check_reductions(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

int
main(void)
{
	Rng rng = {38};
	int type;

	fixture_open(&fixture);
	for (type = GA_int2; type <= GA_int8; type++)
		test_int_ends(&rng, (GaElementType) type);
	for (type = GA_float4; type <= GA_float8; type++)
	{
		specials_test(&fixture, &rng, (GaElementType) type, 7,
					  array_set_check_reductions);
		test_faint((GaElementType) type);
		test_pairs((GaElementType) type);
		test_equal(&rng, (GaElementType) type);
		test_order(&rng, (GaElementType) type);
		test_steps(&rng, (GaElementType) type);
	}
	fixture_close(&fixture);
	return tap_done();
}
