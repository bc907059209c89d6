/*
 * test_elem_faults.c
 *		Sums by position when the device fails, is slow, wrong or out of
 *		memory, and while other requests are under way.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "stored_elem.h"
#include "tap.h"

#define N_ARRAYS 8
#define N_ALL	 30000 /* elements: some 240 kB */

static Daemon gpuaggd;
static Client client;
static ArraySet set;
static StoredArray *arrays;

/* Start with all arrays resident, whose sums are the first launch. */
static void
start(const char *option, const char *more)
{
	const GaStoredLookup lookup = stored_lookup_next();

	daemon_start(&gpuaggd, "--staging-size=32", option, more, NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	tap_check(stored_make_resident(&client, arrays, N_ARRAYS, &lookup) ==
				  N_ARRAYS,
			  "they are not resident");
}

static void
stop(void)
{
	client_close(&client);
	daemon_stop(&gpuaggd);
}

static GaRequest
name(Client *who, uint32_t slot)
{
	return elem_name(who, slot, arrays, N_ARRAYS, 0, N_ALL);
}

/* Receive the answer to a request, and check its sums. */
static void
receive(Client *who, const GaRequest *request)
{
	ElemResults results = {0, 0};
	GaReply reply;

	tap_check(client_receive(who, &reply), "no reply");
	elem_check(who, request, &reply, arrays, 100, &results);
}

/* A request fails: the session receives that, and gpuaggd ends. */
static void
check_lost(const char *fault, const char *option, const char *reason)
{
	GaRequest request;
	GaReply reply;
	int status;

	start(fault, option);
	request = name(&client, 0);
	client_send(&client, &request);
	if (reason != NULL)
		tap_check(client_receive(&client, &reply) &&
					  reply.status == GA_DEVICE_FAILED &&
					  strstr(reply.reason, reason) != NULL,
				  "status %d, %s", reply.status, reply.reason);
	tap_check(client_is_closed(&client), "the connection is open");
	status = daemon_wait(&gpuaggd, 10000);
	tap_check(reason != NULL ?
				  WIFEXITED(status) && WEXITSTATUS(status) == 20 :
				  WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT,
			  "status %x", status);
	client_close(&client);
	daemon_remove(&gpuaggd);
}

static void
test_lost(void)
{
	tap_begin("sums by position that fail, hang, or crash");
	check_lost("--emulated-faults=fail_launch=2", NULL, "injected failure");
	check_lost("--emulated-faults=hang_launch=2", "--request-timeout=1000",
			   "no answer");
	check_lost("--emulated-faults=crash_launch=2", NULL, NULL);
	tap_end();
}

/* Arrays that it does not need give way; those that it needs do not. */
static void
test_memory(void)
{
	const GaStoredLookup lookup = stored_lookup_next();
	ElemResults results = {0, 0};
	StoredArray another;
	GaRequest request;
	GaReply reply;

	tap_begin("out of memory");
	start("--emulated-faults=refuse_launch=2", NULL);
	request = name(&client, 0);
	reply = client_call(&client, &request);
	tap_check(reply.status == GA_NO_MEMORY, "status %d, %s", reply.status,
			  reply.reason);
	request = name(&client, 0);
	elem_request(&client, &request, arrays, 100, &results);
	tap_check(stored_stat(&client, false).n_evictions == 0, "one gave way");
	stop();

	/* each page is an allocation of its own */
	start("--emulated-faults=refuse_launch=3", "--cache-size=10");
	another = arrays[0];
	another.key.value_id += N_ARRAYS;
	tap_check(stored_make_resident(&client, &another, 1, &lookup) == 1,
			  "not resident");
	request = name(&client, 0);
	elem_request(&client, &request, arrays, 100, &results);
	tap_check(stored_stat(&client, false).n_evictions == 1, "none gave way");
	stop();
	tap_end();
}

/* What a request uses is neither evicted nor removed before its end. */
static void
test_in_use(void)
{
	const GaRequest clear = {.opcode = GA_CLEAR};
	const GaStoredLookup lookup = stored_lookup_next();
	GaRequest request;
	StoredArray *others;
	GaReply reply;
	Client other;
	uint32_t i;

	tap_begin("arrays that are in use stay");
	start("--emulated-faults=slow_launch=300", "--cache-size=12");
	stored_open(&other, &gpuaggd, STORED_DATABASE);
	others = stored_make_all(&set, STORED_FIRST + N_ARRAYS);
	request = name(&client, 0);
	client_send(&client, &request);
	client_check_waits(&client);
	for (i = 0; i < 20; i++)
	{
		others[i % N_ARRAYS].key.value_id += N_ARRAYS;
		(void) stored_request(&other, others + i % N_ARRAYS, 1, &lookup);
		stored_load(&other, others + i % N_ARRAYS, 1);
	}
	receive(&client, &request);

	/* most of them went later, perhaps */
	(void) stored_make_resident(&client, arrays, N_ARRAYS, &lookup);
	request = name(&client, 0);
	client_send(&client, &request);
	client_check_waits(&client);
	client_send(&other, &clear);
	client_check_waits(&other);
	receive(&client, &request);
	do
		tap_check(client_receive(&other, &reply), "no reply");
	while (reply.status == GA_PENDING);
	tap_check(reply.status == GA_OK && reply.u.cache.n_rows >= N_ARRAYS,
			  "status %d", reply.status);
	request = name(&client, 0);
	elem_check_none(&client, &request);
	free(others);
	client_close(&other);
	stop();
	tap_end();
}

/* A session ends while its request is under way. */
static void
test_gone(void)
{
	Client other;
	GaRequest request;

	tap_begin("a session that ends does not wait");
	start("--emulated-faults=slow_launch=100", NULL);
	stored_open(&other, &gpuaggd, STORED_DATABASE);
	request = name(&other, 0);
	client_send(&other, &request);
	request = name(&other, 1);
	client_send(&other, &request);
	client_close(&other);
	request = name(&client, 0);
	client_send(&client, &request);
	receive(&client, &request);
	stored_check_empty(&client);
	stop();
	tap_end();
}

#define N_SESSIONS 3

/* Send a sum of stored arrays, or sums by position; return the request. */
static GaRequest
send_any(Client *who, uint32_t slot, Rng *rng)
{
	const GaStoredLookup lookup = stored_lookup_next();
	GaRequest request;

	if (slot == GA_LEASE_SLOTS)
		request = stored_name(who, arrays, N_ARRAYS, &lookup);
	else if (rng_chance(rng, 4))
		request = client_fill_one(who, slot, slot);
	else
		request = name(who, slot);
	client_send(who, &request);
	return request;
}

/* Receive any answer. */
static void
receive_any(Client *who, const GaRequest *request)
{
	GaReply reply;

	if (request->opcode == GA_ELEM)
	{
		receive(who, request);
		return;
	}
	tap_check(client_receive(who, &reply) && reply.slot == request->slot,
			  "slot %u", reply.slot);
	if (request->opcode == GA_SUM)
		tap_check(client_is_one(who, &reply, request->slot), "a sum");
	else
		tap_check(stored_check(who, &reply, arrays, N_ARRAYS) == N_ARRAYS,
				  "they are not resident");
}

/* Several requests of several sessions; answers come in the order of each. */
static void
test_together(Rng *rng)
{
	Client sessions[N_SESSIONS];
	long i;
	uint32_t s, k;

	tap_begin("several requests at once");
	start("--emulated-faults=slow_launch=2", NULL);
	for (s = 0; s < N_SESSIONS; s++)
		stored_open(&sessions[s], &gpuaggd, STORED_DATABASE);
	for (i = tap_cases(20); i > 0; i--)
	{
		GaRequest requests[N_SESSIONS][GA_LEASE_SLOTS + 1];

		for (k = 0; k <= GA_LEASE_SLOTS; k++)
		{
			for (s = 0; s < N_SESSIONS; s++)
				requests[s][k] = send_any(&sessions[s], k, rng);
		}
		for (s = 0; s < N_SESSIONS; s++)
		{
			for (k = 0; k <= GA_LEASE_SLOTS; k++)
				receive_any(&sessions[s], &requests[s][k]);
		}
	}
	for (s = 0; s < N_SESSIONS; s++)
		client_close(&sessions[s]);
	stored_check_empty(&client);
	stop();
	tap_end();
}

/* Ask for a form; returns how many positions have no value. */
static uint64_t
count_refused(GaRequest *request, GaElemForm form)
{
	uint64_t n_refused;
	GaReply reply;

	request->u.elem.form = form;
	reply = client_call(&client, request);
	tap_check(reply.status == GA_OK && reply.u.elem.has_results == 1,
			  "status %d", reply.status);
	memcpy(&n_refused, client_data(&client, 0) + N_ALL * sizeof(n_refused),
		   sizeof(n_refused));
	return n_refused;
}

/* Where the self-test finds wrong bits, the CPU is to add. */
static void
test_wrong(void)
{
	const GaPartialSum *records;
	char option[64];
	GaRequest request;
	GaReply reply;
	uint32_t i;

	snprintf(option, sizeof(option), "--emulated-faults=wrong_bits=%d",
			 1 << GA_ELEM_SUMS);
	tap_begin("all sums by position are refused on a device that makes wrong "
			  "ones");
	start(option, NULL);
	tap_check(daemon_said(&gpuaggd, "have wrong bits"), "no warning");
	request = name(&client, 0);
	reply = client_call(&client, &request);
	tap_check(reply.status == GA_OK && reply.u.elem.has_results == 1,
			  "status %d", reply.status);
	records = (const GaPartialSum *) client_data(&client, 0);
	for (i = 0; i < N_ALL; i++)
		tap_check(records[i].kind == GA_PARTIAL_REFUSED, "position %u", i);
	tap_check(count_refused(&request, GA_FORM_SUM) == N_ALL, "a sum is not");
	tap_check(count_refused(&request, GA_FORM_MIN) == 0, "an extreme is");
	stop();

	snprintf(option, sizeof(option), "--emulated-faults=wrong_bits=%d",
			 1 << GA_REDUCE_MAX);
	start(option, NULL);
	request = name(&client, 0);
	tap_check(count_refused(&request, GA_FORM_MAX) == N_ALL,
			  "a greatest element is not");
	tap_check(count_refused(&request, GA_FORM_MIN) == 0, "a least one is");
	tap_check(count_refused(&request, GA_FORM_SUM) == 0, "a sum is");
	stop();
	tap_end();
}

int
main(void)
{
	Rng rng = {79};

	if (!daemon_is_emulated())
	{
		printf("1..0 # SKIP a GPU does not fail on purpose\n");
		return 0;
	}
	elem_fill(&set, &rng, GA_float8, N_ARRAYS, N_ALL);
	arrays = stored_make_all(&set, STORED_FIRST);
	test_lost();
	test_memory();
	test_in_use();
	test_gone();
	test_together(&rng);
	test_wrong();
	free(arrays);
	array_set_free(&set);
	return tap_done();
}
