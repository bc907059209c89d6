/*
 * test_stored_hints.c
 *		The hints that the device returns about running totals of a resident
 *		array are kept with the array, for each segment.
 *
 * The arrays are made so that a sample of their elements does not tell which
 * scale is right.
 */
#include <math.h>
#include <stdlib.h>

#include "tap.h"
#include "stored_scan.h"

#define LENGTH		 700000 /* some segments, and pages that lie apart */
#define SHORT_LENGTH 1000

static Daemon gpuaggd;
static Client client;
static uint64_t statement_id;
static uint32_t next_id = STORED_FIRST;

/*
 * Integers; but the second of the middle is so small that two levels are too
 * few, and the second of the last third is no number.
 */
static StoredArray
make_array(ArraySet *set, Rng *rng, int mode, size_t n)
{
	const size_t places[] = {n / 3 + 1, n / 3 * 2 + 1};
	const double odd[] = {ldexp(1, mode == GA_float8 ? -70 : -120), NAN};
	double *x = malloc(n * sizeof(*x));
	StoredArray array;
	size_t i;

	array_set_init_scan(set, mode);
	for (i = 0; i < n; i++)
		x[i] = (double) rng_below(rng, 1000);
	for (i = 0; i < 2; i++)
		x[places[i]] = odd[i];
	array_set_add_doubles(set, "odd ones among integers", x, n);
	array = stored_make(set, 0, next_id++);
	free(x);
	return array;
}

static void
load_array(const StoredArray *array)
{
	const GaStoredLookup lookup = stored_lookup(++statement_id);

	tap_check(stored_make_resident(&client, array, 1, &lookup) == 1,
			  "not resident");
}

/* Its totals, in segments; returns how many scales were refused. */
static uint64_t
scan_array(ArraySet *set, const StoredArray *array, size_t segment)
{
	const size_t n = set->arrays[0].n;
	char *must = malloc((n + 1) * array_set_total_size(set));
	size_t n_must = array_set_expect(set, 0, must);
	size_t from;

	(void) stored_stat(&client, true);
	for (from = 0; from < n; from += segment)
	{
		GaRequest request =
			stored_scan(array, statement_id, 1, from,
						n - from < segment ? n - from : segment);

		request.u.scan.continues = from > 0;
		client_send(&client, &request);
		tap_check(stored_check_scan(&client, &request, set, must, n_must),
				  "it ends early");
	}
	free(must);
	return stored_stat(&client, true).n_refused;
}

/* Refused the first time, and never again; with other segments just so. */
static void
check_segments(ArraySet *set, const StoredArray *array, size_t segment)
{
	uint64_t first = scan_array(set, array, segment);
	uint64_t second = scan_array(set, array, segment);

	tap_check(first > 0, "segments of %zu: nothing was refused", segment);
	tap_check(second == 0, "segments of %zu: %llu were refused again", segment,
			  (unsigned long long) second);
}

static void
test_long(Rng *rng, int mode, bool is_apart)
{
	ArraySet set;
	StoredArray array;
	size_t limit;

	tap_begin("%s, %s: kept with the array", array_set_mode_name(mode),
			  is_apart ? "on pages that lie apart" :
						 "in one segment of memory");
	if (is_apart)
		(void) stored_fragment(&client);
	array = make_array(&set, rng, mode, LENGTH);
	limit = stored_scan_limit(&set, false);
	load_array(&array);
	check_segments(&set, &array, limit);
	check_segments(&set, &array, limit / 2 - 17);
	check_segments(&set, &array, limit);

	/* they are of the array that is there, and go with it */
	(void) stored_clear(&client, 0);
	load_array(&array);
	check_segments(&set, &array, limit);
	(void) stored_clear(&client, 0);
	array_set_free(&set);
	stored_check_empty(&client);
	tap_end();
}

/* Small arrays share a page; each has its own. */
static void
test_short(Rng *rng, int mode)
{
	ArraySet sets[8];
	StoredArray arrays[8];
	int i;

	tap_begin("%s: of small arrays, too", array_set_mode_name(mode));
	for (i = 0; i < 8; i++)
	{
		arrays[i] = make_array(&sets[i], rng, mode, SHORT_LENGTH);
		load_array(&arrays[i]);
		tap_check(scan_array(&sets[i], &arrays[i], SHORT_LENGTH) > 0,
				  "nothing was refused");
	}
	for (i = 0; i < 8; i++)
	{
		tap_check(scan_array(&sets[i], &arrays[i], SHORT_LENGTH) == 0,
				  "array %d was refused again", i);
		array_set_free(&sets[i]);
	}
	(void) stored_clear(&client, 0);
	stored_check_empty(&client);
	tap_end();
}

int
main(void)
{
	Rng rng = {59};
	int mode;

	daemon_start(&gpuaggd, "--staging-size=24", "--cache-size=64", NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	for (mode = GA_float4; mode <= GA_float8; mode++)
	{
		test_long(&rng, mode, false);
		test_long(&rng, mode, true);
		test_short(&rng, mode);
	}
	client_close(&client);
	tap_begin("the end");
	daemon_stop(&gpuaggd);
	tap_end();
	return tap_done();
}
