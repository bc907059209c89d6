/*
 * test_stored_close.c
 *		Sessions that close while they load or use an array, on a slow device:
 *		nothing incomplete stays.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "stored.h"

#define MOST_TRIES 5

static Daemon gpuaggd;
static int slow_ms; /* that each request takes, at least */
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

/* Start gpuaggd, where each request takes so long. */
static void
start(int ms)
{
	char faults[64];

	slow_ms = ms;
	snprintf(faults, sizeof(faults), "--emulated-faults=slow_launch=%d", ms);
	daemon_start(&gpuaggd, "--staging-size=40", "--cache-size=64", faults,
				 NULL);
	stored_open(&loader, &gpuaggd, STORED_DATABASE);
	stored_open(&waiter, &gpuaggd, STORED_DATABASE);
	stored_open(&other, &gpuaggd, STORED_DATABASE);
}

static void
stop(void)
{
	client_close(&loader);
	client_close(&waiter);
	client_close(&other);
	daemon_stop(&gpuaggd);
}

static void
reopen(Client *client)
{
	client_close(client);
	stored_open(client, &gpuaggd, STORED_DATABASE);
}

/*
 * Close before the first segment, or after some were sent and answered.  Return
 * false if that was so late that the array may have been complete before:
 * segments of an array are loaded one after the other.
 */
static bool
try_gone(bool closes, int n_sent, int n_answered)
{
	const uint32_t segment = (uint32_t) set.arrays[2].n / 3 + 1;
	double start_ms;
	bool waits;
	bool is_late;
	GaReply reply;
	int i;

	stored_check_load(&loader, arrays + 2);
	stored_wait(&waiter, arrays + 2, 1, true);
	stored_wait(&other, arrays + 2, 1, false);
	start_ms = now_ms();
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
	waits = !client_has_reply(&waiter, 5);
	if (closes)
		client_close(&loader);
	else
	{
		client_release_lease(&loader);
		cancel_loads();
	}
	is_late = n_sent == 3 && now_ms() - start_ms >= 3 * slow_ms;
	if (closes)
		stored_open(&loader, &gpuaggd, STORED_DATABASE);
	else
	{
		for (i = n_answered; i < n_sent; i++)
			tap_check(client_receive(&loader, &reply) && reply.status == GA_OK,
					  "segment %d: %d", i, reply.status);
		client_lease(&loader, true);
	}
	if (is_late)
	{
		reopen(&waiter);
		reopen(&other);
		stored_check_empty(&loader);
		return false;
	}
	tap_check(waits, "it does not wait");
	/* an array of which there is a part is none */
	stored_check_state(&waiter, arrays + 2, GA_STORED_LOAD);
	tap_check(stored_stat(&loader, false).n_resident == 1, "not one array");
	client_check_waits(&other);
	stored_load(&waiter, arrays + 2, 1);
	stored_check_state(&other, arrays + 2, GA_STORED_RESIDENT);
	stored_check_resident(&loader, arrays + 2);
	stored_check_empty(&loader);
	return true;
}

/* On a busy machine this program may be late, so it tries again. */
static void
test_gone(bool closes, int n_sent, int n_answered)
{
	int n_late = 0;

	tap_begin("the loader %s with %d of 3 segments sent, %d answered",
			  closes ? "goes" : "gives its lease and its loads back", n_sent,
			  n_answered);
	while (n_late < MOST_TRIES && !try_gone(closes, n_sent, n_answered))
		n_late++;
	tap_check(n_late < MOST_TRIES, "it was late each time");
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
	reopen(&loader);
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

/*
 * Its last segment is on the device when it is cleared.  Return false if it may
 * have been loaded before.
 */
static bool
try_slow_clear(void)
{
	const GaRequest clear = {.opcode = GA_CLEAR};
	double start_ms;
	bool waits;
	bool is_late;
	GaRequest request;
	GaReply reply;

	stored_check_load(&loader, arrays);
	request = stored_segment(&loader, 1, &arrays[0], 0, UINT32_MAX);
	start_ms = now_ms();
	client_send(&loader, &request);
	stored_wait(&waiter, arrays, 1, true);
	waits = !client_has_reply(&waiter, 5);
	client_send(&other, &clear);
	is_late = now_ms() - start_ms >= slow_ms;
	do
		tap_check(client_receive(&other, &reply), "no reply");
	while (reply.status == GA_PENDING);
	tap_check(reply.status == GA_OK && reply.u.cache.n_rows == 1,
			  "status %d, %llu removed", reply.status,
			  (unsigned long long) reply.u.cache.n_rows);
	tap_check(client_receive(&loader, &reply) && reply.status == GA_OK,
			  "status %d", reply.status);
	if (is_late)
	{
		reopen(&waiter);
		stored_check_empty(&loader);
		return false;
	}
	tap_check(waits, "it does not wait");
	stored_check_removed(&waiter, arrays);
	stored_load(&waiter, arrays, 1);
	stored_check_resident(&loader, arrays);
	stored_check_empty(&loader);
	return true;
}

static void
test_slow_clear(void)
{
	int n_late = 0;

	tap_begin("clear what is on its way");
	while (n_late < MOST_TRIES && !try_slow_clear())
		n_late++;
	tap_check(n_late < MOST_TRIES, "it was late each time");
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

	start(30);
	test_gone(true, 0, 0);
	test_gone(true, 1, 0);
	test_gone(true, 2, 2);
	test_gone(false, 0, 0);
	test_gone(false, 1, 1);
	test_gone(false, 2, 1);
	test_gone_for_all();
	test_slow();
	tap_begin("the end");
	stop();
	tap_end();

	/* these have to come before the device is done */
	start(300);
	test_gone(true, 3, 1);
	test_gone(true, 3, 2);
	test_slow_clear();
	tap_begin("the end, once more");
	stop();
	tap_end();
	free(arrays);
	array_set_free(&set);
	return tap_done();
}
