/*
 * test_stored_refused.c
 *		Requests that are refused for lack of memory: what the session sends
 *		behind a segment breaks no rule, and few resident arrays give way.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tap.h"
#include "stored_elem.h"

#define N_OTHERS   4
#define N_ARRAYS   12
#define PAGE_BYTES (256 << 10)
#define N_ELEMENTS (PAGE_BYTES / 8 * 3 / 2)

static Daemon gpuaggd;
static Client client;
static Client others[N_OTHERS];
static StoredArray arrays[N_ARRAYS];

static void
start(const char *faults, const char *cache_size)
{
	daemon_start(&gpuaggd, "--staging-size=64", "--cache-packing=off",
				 cache_size, faults, NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
}

static void
stop(void)
{
	client_close(&client);
	daemon_stop(&gpuaggd);
}

/* Have slow requests of others take all memory that arrays leave. */
static void
take_memory(void)
{
	int i;

	for (i = 0; i < N_OTHERS; i++)
	{
		GaRequest request = client_fill_one(&others[i], 0, i);

		client_send(&others[i], &request);
	}
	client_check_waits(&others[0]);
}

static void
test_segment(void)
{
	GaStoredLookup lookup = stored_lookup_next();
	GaRequest segment;
	GaReply reply;
	int i;

	tap_begin("a segment that is refused");
	start("--emulated-faults=slow_launch=1500", "--cache-size=8");
	for (i = 0; i < N_OTHERS; i++)
		stored_open(&others[i], &gpuaggd, STORED_DATABASE);
	(void) stored_request(&client, arrays, N_ARRAYS, &lookup);
	tap_check(stored_state(&client, 0) == GA_STORED_LOAD, "not to be loaded");
	take_memory();
	/* after two failures the session is refused for a moment */
	tap_check(client_sum_one(&client, 2, 1) == GA_NO_MEMORY &&
				  client_sum_one(&client, 2, 1) == GA_NO_MEMORY,
			  "there is memory");
	segment = stored_segment(&client, 1, &arrays[0], 0, 100);
	tap_check(client_call(&client, &segment).status == GA_NO_MEMORY,
			  "the first segment");
	usleep(150 * 1000);
	segment = stored_segment(&client, 1, &arrays[0], 100, 100);
	reply = client_call(&client, &segment);
	tap_check(reply.status == GA_OK, "the next one: %d, %s", reply.status,
			  reply.reason);
	for (i = 0; i < N_OTHERS; i++)
		tap_check(client_receive(&others[i], &reply), "the others: %d", i);
	lookup = stored_lookup_next();
	tap_check(stored_make_resident(&client, arrays, 1, &lookup) == 1,
			  "it is not loaded later");
	for (i = 0; i < N_OTHERS; i++)
		client_close(&others[i]);
	stop();
	tap_end();
}

/* Load all arrays. */
static void
fill(void)
{
	const GaStoredLookup lookup = stored_lookup_next();

	tap_check(stored_make_resident(&client, arrays, N_ARRAYS, &lookup) ==
				  N_ARRAYS,
			  "not all are resident");
}

/*
 * The device refuses memory for a request: arrays give way that have as much,
 * four of them to a slab of 2 MB, and no more.
 */
static void
test_device(void)
{
	uint64_t n;

	tap_begin("arrays give way to a request that the device refuses");
	start("--emulated-faults=no_memory_after=4", "--cache-size=64");
	fill();
	tap_check(client_sum_one(&client, 0, 1) == GA_NO_MEMORY, "not refused");
	n = stored_stat(&client, false).n_evictions;
	tap_check(n >= 1 && n <= 5, "%llu gave way", (unsigned long long) n);
	stop();
	tap_end();
}

/* Can gpuaggd be denied memory?  A sanitizer has it end then. */
static bool
takes_limits(void)
{
	const char *program = getenv("GA_GPUAGGD");

	return daemon_is_emulated() &&
		   (program == NULL || strstr(program, "sanitized") == NULL);
}

/* Deny gpuaggd more memory of the host, or not any more. */
static void
limit_memory(rlim_t n_bytes)
{
	const struct rlimit limit = {n_bytes, RLIM_INFINITY};

	tap_check(prlimit(gpuaggd.pid, RLIMIT_AS, &limit, NULL) == 0, "prlimit");
}

/* The host has no memory for a request: arrays on the device cannot help. */
static void
test_host(void)
{
	ElemResults results = {0, 0};
	GaRequest request;
	GaReply reply;

	tap_begin("no array gives way to a request that the host refuses");
	start(NULL, "--cache-size=64");
	fill();
	/* it has its memory on the device then */
	tap_check(client_sum_one(&client, 0, 1) == GA_OK, "a sum");
	request = elem_name(&client, 0, arrays, 2, 0, 1000);
	limit_memory(1);
	reply = client_call(&client, &request);
	limit_memory(RLIM_INFINITY);
	tap_check(reply.status == GA_NO_MEMORY &&
				  strstr(reply.reason, "malloc") != NULL,
			  "status %d, %s", reply.status, reply.reason);
	tap_check(stored_stat(&client, false).n_evictions == 0, "some gave way");
	request = elem_name(&client, 0, arrays, 2, 0, 1000);
	elem_request(&client, &request, arrays, 100, &results);
	stop();
	tap_end();
}

int
main(void)
{
	ArraySet set;
	Rng rng = {71};
	uint32_t i;

	array_set_init(&set, GA_int8);
	elements_fill_fast(GA_int8, &rng, N_ELEMENTS,
					   array_set_add(&set, "ints", N_ELEMENTS, 0, 0));
	for (i = 0; i < N_ARRAYS; i++)
		arrays[i] = stored_make(&set, 0, STORED_FIRST + i);
	test_segment();
	if (daemon_is_emulated())
		test_device();
	if (takes_limits())
		test_host();
	array_set_free(&set);
	return tap_done();
}
