/*
 * test_values.c
 *		GA_SUM_STORED and GA_LOAD: what stays on the device has the sums that
 *		the CPU engine has.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "values.h"

static Daemon gpuaggd;
static Client client;
static Client other;
static uint64_t scan; /* each test has its own */

/* Bytes around all borders of pages, shared or not, and of slots. */
static const uint32_t borders[] = {64,
								   128,
								   4096,
								   128 << 10,
								   256 << 10,
								   512 << 10,
								   1024 << 10,
								   GA_SLOT_DATA_BYTES,
								   2 * GA_SLOT_DATA_BYTES};

/* An array of any length; long ones quickly. */
static void
add_array(Batch *batch, Rng *rng, size_t n)
{
	if (n < 2000)
		batch_add_random(batch, rng, n, BATCH_PACKED, BATCH_PACKED);
	else
		elements_fill_fast(
			batch->type, rng, n,
			batch_add(batch, "plain", n, BATCH_PACKED, BATCH_PACKED));
}

/* The states of n values that were asked for are all this one. */
static void
check_states(const Client *who, uint32_t n, GaStoredState state)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		tap_check(values_state(who, i) == state,
				  "value %u: state %u, must be "
				  "%u",
				  i, values_state(who, i), state);
}

/* Ask, load, ask again, and ask by another session. */
static void
check_batch(const Batch *batch)
{
	const uint32_t n = batch->n_arrays;
	Value *values = values_of(batch, VALUES_FIRST);
	const GaStoredLookup how = values_how(++scan);
	GaStatRow before = values_stat(&client, false);
	GaStatRow after;
	uint32_t n_known;

	tap_check(values_ask(&client, values, n, &how) == 0, "resident at once");
	check_states(&client, n, GA_STORED_LOAD);
	values_load(&client, values, n);
	n_known = values_ask(&client, values, n, &how);
	tap_check(n_known == n, "%u of %u are resident", n_known, n);
	n_known = values_ask(&other, values, n, &how);
	tap_check(n_known == n, "%u of %u by another session", n_known, n);
	after = values_stat(&client, false);
	tap_check(after.n_misses - before.n_misses == n &&
				  after.n_hits - before.n_hits == 2 * n &&
				  after.n_resident == n,
			  "%u values: %llu misses, %llu hits, %llu "
			  "resident",
			  n, (unsigned long long) (after.n_misses - before.n_misses),
			  (unsigned long long) (after.n_hits - before.n_hits),
			  (unsigned long long) after.n_resident);
	tap_check(values_clear(&client, 0) == n, "not all were cleared");
	values_check_empty(&client);
	free(values);
}

static void
test_sizes(Rng *rng, GaElementType type)
{
	const size_t size = ga_element_size(type);
	Batch batch;
	size_t i;

	tap_begin("%s: values of all sizes", ga_element_name(type));
	batch_init(&batch, type);
	for (i = 0; i < sizeof(borders) / sizeof(borders[0]); i++)
	{
		add_array(&batch, rng, borders[i] / size - 1);
		add_array(&batch, rng, borders[i] / size);
		add_array(&batch, rng, borders[i] / size + 1);
	}
	for (i = 0; i < 100; i++)
		add_array(&batch, rng, i);
	check_batch(&batch);

	batch_clear(&batch);
	for (i = 0; i < 3000; i++)
		add_array(&batch, rng, rng_below(rng, i % 30 ? 60 : 2000));
	check_batch(&batch);
	batch_free(&batch);
	tap_end();
}

/* As many as a request has room for, of next to nothing; and none. */
static void
test_counts(Rng *rng)
{
	const GaStoredLookup how = values_how(++scan);
	GaRequest load = {.opcode = GA_LOAD, .u.load.type = GA_int2};
	GaReply reply;
	Batch batch;
	Value *values;
	uint32_t i;

	tap_begin("no values, and as many as there may be");
	batch_init(&batch, GA_int2);
	for (i = 0; i < GA_SLOT_ARRAYS; i++)
		add_array(&batch, rng, rng_below(rng, 3));
	check_batch(&batch);
	values = values_of(&batch, VALUES_FIRST);
	tap_check(values_ask(&client, values, 0, &how) == 0, "some of none");
	reply = client_call(&client, &load);
	tap_check(reply.status == GA_OK, "no pieces: %d", reply.status);
	free(values);
	batch_free(&batch);
	tap_end();
}

/* A request that names a value more than once. */
static void
test_twice(void)
{
	const GaStoredLookup how = values_how(++scan);
	static const int64_t ints[] = {1, 20, 300};
	Batch batch;
	Value values[3];

	tap_begin("a value that is named several times");
	batch_init(&batch, GA_int8);
	batch_add_ints(&batch, "ints", ints, 3);
	values[0] = values[1] = values[2] = value_of(&batch, 0, VALUES_FIRST);
	values_ask(&client, values, 3, &how);
	tap_check(values_state(&client, 0) == GA_STORED_LOAD &&
				  values_state(&client, 1) == GA_STORED_BUSY &&
				  values_state(&client, 2) == GA_STORED_BUSY,
			  "states %u, %u, %u", values_state(&client, 0),
			  values_state(&client, 1), values_state(&client, 2));
	values_load(&client, values, 1);
	tap_check(values_ask(&client, values, 3, &how) == 3, "not three");
	batch_free(&batch);
	values_check_empty(&client);
	tap_end();
}

/* Each of these takes a wide record. */
static void
add_wide(Batch *batch, Rng *rng, size_t n)
{
	static const double specials[] = {NAN, INFINITY, -INFINITY};
	double *x = calloc(n, sizeof(double));
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = ldexp(rng_chance(rng, 2) ? 1.25 : -1.75,
					 rng_between(rng, -1000, 1000));
	x[0] = 1e300;
	x[n - 1] = 1e-300;
	if (rng_chance(rng, 3))
		x[rng_below(rng, n)] = specials[rng_below(rng, 3)];
	batch_add_doubles(batch, "far apart", x, n);
	free(x);
}

/* More than there are records for; all others are right. */
static void
test_wide(Rng *rng)
{
	const GaStoredLookup how = values_how(++scan);
	uint32_t n_refused = 0;
	Batch batch;
	Value *values;
	uint32_t n;
	uint32_t i;

	tap_begin("sums that take wide records");
	batch_init(&batch, GA_float8);
	for (i = 0; i < GA_SLOT_ARRAYS; i++)
		add_wide(&batch, rng, 2 + i % 5);
	values = values_of(&batch, VALUES_FIRST);
	n = values_have(&client, values, GA_SLOT_ARRAYS, &how);
	tap_check(n == GA_SLOT_ARRAYS, "%u resident", n);
	for (i = 0; i < n; i++)
		n_refused +=
			client_slot(&client, 0)->sums[i].kind == GA_PARTIAL_NO_CAPACITY;
	tap_check(n_refused == GA_SLOT_ARRAYS - GA_STORED_FULL, "%u without room",
			  n_refused);
	free(values);
	batch_free(&batch);
	values_check_empty(&client);
	tap_end();
}

/* Values whose pages lie apart have one sum all the same. */
static void
test_apart(Rng *rng, GaElementType type)
{
	const GaStoredLookup how = values_how(++scan);
	const size_t size = ga_element_size(type);
	uint32_t n_free;
	Batch batch;
	Value *values;
	int i;

	tap_begin("%s: values whose pages lie apart", ga_element_name(type));
	batch_init(&batch, type);
	for (i = 0; i < 12; i++)
		add_array(&batch, rng, rng_below(rng, (2 << 20) / size));
	if (type == GA_float8)
	{
		add_wide(&batch, rng, (600 << 10) / size);
		add_wide(&batch, rng, (1 << 20) / size);
	}
	batch_add_family(&batch, rng, 26, (700 << 10) / size);
	n_free = values_fragment(&client);
	tap_check(n_free > 80, "%u pages are free", n_free);
	values = values_of(&batch, VALUES_FIRST);
	tap_check(values_have(&client, values, batch.n_arrays, &how) ==
				  batch.n_arrays,
			  "they are not resident");
	tap_check(values_ask(&other, values, batch.n_arrays, &how) ==
				  batch.n_arrays,
			  "not by another session");
	free(values);
	batch_free(&batch);
	values_check_empty(&client);
	tap_end();
}

/* No room for the parts' wide records is no room for the value. */
static void
test_wide_apart(Rng *rng)
{
	const GaStoredLookup how = values_how(++scan);
	const uint32_t n = GA_STORED_FULL - 1;
	Batch batch;
	Value *values;
	uint32_t i;

	tap_begin("no wide records for parts");
	(void) values_fragment(&client);
	batch_init(&batch, GA_float8);
	for (i = 0; i < n; i++)
		add_wide(&batch, rng, 2);
	add_wide(&batch, rng, 100000);
	values = values_of(&batch, VALUES_FIRST);
	tap_check(values_have(&client, values, n + 1, &how) == n + 1,
			  "they are not resident");
	tap_check(client_slot(&client, 0)->sums[n].kind == GA_PARTIAL_NO_CAPACITY,
			  "there was room");
	tap_check(values_ask(&client, values + n, 1, &how) == 1 &&
				  client_slot(&client, 0)->sums[0].kind == GA_PARTIAL_FULL,
			  "there is none alone");
	free(values);
	batch_free(&batch);
	values_check_empty(&client);
	tap_end();
}

int
main(void)
{
	Rng rng = {47};
	int type;

	daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=88", NULL);
	values_open(&client, &gpuaggd, VALUES_DATABASE);
	values_open(&other, &gpuaggd, VALUES_DATABASE);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
		test_sizes(&rng, (GaElementType) type);
	test_counts(&rng);
	test_twice();
	test_wide(&rng);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
		test_apart(&rng, (GaElementType) type);
	test_wide_apart(&rng);
	client_close(&client);
	client_close(&other);
	tap_begin("the end");
	daemon_stop(&gpuaggd);
	tap_end();
	return tap_done();
}
