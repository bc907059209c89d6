/*
 * test_stored_refused.c
 *		A segment of a stored array that is refused for lack of memory: what
 *		the session sends behind it breaks no rule.
 */
#include <unistd.h>

#include "tap.h"
#include "stored.h"

#define N_OTHERS   4
#define N_ARRAYS   12
#define PAGE_BYTES (256 << 10)
#define N_ELEMENTS (PAGE_BYTES / 8 * 3 / 2)

static Daemon gpuaggd;
static Client client;
static Client others[N_OTHERS];
static StoredArray arrays[N_ARRAYS];

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
	daemon_start(&gpuaggd, "--staging-size=64", "--cache-packing=off",
				 "--cache-size=8", "--emulated-faults=slow_launch=1500", NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	for (i = 0; i < N_OTHERS; i++)
		stored_open(&others[i], &gpuaggd, STORED_DATABASE);
	test_segment();
	client_close(&client);
	for (i = 0; i < N_OTHERS; i++)
		client_close(&others[i]);
	daemon_stop(&gpuaggd);
	array_set_free(&set);
	return tap_done();
}
