/*
 * test_value_sessions.c
 *		Sessions that want the same value at once: one loads it, others are
 *		told so, or wait.
 */
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "values.h"

#define N_WAITERS 9

static Daemon gpuaggd;
static Client loader;
static Client waiter;
static Client waiters[N_WAITERS];
static Batch batch; /* two small values, and one of some slots */
static Value *values;

/* The loader goes, and another one comes. */
static void
go_away(void)
{
	client_close(&loader);
	values_open(&loader, &gpuaggd, VALUES_DATABASE);
}

static void
test_busy(void)
{
	const GaStoredLookup how = values_how(0);

	tap_begin("one loads, the other is told so");
	value_check_load(&loader, values);
	tap_check(value_ask(&waiter, &values[0], &how) == GA_STORED_BUSY,
			  "state %u", values_state(&waiter, 0));
	values_load(&waiter, values, 1);
	tap_check(value_ask(&loader, &values[0], &how) == GA_STORED_BUSY,
			  "state %u", values_state(&loader, 0));

	/* what it was not told to load is left out */
	(void) client_call(&waiter, &(GaRequest){.opcode = GA_LOAD, .slot = 1});
	{
		const GaRequest piece = value_piece(&waiter, 1, &values[0], 0, 1000);

		tap_check(client_call(&waiter, &piece).status == GA_OK, "a stranger");
	}
	values_wait(&waiter, values, 1, true);
	client_check_waits(&waiter);
	values_say_load(&loader);
	values_load(&loader, values, 1);
	value_check_told(&waiter, values, GA_STORED_RESIDENT);
	value_check_resident(&loader, values);
	values_check_empty(&loader);
	tap_end();
}

/* Who of those that wait has an answer first; N_WAITERS if nobody has. */
static int
first_told(const bool *is_waiting)
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
	tap_check(false, "nobody is told anything");
	return N_WAITERS;
}

/* The loader goes, and one of those who wait takes its place. */
static bool
take_over(bool *is_waiting)
{
	int i;

	go_away();
	i = first_told(is_waiting);
	if (i == N_WAITERS)
		return false;
	is_waiting[i] = false;
	value_check_told(&waiters[i], values + 2, GA_STORED_LOAD);
	client_close(&loader);
	loader = waiters[i];
	values_open(&waiters[i], &gpuaggd, VALUES_DATABASE);
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
	value_check_load(&loader, values + 2);
	for (i = 0; i < N_WAITERS; i++)
	{
		values_wait(&waiters[i], values + 2, 1, loads);
		is_waiting[i] = true;
	}
	client_check_waits(&waiters[0]);
	while (loads && n_left > 1 && take_over(is_waiting))
		n_left--;
	values_load(&loader, values + 2, 1);
	for (i = 0; i < N_WAITERS; i++)
	{
		if (is_waiting[i])
			value_check_told(&waiters[i], values + 2, GA_STORED_RESIDENT);
	}
	values_check_empty(&loader);
	tap_end();
}

/*
 * Who waits for one value and may load another is told about both, however
 * often the first one was looked at.
 */
static void
test_wait_and_load(void)
{
	GaReply reply;

	tap_begin("wait for one value, and load the other");
	(void) values_stat(&loader, true);
	value_check_load(&loader, values + 1);
	values_wait(&waiter, values, 2, true);
	client_check_waits(&waiter);
	values_load(&loader, values + 1, 1);
	tap_check(client_has_reply(&waiter, 2000) &&
				  client_receive(&waiter, &reply),
			  "no answer");
	tap_check(values_check(&waiter, &reply, values, 2) == 1 &&
				  values_state(&waiter, 0) == GA_STORED_LOAD &&
				  values_state(&waiter, 1) == GA_STORED_RESIDENT,
			  "states %u, %u", values_state(&waiter, 0),
			  values_state(&waiter, 1));
	tap_check(values_stat(&loader, true).n_hits == 1, "hits were counted "
													  "more than once");

	/* nor does anybody wait for itself */
	values_wait(&waiter, values, 1, true);
	tap_check(client_has_reply(&waiter, 2000), "it waits for itself");
	value_check_told(&waiter, values, GA_STORED_STREAM);
	values_check_empty(&loader);
	tap_end();
}

/* Those who wait can go, or have more to say. */
static void
test_waiters_go(void)
{
	GaReply reply;

	tap_begin("who waits goes away");
	value_check_load(&loader, values);
	values_wait(&waiter, values, 1, true);
	values_wait(&waiters[0], values, 1, true);
	values_wait(&waiters[1], values, 1, true);
	client_give(&waiters[1]);
	client_send_ask(&waiters[1], true);
	client_check_waits(&waiter);
	client_close(&waiter);
	values_open(&waiter, &gpuaggd, VALUES_DATABASE);
	values_load(&loader, values, 1);
	value_check_told(&waiters[0], values, GA_STORED_RESIDENT);
	tap_check(client_receive(&waiters[1], &reply) && reply.status == GA_OK &&
				  reply.opcode == GA_SUM_STORED,
			  "no answer");
	tap_check(client_take_window(&waiters[1]) == GA_OK, "no window");
	value_check_resident(&waiters[1], values);
	value_check_resident(&waiter, values);
	values_check_empty(&loader);
	tap_end();
}

/* What is forgotten while it is being loaded is loaded by who asks next. */
static void
test_cleared(void)
{
	const uint32_t n = (uint32_t) batch.arrays[2].n;
	GaStoredLookup how;
	GaRequest request;

	tap_begin("clear what is being loaded");
	value_check_load(&loader, values + 2);
	how = values_how(0);
	request = value_piece(&loader, 1, &values[2], 0, n / 2);
	tap_check(client_call(&loader, &request).status == GA_OK, "a piece");
	values_wait(&waiter, values + 2, 1, true);
	client_check_waits(&waiter);
	tap_check(values_clear(&waiters[0], VALUES_RELATION) == 1, "not one");
	value_check_told(&waiter, values + 2, GA_STORED_LOAD);
	request = value_piece(&loader, 1, &values[2], n / 2, n / 2);
	tap_check(client_call(&loader, &request).status == GA_OK, "the next");
	tap_check(value_ask(&loader, &values[2], &how) == GA_STORED_BUSY,
			  "the other does not load it");
	values_load(&waiter, values + 2, 1);
	value_check_resident(&loader, values + 2);

	/* by the same session again */
	values_check_empty(&loader);
	value_check_load(&loader, values + 2);
	request = value_piece(&loader, 1, &values[2], 0, n / 2);
	tap_check(client_call(&loader, &request).status == GA_OK, "a piece");
	(void) values_clear(&loader, 0);
	value_check_load(&loader, values + 2);
	values_load(&loader, values + 2, 1);
	value_check_resident(&waiter, values + 2);
	values_check_empty(&loader);
	tap_end();
}

int
main(void)
{
	Rng rng = {59};
	int i;

	batch_init(&batch, GA_float8);
	batch_add_random(&batch, &rng, 1000, BATCH_PACKED, BATCH_PACKED);
	batch_add_random(&batch, &rng, 100, BATCH_PACKED, BATCH_PACKED);
	batch_add_random(&batch, &rng, 500000, BATCH_PACKED, BATCH_PACKED);
	values = values_of(&batch, VALUES_FIRST);

	daemon_start(&gpuaggd, "--staging-size=128", "--cache-size=128", NULL);
	values_open(&loader, &gpuaggd, VALUES_DATABASE);
	values_open(&waiter, &gpuaggd, VALUES_DATABASE);
	for (i = 0; i < N_WAITERS; i++)
		values_open(&waiters[i], &gpuaggd, VALUES_DATABASE);
	test_busy();
	test_many(false);
	test_many(true);
	test_wait_and_load();
	test_waiters_go();
	test_cleared();
	client_close(&loader);
	client_close(&waiter);
	for (i = 0; i < N_WAITERS; i++)
		client_close(&waiters[i]);
	tap_begin("the end");
	daemon_stop(&gpuaggd);
	tap_end();
	free(values);
	batch_free(&batch);
	return tap_done();
}
