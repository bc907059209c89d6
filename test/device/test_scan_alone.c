/*
 * test_scan_alone.c
 *		A device's running totals of long arrays, one after the other on one
 *		queue.
 *
 * What a request leaves behind in the queue's memory is what the next one
 * finds.  So the arrays are of many sizes by turns; some are refused or
 * overflow late, when most of the totals were right; and other requests come
 * between. Those of millions of elements, of which each block of a GPU has many
 * tiles, and for which a queue's memory has to grow, are left out without one
 * and in quick runs.
 */
#include <math.h>
#include <string.h>

#include "specials.h"
#include "tap.h"

#define TILE	   8192 /* elements, where tiles are large */
#define MOST_TILES 40
#define LATE	   (6 * TILE)	 /* a position behind many tiles */
#define MANY	   (1500 * TILE) /* of which a block has ten or so */
#define MORE	   (4400 * TILE)

static Fixture fixture;
static int64_t v[LATE + 1000];

/* Scan the only array of the set, and empty the set. */
static void
check_alone(ArraySet *set)
{
	array_set_check_scans(&fixture, set);
	array_set_clear(set);
}

/* What is small, large or in between, near a tile's end or not. */
static size_t
random_length(Rng *rng)
{
	size_t most = rng_chance(rng, 3) ? 1 : rng_chance(rng, 2) ? 5 : MOST_TILES;
	size_t n = rng_below(rng, most) * TILE;

	return n + (rng_chance(rng, 2) ? rng_below(rng, TILE) :
									 TILE - 8 + rng_below(rng, 16));
}

/* A plain array, which nothing may go wrong with. */
static void
check_plain(ArraySet *set, Rng *rng, size_t n)
{
	elements_fill_fast(set->type, rng, n, array_set_add(set, "plain", n, 0, 0));
	check_alone(set);
}

/* Other requests on the same queue: sums, or running totals of any length. */
static void
check_others(ArraySet *set, Rng *rng)
{
	int i;

	for (i = 0; i < 3; i++)
		array_set_add_random(set, rng, random_length(rng), ARRAY_SET_PACKED,
							 ARRAY_SET_PACKED);
	if (rng_chance(rng, 2))
		array_set_check_sums(&fixture, set);
	else
		array_set_check_scans(&fixture, set);
	array_set_clear(set);
}

static void
test_sizes(Rng *rng, int mode)
{
	ArraySet set;
	long i;

	tap_begin("%s: large and small by turns", array_set_mode_name(mode));
	array_set_init_scan(&set, mode);
	for (i = tap_cases(100); i > 0; i--)
	{
		array_set_add_random(&set, rng, random_length(rng), ARRAY_SET_PACKED,
							 ARRAY_SET_PACKED);
		check_alone(&set);
		if (rng_chance(rng, 5))
			check_others(&set, rng);
	}
	array_set_free(&set);
	tap_end();
}

/* One element of trouble behind many that have none; then a plain array. */
static void
test_trouble(Rng *rng, int mode)
{
	ArraySet set;
	long i;

	tap_begin("%s: trouble that comes late", array_set_mode_name(mode));
	array_set_init_scan(&set, mode);
	for (i = tap_cases(40); i > 0; i--)
	{
		size_t n = LATE + rng_below(rng, 3 * TILE) + 2;
		size_t at = LATE + rng_below(rng, n - LATE - 1);
		ArraySet source;

		array_set_init(&source, set.type);
		specials_add_trouble(&source, rng, 8, (size_t) i % 8);
		elements_fill_fast(set.type, rng, n,
						   array_set_add(&set, "late trouble", n, 0, 0));
		memcpy((char *) array_set_elements(&set, 0) +
				   at * ga_element_size(set.type),
			   (char *) array_set_elements(&source, 0) +
				   (size_t) i % 8 * ga_element_size(set.type),
			   ga_element_size(set.type));
		array_set_free(&source);
		check_alone(&set);
		check_plain(&set, rng, random_length(rng));
	}
	array_set_free(&set);
	tap_end();
}

/*
 * Integers whose total comes to the end of bigint behind many others, and goes
 * beyond it or not; or that start beyond it, and come back at once or never.
 */
static void
test_ends(Rng *rng, int mode)
{
	ArraySet set;
	long i;

	tap_begin("%s: the end of bigint comes late", array_set_mode_name(mode));
	array_set_init_scan(&set, mode);
	for (i = tap_cases(60); i > 0; i--)
	{
		const int sign = rng_chance(rng, 2) ? 1 : -1;
		const GaInt128 end = sign > 0 ? INT64_MAX : INT64_MIN;
		const int over = rng_between(rng, -1, 2);
		const size_t at = i % 3 == 0 ? 0 : LATE + rng_below(rng, 900);
		const size_t n = LATE + 1000;
		GaIntSum before = {0};
		size_t k;

		for (k = 0; k < n; k++)
			v[k] = k < at ? (k % 2 ? -5 : 5) : -sign;
		v[at] = sign * (100 + over) - (at % 2 ? 5 : 0);
		ga_int_sum_add(&before, end - sign * 100, 3);
		if (i % 3 == 0)
		{
			/* out of the range: back with the first, or with the second */
			v[0] = -sign * (100 + over);
			before = (GaIntSum){0};
			ga_int_sum_add(&before, end + sign * 100, 3);
		}
		array_set_add_ints(&set, "the end of bigint", v, n);
		array_set_before_int(&set, &before);
		check_alone(&set);
		check_plain(&set, rng, random_length(rng));
	}
	array_set_free(&set);
	tap_end();
}

/* Fill all of the set's only array, again and again, with n integers. */
static void
repeat_ints(ArraySet *set, const int64_t *x, size_t n)
{
	const size_t size = ga_element_size(set->type);
	char *to = array_set_elements(set, 0);
	size_t at;

	for (at = 0; at < set->arrays[0].n; at += n)
	{
		size_t left = set->arrays[0].n - at;

		elements_put_int(set->type, x, left < n ? left : n, to + at * size);
	}
}

/*
 * Many tiles a block: plain numbers; integers, for which two levels do if they
 * are floats; and the same with an end in the last tile.
 */
static void
test_many_tiles(Rng *rng, int mode)
{
	const double nan = NAN;
	const size_t n = MANY + 77;
	const size_t last = n - 30;
	ArraySet set;
	size_t i;

	tap_begin("%s: many tiles a block", array_set_mode_name(mode));
	array_set_init_scan(&set, mode);
	check_plain(&set, rng, n);
	for (i = 0; i < LATE; i++)
		v[i] = rng_between(rng, -1000, 1000);
	(void) array_set_add(&set, "integers", n, 0, 0);
	repeat_ints(&set, v, LATE);
	check_alone(&set);

	(void) array_set_add(&set, "an end in the last tile", n, 0, 0);
	for (i = 0; i < LATE; i++)
		v[i] = i % 2 ? -5 : 5;
	repeat_ints(&set, v, LATE);
	if (ga_element_is_float(set.type))
		elements_put(set.type, &nan, 1,
					 (char *) array_set_elements(&set, 0) +
						 last * ga_element_size(set.type));
	else
	{
		const int64_t beyond = 1000;
		GaIntSum before = {0};

		elements_put_int(set.type, &beyond, 1,
						 (char *) array_set_elements(&set, 0) +
							 last * ga_element_size(set.type));
		ga_int_sum_add(&before, INT64_MAX - 100, 3);
		array_set_before_int(&set, &before);
	}
	check_alone(&set);
	check_plain(&set, rng, LATE);
	array_set_free(&set);
	tap_end();
}

/* More tiles than a queue has memory for at first, between small ones. */
static void
test_growth(Rng *rng)
{
	ArraySet set;

	tap_begin("a queue's memory grows");
	array_set_init_scan(&set, GA_float8);
	check_plain(&set, rng, LATE);
	check_plain(&set, rng, MORE);
	check_plain(&set, rng, LATE);
	check_plain(&set, rng, MORE + TILE);
	check_others(&set, rng);
	check_plain(&set, rng, MORE);
	array_set_free(&set);
	tap_end();
}

int
main(void)
{
	Rng rng = {47};
	bool has_many;
	int mode;

	fixture_open(&fixture);
	has_many = !fixture_is_quick() && !fixture_is_emulated();
	for (mode = 0; mode < SCAN_N_MODES; mode++)
	{
		test_sizes(&rng, mode);
		if (mode == GA_float4 || mode == GA_float8)
			test_trouble(&rng, mode);
		else
			test_ends(&rng, mode);
		if (has_many)
			test_many_tiles(&rng, mode);
	}
	if (has_many)
		test_growth(&rng);
	fixture_close(&fixture);
	return tap_done();
}
