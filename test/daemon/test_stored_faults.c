/*
 * test_stored_faults.c
 *		Stored arrays when the device fails, hangs or crashes, or has no
 *		memory: an answer or the end, and right sums ever after.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"
#include "stored.h"

#define PAGE_BYTES (256 << 10)
#define N_OTHERS   3
#define N_ARRAYS   12
#define MOST_TRIES 5

/* A session that loads and is idle for so long is not waited for. */
#define IDLE_MS 1000

static Daemon gpuaggd;
static Client client;
static Client others[N_OTHERS];
static ArraySet set; /* of a page and a half each */
static StoredArray *arrays;

/* Packing would take launches and pages: test_packed_faults.c has those. */
static void
start(const char *option, const char *more)
{
	daemon_start(&gpuaggd, "--staging-size=32", "--cache-packing=off", option,
				 more, NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
}

static void
stop(void)
{
	client_close(&client);
	daemon_stop(&gpuaggd);
}

/* Totals of the first elements of the first array. */
static GaRequest
scan_request(void)
{
	GaRequest request = {.opcode = GA_SCAN,
						 .slot = 1,
						 .u.scan = {.type = GA_int8,
									.n = 100,
									.is_stored = 1,
									.stored.key = arrays[0].key,
									.lookup = stored_lookup_next()}};

	return request;
}

/* What fails. */
typedef enum Failing
{
	SUMS = 0,
	REDUCTIONS,
	SCANS
} Failing;

static GaRequest
failing_request(Failing failing, const GaStoredLookup *lookup)
{
	GaRequest request = failing == SCANS ?
							scan_request() :
							stored_name(&client, arrays, 1, lookup);

	if (failing == REDUCTIONS)
		request.u.stored.reduction = GA_REDUCE_MOMENTS;
	return request;
}

/*
 * A request fails: waiting sessions receive that, and gpuaggd ends.  Return
 * false if that came so late that none may have waited for an idle session any
 * longer.
 */
static bool
try_lost(const char *fault, const char *option, Failing failing,
		 const char *reason)
{
	const GaStoredLookup lookup = stored_lookup_next();
	GaRequest request;
	double load_ms;
	bool waits;
	bool is_late;
	GaReply reply;
	int status;

	start(fault, option);
	stored_open(&others[0], &gpuaggd, STORED_DATABASE);
	/* the first launch is the sum of one that is there */
	tap_check(stored_make_resident(&client, arrays, 1, &lookup) == 1,
			  "not loaded");
	load_ms = now_ms();
	(void) stored_request(&client, arrays + 1, 1, &lookup);
	request = stored_name(&others[0], arrays + 1, 1, &lookup);
	request.u.stored.lookup.waits = 1;
	client_send(&others[0], &request);
	waits = !client_has_reply(&others[0], 5);

	request = failing_request(failing, &lookup);
	client_send(&client, &request);
	if (reason != NULL)
		tap_check(client_receive(&client, &reply) &&
					  reply.status == GA_DEVICE_FAILED &&
					  strstr(reply.reason, reason) != NULL,
				  "status %d, %s", reply.status, reply.reason);
	tap_check(client_is_closed(&client), "the connection is open");
	is_late = now_ms() - load_ms >= IDLE_MS;
	if (!is_late)
	{
		tap_check(waits, "it does not wait");
		if (reason != NULL)
			tap_check(client_receive(&others[0], &reply) &&
						  reply.status == GA_DEVICE_FAILED,
					  "a waiting session: %d", reply.status);
		tap_check(client_is_closed(&others[0]), "its connection is open");
	}
	status = daemon_wait(&gpuaggd, 10000);
	tap_check(reason != NULL ?
				  WIFEXITED(status) && WEXITSTATUS(status) == 20 :
				  WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT,
			  "status %x", status);
	client_close(&client);
	client_close(&others[0]);
	daemon_remove(&gpuaggd);
	return !is_late;
}

/* On a busy machine it may be late, so it is tried again. */
static void
check_lost(const char *fault, const char *option, Failing failing,
		   const char *reason)
{
	int n_late = 0;

	while (n_late < MOST_TRIES && !try_lost(fault, option, failing, reason))
		n_late++;
	tap_check(n_late < MOST_TRIES, "%s: it was late each time", fault);
}

static void
test_lost(Failing failing)
{
	static const char *const names[] = {"sums of arrays", "other reductions",
										"running totals"};
	const char *injected = "injected failure";

	tap_begin("%s that fail, hang, or crash", names[failing]);
	check_lost("--emulated-faults=fail_launch=2", NULL, failing, injected);
	check_lost("--emulated-faults=hang_launch=2", "--request-timeout=500",
			   failing, "no answer");
	check_lost("--emulated-faults=crash_launch=2", NULL, failing, NULL);
	tap_end();
}

/* Load as many arrays as there is memory for; returns how many. */
static uint32_t
fill(void)
{
	const GaStoredLookup lookup = stored_lookup_next();

	return stored_make_resident(&client, arrays, N_ARRAYS, &lookup);
}

/*
 * The n-th allocation fails: the first is a request's, others are of memory
 * for arrays.  There is less of it until it is cleared.
 */
static void
test_allocation(int n)
{
	const uint32_t can_be = 10;
	char fault[60];
	uint64_t n_bytes;
	uint32_t n_there;

	tap_begin("allocation %d fails", n);
	snprintf(fault, sizeof(fault), "--emulated-faults=fail_allocation=%d", n);
	/* each allocation is of a page, and each array takes two */
	start(fault, "--cache-size=10");
	n_bytes = stored_stat(&client, false).cache_bytes;
	tap_check(n_bytes / PAGE_BYTES / 2 <= can_be, "there is memory for all");
	tap_check(client_sum_one(&client, 1, 1) == (n == 1 ? GA_NO_MEMORY : GA_OK),
			  "the first allocation");
	n_there = fill();
	tap_check(n == 1 ? n_there == n_bytes / PAGE_BYTES / 2 :
					   n_there < n_bytes / PAGE_BYTES / 2,
			  "%u there", n_there);
	tap_check(n == 1 || daemon_said(&gpuaggd, "and no more"), "no warning");
	stored_check_empty(&client);
	tap_check(stored_stat(&client, false).cache_bytes == n_bytes,
			  "there is less memory than at the start");
	tap_check(fill() == n_bytes / PAGE_BYTES / 2, "%u there again", fill());
	stored_check_empty(&client);
	stop();
	tap_end();
}

/* An array turns out to be too large: nothing is evicted for it. */
static void
test_turns_out(void)
{
	GaStoredLookup lookup = stored_lookup_next();
	ArraySet large;
	StoredArray array;

	tap_begin("no memory for an array, as it turns out");
	start("--emulated-faults=fail_allocation=6", "--cache-size=10");
	tap_check(stored_make_resident(&client, arrays, 2, &lookup) == 2,
			  "not loaded");
	array_set_init(&large, GA_int8);
	memset(array_set_add(&large, "large", 6 * PAGE_BYTES / 8, 0, 0), 1,
		   6 * PAGE_BYTES);
	array = stored_make(&large, 0, STORED_FIRST + 100);
	lookup = stored_lookup_next();
	tap_check(stored_request_one(&client, &array, &lookup) == GA_STORED_STREAM,
			  "there is memory");
	tap_check(stored_stat(&client, false).n_evictions == 0 &&
				  stored_request(&client, arrays, 2, &lookup) == 2,
			  "some went in vain");
	array_set_free(&large);
	stored_check_empty(&client);
	stop();
	tap_end();
}

/* Send the sums of all others at once. */
static void
send_sums(uint32_t slot)
{
	int i;

	for (i = 0; i < N_OTHERS; i++)
	{
		GaRequest request = client_fill_one(&others[i], slot, i);

		client_send(&others[i], &request);
	}
}

/* Requests come first: arrays give way. */
static void
test_give_way(void)
{
	const GaStoredLookup lookup = stored_lookup_next();
	uint32_t n_there;
	uint32_t n_left;
	GaReply reply;
	int i;

	tap_begin("arrays give way to requests");
	start("--cache-size=9", "--emulated-faults=slow_launch=50");
	n_there = fill();
	tap_check(n_there > 2, "only %u", n_there);
	for (i = 0; i < N_OTHERS; i++)
		stored_open(&others[i], &gpuaggd, STORED_DATABASE);
	send_sums(1);
	for (i = 0; i < N_OTHERS; i++)
	{
		tap_check(client_receive(&others[i], &reply) &&
					  client_is_one(&others[i], &reply, i),
				  "no memory");
		n_left = stored_request(
			&others[i], arrays, n_there,
			&(GaStoredLookup){.statement_id = lookup.statement_id,
							  .sample = lookup.sample});
		tap_check(n_left <= n_there, "more than before");
		n_there = n_left;
	}
	tap_check(stored_stat(&client, false).n_evictions > 0, "none gave way");
	for (i = 0; i < N_OTHERS; i++)
		client_close(&others[i]);
	stored_check_empty(&client);
	stop();
	tap_end();
}

/* All of them are being loaded: a request cannot have their memory. */
static void
test_no_way(void)
{
	const GaStoredLookup lookup = stored_lookup_next();
	GaReply reply;
	uint32_t n_refused = 0;
	uint32_t n = 0;
	uint32_t i;

	tap_begin("arrays that are being loaded do not");
	start("--cache-size=8", "--emulated-faults=slow_launch=50");
	(void) stored_request(&client, arrays, N_ARRAYS, &lookup);
	for (i = 0; i < N_ARRAYS; i++)
		n += stored_state(&client, i) == GA_STORED_LOAD;
	tap_check(n > 1, "only %u", n);
	for (i = 0; i < N_OTHERS; i++)
		stored_open(&others[i], &gpuaggd, STORED_DATABASE);
	send_sums(0);
	for (i = 0; i < N_OTHERS; i++)
	{
		tap_check(client_receive(&others[i], &reply) &&
					  (reply.status == GA_OK || reply.status == GA_NO_MEMORY),
				  "request %u: %d", i, reply.status);
		n_refused += reply.status == GA_NO_MEMORY;
	}
	tap_check(n_refused > 0, "there was memory for all");
	stored_load(&client, arrays, N_ARRAYS);
	tap_check(stored_request(&client, arrays, N_ARRAYS, &lookup) == n,
			  "not all were loaded");
	/* after two failures the device is left alone for a moment */
	usleep(150 * 1000);
	tap_check(client_sum_one(&others[N_OTHERS - 1], 0, 5) == GA_OK,
			  "no memory in the end");
	for (i = 0; i < N_OTHERS; i++)
		client_close(&others[i]);
	stored_check_empty(&client);
	stop();
	tap_end();
}

/* The removal of an array waits for a request that uses it, even in vain. */
static void
test_clear(void)
{
	const GaRequest clear = {.opcode = GA_CLEAR};
	GaStoredLookup lookup = stored_lookup_next();
	GaRequest request;
	GaReply reply;

	tap_begin("a removal does not end while a request hangs");
	start("--emulated-faults=hang_launch=1", "--request-timeout=2000");
	client_open(&others[0], &gpuaggd);
	(void) stored_request(&client, arrays, 1, &lookup);
	stored_load(&client, arrays, 1);
	lookup.loads = 0;
	request = stored_name(&client, arrays, 1, &lookup);
	client_send(&client, &request);
	tap_check(!client_has_reply(&client, 20), "it does not hang");
	client_send(&others[0], &clear);
	do
		tap_check(client_receive(&others[0], &reply), "no reply");
	while (reply.status == GA_PENDING);
	tap_check(reply.status == GA_DEVICE_FAILED, "it ended: %d", reply.status);
	(void) daemon_wait(&gpuaggd, 10000);
	client_close(&client);
	client_close(&others[0]);
	daemon_remove(&gpuaggd);
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
	array_set_init(&set, GA_int8);
	for (i = 0; i < N_ARRAYS; i++)
		elements_fill_fast(GA_int8, &rng, 3 * PAGE_BYTES / 16,
						   array_set_add(&set, "a page and a half",
										 3 * PAGE_BYTES / 16, 0, 0));
	arrays = stored_make_all(&set, STORED_FIRST);
	test_lost(SUMS);
	test_lost(REDUCTIONS);
	test_lost(SCANS);
	for (i = 1; i <= 6; i++)
		test_allocation(i);
	test_turns_out();
	test_give_way();
	test_no_way();
	test_clear();
	free(arrays);
	array_set_free(&set);
	return tap_done();
}
