/*
 * test_elem.c
 *		A device's sums by position: numbers of positions and of arrays,
 *		pieces, alignments, all kinds of elements.
 */
#include <math.h>
#include <stdlib.h>

#include "array_set.h"
#include "running_families.h"
#include "tap.h"

#define OFFSETS 16 /* elements off a boundary */

static Fixture fixture;
static ArraySet set;

/* Begin a set of n arrays of n_positions, random ones in each column. */
static void
fill_set(Rng *rng, GaElementType type, uint32_t n_arrays, size_t n_positions)
{
	array_set_clear(&set);
	set.type = type;
	array_set_add_piece(&set, n_arrays, n_positions, 0);
	array_set_fill_columns(&set, rng, n_arrays);
}

static void
check_set(uint32_t n_arrays)
{
	(void) array_set_check_elem(&fixture, &set, n_arrays);
}

/* Positions around vectors, and around what a block has. */
static void
test_positions(Rng *rng, GaElementType type)
{
	static const size_t sizes[] = {255,	 256,  257,	 511,  512,	 513,
								   1023, 1024, 1025, 2047, 2048, 2049};
	size_t i;

	tap_begin("%s: many numbers of positions", ga_element_name(type));
	for (i = 1; i <= 33; i++)
	{
		fill_set(rng, type, 11, i);
		check_set(11);
	}
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i += tap_one_in() % 5)
	{
		fill_set(rng, type, 5, sizes[i]);
		check_set(5);
	}
	tap_end();
}

/* Arrays around tiles, and around the addresses that a block has at a time. */
static void
test_arrays(Rng *rng, GaElementType type)
{
	static const uint32_t many[] = {63,	 64,  65,	255,  256,
									257, 520, 1250, 4096, 65537};
	uint32_t i;

	tap_begin("%s: many numbers of arrays", ga_element_name(type));
	for (i = 1; i <= 33; i++)
	{
		fill_set(rng, type, i, 19);
		check_set(i);
	}
	for (i = 0; i < sizeof(many) / sizeof(many[0]); i++)
	{
		fill_set(rng, type, many[i], 3000 / many[i] + 5);
		check_set(many[i]);
	}
	tap_end();
}

static void
test_pieces(Rng *rng, GaElementType type)
{
	const int size = (int) ga_element_size(type);
	long i;

	tap_begin("%s: pieces anywhere in memory", ga_element_name(type));
	for (i = tap_cases(100); i > 0; i--)
	{
		const uint32_t n_arrays = (uint32_t) rng_between(rng, 1, 40);
		int n_pieces;

		array_set_clear(&set);
		set.type = type;
		for (n_pieces = rng_between(rng, 1, 12); n_pieces > 0; n_pieces--)
			array_set_add_piece(
				&set, n_arrays, 1 + (rng_below(rng, 900) >> rng_below(rng, 9)),
				rng_chance(rng, 2) ? rng_between(rng, 0, OFFSETS) * size :
				rng_chance(rng, 2) ? ARRAY_SET_PACKED :
									 0);
		array_set_fill_columns(&set, rng, n_arrays);
		check_set(n_arrays);
	}
	tap_end();
}

/* Only one of the arrays is not aligned as the others are. */
static void
test_alignment(Rng *rng, GaElementType type)
{
	const uint32_t n_arrays = 9;
	const int size = (int) ga_element_size(type);
	uint32_t odd, r;

	tap_begin("%s: one array that is not aligned", ga_element_name(type));
	for (odd = 0; odd < n_arrays; odd++)
	{
		array_set_clear(&set);
		set.type = type;
		for (r = 0; r < n_arrays; r++)
			array_set_add_piece(&set, 1, 45, r == odd ? size : 0);
		array_set_fill_columns(&set, rng, n_arrays);
		check_set(n_arrays);
	}
	tap_end();
}

/* Many elements, made quickly: several shares, a request as sessions send. */
static void
test_large(Rng *rng, GaElementType type)
{
	const uint32_t n_arrays = fixture_is_quick() ? 70 : 300;
	const size_t n_of[2] = {fixture_is_quick() ? 4096 : 32768,
							fixture_is_quick() ? 500 : 17232};
	uint32_t i;

	tap_begin("%s: %u arrays of %zu positions", ga_element_name(type),
			  (unsigned) n_arrays, n_of[0] + n_of[1]);
	array_set_clear(&set);
	set.type = type;
	array_set_add_piece(&set, n_arrays, n_of[0], 0);
	array_set_add_piece(&set, n_arrays, n_of[1], 0);
	for (i = 0; i < set.n_arrays; i++)
		elements_fill_fast(type, rng, set.arrays[i].n,
						   array_set_elements(&set, i));
	tap_check(array_set_check_elem(&fixture, &set, n_arrays) == 0,
			  "usual data were refused");
	tap_end();
}

static void
test_nothing(GaElementType type)
{
	tap_begin("%s: no positions", ga_element_name(type));
	array_set_clear(&set);
	set.type = type;
	check_set(7);
	tap_end();
}

/* Columns of one family each. */
static void
fill_family(Rng *rng, const Family *family, uint32_t n_arrays)
{
	const FloatType *type = element_float_type(set.type);
	double *x = malloc(n_arrays * sizeof(double));
	char *column = malloc(n_arrays * sizeof(double));
	size_t i;

	for (i = 0; i < set.arrays[0].n; i++)
	{
		family_fill(family, rng, type, x, n_arrays);
		elements_put(set.type, x, n_arrays, column);
		array_set_put_column(&set, n_arrays, 0, i, column);
	}
	free(column);
	free(x);
}

/* Data as users have it is never refused. */
static void
test_usual(Rng *rng, GaElementType type)
{
	static const char *const usual[] = {
		"uniform",		  "uniform with signs", "normal",
		"prices",		  "small integers",		"normal around 100",
		"exponents +-20", "subnormals",			"near the top"};
	static const uint32_t n_arrays[] = {3, 100, 1250};
	size_t i, k;

	tap_begin("%s: usual data, and the ends of the range",
			  ga_element_name(type));
	for (i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
	{
		for (k = 0; k < 3; k++)
		{
			array_set_clear(&set);
			set.type = type;
			array_set_add_piece(&set, n_arrays[k], 21, 0);
			fill_family(rng, family_find(usual[i]), n_arrays[k]);
			tap_check(array_set_check_elem(&fixture, &set, n_arrays[k]) == 0,
					  "%u arrays, %s: refused", (unsigned) n_arrays[k],
					  usual[i]);
		}
	}
	tap_end();
}

/* All families, of some arrays and of many. */
static void
test_families(Rng *rng, GaElementType type)
{
	const uint32_t most = 2000 / tap_one_in();
	int i;

	tap_begin("%s: all families", ga_element_name(type));
	for (i = 0; i < n_running_families(); i++)
	{
		const uint32_t n_arrays =
			(uint32_t) rng_between(rng, 1, i % 4 == 0 ? (int) most : 60);

		array_set_clear(&set);
		set.type = type;
		array_set_add_piece(&set, n_arrays, 37, 0);
		fill_family(rng, running_family(i), n_arrays);
		check_set(n_arrays);
	}
	tap_end();
}

/* In each column one element that others are not like, at every place. */
static void
test_trouble(Rng *rng, GaElementType type)
{
	const FloatType *float_type = element_float_type(type);
	const double troubles[] = {NAN,
							   INFINITY,
							   -INFINITY,
							   ldexp(1, float_type->max - 20),
							   -ldexp(1, float_type->max - 1),
							   ldexp(1, float_type->least),
							   -ldexp(1, float_type->least + 30),
							   ldexp(3, 70),
							   -0.0};
	static const double fillers[] = {0.0, -0.0, 1.0, 0.1};
	const uint32_t n_arrays = 67;
	double x[67];
	char column[67 * sizeof(double)];
	uint32_t at, k, f;

	tap_begin("%s: one element of trouble among others", ga_element_name(type));
	for (f = 0; f < 4; f++)
	{
		fill_set(rng, type, n_arrays, n_arrays * 9);
		for (at = 0; at < n_arrays; at++)
		{
			for (k = 0; k < 9; k++)
			{
				uint32_t r;

				for (r = 0; r < n_arrays; r++)
					x[r] = r == at ? troubles[k] : fillers[f];
				elements_put(type, x, n_arrays, column);
				array_set_put_column(&set, n_arrays, 0, at * 9 + k, column);
			}
		}
		check_set(n_arrays);
	}
	tap_end();
}

/* Columns that begin with zeros, or with less than comes later. */
static void
test_growing(Rng *rng, GaElementType type)
{
	const int step = type == GA_float4 ? 1 : 7;
	const uint32_t n_arrays = 100;
	double x[100];
	char column[100 * sizeof(double)];
	size_t i;
	uint32_t r;

	tap_begin("%s: zeros first, and elements that grow", ga_element_name(type));
	fill_set(rng, type, n_arrays, 200);
	for (i = 0; i < 100; i++)
	{
		for (r = 0; r < n_arrays; r++)
			x[r] = r < i ? 0 : rng_between(rng, -1000, 1000) / 16.0;
		elements_put(type, x, n_arrays, column);
		array_set_put_column(&set, n_arrays, 0, i, column);
		for (r = 0; r < n_arrays; r++)
			x[r] = ldexp(r % 3 - 1.0, (int) (r * i) / 100 * step - 50);
		elements_put(type, x, n_arrays, column);
		array_set_put_column(&set, n_arrays, 0, 100 + i, column);
	}
	check_set(n_arrays);
	tap_end();
}

/*
 * Sums that just fit into a record, and that just do not: a small element, and
 * large ones of 100 exponents, of one sign or of both.
 */
static void
test_limits(Rng *rng, GaElementType type, uint32_t n_arrays)
{
	double x[70];
	char column[70 * sizeof(double)];
	size_t i;
	uint32_t r;

	tap_begin("%s: the limits of a record, %u arrays", ga_element_name(type),
			  (unsigned) n_arrays);
	fill_set(rng, type, n_arrays, 400);
	for (i = 0; i < 400; i++)
	{
		for (r = 0; r < n_arrays; r++)
			x[r] = ldexp(i / 100 % 2 && r % 2 ? -1 : 1, (int) (i % 100) + 10);
		x[i < 200 ? 0 : n_arrays - 1] = -ldexp(1, -100);
		elements_put(type, x, n_arrays, column);
		array_set_put_column(&set, n_arrays, 0, i, column);
	}
	check_set(n_arrays);
	tap_end();
}

/*
 * Two halves, in two shares, whose sum passes a power of two, at all places of
 * the digits of a record.
 */
static void
test_carry(Rng *rng, GaElementType type)
{
	const uint32_t n_arrays = 128;
	double x[128] = {0};
	char column[128 * sizeof(double)];
	int i;

	tap_begin("%s: shares that carry", ga_element_name(type));
	fill_set(rng, type, n_arrays, 64);
	for (i = 0; i < 64; i++)
	{
		x[0] = ldexp(1, i - 29);
		x[n_arrays - 1] = ldexp(1, i) - ldexp(1, i - 30);
		elements_put(type, x, n_arrays, column);
		array_set_put_column(&set, n_arrays, 0, (size_t) i, column);
	}
	tap_check(array_set_check_elem(&fixture, &set, n_arrays) == 0, "refused");
	tap_end();
}

int
main(void)
{
	Rng rng = {53};
	int type;

	fixture_open(&fixture);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
	{
		test_positions(&rng, (GaElementType) type);
		test_arrays(&rng, (GaElementType) type);
		test_pieces(&rng, (GaElementType) type);
		test_alignment(&rng, (GaElementType) type);
		test_large(&rng, (GaElementType) type);
		test_nothing((GaElementType) type);
		if (!ga_element_is_float((GaElementType) type))
			continue;
		test_usual(&rng, (GaElementType) type);
		test_families(&rng, (GaElementType) type);
		test_trouble(&rng, (GaElementType) type);
		test_growing(&rng, (GaElementType) type);
		test_carry(&rng, (GaElementType) type);
		test_limits(&rng, (GaElementType) type, 8);
		test_limits(&rng, (GaElementType) type, 70);
	}
	array_set_free(&set);
	fixture_close(&fixture);
	return tap_done();
}
