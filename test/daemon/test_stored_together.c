/*
 * test_stored_together.c
 *		Sums and other reductions of resident arrays in several slots at once:
 *		each slot has its own results.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stored_reduce.h"
#include "tap.h"

#define N_TOGETHER GA_LOOKUP_COUNT /* lookup slots */

static Daemon gpuaggd;
static Client client;

/* A lookup of one array in one of several slots. */
static GaRequest
name_in_slot(uint32_t slot, const StoredArray *array, GaReduction reduction)
{
	const GaLookupSlot to = client_lookup(&client, CLIENT_LOOKUP + slot);
	const GaStoredLookup lookup = stored_lookup(0);

	to.refs[0] = (GaStoredRef){.key = array->key, .state = UINT32_MAX};
	memset(to.sums, 0xa5, 2 * sizeof(GaPartialSum));
	return (GaRequest){.opcode = GA_REDUCE_STORED,
					   .slot = CLIENT_LOOKUP + slot,
					   .u.stored = {.type = array->set->type,
									.reduction = reduction,
									.n_arrays = 1,
									.lookup = lookup}};
}

/*
 * Sums, which are submitted together, and others, which are not.  Requests take
 * so long that sums wait for one another.
 */
static void
test_together(Rng *rng)
{
	const GaStoredLookup lookup = stored_lookup_next();
	StoredArray *arrays;
	ArraySet set;
	long i;

	tap_begin("several reductions at once");
	daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=88",
				 "--emulated-faults=slow_launch=3", NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	stored_fill_set(&set, rng, GA_float4, 10);
	arrays = stored_make_all(&set, STORED_FIRST);
	(void) stored_make_resident(&client, arrays, set.n_arrays, &lookup);
	for (i = tap_cases(1000); i > 0; i--)
	{
		GaReduction reductions[N_TOGETHER];
		uint32_t of[N_TOGETHER];
		uint32_t k;

		for (k = 0; k < N_TOGETHER; k++)
		{
			GaRequest request;

			reductions[k] = (GaReduction) rng_below(rng, GA_N_REDUCTIONS);
			of[k] = (uint32_t) rng_below(rng, set.n_arrays);
			request = name_in_slot(k, &arrays[of[k]], reductions[k]);
			client_send(&client, &request);
		}
		for (k = 0; k < N_TOGETHER; k++)
		{
			const GaLookupSlot slot = client_lookup(&client, CLIENT_LOOKUP + k);
			GaReply reply;

			tap_check(client_receive(&client, &reply) &&
						  reply.status == GA_OK &&
						  reply.slot == CLIENT_LOOKUP + k &&
						  slot.refs[0].state == GA_STORED_RESIDENT,
					  "status %d, %s", reply.status, reply.reason);
			if (reductions[k] == GA_REDUCE_SUM)
				array_set_check_sum(&set, of[k], slot.sums, slot.full);
			else
				(void) array_set_check_records(&set, of[k], reductions[k],
											   slot.sums);
		}
	}
	stored_check_empty(&client);
	client_close(&client);
	daemon_stop(&gpuaggd);
	array_set_free(&set);
	free(arrays);
	tap_end();
}

int
main(void)
{
	Rng rng = {68};

	if (!daemon_is_emulated())
	{
		printf("1..0 # SKIP a GPU is not slow on purpose\n");
		return 0;
	}
	test_together(&rng);
	return tap_done();
}
