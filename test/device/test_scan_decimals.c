/*
 * test_scan_decimals.c
 *		A device's running totals of packed decimals: of all places that have
 *		residues, of small integers up to the largest ones, and of arrays in
 *		which a vector is of another kind.
 *
 * A GPU makes them from two integers (kernels/scan/scan_decimals.cuh), or
 * refuses; its hint says which.
 */
#include <math.h>

#include "array_set.h"
#include "exact/packed.h"
#include "tap.h"

#define N_VECTORS 120
#define LENGTH	  (N_VECTORS * GA_PACKED_VECTOR)
#define USUAL	  (40 * GA_PACKED_VECTOR)

/* The integers that are taken, by their places. */
static const struct
{
	int least;
	int most;
} integers[] = {{-1310720, 1310720}, {-1310720, 1310720}, {-1048576, 1310720},
				{-262144, 524288},	 {-32768, 65536},	  {-8192, 16384},
				{-2048, 4096}};

#define MOST_PLACES 6

static Fixture fixture;
static double x[LENGTH];

static double
decimal(int64_t integer, int places)
{
	return (double) integer / pow(10, places);
}

/* Add the elements from a place on, with the sum of those before it. */
static void
add_segment(ArraySet *set, size_t from, size_t n)
{
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);

	array_set_add_part(set, 0, from, n - from);
	elements_sum_float(GA_float8, sum, x, from);
	array_set_before_float(set, sum);
	set->arrays[set->n_arrays - 1].n_before = from;
}

/*
 * Have the device make the totals of all elements, of the first n, and of those
 * without some at the beginning, with what they are or nothing before them.
 * is_refused: the GPU has to find out while it makes the totals of all.
 */
static void
check(const char *name, int places, size_t n, bool is_taken, bool is_refused)
{
	const size_t from[] = {0, GA_PACKED_VECTOR, 5 * GA_PACKED_VECTOR, 77};
	const bool is_gpu = !fixture_is_emulated();
	ArraySet set;
	uint32_t n_refused;
	size_t i;

	array_set_init_scan(&set, GA_float8);
	set.is_packed = true;
	set.mpfr_one_in = 16;
	array_set_add(&set, "all", LENGTH,
				  GA_PACKED_VECTOR * sizeof(double) - ARRAY_SET_ALIGNMENT, 0);
	memcpy(array_set_elements(&set, 0), x, sizeof(x));
	for (i = 0; i < sizeof(from) / sizeof(*from); i++)
		array_set_add_part(&set, 0, from[i], n - from[i]);
	add_segment(&set, 2 * GA_PACKED_VECTOR, n);
	array_set_add_hints(&set);
	n_refused = array_set_check_scans(&fixture, &set);
	if (is_gpu)
	{
		/* whole numbers need no more than a two-level scale */
		tap_check(!is_refused || places > 0 || set.hints[0].n_levels == 2,
				  "%s: %d levels behind decimals", name, set.hints[0].n_levels);
		tap_check((set.hints[0].n_levels == 1) == is_taken,
				  "%s, all elements: %d levels", name, set.hints[0].n_levels);
		tap_check((set.hints[1].n_levels == 1) == is_taken,
				  "%s, %zu elements: %d levels", name, n,
				  set.hints[1].n_levels);
		tap_check(is_refused ? n_refused > 0 : !is_taken || n_refused == 0,
				  "%s: %u refused", name, (unsigned) n_refused);
	}
	array_set_free(&set);
}

/* More than a warp alone would do; with a last vector that is not whole. */
static size_t
random_length(Rng *rng)
{
	static const int ends[] = {0, 1, 2, 3, 64, 65, 1022, 1023};
	const size_t n_vectors = (size_t) rng_between(rng, 8, 39);

	return n_vectors * GA_PACKED_VECTOR +
		   (rng_chance(rng, 2) ? (size_t) ends[rng_below(rng, 8)] :
								 rng_below(rng, GA_PACKED_VECTOR));
}

/* Fill vectors with integers of up to so many bits, from anywhere on. */
static void
fill(Rng *rng, int places)
{
	const int least = integers[places].least;
	size_t v, i;

	for (v = 0; v < N_VECTORS; v++)
	{
		int64_t range = INT64_C(1) << rng_below(rng, 20);
		int64_t from;

		/* widths may be rounded up, by a bit */
		while (2 * range > -least)
			range /= 2;
		from = rng_between(rng, least,
						   (int) (integers[places].most - 2 * range + 1));
		for (i = 0; i < GA_PACKED_VECTOR; i++)
			x[v * GA_PACKED_VECTOR + i] = decimal(
				from + (int64_t) rng_below(rng, (uint64_t) range), places);
	}
}

static void
test_random(Rng *rng, int places)
{
	long k;

	tap_begin("%d places: random integers", places);
	for (k = tap_cases(12); k > 0; k--)
	{
		fill(rng, places);
		check("random", places, random_length(rng), true, false);
	}
	tap_end();
}

/* What a decimal's double is away from the decimal, in units of its scale. */
static double
difference(int64_t integer, int places)
{
	return fabs(
		fma(decimal(integer, places), pow(10, places), -(double) integer));
}

/*
 * Vectors of one integer, or two neighbors: the largest, the least, and those
 * of the largest differences, whose sums are the largest that a vector can
 * have.
 */
static void
test_largest(Rng *rng, int places)
{
	int64_t worst[] = {integers[places].most - 1, integers[places].least, 0, 0};
	size_t v, i;
	long k;

	tap_begin("%d places: largest sums", places);
	for (k = 0; k < 300000; k++)
	{
		const int64_t integer =
			rng_between(rng, integers[places].least, integers[places].most - 1);
		int64_t *const sign = integer < 0 ? &worst[2] : &worst[3];

		if (difference(integer, places) > difference(*sign, places))
			*sign = integer;
	}
	for (k = tap_cases(4); k > 0; k--)
	{
		for (v = 0; v < N_VECTORS; v++)
		{
			const int64_t integer = worst[rng_below(rng, 4)];
			const bool is_alike = v > 0 && rng_chance(rng, 2);

			for (i = 0; i < GA_PACKED_VECTOR; i++)
				x[v * GA_PACKED_VECTOR + i] =
					decimal(integer + (int64_t) (is_alike ? 0 : i % 2), places);
		}
		check("largest", places, random_length(rng), true, false);
	}
	tap_end();
}

/* There and back again: the last totals are near zero, and zero. */
static void
test_return(Rng *rng, int places)
{
	const int most = -integers[places].least / 2;
	size_t i;

	tap_begin("%d places: back to zero", places);
	fill(rng, places);
	for (i = 0; i < USUAL / 2; i++)
	{
		x[i] = decimal(rng_between(rng, 1, most), places);
		x[USUAL - 1 - i] = -x[i];
	}
	check("there and back", places, USUAL, true, false);
	tap_end();
}

/*
 * Elements of which most are zero: such vectors have fields for others only.
 * Of many places fewer are, or packing does not pay.
 */
static void
test_zeros(Rng *rng, int places)
{
	size_t i;

	tap_begin("%d places: mostly zeros", places);
	for (i = 0; i < LENGTH; i++)
		x[i] = rng_chance(rng, places < 3 ? 3 : 2) ?
				   decimal(rng_between(rng, -500, 500), places) :
				   0;
	check("zeros", places, random_length(rng), true, false);
	tap_end();
}

/* One element is no decimal of two places. */
static void
test_element(Rng *rng)
{
	static const double elements[] = {NAN, INFINITY, -0.0, 0.12345,
									  0x1.6a09e667f3bcdp0};
	size_t e, v;

	for (e = 0; e < sizeof(elements) / sizeof(*elements); e++)
	{
		tap_begin("an element is %g", elements[e]);
		for (v = 0; v < 3; v++)
		{
			fill(rng, 2);
			x[v == 0 ? 0 : rng_below(rng, LENGTH - GA_PACKED_VECTOR)] =
				elements[e];
			check("no decimal", 2, LENGTH - 5, false, false);
		}
		tap_end();
	}
}

/* A vector is of another kind: it has these two numbers, or the first alone. */
static void
test_vector(Rng *rng)
{
	static const struct
	{
		const char *name;
		int places; /* of the other vectors */
		double x[2];
		bool is_taken;
	} vectors[] = {
		{"large ones", 1, {131072.1, 131072.0}, false},
		{"a large one", 1, {131072.1, 131072.1}, false},
		{"small ones", 1, {-131072.1, -131072.0}, false},
		{"a small one", 1, {-131072.1, -131072.1}, false},
		{"large ones, no places", 0, {1310721, 1310720}, false},
		{"small ones, no places", 0, {-1310721, -1310720}, false},
		{"large ones, 2 places", 2, {13107.21, 13107.19}, false},
		{"small ones, 2 places", 2, {-10485.77, -10485.76}, false},
		{"large ones, 3 places", 3, {524.289, 524.288}, false},
		{"large ones, 4 places", 4, {6.5537, 6.5536}, false},
		{"small ones, 6 places", 6, {-0.002049, -0.002048}, false},
		{"minus zeros, no places", 0, {-0.0, -0.0}, false},
		{"minus zeros, 2 places", 2, {-0.0, -0.0}, false},
		{"minus zeros, 6 places", 6, {-0.0, -0.0}, false},
		{"zeros", 6, {0, 0}, true},
		{"more places", 2, {0.123, 0.124}, false},
		{"a number with more places", 2, {0.123, 0.123}, false},
		{"fewer places", 2, {0.1, 0.2}, false},
		{"a number with fewer places", 2, {0.1, 0.1}, true},
		{"no decimals", 2, {0x1.6a09e667f3bcdp0, 0x1.6a09e667f3bccp0}, false},
	};
	size_t o, v, i;

	for (o = 0; o < sizeof(vectors) / sizeof(*vectors); o++)
	{
		tap_begin("a vector of %s", vectors[o].name);
		for (v = 0; v < 3; v++)
		{
			/* a sample is of the first vector, and none of the second */
			const size_t other = v < 2 ? v : rng_below(rng, N_VECTORS - 1);

			fill(rng, vectors[o].places);
			for (i = 0; i < GA_PACKED_VECTOR; i++)
				x[other * GA_PACKED_VECTOR + i] =
					vectors[o].x[rng_below(rng, 2)];
			check(vectors[o].name, vectors[o].places, LENGTH - 5,
				  vectors[o].is_taken, !vectors[o].is_taken && v == 1);
		}
		tap_end();
	}
}

int
main(void)
{
	Rng rng = {67};
	int places;

	fixture_open(&fixture);
	for (places = 0; places <= MOST_PLACES; places++)
	{
		test_random(&rng, places);
		test_largest(&rng, places);
		test_return(&rng, places);
		test_zeros(&rng, places);
	}
	test_element(&rng);
	test_vector(&rng);
	fixture_close(&fixture);
	return tap_done();
}
