/*
 * test_value_hints.c
 *		What the device learned of a resident value's running totals is kept
 *		with the value, piece by piece.
 *
 * The values are made so that a look at some of their elements does not tell
 * which grid is right.
 */
#include <math.h>
#include <stdlib.h>

#include "tap.h"
#include "value_scan.h"

#define LENGTH		 700000 /* some pieces, and pages that lie apart */
#define SHORT_LENGTH 1000

static Daemon gpuaggd;
static Client client;
static uint64_t scan;
static uint32_t next_id = VALUES_FIRST;

/*
 * Integers; but the second of the middle is so small that two levels are too
 * few, and the second of the last third is no number.
 */
static Value
make_value(Batch *batch, Rng *rng, int mode, size_t n)
{
	const size_t places[] = {n / 3 + 1, n / 3 * 2 + 1};
	const double odd[] = {ldexp(1, mode / 2 == GA_float8 ? -70 : -120), NAN};
	double *x = malloc(n * sizeof(*x));
	Value value;
	size_t i;

	batch_init_scan(batch, mode);
	for (i = 0; i < n; i++)
		x[i] = (double) rng_below(rng, 1000);
	for (i = 0; i < 2; i++)
		x[places[i]] = odd[i];
	batch_add_doubles(batch, "odd ones among integers", x, n);
	value = value_of(batch, 0, next_id++);
	free(x);
	return value;
}

static void
load_value(const Value *value)
{
	const GaStoredLookup how = values_how(++scan);

	tap_check(values_have(&client, value, 1, &how) == 1, "not resident");
}

/* Its totals, in pieces; returns how many grids were refused. */
static uint64_t
scan_value(Batch *batch, const Value *value, size_t piece)
{
	const size_t n = batch->arrays[0].n;
	char *must = malloc((n + 1) * batch_total_size(batch));
	size_t n_must = batch_expect(batch, 0, must);
	size_t from;

	(void) values_stat(&client, true);
	for (from = 0; from < n; from += piece)
	{
		GaRequest request = value_scan(value, scan, 1, from,
									   n - from < piece ? n - from : piece);

		request.u.scan.continues = from > 0;
		client_send(&client, &request);
		tap_check(value_check_scan(&client, &request, batch, must, n_must),
				  "it ends early");
	}
	free(must);
	return values_stat(&client, true).n_refused;
}

/* Refused the first time, and never again; with other pieces just so. */
static void
check_pieces(Batch *batch, const Value *value, size_t piece)
{
	uint64_t first = scan_value(batch, value, piece);
	uint64_t second = scan_value(batch, value, piece);

	tap_check(first > 0, "pieces of %zu: nothing was refused", piece);
	tap_check(second == 0, "pieces of %zu: %llu were refused again", piece,
			  (unsigned long long) second);
}

static void
test_long(Rng *rng, int mode, bool is_apart)
{
	Batch batch;
	Value value;
	size_t limit;

	tap_begin("%s, %s: kept with the value", batch_mode_name(mode),
			  is_apart ? "on pages that lie apart" : "in one piece of memory");
	if (is_apart)
		(void) values_fragment(&client);
	value = make_value(&batch, rng, mode, LENGTH);
	limit = value_scan_limit(&batch, false);
	load_value(&value);
	check_pieces(&batch, &value, limit);
	check_pieces(&batch, &value, limit / 2 - 17);
	check_pieces(&batch, &value, limit);

	/* they are of the value that is there, and go with it */
	(void) values_clear(&client, 0);
	load_value(&value);
	check_pieces(&batch, &value, limit);
	(void) values_clear(&client, 0);
	batch_free(&batch);
	values_check_empty(&client);
	tap_end();
}

/* Small values share a page; each has its own. */
static void
test_short(Rng *rng, int mode)
{
	Batch batches[8];
	Value values[8];
	int i;

	tap_begin("%s: of small values, too", batch_mode_name(mode));
	for (i = 0; i < 8; i++)
	{
		values[i] = make_value(&batches[i], rng, mode, SHORT_LENGTH);
		load_value(&values[i]);
		tap_check(scan_value(&batches[i], &values[i], SHORT_LENGTH) > 0,
				  "nothing was refused");
	}
	for (i = 0; i < 8; i++)
	{
		tap_check(scan_value(&batches[i], &values[i], SHORT_LENGTH) == 0,
				  "value %d was refused again", i);
		batch_free(&batches[i]);
	}
	(void) values_clear(&client, 0);
	values_check_empty(&client);
	tap_end();
}

int
main(void)
{
	Rng rng = {59};
	int mode;

	daemon_start(&gpuaggd, "--staging-size=24", "--cache-size=64", NULL);
	values_open(&client, &gpuaggd, VALUES_DATABASE);
	for (mode = 2 * GA_float4; mode <= 2 * GA_float8 + 1; mode++)
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
