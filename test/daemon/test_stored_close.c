/*
 * test_stored_close.c
 *		Sessions that close while they load or use an array, on a slow device:
 *		nothing incomplete stays.
 */
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "stored.h"

static Daemon gpuaggd;
static Client loader;
static Client waiter;
static Client other;
static ArraySet set; /* two small arrays, and one of some slots */
static StoredArray *arrays;

static void
cancel_loads(void)
{
	const GaRequest request = {.opcode = GA_CANCEL_LOADS};

	client_send(&loader, &request);
}

/* How the loader goes away. */
static void
go_away(bool closes)
{
	if (closes)
	{
		client_close(&loader);
		stored_open(&loader, &gpuaggd, STORED_DATABASE);
	}
	else
	{
		client_release_lease(&loader);
		cancel_loads();
		client_lease(&loader, true);
	}
}

/* Close before the first segment, or after some were sent and answered. */
static void
test_gone(bool closes, int n_sent, int n_answered)
{
	const uint32_t segment = (uint32_t) set.arrays[2].n / 3 + 1;
	GaReply reply;
	int i;

	tap_begin("the loader %s with %d of 3 segments sent, %d answered",
			  closes ? "goes" : "gives its lease and its loads back", n_sent,
			  n_answered);
	stored_check_load(&loader, arrays + 2);
	stored_wait(&waiter, arrays + 2, 1, true);
	stored_wait(&other, arrays + 2, 1, false);
	for (i = 0; i < n_sent; i++)
	{
		GaRequest request =
			stored_segment(&loader, (uint32_t) i + 1, &arrays[2],
						   (uint32_t) i * segment, segment);

		client_send(&loader, &request);
		if (i < n_answered)
			tap_check(client_receive(&loader, &reply) && reply.status == GA_OK,
					  "segment %d: %d, %s", i, reply.status, reply.reason);
	}
	client_check_waits(&waiter);
	if (closes)
		go_away(true);
	else
	{
		client_release_lease(&loader);
		cancel_loads();
		for (i = n_answered; i < n_sent; i++)
			tap_check(client_receive(&loader, &reply) && reply.status == GA_OK,
					  "segment %d: %d", i, reply.status);
		client_lease(&loader, true);
	}
	/* an array of which there is a part is none */
	stored_check_state(&waiter, arrays + 2, GA_STORED_LOAD);
	tap_check(stored_stat(&loader, false).n_resident == 1, "not one array");
	client_check_waits(&other);
	stored_load(&waiter, arrays + 2, 1);
	stored_check_state(&other, arrays + 2, GA_STORED_RESIDENT);
	stored_check_resident(&loader, arrays + 2);
	stored_check_empty(&loader);
	tap_end();
}

/* A session that cannot load receives GA_STORED_STREAM. */
static void
test_gone_for_all(void)
{
	tap_begin("the loading session closes, and no other can load");
	stored_check_load(&loader, arrays);
	stored_wait(&waiter, arrays, 1, false);
	client_check_waits(&waiter);
	go_away(true);
	stored_check_state(&waiter, arrays, GA_STORED_STREAM);
	stored_check_empty(&loader);
	tap_end();
}

/* What happens while a request is on the device for a while. */
static void
test_slow(void)
{
	GaRequest request;
	GaStoredLookup lookup = stored_lookup(0);
	GaReply reply;

	tap_begin("forget what is in use");
	tap_check(stored_make_resident(&loader, arrays, 3, &lookup) == 3,
			  "not loaded");
	request = stored_name(&waiter, arrays, 3, &lookup);
	client_send(&waiter, &request);
	sleep_ms(5);
	tap_check(stored_clear(&loader, 0) == 3, "not three");
	tap_check(stored_stat(&loader, false).n_cache_bytes == 0, "some is left");
	tap_check(stored_make_resident(&loader, arrays, 3, &lookup) == 3,
			  "not again");
	tap_check(client_receive(&waiter, &reply) &&
				  stored_check(&waiter, &reply, arrays, 3) == 3,
			  "no sums");
	stored_check_resident(&waiter, arrays + 1);
	stored_check_empty(&loader);
	tap_end();

	tap_begin("a session that uses it closes");
	tap_check(stored_make_resident(&loader, arrays, 3, &lookup) == 3,
			  "not loaded");
	request = stored_name(&waiter, arrays, 3, &lookup);
	client_send(&waiter, &request);
	sleep_ms(5);
	client_close(&waiter);
	stored_check_empty(&loader);
	tap_check(stored_make_resident(&loader, arrays, 3, &lookup) == 3,
			  "not again");
	stored_open(&waiter, &gpuaggd, STORED_DATABASE);
	stored_check_empty(&loader);
	tap_end();
}

/* Its last segment is on the device when it is cleared. */
static void
test_slow_clear(void)
{
	GaRequest request;
	GaReply reply;

	tap_begin("clear what is on its way");
	stored_check_load(&loader, arrays);
	request = stored_segment(&loader, 1, &arrays[0], 0, UINT32_MAX);
	client_send(&loader, &request);
	stored_wait(&waiter, arrays, 1, true);
	client_check_waits(&waiter);
	tap_check(stored_clear(&other, 0) == 1, "not one");
	tap_check(client_receive(&loader, &reply) && reply.status == GA_OK,
			  "status %d", reply.status);
	stored_check_removed(&waiter, arrays);
	stored_load(&waiter, arrays, 1);
	stored_check_resident(&loader, arrays);
	stored_check_empty(&loader);
	tap_end();
}

int
main(void)
{
	Rng rng = {97};

	array_set_init(&set, GA_float8);
	array_set_add_random(&set, &rng, 1000, ARRAY_SET_PACKED, ARRAY_SET_PACKED);
	array_set_add_random(&set, &rng, 100, ARRAY_SET_PACKED, ARRAY_SET_PACKED);
	array_set_add_random(&set, &rng, 500000, ARRAY_SET_PACKED,
						 ARRAY_SET_PACKED);
	arrays = stored_make_all(&set, STORED_FIRST);

	daemon_start(&gpuaggd, "--staging-size=40", "--cache-size=64",
				 "--emulated-faults=slow_launch=30", NULL);
	stored_open(&loader, &gpuaggd, STORED_DATABASE);
	stored_open(&waiter, &gpuaggd, STORED_DATABASE);
	stored_open(&other, &gpuaggd, STORED_DATABASE);
	test_gone(true, 0, 0);
	test_gone(true, 1, 0);
	test_gone(true, 2, 2);
	test_gone(true, 3, 1);
	test_gone(true, 3, 2);
	test_gone(false, 0, 0);
	test_gone(false, 1, 1);
	test_gone(false, 2, 1);
	test_gone_for_all();
	test_slow();
	test_slow_clear();
	client_close(&loader);
	client_close(&waiter);
	client_close(&other);
	tap_begin("the end");
	daemon_stop(&gpuaggd);
	tap_end();
	free(arrays);
	array_set_free(&set);
	return tap_done();
}
