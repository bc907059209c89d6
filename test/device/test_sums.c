/*
 * test_sums.c
 *		A device's sums: every length, many sizes, every alignment.
 */
#include "array_set.h"
#include "tap.h"

#define ALL_LENGTHS	  5000
#define LARGEST_POWER 26
#define QUICK_POWER	  20
#define OFFSETS		  16 /* elements off a boundary */

static Fixture fixture;

/* All lengths from 0 on in one request; each type has all the families. */
static void
test_lengths(Rng *rng, GaElementType type)
{
	size_t step = fixture_is_quick() ? 23 : 1;
	ArraySet set;
	size_t n;

	tap_begin("%s: every length to %d", ga_element_name(type), ALL_LENGTHS);
	array_set_init(&set, type);
	set.mpfr_one_in = tap_is_long() ? 1 : 4;
	for (n = 0; n <= ALL_LENGTHS; n += n < 300 ? 1 : step)
		array_set_add_family(&set, rng, (int) n, n);
	array_set_check_sums(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

/* Each in a request of its own. */
static void
test_single(Rng *rng, GaElementType type)
{
	ArraySet set;
	size_t n;

	tap_begin("%s: one array to the request", ga_element_name(type));
	array_set_init(&set, type);
	set.mpfr_one_in = 1;
	for (n = 0; n <= ALL_LENGTHS; n += n < 300 ? 1 : 97)
	{
		array_set_clear(&set);
		array_set_add_random(&set, rng, n, ARRAY_SET_PACKED, ARRAY_SET_PACKED);
		array_set_check_sums(&fixture, &set);
	}
	array_set_free(&set);
	tap_end();
}

/* 2^k - 1, 2^k, 2^k + 1 of the same elements, in one request. */
static void
test_powers(Rng *rng, GaElementType type)
{
	int largest = fixture_is_quick() ? QUICK_POWER : LARGEST_POWER;
	size_t n = ((size_t) 1 << largest) + 1;
	ArraySet set;
	int k, off;

	tap_begin("%s: powers of two to 2^%d", ga_element_name(type), largest);
	array_set_init(&set, type);
	set.mpfr_one_in = tap_is_long() ? 3 : 31;
	elements_fill_fast(type, rng, n, array_set_add(&set, "plain", n, 0, 0));
	for (k = largest; k >= 0; k--)
	{
		for (off = -1; off <= 1; off++)
			array_set_add_part(&set, 0, 0, ((size_t) 1 << k) + off);
	}
	array_set_check_sums(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

/* Every offset with every length up to some, and with a few longer ones. */
static void
test_offsets(Rng *rng, GaElementType type)
{
	int size = (int) ga_element_size(type);
	ArraySet set;
	int offset;
	size_t n;

	tap_begin("%s: every alignment", ga_element_name(type));
	array_set_init(&set, type);
	set.mpfr_one_in = 7;
	for (offset = 0; offset <= OFFSETS; offset++)
	{
		for (n = 0; n <= 9000; n += n < 70 ? 1 : n < 600 ? 31 : 2100)
			array_set_add_random(&set, rng, n, offset * size, ARRAY_SET_PACKED);
	}
	array_set_check_sums(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

int
main(void)
{
	Rng rng = {31};
	int type;

	fixture_open(&fixture);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
	{
		test_lengths(&rng, (GaElementType) type);
		test_single(&rng, (GaElementType) type);
		test_powers(&rng, (GaElementType) type);
		test_offsets(&rng, (GaElementType) type);
	}
	fixture_close(&fixture);
	return tap_done();
}
