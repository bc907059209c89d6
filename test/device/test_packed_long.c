/*
 * test_packed_long.c
 *		A device's sums of packed arrays of many vectors, of their squares and
 *		of products: each warp adds several batches of them, where there are
 *		few warps.
 *
 * Kernels on the CPU have 72 warps, and batches 32 vectors.  The emulated
 * device adds one vector after the other, so an eighth of them does for it.
 */
#include <math.h>

#include "array_set.h"
#include "exact/packed.h"
#include "tap.h"

/* How many vectors an array has for each warp. */
#define FEW	 20
#define SOME 75
#define MANY 140

static Fixture fixture;

static size_t
count_vectors(size_t per_warp)
{
	return (fixture_is_emulated() ? 9 : 72) * per_warp;
}

/* Begin a set of one array, and return its elements. */
static void *
begin(ArraySet *set, GaElementType type, size_t n_vectors)
{
	array_set_init(set, type);
	set->is_packed = true;
	set->mpfr_one_in = 0;
	return array_set_add(set, "all", n_vectors * GA_PACKED_VECTOR, 0, 0);
}

static void
check(ArraySet *set)
{
	const uint32_t n_parts = 1;

	array_set_check_sums(&fixture, set);
	(void) array_set_check_reduction(&fixture, set, GA_REDUCE_MOMENTS, &n_parts,
									 1);
	(void) array_set_check_products(&fixture, set, &n_parts, 1);
	array_set_free(set);
	tap_end();
}

/* Fill a vector with integers of exactly so many bits, from a base on. */
static void
fill_bits(Rng *rng, int bits, int64_t base, int64_t *x)
{
	const int64_t most = (INT64_C(1) << bits) - 1;
	int i;

	for (i = 0; i < GA_PACKED_VECTOR; i++)
		x[i] = base + (int64_t) rng_below(rng, (uint64_t) most + 1);
	x[0] = base;
	x[1] = base + most;
}

/* Vectors of one width, each with three exceptions, or without. */
static void
test_alike(Rng *rng, int bits, int n_exceptions)
{
	const size_t n = count_vectors(SOME);
	ArraySet set;
	int64_t integers[GA_PACKED_VECTOR];
	double *x;
	size_t v;
	int i;

	tap_begin("decimals of %d bits, %d exceptions in each vector", bits,
			  n_exceptions);
	x = begin(&set, GA_float8, n);
	for (v = 0; v < n; v++, x += GA_PACKED_VECTOR)
	{
		fill_bits(rng, bits, rng_between(rng, -500, 5000), integers);
		for (i = 0; i < GA_PACKED_VECTOR; i++)
			x[i] = (double) integers[i] / 100;
		for (i = 0; i < n_exceptions; i++)
			x[2 + 300 * i + (int) rng_below(rng, 300)] =
				sqrt(2) * (double) (v + 1);
	}
	check(&set);
}

/* Fill a vector with decimals of any size, zeros, or other numbers. */
static void
fill_mixed(Rng *rng, double *x)
{
	const int bits = (int) rng_below(rng, 31);
	const unsigned zeros =
		rng_chance(rng, 6) ? 5 : 1; /* one in so many stays */
	const bool is_decimal = !rng_chance(rng, 20);
	int64_t integers[GA_PACKED_VECTOR];
	int i;

	fill_bits(rng, bits, rng_between(rng, -3000000, 100), integers);
	for (i = 0; i < GA_PACKED_VECTOR; i++)
	{
		x[i] = (double) integers[i] / (is_decimal ? 100 : M_PI);
		if (rng_below(rng, zeros) > 0)
			x[i] = 0;
	}
	if (rng_chance(rng, 6))
		for (i = (int) rng_below(rng, 20); i >= 0; i--)
			x[rng_below(rng, GA_PACKED_VECTOR)] = -sqrt(3) * i; /* or -0 */
}

static void
test_mixed(Rng *rng)
{
	const size_t n = count_vectors(SOME);
	ArraySet set;
	double *x;
	size_t v;

	tap_begin("decimals and others, vectors of all sizes");
	x = begin(&set, GA_float8, n);
	for (v = 0; v < n; v++)
		fill_mixed(rng, x + v * GA_PACKED_VECTOR);
	check(&set);
}

/*
 * Products of pairs of which both are packed: neighbors have other places here
 * and there, and few pairs have to be decoded.
 */
static void
test_pairs(Rng *rng)
{
	const size_t n = count_vectors(FEW);
	ArraySet set;
	int64_t integers[GA_PACKED_VECTOR];
	double *x;
	double power = 100;
	size_t v;
	int i;

	tap_begin("products of packed decimals");
	x = begin(&set, GA_float8, n);
	for (v = 0; v < n; v++, x += GA_PACKED_VECTOR)
	{
		if (rng_chance(rng, 700))
			power = power == 100 ? 10 : 100;
		fill_bits(rng, 10, rng_between(rng, -700, 5000), integers);
		for (i = 0; i < GA_PACKED_VECTOR; i++)
			x[i] = (double) integers[i] / power;
		if (rng_chance(rng, 1500))
			x[rng_below(rng, GA_PACKED_VECTOR)] = sqrt(2);
	}
	array_set_check_own_products(&fixture, &set, 0);
	array_set_check_own_products(&fixture, &set, GA_PACKED_VECTOR);
	array_set_free(&set);
	tap_end();
}

/* One vector in ten is of small decimals: a batch has fewer than places. */
static void
test_few(Rng *rng)
{
	const size_t n = count_vectors(MANY);
	ArraySet set;
	double *x;
	size_t v;
	int i;

	tap_begin("decimals in one of ten vectors");
	x = begin(&set, GA_float8, n);
	for (v = 0; v < n; v++, x += GA_PACKED_VECTOR)
	{
		const bool is_decimal = rng_chance(rng, 10);

		for (i = 0; i < GA_PACKED_VECTOR; i++)
			x[i] = is_decimal ? (double) (i % 32 + (int) v) / 100 :
								sqrt((double) rng_below(rng, 1000));
	}
	check(&set);
}

/* How far is a decimal from an integer / 100, in halves of its last place? */
static double
distance(double x, int integer)
{
	const double half = (nextafter(x, INFINITY) - x) / 2;

	return fabs(fma(x, 100, -integer)) / (half * 100);
}

/* Integers whose decimals have nearly the largest residues. */
static void
test_large_residues(Rng *rng)
{
	const size_t n = count_vectors(MANY);
	const int first = 1700000;
	ArraySet set;
	double *x;
	size_t i;

	tap_begin("decimals with large residues");
	x = begin(&set, GA_float8, n);
	for (i = 0; i < n * GA_PACKED_VECTOR; i++)
	{
		int integer;

		do
		{
			integer = first + (int) rng_below(rng, 1 << 18);
			x[i] = integer / 100.0;
		} while (distance(x[i], integer) < 0.9);
	}
	array_set_check_own_products(&fixture, &set, 0);
	check(&set);
}

/* Integers: all vectors of one width, or of any. */
static void
test_integers(Rng *rng, int bits)
{
	const size_t n = count_vectors(SOME);
	ArraySet set;
	int64_t *x;
	size_t v;

	if (bits < 0)
		tap_begin("int8, vectors of all sizes");
	else
		tap_begin("int8 of %d bits", bits);
	x = begin(&set, GA_int8, n);
	for (v = 0; v < n; v++)
		fill_bits(rng, bits < 0 ? (int) rng_below(rng, 50) : bits,
				  rng_between(rng, -1000000, 1000000),
				  x + v * GA_PACKED_VECTOR);
	check(&set);
}

int
main(void)
{
	Rng rng = {67};

	fixture_open(&fixture);
	test_alike(&rng, 10, 0);
	test_alike(&rng, 17, 3);
	test_mixed(&rng);
	test_few(&rng);
	test_pairs(&rng);
	test_large_residues(&rng);
	test_integers(&rng, 10);
	test_integers(&rng, 20);
	test_integers(&rng, -1);
	fixture_close(&fixture);
	return tap_done();
}
