/*
 * test_reduce.c
 *		A device's minima, maxima, moments and products: lengths, alignments,
 *		results of several arrays, many results.
 */
#include <stdlib.h>

#include "array_set.h"
#include "tap.h"

#define LONG_LENGTH	 (3 * 1000 * 1000 + 7)
#define QUICK_LENGTH (700 * 1000 + 7)
#define OFFSETS		 16 /* elements off a boundary */
#define MAX_RESULTS	 5000

static Fixture fixture;

#define LARGEST_POWER 16

/* Powers of two, their neighbours, and what is between them. */
static size_t lengths[4 * LARGEST_POWER + 4];
static size_t n_lengths;

static void
choose_lengths(void)
{
	int k;

	lengths[n_lengths++] = 0;
	lengths[n_lengths++] = 1;
	for (k = 1; k <= LARGEST_POWER; k++)
	{
		const size_t power = (size_t) 1 << k;

		lengths[n_lengths++] = power - 1;
		lengths[n_lengths++] = power;
		lengths[n_lengths++] = power + 1;
		lengths[n_lengths++] = power + power / 2;
	}
	lengths[n_lengths++] = 100000;
}

static void
test_lengths(Rng *rng, GaElementType type)
{
	ArraySet set;
	size_t i;

	tap_begin("%s: many lengths, in one request", ga_element_name(type));
	array_set_init(&set, type);
	for (i = 0; i < n_lengths; i++)
	{
		array_set_add_random(&set, rng, lengths[i], ARRAY_SET_PACKED,
							 ARRAY_SET_PACKED);
		array_set_add_random(&set, rng, rng_below(rng, 300), ARRAY_SET_PACKED,
							 ARRAY_SET_PACKED);
	}
	array_set_check_reductions(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

static void
test_single(Rng *rng, GaElementType type)
{
	ArraySet set;
	size_t i;

	tap_begin("%s: one array to the request", ga_element_name(type));
	array_set_init(&set, type);
	for (i = 0; i < n_lengths; i++)
	{
		array_set_clear(&set);
		array_set_add_random(&set, rng, lengths[i], ARRAY_SET_PACKED,
							 ARRAY_SET_PACKED);
		array_set_check_reductions(&fixture, &set);
	}
	array_set_free(&set);
	tap_end();
}

/* Millions of elements, not aligned, alone and with short arrays. */
static void
test_long(Rng *rng, GaElementType type)
{
	const size_t n = fixture_is_quick() ? QUICK_LENGTH : LONG_LENGTH;
	const int size = (int) ga_element_size(type);
	ArraySet set;
	int i;

	tap_begin("%s: %zu elements", ga_element_name(type), n);
	array_set_init(&set, type);
	elements_fill_fast(type, rng, n, array_set_add(&set, "plain", n, size, 0));
	array_set_check_reductions(&fixture, &set);
	for (i = 0; i < 100; i++)
		array_set_add_random(&set, rng, rng_below(rng, 100), ARRAY_SET_PACKED,
							 ARRAY_SET_PACKED);
	array_set_add_random(&set, rng, n, 3 * size, 0);
	array_set_add_part(&set, 0, 1, n / 2);
	array_set_check_reductions(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

/* Every offset with every length up to some, and with a few longer ones. */
static void
test_offsets(Rng *rng, GaElementType type)
{
	const int size = (int) ga_element_size(type);
	ArraySet set;
	int offset;
	size_t n;

	tap_begin("%s: every alignment", ga_element_name(type));
	array_set_init(&set, type);
	for (offset = 0; offset <= OFFSETS; offset++)
	{
		for (n = 0; n <= 9000; n += n < 70 ? 1 : n < 600 ? 31 : 2100)
			array_set_add_random(&set, rng, n, offset * size, ARRAY_SET_PACKED);
	}
	array_set_check_reductions(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

/* Results of so many arrays each, one in so many of which is empty. */
static void
try_parts(Rng *rng, GaElementType type, uint32_t n_results, int most_parts,
		  int most_length)
{
	uint32_t *n_parts_of = malloc(n_results * sizeof(*n_parts_of));
	const int shift = rng_between(rng, 0, 5);
	ArraySet set;
	int reduction;
	uint32_t i, k;

	array_set_init(&set, type);
	for (i = 0; i < n_results; i++)
	{
		n_parts_of[i] = (uint32_t) rng_between(rng, 1, most_parts);
		for (k = 0; k < n_parts_of[i]; k++)
			array_set_add_random(&set, rng,
								 rng_chance(rng, 6) ?
									 0 :
									 rng_below(rng, most_length) >>
										 rng_below(rng, shift + 1),
								 ARRAY_SET_PACKED, ARRAY_SET_PACKED);
	}
	for (reduction = GA_REDUCE_MIN; reduction < GA_N_REDUCTIONS; reduction++)
		(void) array_set_check_reduction(
			&fixture, &set, (GaReduction) reduction, n_parts_of, n_results);
	(void) array_set_check_products(&fixture, &set, n_parts_of, n_results);
	array_set_free(&set);
	free(n_parts_of);
}

static void
test_parts(Rng *rng, GaElementType type)
{
	long i;

	tap_begin("%s: results of several arrays", ga_element_name(type));
	for (i = tap_cases(60); i > 0; i--)
		try_parts(rng, type, (uint32_t) rng_between(rng, 1, 30),
				  rng_between(rng, 1, 12), 3000);
	try_parts(rng, type, 1, 1000, 300);
	try_parts(rng, type, 3, 7, 200000);
	tap_end();
}

/* An array in one piece, and cut into pieces, some of which are empty. */
static void
test_cuts(Rng *rng, GaElementType type)
{
	const size_t n = 50000;
	long i;

	tap_begin("%s: the same in one piece, and cut", ga_element_name(type));
	for (i = tap_cases(40); i > 0; i--)
	{
		uint32_t n_parts_of[2] = {1, 0};
		ArraySet set;
		size_t from = 0;
		int reduction;

		array_set_init(&set, type);
		array_set_add_random(&set, rng, n, ARRAY_SET_PACKED, ARRAY_SET_PACKED);
		while (from < n)
		{
			size_t length = rng_below(rng, n / 4);

			length = length < n - from ? length : n - from;
			array_set_add_part(&set, 0, from, length);
			from += length;
			n_parts_of[1]++;
		}
		for (reduction = GA_REDUCE_MIN; reduction < GA_N_REDUCTIONS;
			 reduction++)
			(void) array_set_check_reduction(
				&fixture, &set, (GaReduction) reduction, n_parts_of, 2);
		(void) array_set_check_products(&fixture, &set, n_parts_of, 2);
		array_set_free(&set);
	}
	tap_end();
}

static void
test_many(Rng *rng, GaElementType type)
{
	const uint32_t most = MAX_RESULTS / tap_one_in();
	const uint32_t n_results[] = {1, 2, 31, 32, 33, most / 5, most};
	size_t i;

	tap_begin("%s: 1 to %u results", ga_element_name(type), (unsigned) most);
	for (i = 0; i < sizeof(n_results) / sizeof(n_results[0]); i++)
	{
		try_parts(rng, type, n_results[i], 1, 40);
		try_parts(rng, type, n_results[i], 3, 9);
	}
	tap_end();
}

/* No results at all, and results of nothing but empty arrays. */
static void
test_empty(GaElementType type)
{
	uint32_t n_parts_of[10];
	ArraySet set;
	int reduction;
	int i;

	tap_begin("%s: nothing", ga_element_name(type));
	array_set_init(&set, type);
	array_set_check_reductions(&fixture, &set);
	for (i = 0; i < 100; i++)
		array_set_add(&set, "nothing", 0, ARRAY_SET_PACKED, ARRAY_SET_PACKED);
	array_set_check_reductions(&fixture, &set);
	for (i = 0; i < 10; i++)
		n_parts_of[i] = 10;
	for (reduction = GA_REDUCE_MIN; reduction < GA_N_REDUCTIONS; reduction++)
		tap_check(array_set_check_reduction(&fixture, &set,
											(GaReduction) reduction, n_parts_of,
											10) == 0,
				  "moments of nothing are refused");
	tap_check(array_set_check_products(&fixture, &set, n_parts_of, 10) == 0,
			  "products of nothing are refused");
	array_set_free(&set);
	tap_end();
}

int
main(void)
{
	Rng rng = {37};
	int type;

	choose_lengths();
	fixture_open(&fixture);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
	{
		test_lengths(&rng, (GaElementType) type);
		test_single(&rng, (GaElementType) type);
		test_long(&rng, (GaElementType) type);
		test_offsets(&rng, (GaElementType) type);
		test_parts(&rng, (GaElementType) type);
		test_cuts(&rng, (GaElementType) type);
		test_many(&rng, (GaElementType) type);
		test_empty((GaElementType) type);
	}
	fixture_close(&fixture);
	return tap_done();
}
