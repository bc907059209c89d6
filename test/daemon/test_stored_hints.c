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
make_value(Batch *batch, Rng *rng, int mode, size_t n)
{
	const size_t places[] = {n / 3 + 1, n / 3 * 2 + 1};
	const double odd[] = {ldexp(1, mode == GA_float8 ? -70 : -120), NAN};
	double *x = malloc(n * sizeof(*x));
	StoredArray array;
	size_t i;

	batch_init_scan(batch, mode);
	for (i = 0; i < n; i++)
		x[i] = (double) rng_below(rng, 1000);
	for (i = 0; i < 2; i++)
		x[places[i]] = odd[i];
	batch_add_doubles(batch, "odd ones among integers", x, n);
	array = stored_make(batch, 0, next_id++);
	free(x);
	return array;
}

static void
load_value(const StoredArray *array)
{
	const GaStoredLookup lookup = stored_lookup(++statement_id);

	tap_check(stored_make_resident(&client, array, 1, &lookup) == 1,
			  "not resident");
}

/* Its totals, in segments; returns how many grids were refused. */
static uint64_t
scan_value(Batch *batch, const StoredArray *array, size_t segment)
{
	const size_t n = batch->arrays[0].n;
	char *must = malloc((n + 1) * batch_total_size(batch));
	size_t n_must = batch_expect(batch, 0, must);
	size_t from;

	(void) stored_stat(&client, true);
	for (from = 0; from < n; from += segment)
	{
		GaRequest request =
			stored_scan(array, statement_id, 1, from,
						n - from < segment ? n - from : segment);

		request.u.scan.continues = from > 0;
		client_send(&client, &request);
		tap_check(stored_check_scan(&client, &request, batch, must, n_must),
				  "it ends early");
	}
	free(must);
	return stored_stat(&client, true).n_refused;
}

/* Refused the first time, and never again; with other segments just so. */
static void
check_pieces(Batch *batch, const StoredArray *array, size_t segment)
{
	uint64_t first = scan_value(batch, array, segment);
	uint64_t second = scan_value(batch, array, segment);

	tap_check(first > 0, "segments of %zu: nothing was refused", segment);
	tap_check(second == 0, "segments of %zu: %llu were refused again", segment,
			  (unsigned long long) second);
}

static void
test_long(Rng *rng, int mode, bool is_apart)
{
	Batch batch;
	StoredArray array;
	size_t limit;

	tap_begin("%s, %s: kept with the array", batch_mode_name(mode),
			  is_apart ? "on pages that lie apart" :
						 "in one segment of memory");
	if (is_apart)
		(void) stored_fragment(&client);
	array = make_value(&batch, rng, mode, LENGTH);
	limit = stored_scan_limit(&batch, false);
	load_value(&array);
	check_pieces(&batch, &array, limit);
	check_pieces(&batch, &array, limit / 2 - 17);
	check_pieces(&batch, &array, limit);

	/* they are of the array that is there, and go with it */
	(void) stored_clear(&client, 0);
	load_value(&array);
	check_pieces(&batch, &array, limit);
	(void) stored_clear(&client, 0);
	batch_free(&batch);
	stored_check_empty(&client);
	tap_end();
}

/* Small arrays share a page; each has its own. */
static void
test_short(Rng *rng, int mode)
{
	Batch batches[8];
	StoredArray arrays[8];
	int i;

	tap_begin("%s: of small arrays, too", batch_mode_name(mode));
	for (i = 0; i < 8; i++)
	{
		arrays[i] = make_value(&batches[i], rng, mode, SHORT_LENGTH);
		load_value(&arrays[i]);
		tap_check(scan_value(&batches[i], &arrays[i], SHORT_LENGTH) > 0,
				  "nothing was refused");
	}
	for (i = 0; i < 8; i++)
	{
		tap_check(scan_value(&batches[i], &arrays[i], SHORT_LENGTH) == 0,
				  "array %d was refused again", i);
		batch_free(&batches[i]);
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
