/*
 * test_packed_decimals.c
 *		A device's sums of packed decimals, of their squares and of products:
 *		integers of all sizes, and of all widths.
 *
 * Vectors are added one by one, too, so that no error hides another.
 */
#include <math.h>
#include <string.h>

#include "array_set.h"
#include "exact/packed.h"
#include "packed_class.h"
#include "tap.h"

/* Of decimals of so many places, bits of the integers that are tried. */
static const int bits_of_places[] = {22, 23, 22, 20, 17, 15, 13, 10, 10};

#define MOST_PLACES 8

/* The most bits of random integers. */
#define RANDOM_BITS 26
#define N_KINDS		12

static Fixture fixture;

/* Begin a set of vectors, and return the elements of all. */
static double *
begin(ArraySet *set, size_t n_vectors)
{
	const int first = GA_PACKED_VECTOR * sizeof(double) - ARRAY_SET_ALIGNMENT;

	array_set_init(set, GA_float8);
	set->is_packed = true;
	return array_set_add(set, "all", n_vectors * GA_PACKED_VECTOR, first, 0);
}

/* Add all elements, and each vector. */
static void
check(ArraySet *set)
{
	const size_t n = set->arrays[0].n;
	size_t i;

	for (i = 0; i < n; i += GA_PACKED_VECTOR)
		array_set_add_part(set, 0, i, GA_PACKED_VECTOR);
	array_set_check_sums(&fixture, set);
	array_set_check_reductions(&fixture, set);
	/* squares; with the next vector; and with vectors that lie otherwise */
	array_set_check_own_products(&fixture, set, 0);
	array_set_check_own_products(&fixture, set, GA_PACKED_VECTOR);
	array_set_check_own_products(&fixture, set, 5);
	array_set_free(set);
	tap_end();
}

/* Integers next to each other, on both sides of zero. */
static void
test_neighbors(int places)
{
	const int64_t most = (int64_t) 1 << bits_of_places[places];
	const int64_t step = (most < 1 << 16 || tap_is_long() ? 1 :
						  fixture_is_quick()			  ? 61 :
															5) *
						 GA_PACKED_VECTOR;
	const size_t n_vectors = (size_t) ((2 * most - 1) / step + 1);
	ArraySet set;
	double *x;
	size_t v, i;

	tap_begin("%d places: neighbors", places);
	x = begin(&set, n_vectors);
	for (v = 0; v < n_vectors; v++)
	{
		for (i = 0; i < GA_PACKED_VECTOR; i++)
			*x++ = (double) (-most + (int64_t) v * step + (int64_t) i) /
				   pow(10, places);
	}
	check(&set);
}

/* Is a decimal nearly half a last place less than an integer / 10^places? */
static bool
is_far_below(double x, int64_t integer, int places)
{
	const double power = pow(10, places);
	const double half = (nextafter(x, INFINITY) - x) / 2;

	return fma(x, power, -(double) integer) < -0.9 * half * power;
}

/*
 * Fill a vector with random integers of a number of bits: from zero on; on both
 * sides of it, with the least and the largest of them; anywhere; such that most
 * are rounded down by a lot; or, all other kinds, small ones and the least.
 */
static void
fill_vector(Rng *rng, int bits, int kind, int places, double *x)
{
	const int64_t range = (int64_t) 1 << bits;
	const int far = 1 << bits_of_places[places];
	int64_t from = kind == 1 ? -range / 2 : 0;
	int i;

	if (kind == 2)
		from = rng_between(rng, -far, far);
	if (kind >= 4)
	{
		from = 512 - range + (int64_t) rng_below(rng, 400);
		for (i = 0; i < GA_PACKED_VECTOR; i++)
			x[i] = (double) (i % 2 == 0 ? i - 512 :
										  from + (int64_t) rng_below(rng, 99)) /
				   pow(10, places);
		return;
	}
	for (i = 0; i < GA_PACKED_VECTOR; i++)
	{
		int n_tries = kind == 3 ? 200 : 1;
		int64_t integer;

		do
		{
			integer = from + (int64_t) rng_below(rng, (uint64_t) range);
			x[i] = (double) integer / pow(10, places);
		} while (--n_tries > 0 && !is_far_below(x[i], integer, places));
	}
	if (kind == 1)
	{
		x[0] = (double) from / pow(10, places);
		x[GA_PACKED_VECTOR - 1] = (double) (from + range - 1) / pow(10, places);
	}
	else if (rng_chance(rng, 3))
	{
		for (i = (int) rng_below(rng, rng_chance(rng, 4) ? 60 : 9); i > 0; i--)
			x[rng_below(rng, GA_PACKED_VECTOR)] = sqrt(2) * i;
	}
}

/*
 * Random integers of each number of bits; some vectors have exceptions, which
 * are no decimals.
 */
static void
test_widths(Rng *rng, int places)
{
	ArraySet set;
	double *x;
	int bits, kind;

	tap_begin("%d places: all widths", places);
	x = begin(&set, (RANDOM_BITS + 1) * N_KINDS);
	for (bits = 0; bits <= RANDOM_BITS; bits++)
	{
		for (kind = 0; kind < N_KINDS; kind++)
		{
			fill_vector(rng, bits, kind, places, x);
			x += GA_PACKED_VECTOR;
		}
	}
	check(&set);
}

/* Several vectors for each warp, each of any number of places. */
static void
test_places(Rng *rng)
{
	const size_t n_vectors = 500;
	ArraySet set;
	double *x;
	size_t v;

	tap_begin("vectors of all places by turns");
	x = begin(&set, n_vectors);
	for (v = 0; v < n_vectors; v++, x += GA_PACKED_VECTOR)
		fill_vector(rng, 10, 1, (int) rng_below(rng, MOST_PLACES), x);
	check(&set);
}

/*
 * Fill a vector with zeros but for n integers, over 10: all of a number of
 * bits, or as many on both sides of zero, with the least and the largest.
 */
static void
fill_sparse(Rng *rng, int bits, bool is_signed, int n, double *x)
{
	const int64_t range = (int64_t) 1 << bits;
	const int64_t least = is_signed ? -range / 2 : 0;
	int i;

	memset(x, 0, GA_PACKED_VECTOR * sizeof(*x));
	for (i = 0; i < n;)
	{
		const int64_t integer =
			i == 0 ? least + range - 1 :
			i == 1 && is_signed ?
					 least :
					 least + (int64_t) rng_below(rng, (uint64_t) range);
		const uint64_t at = rng_below(rng, GA_PACKED_VECTOR);

		/* none is whole: too many are no decimals without places */
		if (integer % 10 == 0 || x[at] != 0)
			continue;
		x[at] = (double) integer / 10;
		i++;
	}
}

/* Sparse vectors of each number of bits and of slots, two of each. */
static void
test_sparse(Rng *rng, bool is_signed)
{
	const int least_bits = 4; /* of fewer dense ones are smaller */
	const int most_bits = bits_of_places[1] - 1;
	ArraySet set;
	double *x;
	int n_slots, bits, i;

	tap_begin("sparse vectors%s", is_signed ? " on both sides of zero" : "");
	x = begin(&set,
			  (size_t) (most_bits - least_bits + 1) * GA_PACKED_MAX_SLOTS);
	for (bits = least_bits; bits <= most_bits; bits++)
	{
		for (n_slots = 2; n_slots <= GA_PACKED_MAX_SLOTS; n_slots += 2)
		{
			for (i = 0; i < 2; i++)
			{
				const int n_empty = n_slots == 2 ? 0 : (int) rng_below(rng, 64);

				fill_sparse(rng, bits, is_signed,
							GA_PACKED_LANES * n_slots - n_empty, x);
				x += GA_PACKED_VECTOR;
			}
		}
	}
	check(&set);
}

int
main(void)
{
	Rng rng = {53};
	int places;

	fixture_open(&fixture);
	for (places = 0; places <= MOST_PLACES; places++)
	{
		test_neighbors(places);
		test_widths(&rng, places);
	}
	test_places(&rng);
	test_sparse(&rng, false);
	test_sparse(&rng, true);
	fixture_close(&fixture);
	return tap_done();
}
