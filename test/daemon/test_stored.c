/*
 * test_stored.c
 *		GA_REDUCE_STORED and GA_LOAD: resident arrays have the sums that the
 *		CPU engine computes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "stored.h"

static Daemon gpuaggd;
static Client client;
static Client other;
static uint64_t statement_id; /* each test has its own */

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
add_array(ArraySet *set, Rng *rng, size_t n)
{
	if (n < 2000)
		array_set_add_random(set, rng, n, ARRAY_SET_PACKED, ARRAY_SET_PACKED);
	else
		elements_fill_fast(
			set->type, rng, n,
			array_set_add(set, "plain", n, ARRAY_SET_PACKED, ARRAY_SET_PACKED));
}

/* The states of n arrays that were asked for are all this one. */
static void
check_states(const Client *who, uint32_t n, GaStoredState state)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		tap_check(stored_state(who, i) == state,
				  "array %u: state %u, must be "
				  "%u",
				  i, stored_state(who, i), state);
}

/* Request, load, request again, and request by another session. */
static void
check_set(const ArraySet *set)
{
	const uint32_t n = set->n_arrays;
	StoredArray *arrays = stored_make_all(set, STORED_FIRST);
	const GaStoredLookup lookup = stored_lookup(++statement_id);
	GaStatRow before = stored_stat(&client, false);
	GaStatRow after;
	uint32_t n_known;

	tap_check(stored_request(&client, arrays, n, &lookup) == 0,
			  "resident at once");
	check_states(&client, n, GA_STORED_LOAD);
	stored_load(&client, arrays, n);
	n_known = stored_request(&client, arrays, n, &lookup);
	tap_check(n_known == n, "%u of %u are resident", n_known, n);
	n_known = stored_request(&other, arrays, n, &lookup);
	tap_check(n_known == n, "%u of %u by another session", n_known, n);
	after = stored_stat(&client, false);
	tap_check(after.n_misses - before.n_misses == n &&
				  after.n_hits - before.n_hits == 2 * n &&
				  after.n_resident == n,
			  "%u arrays: %llu misses, %llu hits, %llu "
			  "resident",
			  n, (unsigned long long) (after.n_misses - before.n_misses),
			  (unsigned long long) (after.n_hits - before.n_hits),
			  (unsigned long long) after.n_resident);
	tap_check(stored_clear(&client, 0) == n, "not all were cleared");
	stored_check_empty(&client);
	free(arrays);
}

static void
test_sizes(Rng *rng, GaElementType type)
{
	const size_t size = ga_element_size(type);
	ArraySet set;
	size_t i;

	tap_begin("%s: arrays of all sizes", ga_element_name(type));
	array_set_init(&set, type);
	for (i = 0; i < sizeof(borders) / sizeof(borders[0]); i++)
	{
		add_array(&set, rng, borders[i] / size - 1);
		add_array(&set, rng, borders[i] / size);
		add_array(&set, rng, borders[i] / size + 1);
	}
	for (i = 0; i < 100; i++)
		add_array(&set, rng, i);
	check_set(&set);

	array_set_clear(&set);
	for (i = 0; i < 3000; i++)
		add_array(&set, rng, rng_below(rng, i % 30 ? 60 : 2000));
	check_set(&set);
	array_set_free(&set);
	tap_end();
}

/* As many arrays as a request can name, of few elements; and none. */
static void
test_counts(Rng *rng)
{
	const GaStoredLookup lookup = stored_lookup(++statement_id);
	GaRequest load = {.opcode = GA_LOAD, .u.load.type = GA_int2};
	GaReply reply;
	ArraySet set;
	StoredArray *arrays;
	uint32_t i;

	tap_begin("no arrays, and as many as there may be");
	array_set_init(&set, GA_int2);
	for (i = 0; i < GA_SLOT_ARRAYS; i++)
		add_array(&set, rng, rng_below(rng, 3));
	check_set(&set);
	arrays = stored_make_all(&set, STORED_FIRST);
	tap_check(stored_request(&client, arrays, 0, &lookup) == 0, "some of none");
	reply = client_call(&client, &load);
	tap_check(reply.status == GA_OK, "no segments: %d", reply.status);
	free(arrays);
	array_set_free(&set);
	tap_end();
}

/* A request that names an array more than once. */
static void
test_twice(void)
{
	const GaStoredLookup lookup = stored_lookup(++statement_id);
	static const int64_t ints[] = {1, 20, 300};
	ArraySet set;
	StoredArray arrays[3];

	tap_begin("an array that is named several times");
	array_set_init(&set, GA_int8);
	array_set_add_ints(&set, "ints", ints, 3);
	arrays[0] = arrays[1] = arrays[2] = stored_make(&set, 0, STORED_FIRST);
	stored_request(&client, arrays, 3, &lookup);
	tap_check(stored_state(&client, 0) == GA_STORED_LOAD &&
				  stored_state(&client, 1) == GA_STORED_BUSY &&
				  stored_state(&client, 2) == GA_STORED_BUSY,
			  "states %u, %u, %u", stored_state(&client, 0),
			  stored_state(&client, 1), stored_state(&client, 2));
	stored_load(&client, arrays, 1);
	tap_check(stored_request(&client, arrays, 3, &lookup) == 3, "not three");
	array_set_free(&set);
	stored_check_empty(&client);
	tap_end();
}

/* Each of these takes a full record. */
static void
add_full(ArraySet *set, Rng *rng, size_t n)
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
	array_set_add_doubles(set, "far apart", x, n);
	free(x);
}

/* More than there are records for; all others are right. */
static void
test_full_records(Rng *rng)
{
	const GaStoredLookup lookup = stored_lookup(++statement_id);
	uint32_t n_refused = 0;
	ArraySet set;
	StoredArray *arrays;
	uint32_t n;
	uint32_t i;

	tap_begin("sums that need full records");
	array_set_init(&set, GA_float8);
	for (i = 0; i < GA_SLOT_ARRAYS; i++)
		add_full(&set, rng, 2 + i % 5);
	arrays = stored_make_all(&set, STORED_FIRST);
	n = stored_make_resident(&client, arrays, GA_SLOT_ARRAYS, &lookup);
	tap_check(n == GA_SLOT_ARRAYS, "%u resident", n);
	for (i = 0; i < n; i++)
		n_refused += client_lookup(&client, CLIENT_LOOKUP).sums[i].kind ==
					 GA_PARTIAL_NO_CAPACITY;
	tap_check(n_refused == GA_SLOT_ARRAYS - client.shape.n_full,
			  "%u without capacity", n_refused);
	free(arrays);
	array_set_free(&set);
	stored_check_empty(&client);
	tap_end();
}

/* Arrays whose pages lie apart have one sum all the same. */
static void
test_apart(Rng *rng, GaElementType type)
{
	const GaStoredLookup lookup = stored_lookup(++statement_id);
	const size_t size = ga_element_size(type);
	uint32_t n_free;
	ArraySet set;
	StoredArray *arrays;
	int i;

	tap_begin("%s: arrays whose pages lie apart", ga_element_name(type));
	array_set_init(&set, type);
	for (i = 0; i < 12; i++)
		add_array(&set, rng, rng_below(rng, (2 << 20) / size));
	if (type == GA_float8)
	{
		add_full(&set, rng, (600 << 10) / size);
		add_full(&set, rng, (1 << 20) / size);
	}
	array_set_add_family(&set, rng, 26, (700 << 10) / size);
	n_free = stored_fragment(&client);
	tap_check(n_free > 80, "%u pages are free", n_free);
	arrays = stored_make_all(&set, STORED_FIRST);
	tap_check(stored_make_resident(&client, arrays, set.n_arrays, &lookup) ==
				  set.n_arrays,
			  "they are not resident");
	tap_check(stored_request(&other, arrays, set.n_arrays, &lookup) ==
				  set.n_arrays,
			  "not by another session");
	free(arrays);
	array_set_free(&set);
	stored_check_empty(&client);
	tap_end();
}

/* No capacity for the full record of an array of several parts. */
static void
test_wide_apart(Rng *rng)
{
	const GaStoredLookup lookup = stored_lookup(++statement_id);
	const uint32_t n = client.shape.n_full;
	ArraySet set;
	StoredArray *arrays;
	uint32_t i;

	tap_begin("no full records for parts");
	(void) stored_fragment(&client);
	array_set_init(&set, GA_float8);
	for (i = 0; i < n; i++)
		add_full(&set, rng, 2);
	add_full(&set, rng, 100000);
	arrays = stored_make_all(&set, STORED_FIRST);
	tap_check(stored_make_resident(&client, arrays, n + 1, &lookup) == n + 1,
			  "they are not resident");
	tap_check(client_lookup(&client, CLIENT_LOOKUP).sums[n].kind ==
				  GA_PARTIAL_NO_CAPACITY,
			  "there was capacity");
	tap_check(stored_request(&client, arrays + n, 1, &lookup) == 1 &&
				  client_lookup(&client, CLIENT_LOOKUP).sums[0].kind ==
					  GA_PARTIAL_FULL,
			  "there is none alone");
	free(arrays);
	array_set_free(&set);
	stored_check_empty(&client);
	tap_end();
}

int
main(void)
{
	Rng rng = {47};
	int type;

	daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=88", NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	stored_open(&other, &gpuaggd, STORED_DATABASE);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
		test_sizes(&rng, (GaElementType) type);
	test_counts(&rng);
	test_twice();
	test_full_records(&rng);
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
