/*
 * test_scan_segments.c
 *		A device's running totals of arrays that come in segments, each with
 *		the sum of those before it.
 */
#include "array_set.h"
#include "tap.h"

#define TINY_LENGTH 8

static Fixture fixture;

/* Whole arrays, and the same in segments. */
static void
test_mixed(Rng *rng, int mode)
{
	long n = tap_cases(1000);
	ArraySet set;
	long i;

	tap_begin("%s: %ld arrays of mixed lengths, whole and in segments",
			  array_set_mode_name(mode), n);
	array_set_init_scan(&set, mode);
	set.mpfr_one_in = 59;
	for (i = 0; i < n; i++)
	{
		array_set_add_random(&set, rng, array_set_mixed_length(rng),
							 ARRAY_SET_PACKED, ARRAY_SET_PACKED);
		if (rng_chance(rng, 3))
			array_set_add_segments(&set, rng, set.n_arrays - 1);
	}
	array_set_check_scans(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

static void
test_tiny(Rng *rng, int mode)
{
	long n = tap_cases(4000);
	ArraySet set;
	long i;

	tap_begin("%s: %ld tiny arrays", array_set_mode_name(mode), n);
	array_set_init_scan(&set, mode);
	set.mpfr_one_in = 9;
	for (i = 0; i < n; i++)
	{
		array_set_add_random(&set, rng, rng_below(rng, TINY_LENGTH),
							 ARRAY_SET_PACKED, ARRAY_SET_PACKED);
		if (rng_chance(rng, 20))
			array_set_add_segments(&set, rng, set.n_arrays - 1);
	}
	array_set_check_scans(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

/* Empty arrays, with something before them or not. */
static void
test_empty(int mode)
{
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);
	GaIntSum int_sum = {0};
	ArraySet set;
	int i;

	tap_begin("%s: empty arrays", array_set_mode_name(mode));
	array_set_init_scan(&set, mode);
	array_set_check_scans(&fixture, &set);
	(void) ga_exact_sum_add(sum, 0.1);
	ga_int_sum_add(&int_sum, 7, 1);
	for (i = 0; i < 10; i++)
	{
		array_set_add(&set, "nothing", 0, ARRAY_SET_PACKED, ARRAY_SET_PACKED);
		if (i % 2 == 0)
			continue;
		if (ga_element_is_float(set.type))
			array_set_before_float(&set, sum);
		else
			array_set_before_int(&set, &int_sum);
	}
	array_set_check_scans(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

/* Segments of one element or few. */
static void
test_single_elements(Rng *rng, int mode)
{
	ArraySet set;
	int i;

	tap_begin("%s: segments of a few elements", array_set_mode_name(mode));
	array_set_init_scan(&set, mode);
	set.mpfr_one_in = 3;
	for (i = 0; i < 100; i++)
	{
		array_set_add_random(&set, rng, rng_below(rng, 30), ARRAY_SET_PACKED,
							 ARRAY_SET_PACKED);
		array_set_add_segments(&set, rng, set.n_arrays - 1);
	}
	array_set_check_scans(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

int
main(void)
{
	Rng rng = {44};
	int mode;

	fixture_open(&fixture);
	for (mode = 0; mode < SCAN_N_MODES; mode++)
	{
		test_mixed(&rng, mode);
		test_tiny(&rng, mode);
		test_empty(mode);
		test_single_elements(&rng, mode);
	}
	fixture_close(&fixture);
	return tap_done();
}
