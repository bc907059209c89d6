/*
 * test_stored_reduce.c
 *		GA_REDUCE_STORED: minima, maxima and moments of resident arrays are
 *		those of their elements, whatever else is asked for.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stored_reduce.h"
#include "tap.h"

static Daemon gpuaggd;
static Client client;

static void
test_type(Rng *rng, GaElementType type)
{
	const GaStoredLookup lookup = stored_lookup_next();
	StoredArray *arrays;
	StoredResults all;
	ArraySet set;
	uint32_t i;

	tap_begin("%s: arrays of all sizes", ga_element_name(type));
	stored_fill_set(&set, rng, type, (int) tap_cases(200));
	arrays = stored_make_all(&set, STORED_FIRST);
	tap_check(stored_make_resident(&client, arrays, set.n_arrays, &lookup) ==
				  set.n_arrays,
			  "they are not resident");
	stored_reduce_all(&client, arrays, set.n_arrays);
	for (i = 0; i < set.n_arrays; i += 17)
		stored_reduce_all(&client, arrays + i, 1);
	all = stored_reduce(&client, GA_REDUCE_SUM, arrays, set.n_arrays, &lookup);
	tap_check(all.n_resident == set.n_arrays, "sums of %u", all.n_resident);
	stored_check_empty(&client);
	array_set_free(&set);
	free(arrays);
	tap_end();
}

/* Those that are resident have results, without gaps for the others. */
static void
test_mixed(Rng *rng, GaElementType type)
{
	const GaStoredLookup lookup = stored_lookup_next();
	StoredArray *arrays;
	ArraySet set;
	int reduction;
	uint32_t i;

	tap_begin("%s: resident arrays among others", ga_element_name(type));
	for (reduction = GA_REDUCE_MIN; reduction < GA_N_REDUCTIONS; reduction++)
	{
		uint32_t n_resident = 0;
		StoredResults results;

		stored_fill_set(&set, rng, type, 20);
		arrays = stored_make_all(&set, STORED_FIRST);
		for (i = 0; i < set.n_arrays; i++)
		{
			if (rng_chance(rng, 2))
				n_resident +=
					stored_make_resident(&client, arrays + i, 1, &lookup);
		}
		results = stored_reduce(&client, (GaReduction) reduction, arrays,
								set.n_arrays, &lookup);
		tap_check(results.n_resident == n_resident, "%u resident, must be %u",
				  results.n_resident, n_resident);
		stored_load(&client, arrays, set.n_arrays);
		results = stored_reduce(&client, (GaReduction) reduction, arrays,
								set.n_arrays, &lookup);
		tap_check(results.n_resident == set.n_arrays, "%u of %u are resident",
				  results.n_resident, set.n_arrays);
		stored_check_empty(&client);
		array_set_free(&set);
		free(arrays);
	}
	tap_end();
}

/* As many as a slot has room for. */
static void
test_most(void)
{
	const uint32_t n = GA_SLOT_ARRAYS;
	GaStoredLookup lookup = stored_lookup_next();
	StoredArray *arrays;
	ArraySet set;
	uint32_t i;

	tap_begin("as many as the answer has room for");
	/* gpuaggd has had no larger request yet: its own memory is as small */
	daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=88", NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	array_set_init(&set, GA_int4);
	for (i = 0; i < n; i++)
		array_set_add_ints(&set, "one", (const int64_t[]){i, -5}, 1 + i % 2);
	arrays = stored_make_all(&set, STORED_FIRST);
	for (i = 0; i < n; i += n / 4)
		tap_check(stored_make_resident(&client, arrays + i, n / 4, &lookup) ==
					  n / 4,
				  "they are not resident");
	tap_check(stored_reduce(&client, GA_REDUCE_MOMENTS, arrays, n / 2, &lookup)
					  .n_resident == n / 2,
			  "moments");
	tap_check(
		stored_reduce(&client, GA_REDUCE_MIN, arrays, n, &lookup).n_resident ==
			n,
		"minima");
	stored_check_empty(&client);
	lookup.loads = 0;
	tap_check(stored_reduce(&client, GA_REDUCE_MOMENTS, arrays, n / 2, &lookup)
					  .n_resident == 0,
			  "moments of what is not resident");
	client_close(&client);
	daemon_stop(&gpuaggd);
	array_set_free(&set);
	free(arrays);
	tap_end();
}

/* The same with small slots, and one array too many. */
static void
test_small_slots(void)
{
	const uint32_t n = GA_LOOKUP_SMALL_ARRAYS;
	const GaStoredLookup lookup = stored_lookup_next();
	GaRequest request;
	StoredArray *arrays;
	GaReply reply;
	ArraySet set;
	uint32_t i;

	tap_begin("small slots");
	array_set_init(&set, GA_float8);
	for (i = 0; i < n; i++)
		array_set_add_doubles(&set, "two", (const double[]){i, -0.5}, 2);
	arrays = stored_make_all(&set, STORED_FIRST);
	tap_check(stored_make_resident(&client, arrays, n, &lookup) == n,
			  "they are not resident");
	tap_check(client_get_lookups(&client, false) == GA_OK, "no small slots");
	tap_check(
		stored_reduce(&client, GA_REDUCE_MAX, arrays, n, &lookup).n_resident ==
			n,
		"maxima");
	tap_check(stored_reduce(&client, GA_REDUCE_MOMENTS, arrays, n / 2, &lookup)
					  .n_resident == n / 2,
			  "moments");
	request = stored_name(&client, arrays, n, &lookup);
	request.u.stored.reduction = GA_REDUCE_MOMENTS;
	request.u.stored.n_arrays = n / 2 + 1;
	client_send(&client, &request);
	tap_check(client_receive(&client, &reply) &&
				  reply.status == GA_BAD_REQUEST &&
				  strstr(reply.reason, "too many arrays") != NULL,
			  "status %d, %s", reply.status, reply.reason);
	tap_check(client_is_closed(&client), "not closed");
	client_close(&client);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	stored_check_empty(&client);
	array_set_free(&set);
	free(arrays);
	tap_end();
}

/* Moments that do not fit are refused; all others of the request are not. */
static void
test_refused_moments(void)
{
	static const double none[][3] = {
		{NAN, 1, 2}, {1, INFINITY, 2}, {0x1p300, 1, 0x1p-300}, {1, 2, 3}};
	const GaStoredLookup lookup = stored_lookup_next();
	StoredArray *arrays;
	StoredResults results;
	ArraySet set;
	uint32_t i;

	tap_begin("moments that do not fit");
	array_set_init(&set, GA_float8);
	for (i = 0; i < 40; i++)
		array_set_add_doubles(&set, "three", none[i % 4], 3);
	arrays = stored_make_all(&set, STORED_FIRST);
	tap_check(stored_make_resident(&client, arrays, 40, &lookup) == 40,
			  "they are not resident");
	results = stored_reduce(&client, GA_REDUCE_MOMENTS, arrays, 40, &lookup);
	tap_check(results.n_resident == 40 && results.n_refused == 30,
			  "%u of %u are refused", results.n_refused, results.n_resident);
	stored_reduce_all(&client, arrays, 40);
	stored_check_empty(&client);
	array_set_free(&set);
	free(arrays);
	tap_end();
}

/* They count as sums do. */
static void
test_counters(Rng *rng)
{
	const GaStoredLookup lookup = stored_lookup_next();
	StoredArray *arrays;
	ArraySet set;
	int reduction;

	tap_begin("counters");
	stored_fill_set(&set, rng, GA_int8, 30);
	arrays = stored_make_all(&set, STORED_FIRST);
	(void) stored_make_resident(&client, arrays, set.n_arrays, &lookup);
	for (reduction = 0; reduction < GA_N_REDUCTIONS; reduction++)
	{
		GaStatRow stat;

		(void) stored_stat(&client, true);
		(void) stored_reduce(&client, (GaReduction) reduction, arrays,
							 set.n_arrays, &lookup);
		stat = stored_stat(&client, false);
		tap_check(stat.n_requests == 1 && stat.n_hits == set.n_arrays &&
					  stat.n_misses == 0 && stat.n_bytes_in == 0 &&
					  stat.n_bytes_out == 0 && stat.device_ms > 0,
				  "reduction %d: %llu requests, %llu hits", reduction,
				  (unsigned long long) stat.n_requests,
				  (unsigned long long) stat.n_hits);
	}
	stored_check_empty(&client);
	array_set_free(&set);
	free(arrays);
	tap_end();
}

/*
 * The device has no memory for a request: another array gives way, or else the
 * session receives that.
 */
static void
test_no_memory(uint32_t n)
{
	const GaStoredLookup lookup = stored_lookup_next();
	GaRequest request;
	StoredArray *arrays;
	GaReply reply;
	ArraySet set;
	uint32_t i;

	tap_begin("no memory for a reduction, %u arrays", n);
	/*
	 * The first launch is the sum of what was loaded.  With so little memory
	 * each page is an allocation of its own.
	 */
	daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=10",
				 "--cache-packing=off", "--emulated-faults=refuse_launch=2",
				 NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	array_set_init(&set, GA_int8);
	for (i = 0; i < n; i++)
		memset(array_set_add(&set, "a page", 40000, 0, 0), 1, 40000 * 8);
	arrays = stored_make_all(&set, STORED_FIRST);
	tap_check(stored_make_resident(&client, arrays, n, &lookup) == n,
			  "they are not resident");
	request = stored_name(&client, arrays, 1, &lookup);
	request.u.stored.reduction = GA_REDUCE_MIN;
	reply = client_call(&client, &request);
	if (n > 1)
		tap_check(
			stored_check_reduction(&client, &reply, GA_REDUCE_MIN, arrays, 1)
						.n_resident == 1 &&
				stored_stat(&client, false).n_evictions == 1,
			"no other has given way");
	else
		tap_check(reply.status == GA_NO_MEMORY &&
					  strstr(reply.reason, "launch 2: injected") != NULL,
				  "status %d, %s", reply.status, reply.reason);
	stored_reduce_all(&client, arrays, 1);
	stored_check_empty(&client);
	client_close(&client);
	daemon_stop(&gpuaggd);
	array_set_free(&set);
	free(arrays);
	tap_end();
}

int
main(void)
{
	Rng rng = {67};
	int type;

	test_most();
	daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=88", NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
	{
		test_type(&rng, (GaElementType) type);
		test_mixed(&rng, (GaElementType) type);
	}
	test_small_slots();
	test_refused_moments();
	test_counters(&rng);
	client_close(&client);
	tap_begin("the end");
	daemon_stop(&gpuaggd);
	tap_end();
	if (daemon_is_emulated())
	{
		test_no_memory(1);
		test_no_memory(2);
	}
	return tap_done();
}
