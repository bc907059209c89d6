/*
 * test_value_faults.c
 *		Stored values when the device fails, hangs or crashes, or has no
 *		memory: an answer or the end, and right sums ever after.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tap.h"
#include "values.h"

#define PAGE_BYTES (256 << 10)
#define N_OTHERS   3
#define N_VALUES   12

static Daemon gpuaggd;
static Client client;
static Client others[N_OTHERS];
static Batch batch; /* of a page and a half each */
static Value *values;

static void
start(const char *option, const char *more)
{
	daemon_start(&gpuaggd, "--staging-size=32", option, more, NULL);
	values_open(&client, &gpuaggd, VALUES_DATABASE);
}

static void
stop(void)
{
	client_close(&client);
	daemon_stop(&gpuaggd);
}

/* Totals of the first elements of the first value. */
static GaRequest
scan_request(void)
{
	GaRequest request = {.opcode = GA_SCAN,
						 .slot = 1,
						 .u.scan = {.type = GA_int8,
									.n = 100,
									.is_stored = 1,
									.stored.key = values[0].key,
									.lookup = values_how_next()}};

	return request;
}

/* A request that fails: those who wait are told so, and it is the end. */
static void
check_lost(const char *fault, const char *option, bool scans,
		   const char *reason)
{
	const GaStoredLookup ask = values_how_next();
	GaRequest request;
	GaReply reply;
	int status;

	start(fault, option);
	values_open(&others[0], &gpuaggd, VALUES_DATABASE);
	/* the first launch is the sum of one that is there */
	tap_check(values_have(&client, values, 1, &ask) == 1, "not loaded");
	(void) values_ask(&client, values + 1, 1, &ask);
	request = values_name(&others[0], values + 1, 1, &ask);
	request.u.stored.lookup.waits = 1;
	client_send(&others[0], &request);
	tap_check(!client_has_reply(&others[0], 5), "it does not wait");

	request = scans ? scan_request() : values_name(&client, values, 1, &ask);
	client_send(&client, &request);
	if (reason != NULL)
	{
		tap_check(client_receive(&client, &reply) &&
					  reply.status == GA_DEVICE_FAILED &&
					  strstr(reply.reason, reason) != NULL,
				  "status %d, %s", reply.status, reply.reason);
		tap_check(client_receive(&others[0], &reply) &&
					  reply.status == GA_DEVICE_FAILED,
				  "who waits: %d", reply.status);
	}
	tap_check(client_is_closed(&client) && client_is_closed(&others[0]),
			  "connections are open");
	status = daemon_wait(&gpuaggd, 10000);
	tap_check(reason != NULL ?
				  WIFEXITED(status) && WEXITSTATUS(status) == 20 :
				  WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT,
			  "status %x", status);
	client_close(&client);
	client_close(&others[0]);
	daemon_remove(&gpuaggd);
}

static void
test_lost(bool scans)
{
	const char *told = "told to fail";

	tap_begin("%s that fail, hang, or crash",
			  scans ? "running totals" : "sums of values");
	check_lost("--emulated-faults=fail_launch=2", NULL, scans, told);
	check_lost("--emulated-faults=hang_launch=2", "--request-timeout=200",
			   scans, "no answer");
	check_lost("--emulated-faults=crash_launch=2", NULL, scans, NULL);
	tap_end();
}

/* Have as many values as there is room for; returns how many. */
static uint32_t
fill(void)
{
	const GaStoredLookup ask = values_how_next();

	return values_have(&client, values, N_VALUES, &ask);
}

/*
 * The n-th allocation fails: the first is the window's, others are of memory
 * for values.  There is less of it until it is cleared.
 */
static void
test_allocation(int n)
{
	const uint32_t can_be = 10;
	char fault[40];
	uint64_t n_bytes;
	GaStoredLookup ask = values_how_next();
	GaRequest request;
	GaReply reply;
	uint32_t n_there;

	tap_begin("allocation %d fails", n);
	snprintf(fault, sizeof(fault), "--emulated-faults=fail_allocation=%d", n);
	/* each allocation is of a page, and each value takes two */
	start(fault, "--cache-size=10");
	n_bytes = values_stat(&client, false).cache_bytes;
	tap_check(n_bytes / PAGE_BYTES / 2 <= can_be, "there is room for all");
	request = values_name(&client, values, 1, &ask);
	if (n == 1)
	{
		reply = client_call(&client, &request);
		tap_check(reply.status == GA_NO_MEMORY, "status %d", reply.status);
	}
	n_there = fill();
	tap_check(n == 1 ? n_there == n_bytes / PAGE_BYTES / 2 :
					   n_there < n_bytes / PAGE_BYTES / 2,
			  "%u there", n_there);
	tap_check(n == 1 || daemon_said(&gpuaggd, "and no more"), "no warning");
	values_check_empty(&client);
	tap_check(values_stat(&client, false).cache_bytes == n_bytes,
			  "the room is not as large as at the start");
	tap_check(fill() == n_bytes / PAGE_BYTES / 2, "%u there again", fill());
	values_check_empty(&client);
	stop();
	tap_end();
}

/* A value turns out to be too large: nothing is evicted for it. */
static void
test_turns_out(void)
{
	GaStoredLookup ask = values_how_next();
	Batch large;
	Value value;

	tap_begin("no room for a value, as it turns out");
	start("--emulated-faults=fail_allocation=6", "--cache-size=10");
	tap_check(values_have(&client, values, 2, &ask) == 2, "not loaded");
	batch_init(&large, GA_int8);
	memset(batch_add(&large, "large", 6 * PAGE_BYTES / 8, 0, 0), 1,
		   6 * PAGE_BYTES);
	value = value_of(&large, 0, VALUES_FIRST + 100);
	ask = values_how_next();
	tap_check(value_ask(&client, &value, &ask) == GA_STORED_STREAM,
			  "there is room");
	tap_check(values_stat(&client, false).n_evictions == 0 &&
				  values_ask(&client, values, 2, &ask) == 2,
			  "some went in vain");
	batch_free(&large);
	values_check_empty(&client);
	stop();
	tap_end();
}

/* Windows come first: values give way. */
static void
test_give_way(void)
{
	const GaStoredLookup ask = values_how_next();
	uint32_t n_there;
	uint32_t n_left;
	int i;

	tap_begin("values give way to windows");
	start("--cache-size=9", NULL);
	n_there = fill();
	tap_check(n_there > 2, "only %u", n_there);
	for (i = 0; i < N_OTHERS; i++)
	{
		values_open(&others[i], &gpuaggd, VALUES_DATABASE);
		n_left = values_ask(&others[i], values, n_there,
							&(GaStoredLookup){.statement_id = ask.statement_id,
											  .sample = ask.sample});
		tap_check(n_left <= n_there, "more than before");
		n_there = n_left;
		tap_check(client_sum_one(&others[i], 1, i) == GA_OK, "no window");
	}
	tap_check(values_stat(&client, false).n_evictions > 0, "none gave way");
	for (i = 0; i < N_OTHERS; i++)
		client_close(&others[i]);
	values_check_empty(&client);
	stop();
	tap_end();
}

/* All of them are being loaded: who needs a window has to do without. */
static void
test_no_way(void)
{
	const GaStoredLookup ask = values_how_next();
	GaRequest request;
	GaReply reply;
	uint32_t n = 0;
	uint32_t i;

	tap_begin("values that are being loaded do not");
	start("--cache-size=8", NULL);
	(void) values_ask(&client, values, N_VALUES, &ask);
	for (i = 0; i < N_VALUES; i++)
		n += values_state(&client, i) == GA_STORED_LOAD;
	tap_check(n > 1, "only %u", n);
	for (i = 0; i < N_OTHERS; i++)
	{
		values_open(&others[i], &gpuaggd, VALUES_DATABASE);
		request = client_fill_one(&others[i], 0, i);
		reply = client_call(&others[i], &request);
		tap_check(i < N_OTHERS - 1 ?
					  reply.status == GA_OK || reply.status == GA_NO_MEMORY :
					  reply.status == GA_NO_MEMORY,
				  "window %u: %d", i, reply.status);
	}
	values_load(&client, values, N_VALUES);
	tap_check(values_ask(&client, values, N_VALUES, &ask) == n,
			  "not all were loaded");
	tap_check(client_sum_one(&others[N_OTHERS - 1], 0, 5) == GA_OK,
			  "no window in the end");
	for (i = 0; i < N_OTHERS; i++)
		client_close(&others[i]);
	values_check_empty(&client);
	stop();
	tap_end();
}

int
main(void)
{
	Rng rng = {73};
	int i;

	if (!daemon_is_emulated())
	{
		printf("1..0 # SKIP a GPU does not fail on purpose\n");
		return 0;
	}
	batch_init(&batch, GA_int8);
	for (i = 0; i < N_VALUES; i++)
		elements_fill_fast(
			GA_int8, &rng, 3 * PAGE_BYTES / 16,
			batch_add(&batch, "a page and a half", 3 * PAGE_BYTES / 16, 0, 0));
	values = values_of(&batch, VALUES_FIRST);
	test_lost(false);
	test_lost(true);
	for (i = 1; i <= 6; i++)
		test_allocation(i);
	test_turns_out();
	test_give_way();
	test_no_way();
	free(values);
	batch_free(&batch);
	return tap_done();
}
