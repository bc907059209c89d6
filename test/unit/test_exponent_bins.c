/*
 * test_exponent_bins.c
 *		Exact sums of many floats whose exponents lie far apart.
 */
#include <math.h>

#include "float_case.h"
#include "tap.h"
#include "exact/exponent_bins.h"

#define MAX_LENGTH (GA_EXPONENT_BINS_MAX + 5000)

static const FloatType *const types[] = {&float8_type, &float4_type};

static double x[MAX_LENGTH];

static size_t
sum_in_bins(const FloatType *type, GaExactSum *sum, const void *data, size_t n)
{
	return type->size == 8 ? ga_exponent_bins_float8(sum, data, n) :
							 ga_exponent_bins_float4(sum, data, n);
}

/* Check one call, with some elements in the sum before. */
static void
check(const FloatType *type, const char *name, size_t n, size_t n_before)
{
	size_t expected = n < GA_EXPONENT_BINS_MAX ? n : GA_EXPONENT_BINS_MAX;
	GaExactSum *sum = sum_new(GA_MAX_CELLS);
	FloatCase fc;
	SumBytes bytes;
	size_t added;

	float_case_new(&fc, type, name, x, n_before + expected);
	sum_add_all(&sum, x, n_before);
	added = sum_in_bins(type, sum, (char *) fc.data + n_before * type->size, n);
	sum_check(sum);
	tap_check(added == expected, "%zu of %zu added", added, n);
	sum_bytes(sum, &bytes);
	tap_check(same_bytes(&bytes, &fc.bytes), "%s, %zu of %s", type->name, n,
			  name);
	float_case_free(&fc);
	sum_free(sum);
}

static void
test_families(Rng *rng, const FloatType *type, const Family *family)
{
	long i;

	tap_begin("%s, %s", type->name, family->name);
	for (i = tap_cases(60); i > 0; i--)
	{
		size_t n = rng_below(rng, rng_chance(rng, 2) ? 100 : 20000);

		family_fill(family, rng, type, x, n);
		if (rng_chance(rng, 2))
			sprinkle_neg_zeros(rng, 10, x, n);
		if (rng_chance(rng, 4))
			sprinkle_specials(rng, 1000, x, n);
		check(type, family->name, n, 0);
		check(type, family->name, n - n / 3, n / 3);
	}
	tap_end();
}

/* As many of one kind as can be in one call: bins that are full. */
static void
test_full_bins(const FloatType *type)
{
	const double extremes[] = {float_largest(type, type->max),
							   float_largest(type, type->min),
							   float_largest(type, type->min - 1),
							   ldexp(1.0, type->min),
							   ldexp(1.0, type->least),
							   ldexp(1.0, type->max),
							   0.0,
							   1.0};
	int e, sign;
	size_t i;

	tap_begin("%s, full bins", type->name);
	for (e = 0; e < 8; e++)
	{
		for (sign = -1; sign <= 1; sign += 2)
		{
			for (i = 0; i < GA_EXPONENT_BINS_MAX; i++)
				x[i] = sign * extremes[e];
			check(type, "extremes", GA_EXPONENT_BINS_MAX, 0);
		}
	}
	tap_end();
}

/* No more than so many in one call. */
static void
test_lengths(Rng *rng, const FloatType *type)
{
	const size_t lengths[] = {0,
							  1,
							  2,
							  GA_EXPONENT_BINS_MIN,
							  GA_EXPONENT_BINS_MAX - 1,
							  GA_EXPONENT_BINS_MAX};
	GaExactSum *sum;
	FloatCase fc;
	size_t i;

	tap_begin("%s, lengths", type->name);
	family_fill(family_find("all exponents"), rng, type, x, MAX_LENGTH);
	for (i = 0; i < 6; i++)
		check(type, "all exponents", lengths[i], 0);
	float_case_new(&fc, type, "all exponents", x, MAX_LENGTH);
	sum = sum_new(GA_MAX_CELLS);
	i = sum_in_bins(type, sum, fc.data, MAX_LENGTH);
	tap_check(i == GA_EXPONENT_BINS_MAX && sum->n == GA_EXPONENT_BINS_MAX,
			  "%zu of %d added", i, MAX_LENGTH);
	float_case_free(&fc);
	sum_free(sum);
	tap_end();
}

/* It works only where no cell can be missing. */
static void
test_room(const FloatType *type)
{
	const double ones[2] = {1.0, 1.0};
	int capacity;

	tap_begin("%s, little capacity", type->name);
	for (capacity = 0; capacity < GA_MAX_CELLS; capacity++)
	{
		GaExactSum *sum = sum_new(capacity);

		tap_check(sum_in_bins(type, sum, ones, 2) == 0 && sum->n == 0 &&
					  sum->n_cells == 0,
				  "%d cells are enough", capacity);
		sum_free(sum);
	}
	tap_end();
}

int
main(void)
{
	Rng rng = {11};
	int t, f;

	for (t = 0; t < 2; t++)
	{
		for (f = 0; f < n_families; f++)
			test_families(&rng, types[t], &families[f]);
		test_full_bins(types[t]);
		test_lengths(&rng, types[t]);
		test_room(types[t]);
	}
	return tap_done();
}
