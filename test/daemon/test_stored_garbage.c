/*
 * test_stored_garbage.c
 *		Slots that change while gpuaggd reads references to stored arrays
 *		there, and slots full of garbage: an answer, or the end of the
 *		session.
 */
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "stored.h"

#define N_ELEMENTS 1000

static Daemon gpuaggd;
static Client witness;
static ArraySet set;		/* a small array, and one of several pages */
static StoredArray *arrays; /* and one more, of sums in full records */

/* What is checked is what is used, whatever the slot says in between. */
static void
test_changing_segments(Rng *rng)
{
	Client client;
	int i;

	tap_begin("segments that change while they are read");
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	for (i = 0; i < 1000; i++)
	{
		GaStoredLookup lookup = stored_lookup_next();
		volatile GaLoadSegment *segment = client_slot(&client, 1)->segments;
		GaRequest request;
		GaReply reply;

		(void) stored_request(&client, arrays, 2, &lookup);
		request = stored_segment(&client, 1, &arrays[0], 0, N_ELEMENTS);
		client_send(&client, &request);
		segment->n = UINT32_MAX;
		segment->from = (uint32_t) rng_next(rng);
		segment->at = (uint32_t) rng_next(rng);
		segment->n_all = (uint32_t) rng_next(rng);
		segment->n = N_ELEMENTS;
		if (client_receive(&client, &reply) && reply.status == GA_OK)
		{
			(void) stored_clear(&client, 0);
			continue;
		}
		tap_check(reply.status == GA_BAD_REQUEST, "status %d", reply.status);
		client_close(&client);
		stored_open(&client, &gpuaggd, STORED_DATABASE);
	}
	client_close(&client);
	(void) stored_clear(&witness, 0);
	stored_check_witness(&witness, arrays);
	tap_end();
}

/*
 * The same of names, and of the sums in full records of parts, on a device
 * that takes its time.
 */
static void
test_changing_sums(Rng *rng)
{
	GaStoredLookup lookup = stored_lookup_next();
	Client client;
	int i;

	tap_begin("a slot that changes while arrays are summed");
	(void) stored_fragment(&witness);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	tap_check(stored_make_resident(&client, arrays + 2, 1, &lookup) == 1,
			  "not loaded");
	for (i = 0; i < 50; i++)
	{
		GaRequest request = stored_name(&client, arrays + 2, 1, &lookup);
		const GaLookupSlot slot = client_lookup(&client, CLIENT_LOOKUP);
		volatile uint64_t *data = (uint64_t *) slot.refs;
		volatile uint64_t *words = (uint64_t *) slot.full;
		GaReply reply;

		request.u.stored.reduction = i % GA_N_REDUCTIONS;
		client_send(&client, &request);
		while (!client_has_reply(&client, 0))
		{
			words[rng_below(rng, 300)] = rng_next(rng);
			if (rng_chance(rng, 20))
				data[rng_below(rng, 4)] = rng_next(rng);
		}
		tap_check(client_receive(&client, &reply) && reply.status == GA_OK,
				  "status %d", reply.status);
	}
	tap_check(stored_request(&client, arrays + 2, 1, &lookup) == 1,
			  "it is gone");
	client_close(&client);
	(void) stored_clear(&witness, 0);
	stored_check_witness(&witness, arrays);
	tap_end();
}

/* Random requests, with random bytes in the slot; only samples are honest. */
static void
test_garbage(Rng *rng)
{
	const long n = tap_cases(2000);
	Client client;
	long i;

	tap_begin("garbage");
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	for (i = 0; i < n; i++)
	{
		static const uint32_t operations[] = {GA_REDUCE_STORED, GA_LOAD,
											  GA_SCAN};
		const GaStoredLookup lookup = stored_lookup_next();
		const uint32_t opcode = operations[rng_below(rng, 3)];
		GaRequest request = {
			.opcode = opcode,
			.slot = opcode == GA_REDUCE_STORED ? CLIENT_LOOKUP + 1 : 1};
		GaSlot *slot = client_slot(&client, 1);
		uint32_t *words = (uint32_t *) slot->segments;
		GaReply reply;
		int j;

		(void) stored_request(&client, arrays, 2, &lookup);
		for (j = 0; j < 40; j++)
			words[j] = rng_chance(rng, 3) ? (uint32_t) rng_next(rng) :
											(uint32_t) rng_below(rng, 20);
		for (j = 0; j < 4; j++)
			slot->segments[j].key = arrays[rng_below(rng, 2)].key;
		memcpy(client_data(&client, 1), words, 160);
		memcpy(client_lookup(&client, CLIENT_LOOKUP + 1).refs, words, 160);
		for (j = 2; j < (int) (sizeof(request) / sizeof(uint32_t)) - 2; j++)
			((uint32_t *) &request)[j] =
				rng_chance(rng, 3) ?
					0 :
					(uint32_t) rng_below(rng, 1 << rng_below(rng, 12));
		if (request.opcode == GA_SCAN)
		{
			request.u.scan.stored.key = arrays[rng_below(rng, 2)].key;
			request.u.scan.lookup = lookup;
		}
		else if (request.opcode == GA_REDUCE_STORED)
			request.u.stored.lookup = lookup;
		client_send(&client, &request);
		if (client_receive(&client, &reply) && reply.status != GA_BAD_REQUEST)
			continue;
		client_close(&client);
		stored_open(&client, &gpuaggd, STORED_DATABASE);
	}
	client_close(&client);
	(void) stored_clear(&witness, 0);
	stored_check_witness(&witness, arrays);
	tap_end();
}

static void
open_witness(const char *faults)
{
	daemon_start(&gpuaggd, "--staging-size=24", "--cache-size=40", faults,
				 NULL);
	stored_open(&witness, &gpuaggd, STORED_DATABASE);
}

static void
close_witness(void)
{
	client_close(&witness);
	tap_begin("the end");
	daemon_stop(&gpuaggd);
	tap_end();
}

int
main(void)
{
	static const double far[] = {1e300, 1, 1e-300};
	Rng rng = {89};
	ArraySet far_apart;
	char *elements;
	int i;

	array_set_init(&set, GA_int8);
	array_set_add_random(&set, &rng, N_ELEMENTS, ARRAY_SET_PACKED,
						 ARRAY_SET_PACKED);
	array_set_add_random(&set, &rng, 100000, ARRAY_SET_PACKED,
						 ARRAY_SET_PACKED);
	array_set_init(&far_apart, GA_float8);
	elements = array_set_add(&far_apart, "far apart", 100000, 0, 0);
	for (i = 0; i < 100000; i++)
		memcpy(elements + i * sizeof(double), &far[i % 3], sizeof(double));
	arrays = stored_make_all(&set, STORED_FIRST);
	arrays = realloc(arrays, 3 * sizeof(*arrays));
	arrays[2] = stored_make(&far_apart, 0, STORED_FIRST + 2);

	open_witness(NULL);
	test_changing_segments(&rng);
	test_garbage(&rng);
	close_witness();
	open_witness("--emulated-faults=slow_launch=2");
	test_changing_sums(&rng);
	close_witness();
	free(arrays);
	array_set_free(&set);
	array_set_free(&far_apart);
	return tap_done();
}
