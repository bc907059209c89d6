/*
 * test_stored_guard.c
 *		An array's id that may have been reused: doubt, and what settles it.
 */
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "stored.h"

static Daemon gpuaggd;
static Client client;
static ArraySet set; /* two arrays of the same size */

/* What the server's counter is at; it never goes back. */
static GaOidSample sample = {.taken_ms = 1000, .next_oid = STORED_NEXT_OID};

static GaStoredLookup
lookup_now(bool loads)
{
	static uint64_t statement_id;
	GaStoredLookup lookup = stored_lookup(++statement_id);

	lookup.sample = sample;
	lookup.loads = loads;
	return lookup;
}

static void
check_state(const StoredArray *array, bool loads, GaStoredState state)
{
	const GaStoredLookup lookup = lookup_now(loads);

	tap_check(stored_request_one(&client, array, &lookup) == state,
			  "array %u at %u: state %u, must be %u", array->key.value_id,
			  sample.next_oid, stored_state(&client, 0), state);
}

/* An array that the counter is n ids before, loaded. */
static StoredArray
make_resident(uint32_t n)
{
	const StoredArray array = stored_make(&set, 0, sample.next_oid + n);
	const GaStoredLookup lookup = lookup_now(true);

	tap_check(stored_make_resident(&client, &array, 1, &lookup) == 1,
			  "not loaded");
	return array;
}

/* Ask for it with the xmin that was looked up. */
static StoredArray
with_xmin(const StoredArray *array, uint32_t xmin)
{
	StoredArray result = *array;

	result.lookup_xmin = xmin;
	return result;
}

/* Others make so many ids, at so many samples; it takes no time. */
static void
make_ids(uint64_t n)
{
	while (n > 0)
	{
		const uint32_t step = n < 1 << 30 ? (uint32_t) n : 1 << 30;
		GaStoredLookup lookup;
		GaRequest request;

		sample.next_oid += step;
		lookup = lookup_now(false);
		request = (GaRequest){.opcode = GA_REDUCE_STORED,
							  .slot = CLIENT_LOOKUP,
							  .u.stored = {.type = GA_int8, .lookup = lookup}};
		tap_check(client_call(&client, &request).status == GA_OK, "no answer");
		n -= step;
	}
}

static void
test_doubt(void)
{
	StoredArray array;
	StoredArray known;

	tap_begin("doubt begins when the counter passes the id");
	array = make_resident(10);
	known = with_xmin(&array, array.xmin);
	make_ids(10);
	check_state(&array, true, GA_STORED_RESIDENT);
	make_ids(1);
	check_state(&array, true, GA_STORED_DOUBT);
	check_state(&array, false, GA_STORED_DOUBT);

	/* cleared once, for another round of the counter */
	check_state(&known, true, GA_STORED_RESIDENT);
	check_state(&array, true, GA_STORED_RESIDENT);
	make_ids(UINT32_MAX - 100);
	check_state(&array, true, GA_STORED_RESIDENT);
	make_ids(101);
	check_state(&array, true, GA_STORED_DOUBT);
	stored_check_empty(&client);
	tap_end();
}

static void
test_another(bool loads)
{
	StoredArray array;
	StoredArray other;

	tap_begin("another xmin is another array%s",
			  loads ? "" : ", which is not to be loaded");
	array = make_resident(10);
	make_ids(20);
	other = with_xmin(&array, array.xmin + 1);
	other.xmin++;
	other.i = 1;
	check_state(&array, true, GA_STORED_DOUBT);
	check_state(&other, loads, loads ? GA_STORED_LOAD : GA_STORED_STREAM);
	tap_check(stored_stat(&client, false).n_resident == (loads ? 1 : 0),
			  "it is still there");
	if (loads)
	{
		stored_load(&client, &other, 1);
		check_state(&other, false, GA_STORED_RESIDENT);
		other.lookup_xmin = 0;
		check_state(&other, false, GA_STORED_RESIDENT);
	}
	stored_check_empty(&client);
	tap_end();
}

/* A first chunk that may vanish any moment leaves no mark. */
static void
test_not_settled(void)
{
	StoredArray array = stored_make(&set, 0, sample.next_oid + 10);
	StoredArray known;
	GaStoredLookup lookup;

	tap_begin("what is not settled is always in doubt");
	array.is_settled = 0;
	lookup = lookup_now(true);
	(void) stored_make_resident(&client, &array, 1, &lookup);
	tap_check(stored_state(&client, 0) == GA_STORED_DOUBT, "no doubt: %u",
			  stored_state(&client, 0));
	known = with_xmin(&array, array.xmin);
	check_state(&known, true, GA_STORED_RESIDENT);
	check_state(&array, true, GA_STORED_DOUBT);
	known.is_settled = 1;
	check_state(&known, true, GA_STORED_RESIDENT);
	check_state(&array, true, GA_STORED_RESIDENT);

	/* nor does a doubt go by what is not settled */
	make_ids(20);
	known.is_settled = 0;
	check_state(&known, true, GA_STORED_RESIDENT);
	check_state(&array, true, GA_STORED_DOUBT);
	stored_check_empty(&client);
	tap_end();
}

/* After a gap the number of wraparounds is unknown. */
static void
test_gap(void)
{
	StoredArray array;
	StoredArray known;

	tap_begin("doubt after a time without samples");
	array = make_resident(1000);
	known = with_xmin(&array, array.xmin);
	sample.taken_ms += GA_OID_GAP_MS + 1;
	check_state(&array, true, GA_STORED_DOUBT);
	check_state(&known, true, GA_STORED_RESIDENT);
	check_state(&array, true, GA_STORED_RESIDENT);

	/* what is loaded by an old sample has no mark */
	sample.taken_ms -= GA_OID_GAP_MS + 1;
	array = stored_make(&set, 0, sample.next_oid + 2000);
	check_state(&array, true, GA_STORED_LOAD);
	stored_load(&client, &array, 1);
	sample.taken_ms += GA_OID_GAP_MS + 1;
	check_state(&array, true, GA_STORED_DOUBT);
	stored_check_empty(&client);
	tap_end();
}

/* Messages overtake one another: a sample is of its sender alone. */
static void
test_late_sample(void)
{
	StoredArray array;
	GaOidSample early;

	tap_begin("a late request has an old sample");
	array = make_resident(10);
	early = sample;
	make_ids(20);
	sample.next_oid = early.next_oid;
	check_state(&array, true, GA_STORED_DOUBT);
	/* ... and loads with an old mark */
	array = stored_make(&set, 0, early.next_oid + 12);
	check_state(&array, true, GA_STORED_LOAD);
	stored_load(&client, &array, 1);
	check_state(&array, true, GA_STORED_DOUBT);
	sample.next_oid = early.next_oid + 20;
	stored_check_empty(&client);
	tap_end();
}

/* A sample that cannot be placed: from before a promotion. */
static void
test_no_mark(void)
{
	StoredArray array = make_resident(10);
	const StoredArray known = with_xmin(&array, array.xmin);

	tap_begin("all is in doubt for a session whose sample has no mark");
	sample.is_standby = 1;
	check_state(&array, true, GA_STORED_DOUBT);
	check_state(&known, true, GA_STORED_RESIDENT);
	check_state(&array, true, GA_STORED_DOUBT);
	sample.is_standby = 0;
	check_state(&array, true, GA_STORED_RESIDENT);
	stored_check_empty(&client);
	tap_end();
}

/* Running totals look arrays up in the same way. */
static void
test_scan(void)
{
	StoredArray array = make_resident(10);
	GaRequest request = {
		.opcode = GA_SCAN,
		.u.scan = {
			.type = GA_int8, .n = 3, .is_stored = 1, .stored.key = array.key}};
	GaReply reply;

	tap_begin("running totals of what is in doubt");
	make_ids(20);
	request.u.scan.lookup = lookup_now(true);
	reply = client_call(&client, &request);
	tap_check(reply.u.scan.state == GA_STORED_DOUBT &&
				  reply.u.scan.n_totals == 0,
			  "state %u", reply.u.scan.state);
	request.u.scan.stored.xmin = array.xmin;
	request.u.scan.stored.is_settled = 1;
	reply = client_call(&client, &request);
	tap_check(reply.u.scan.state == GA_STORED_RESIDENT &&
				  reply.u.scan.n_totals == 3,
			  "state %u", reply.u.scan.state);
	request.u.scan.stored.xmin = 0;
	reply = client_call(&client, &request);
	tap_check(reply.u.scan.state == GA_STORED_RESIDENT, "state %u",
			  reply.u.scan.state);
	stored_check_empty(&client);
	tap_end();
}

/* Of many arrays those are in doubt that the counter has passed. */
static void
test_many(Rng *rng)
{
	const uint32_t n = 500;
	StoredArray *arrays = malloc(n * sizeof(*arrays));
	uint32_t start = sample.next_oid;
	GaStoredLookup lookup = lookup_now(true);
	uint32_t i;

	tap_begin("many ids, and a counter that moves on");
	for (i = 0; i < n; i++)
		arrays[i] = stored_make(&set, i % 2, start + 10 * i);
	tap_check(stored_make_resident(&client, arrays, n, &lookup) == n,
			  "not loaded");
	while (sample.next_oid - start < 10 * n)
	{
		make_ids(rng_below(rng, 1000));
		lookup = lookup_now(true);
		(void) stored_request(&client, arrays, n, &lookup);
		for (i = 0; i < n; i++)
			tap_check(stored_state(&client, i) ==
						  (sample.next_oid - start > 10 * i ?
							   GA_STORED_DOUBT :
							   GA_STORED_RESIDENT),
					  "array %u at %u: state %u", 10 * i,
					  sample.next_oid - start, stored_state(&client, i));
	}
	stored_check_empty(&client);
	free(arrays);
	tap_end();
}

int
main(void)
{
	static const int64_t ints[2][3] = {{1, 2, 3}, {40, 50, 60}};
	Rng rng = {61};

	array_set_init(&set, GA_int8);
	array_set_add_ints(&set, "one", ints[0], 3);
	array_set_add_ints(&set, "another", ints[1], 3);
	daemon_start(&gpuaggd, "--staging-size=16", "--cache-size=32", NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	test_doubt();
	test_another(true);
	test_another(false);
	test_not_settled();
	test_gap();
	test_late_sample();
	test_no_mark();
	test_scan();
	test_many(&rng);
	client_close(&client);
	array_set_free(&set);
	tap_begin("the end");
	daemon_stop(&gpuaggd);
	tap_end();
	return tap_done();
}
