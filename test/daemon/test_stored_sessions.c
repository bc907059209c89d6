/*
 * test_stored_sessions.c
 *		Sessions that need the same array at once: one loads it, the others
 *		receive GA_STORED_BUSY, or wait.
 */
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "stored.h"

#define N_WAITERS 9

static Daemon gpuaggd;
static Client loader;
static Client waiter;
static Client waiters[N_WAITERS];
static ArraySet set; /* two small arrays, and one of some slots */
static StoredArray *arrays;

/* The loader goes, and another one comes. */
static void
go_away(void)
{
	client_close(&loader);
	stored_open(&loader, &gpuaggd, STORED_DATABASE);
}

static void
test_busy(void)
{
	const GaStoredLookup lookup = stored_lookup(0);

	tap_begin("one loads, the other receives that");
	stored_check_load(&loader, arrays);
	tap_check(stored_request_one(&waiter, &arrays[0], &lookup) ==
				  GA_STORED_BUSY,
			  "state %u", stored_state(&waiter, 0));
	stored_load(&waiter, arrays, 1);
	tap_check(stored_request_one(&loader, &arrays[0], &lookup) ==
				  GA_STORED_BUSY,
			  "state %u", stored_state(&loader, 0));

	/* what it was not to load is skipped */
	(void) client_call(&waiter, &(GaRequest){.opcode = GA_LOAD, .slot = 1});
	{
		const GaRequest segment =
			stored_segment(&waiter, 1, &arrays[0], 0, 1000);

		tap_check(client_call(&waiter, &segment).status == GA_OK, "a stranger");
	}
	stored_wait(&waiter, arrays, 1, true);
	client_check_waits(&waiter);
	stored_set_load(&loader);
	stored_load(&loader, arrays, 1);
	stored_check_state(&waiter, arrays, GA_STORED_RESIDENT);
	stored_check_resident(&loader, arrays);
	stored_check_empty(&loader);
	tap_end();
}

/* Return the waiting client that has a reply first; N_WAITERS if none has. */
static int
first_answered(const bool *is_waiting)
{
	double end = now_ms() + 2000;
	int i;

	do
	{
		for (i = 0; i < N_WAITERS; i++)
		{
			if (is_waiting[i] && client_has_reply(&waiters[i], 0))
				return i;
		}
		sleep_ms(1);
	} while (now_ms() < end);
	tap_check(false, "no client has a reply");
	return N_WAITERS;
}

/* The loading session closes, and a waiting one takes its place. */
static bool
take_over(bool *is_waiting)
{
	int i;

	go_away();
	i = first_answered(is_waiting);
	if (i == N_WAITERS)
		return false;
	is_waiting[i] = false;
	stored_check_state(&waiters[i], arrays + 2, GA_STORED_LOAD);
	client_close(&loader);
	loader = waiters[i];
	stored_open(&waiters[i], &gpuaggd, STORED_DATABASE);
	return true;
}

/* Each of them becomes the loader, and goes away, until one is left. */
static void
test_many(bool loads)
{
	bool is_waiting[N_WAITERS];
	int n_left = N_WAITERS;
	int i;

	tap_begin("many wait, and %s",
			  loads ? "load one after the other" : "all get it");
	stored_check_load(&loader, arrays + 2);
	for (i = 0; i < N_WAITERS; i++)
	{
		stored_wait(&waiters[i], arrays + 2, 1, loads);
		is_waiting[i] = true;
	}
	client_check_waits(&waiters[0]);
	while (loads && n_left > 1 && take_over(is_waiting))
		n_left--;
	stored_load(&loader, arrays + 2, 1);
	for (i = 0; i < N_WAITERS; i++)
	{
		if (is_waiting[i])
			stored_check_state(&waiters[i], arrays + 2, GA_STORED_RESIDENT);
	}
	stored_check_empty(&loader);
	tap_end();
}

/*
 * A session that waits for one array and can load another learns of both,
 * however often the first one was looked at.
 */
static void
test_wait_and_load(void)
{
	GaReply reply;

	tap_begin("wait for one array, and load the other");
	(void) stored_stat(&loader, true);
	stored_check_load(&loader, arrays + 1);
	stored_wait(&waiter, arrays, 2, true);
	client_check_waits(&waiter);
	stored_load(&loader, arrays + 1, 1);
	tap_check(client_has_reply(&waiter, 2000) &&
				  client_receive(&waiter, &reply),
			  "no answer");
	tap_check(stored_check(&waiter, &reply, arrays, 2) == 1 &&
				  stored_state(&waiter, 0) == GA_STORED_LOAD &&
				  stored_state(&waiter, 1) == GA_STORED_RESIDENT,
			  "states %u, %u", stored_state(&waiter, 0),
			  stored_state(&waiter, 1));
	tap_check(stored_stat(&loader, true).n_hits == 1, "hits were counted "
													  "more than once");

	/* nor does anybody wait for itself */
	stored_wait(&waiter, arrays, 1, true);
	tap_check(client_has_reply(&waiter, 2000), "it waits for itself");
	stored_check_state(&waiter, arrays, GA_STORED_STREAM);
	stored_check_empty(&loader);
	tap_end();
}

/* Waiting sessions can close, or send more requests. */
static void
test_waiters_go(void)
{
	GaReply reply;

	tap_begin("a waiting session closes");
	stored_check_load(&loader, arrays);
	stored_wait(&waiter, arrays, 1, true);
	stored_wait(&waiters[0], arrays, 1, true);
	stored_wait(&waiters[1], arrays, 1, true);
	client_release_lease(&waiters[1]);
	client_send_lease(&waiters[1], true);
	client_check_waits(&waiter);
	client_close(&waiter);
	stored_open(&waiter, &gpuaggd, STORED_DATABASE);
	stored_load(&loader, arrays, 1);
	stored_check_state(&waiters[0], arrays, GA_STORED_RESIDENT);
	tap_check(client_receive(&waiters[1], &reply) && reply.status == GA_OK &&
				  reply.opcode == GA_REDUCE_STORED,
			  "no answer");
	tap_check(client_receive_lease(&waiters[1]) == GA_OK, "no lease");
	stored_check_resident(&waiters[1], arrays);
	stored_check_resident(&waiter, arrays);
	stored_check_empty(&loader);
	tap_end();
}

/* An entry removed during its load is loaded by the next requester. */
static void
test_cleared(void)
{
	const uint32_t n = (uint32_t) set.arrays[2].n;
	GaStoredLookup lookup;
	GaRequest request;

	tap_begin("clear what is being loaded");
	stored_check_load(&loader, arrays + 2);
	lookup = stored_lookup(0);
	request = stored_segment(&loader, 1, &arrays[2], 0, n / 2);
	tap_check(client_call(&loader, &request).status == GA_OK, "a segment");
	stored_wait(&waiter, arrays + 2, 1, true);
	client_check_waits(&waiter);
	tap_check(stored_clear(&waiters[0], STORED_RELATION) == 1, "not one");
	stored_check_removed(&waiter, arrays + 2);
	request = stored_segment(&loader, 1, &arrays[2], n / 2, n / 2);
	tap_check(client_call(&loader, &request).status == GA_OK, "the next");
	tap_check(stored_request_one(&loader, &arrays[2], &lookup) ==
				  GA_STORED_BUSY,
			  "the other does not load it");
	stored_load(&waiter, arrays + 2, 1);
	stored_check_resident(&loader, arrays + 2);

	/* by the same session again */
	stored_check_empty(&loader);
	stored_check_load(&loader, arrays + 2);
	request = stored_segment(&loader, 1, &arrays[2], 0, n / 2);
	tap_check(client_call(&loader, &request).status == GA_OK, "a segment");
	(void) stored_clear(&loader, 0);
	stored_check_load(&loader, arrays + 2);
	stored_load(&loader, arrays + 2, 1);
	stored_check_resident(&waiter, arrays + 2);
	stored_check_empty(&loader);
	tap_end();
}

/* A session that is to load, and does not, is replaced after some seconds. */
static void
test_overdue(void)
{
	const GaStoredLookup lookup = stored_lookup_next();
	const uint32_t n = 250000;
	GaRequest request;

	tap_begin("a load that stopped");
	stored_check_load(&loader, arrays + 2);
	request = stored_segment(&loader, 1, &arrays[2], 0, n);
	tap_check(client_call(&loader, &request).status == GA_OK, "a segment");
	sleep_ms(1100);
	tap_check(stored_request_one(&waiter, &arrays[2], &lookup) ==
				  GA_STORED_STREAM,
			  "after one second: state %u", stored_state(&waiter, 0));
	sleep_ms(4000);
	tap_check(stored_request_one(&loader, &arrays[2], &lookup) ==
				  GA_STORED_STREAM,
			  "not for itself: state %u", stored_state(&loader, 0));
	stored_check_load(&waiter, arrays + 2);
	request = stored_segment(&loader, 1, &arrays[2], n, n);
	tap_check(client_call(&loader, &request).status == GA_OK, "too late");
	stored_set_load(&waiter);
	stored_load(&waiter, arrays + 2, 1);
	stored_check_resident(&loader, arrays + 2);
	stored_check_empty(&loader);
	tap_end();
}

int
main(void)
{
	Rng rng = {59};
	int i;

	array_set_init(&set, GA_float8);
	array_set_add_random(&set, &rng, 1000, ARRAY_SET_PACKED, ARRAY_SET_PACKED);
	array_set_add_random(&set, &rng, 100, ARRAY_SET_PACKED, ARRAY_SET_PACKED);
	array_set_add_random(&set, &rng, 500000, ARRAY_SET_PACKED,
						 ARRAY_SET_PACKED);
	arrays = stored_make_all(&set, STORED_FIRST);

	daemon_start(&gpuaggd, "--staging-size=128", "--cache-size=128", NULL);
	stored_open(&loader, &gpuaggd, STORED_DATABASE);
	stored_open(&waiter, &gpuaggd, STORED_DATABASE);
	for (i = 0; i < N_WAITERS; i++)
		stored_open(&waiters[i], &gpuaggd, STORED_DATABASE);
	test_busy();
	test_many(false);
	test_many(true);
	test_wait_and_load();
	test_waiters_go();
	test_cleared();
	test_overdue();
	client_close(&loader);
	client_close(&waiter);
	for (i = 0; i < N_WAITERS; i++)
		client_close(&waiters[i]);
	tap_begin("the end");
	daemon_stop(&gpuaggd);
	tap_end();
	free(arrays);
	array_set_free(&set);
	return tap_done();
}
