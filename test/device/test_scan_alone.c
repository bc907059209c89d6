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

static Rig rig;
static int64_t v[LATE + 1000];

/* Scan the only array of the batch, and empty the batch. */
static void
check_alone(Batch *batch)
{
	batch_check_scans(&rig, batch);
	batch_clear(batch);
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
check_plain(Batch *batch, Rng *rng, size_t n)
{
	elements_fill_fast(batch->type, rng, n, batch_add(batch, "plain", n, 0, 0));
	check_alone(batch);
}

/* Other requests on the same queue: sums, or running totals of any length. */
static void
check_others(Batch *batch, Rng *rng)
{
	int i;

	for (i = 0; i < 3; i++)
		batch_add_random(batch, rng, random_length(rng), BATCH_PACKED,
						 BATCH_PACKED);
	if (rng_chance(rng, 2))
		batch_check_sums(&rig, batch);
	else
		batch_check_scans(&rig, batch);
	batch_clear(batch);
}

static void
test_sizes(Rng *rng, int mode)
{
	Batch batch;
	long i;

	tap_begin("%s: large and small by turns", batch_mode_name(mode));
	batch_init_scan(&batch, mode);
	for (i = tap_cases(100); i > 0; i--)
	{
		batch_add_random(&batch, rng, random_length(rng), BATCH_PACKED,
						 BATCH_PACKED);
		check_alone(&batch);
		if (rng_chance(rng, 5))
			check_others(&batch, rng);
	}
	batch_free(&batch);
	tap_end();
}

/* One element of trouble behind many that have none; then a plain array. */
static void
test_trouble(Rng *rng, int mode)
{
	Batch batch;
	long i;

	tap_begin("%s: trouble that comes late", batch_mode_name(mode));
	batch_init_scan(&batch, mode);
	for (i = tap_cases(40); i > 0; i--)
	{
		size_t n = LATE + rng_below(rng, 3 * TILE) + 2;
		size_t at = LATE + rng_below(rng, n - LATE - 1);
		Batch source;

		batch_init(&source, batch.type);
		specials_add_trouble(&source, rng, 8, (size_t) i % 8);
		elements_fill_fast(batch.type, rng, n,
						   batch_add(&batch, "late trouble", n, 0, 0));
		memcpy((char *) batch_elements(&batch, 0) +
				   at * ga_element_size(batch.type),
			   (char *) batch_elements(&source, 0) +
				   (size_t) i % 8 * ga_element_size(batch.type),
			   ga_element_size(batch.type));
		batch_free(&source);
		check_alone(&batch);
		check_plain(&batch, rng, random_length(rng));
	}
	batch_free(&batch);
	tap_end();
}

/*
 * Integers whose total comes to the end of bigint behind many others, and goes
 * beyond it or not; or that start beyond it, and come back at once or never.
 */
static void
test_ends(Rng *rng, int mode)
{
	Batch batch;
	long i;

	tap_begin("%s: the end of bigint comes late", batch_mode_name(mode));
	batch_init_scan(&batch, mode);
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
		batch_add_ints(&batch, "the end of bigint", v, n);
		batch_before_int(&batch, &before);
		check_alone(&batch);
		check_plain(&batch, rng, random_length(rng));
	}
	batch_free(&batch);
	tap_end();
}

/* Fill all of the batch's only array, again and again, with n integers. */
static void
repeat_ints(Batch *batch, const int64_t *x, size_t n)
{
	const size_t size = ga_element_size(batch->type);
	char *to = batch_elements(batch, 0);
	size_t at;

	for (at = 0; at < batch->arrays[0].n; at += n)
	{
		size_t left = batch->arrays[0].n - at;

		elements_put_int(batch->type, x, left < n ? left : n, to + at * size);
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
	Batch batch;
	size_t i;

	tap_begin("%s: many tiles a block", batch_mode_name(mode));
	batch_init_scan(&batch, mode);
	check_plain(&batch, rng, n);
	for (i = 0; i < LATE; i++)
		v[i] = rng_between(rng, -1000, 1000);
	(void) batch_add(&batch, "integers", n, 0, 0);
	repeat_ints(&batch, v, LATE);
	check_alone(&batch);

	(void) batch_add(&batch, "an end in the last tile", n, 0, 0);
	for (i = 0; i < LATE; i++)
		v[i] = i % 2 ? -5 : 5;
	repeat_ints(&batch, v, LATE);
	if (ga_element_is_float(batch.type))
		elements_put(batch.type, &nan, 1,
					 (char *) batch_elements(&batch, 0) +
						 last * ga_element_size(batch.type));
	else
	{
		const int64_t beyond = 1000;
		GaIntSum before = {0};

		elements_put_int(batch.type, &beyond, 1,
						 (char *) batch_elements(&batch, 0) +
							 last * ga_element_size(batch.type));
		ga_int_sum_add(&before, INT64_MAX - 100, 3);
		batch_before_int(&batch, &before);
	}
	check_alone(&batch);
	check_plain(&batch, rng, LATE);
	batch_free(&batch);
	tap_end();
}

/* More tiles than a queue has memory for at first, between small ones. */
static void
test_growth(Rng *rng)
{
	Batch batch;

	tap_begin("a queue's memory grows");
	batch_init_scan(&batch, GA_float8);
	check_plain(&batch, rng, LATE);
	check_plain(&batch, rng, MORE);
	check_plain(&batch, rng, LATE);
	check_plain(&batch, rng, MORE + TILE);
	check_others(&batch, rng);
	check_plain(&batch, rng, MORE);
	batch_free(&batch);
	tap_end();
}

int
main(void)
{
	Rng rng = {47};
	bool has_many;
	int mode;

	rig_open(&rig);
	has_many = !rig_is_quick() && !rig_is_emulated();
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
	rig_close(&rig);
	return tap_done();
}
