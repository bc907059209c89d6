/*
 * test_value_leave.c
 *		Sessions that go away while they load or use a value, on a device that
 *		takes its time: nothing stays that is half done.
 */
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "values.h"

static Daemon gpuaggd;
static Client loader;
static Client waiter;
static Client other;
static Batch batch; /* two small values, and one of some slots */
static Value *values;

/* How the loader goes away. */
static void
go_away(bool closes)
{
	if (closes)
	{
		client_close(&loader);
		values_open(&loader, &gpuaggd, VALUES_DATABASE);
	}
	else
	{
		client_give(&loader);
		client_ask(&loader, true);
	}
}

/* Before its first piece, or with pieces sent, of which some were answered. */
static void
test_gone(bool closes, int n_sent, int n_answered)
{
	const uint32_t piece = (uint32_t) batch.arrays[2].n / 3 + 1;
	GaReply reply;
	int i;

	tap_begin("the loader %s with %d of 3 pieces sent, %d answered",
			  closes ? "goes" : "gives its window back", n_sent, n_answered);
	value_check_load(&loader, values + 2);
	values_wait(&waiter, values + 2, 1, true);
	values_wait(&other, values + 2, 1, false);
	for (i = 0; i < n_sent; i++)
	{
		GaRequest request = value_piece(&loader, (uint32_t) i + 1, &values[2],
										(uint32_t) i * piece, piece);

		client_send(&loader, &request);
		if (i < n_answered)
			tap_check(client_receive(&loader, &reply) && reply.status == GA_OK,
					  "piece %d: %d, %s", i, reply.status, reply.reason);
	}
	client_check_waits(&waiter);
	if (closes)
		go_away(true);
	else
	{
		client_give(&loader);
		for (i = n_answered; i < n_sent; i++)
			tap_check(client_receive(&loader, &reply) && reply.status == GA_OK,
					  "piece %d: %d", i, reply.status);
		client_ask(&loader, true);
	}
	/* a value of which there is a part is none */
	value_check_told(&waiter, values + 2, GA_STORED_LOAD);
	tap_check(values_stat(&loader, false).n_resident == 1, "not one value");
	client_check_waits(&other);
	values_load(&waiter, values + 2, 1);
	value_check_told(&other, values + 2, GA_STORED_RESIDENT);
	value_check_resident(&loader, values + 2);
	values_check_empty(&loader);
	tap_end();
}

/* Who may not load is told that there is nothing to be had. */
static void
test_gone_for_all(void)
{
	tap_begin("the loader goes, and nobody else may load");
	value_check_load(&loader, values);
	values_wait(&waiter, values, 1, false);
	client_check_waits(&waiter);
	go_away(true);
	value_check_told(&waiter, values, GA_STORED_STREAM);
	values_check_empty(&loader);
	tap_end();
}

/* What happens while a request is on the device for a while. */
static void
test_slow(void)
{
	GaRequest request;
	GaStoredLookup how = values_how(0);
	GaReply reply;

	tap_begin("forget what is in use");
	tap_check(values_have(&loader, values, 3, &how) == 3, "not loaded");
	request = values_name(&waiter, values, 3, &how);
	client_send(&waiter, &request);
	sleep_ms(5);
	tap_check(values_clear(&loader, 0) == 3, "not three");
	tap_check(values_stat(&loader, false).n_cache_bytes == 0, "some is left");
	tap_check(values_have(&loader, values, 3, &how) == 3, "not again");
	tap_check(client_receive(&waiter, &reply) &&
				  values_check(&waiter, &reply, values, 3) == 3,
			  "no sums");
	value_check_resident(&waiter, values + 1);
	values_check_empty(&loader);
	tap_end();

	tap_begin("who uses it goes away");
	tap_check(values_have(&loader, values, 3, &how) == 3, "not loaded");
	request = values_name(&waiter, values, 3, &how);
	client_send(&waiter, &request);
	sleep_ms(5);
	client_close(&waiter);
	values_check_empty(&loader);
	tap_check(values_have(&loader, values, 3, &how) == 3, "not again");
	values_open(&waiter, &gpuaggd, VALUES_DATABASE);
	values_check_empty(&loader);
	tap_end();
}

/* Its last piece is on the device when it is cleared. */
static void
test_slow_clear(void)
{
	GaRequest request;
	GaReply reply;

	tap_begin("clear what is on its way");
	value_check_load(&loader, values);
	request = value_piece(&loader, 1, &values[0], 0, UINT32_MAX);
	client_send(&loader, &request);
	values_wait(&waiter, values, 1, true);
	client_check_waits(&waiter);
	tap_check(values_clear(&other, 0) == 1, "not one");
	value_check_told(&waiter, values, GA_STORED_LOAD);
	tap_check(client_receive(&loader, &reply) && reply.status == GA_OK,
			  "status %d", reply.status);
	values_load(&waiter, values, 1);
	value_check_resident(&loader, values);
	values_check_empty(&loader);
	tap_end();
}

int
main(void)
{
	Rng rng = {97};

	batch_init(&batch, GA_float8);
	batch_add_random(&batch, &rng, 1000, BATCH_PACKED, BATCH_PACKED);
	batch_add_random(&batch, &rng, 100, BATCH_PACKED, BATCH_PACKED);
	batch_add_random(&batch, &rng, 500000, BATCH_PACKED, BATCH_PACKED);
	values = values_of(&batch, VALUES_FIRST);

	daemon_start(&gpuaggd, "--staging-size=40", "--cache-size=64",
				 "--emulated-faults=slow_launch=30", NULL);
	values_open(&loader, &gpuaggd, VALUES_DATABASE);
	values_open(&waiter, &gpuaggd, VALUES_DATABASE);
	values_open(&other, &gpuaggd, VALUES_DATABASE);
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
	free(values);
	batch_free(&batch);
	return tap_done();
}
