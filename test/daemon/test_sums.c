/*
 * test_sums.c
 *		GA_SUM: what comes back through gpuaggd is what the CPU engine has.
 */
#include <string.h>

#include "client.h"
#include "tap.h"

static Daemon gpuaggd;
static Client client;

/* Sum the whole set, a slot after the other, with all slots under way. */
static void
check_set(const ArraySet *set)
{
	uint32_t first[GA_LEASE_SLOTS + 1] = {0};
	uint32_t next = 0;

	while (next < set->n_arrays)
	{
		GaReply reply;
		uint32_t n_slots = 0;
		uint32_t slot;
		uint32_t i;

		for (; n_slots < GA_LEASE_SLOTS && next < set->n_arrays; n_slots++)
		{
			GaRequest request;

			first[n_slots] = next;
			next += client_fill(&client, n_slots, set, next, &request);
			client_send(&client, &request);
		}
		first[n_slots] = next;
		for (slot = 0; slot < n_slots; slot++)
		{
			GaSlot *from = client_slot(&client, slot);
			uint32_t n_refused = 0;

			tap_check(client_receive(&client, &reply) &&
						  reply.status == GA_OK && reply.slot == slot,
					  "slot %u: status %d, slot %u, %s", slot, reply.status,
					  reply.slot, reply.reason);
			for (i = first[slot]; i < first[slot + 1]; i++)
			{
				const GaPartialSum *sum = &from->sums[i - first[slot]];

				if (sum->kind == GA_PARTIAL_NO_CAPACITY)
					n_refused++;
				else
					array_set_check_sum(set, i, sum, from->full);
			}
			tap_check(n_refused == (reply.n_full > GA_SLOT_FULL ?
										reply.n_full - GA_SLOT_FULL :
										0),
					  "%u without capacity of %u", n_refused, reply.n_full);
		}
	}
}

/* Lengths of all sizes, as many arrays as make several rounds of slots. */
static void
test_type(Rng *rng, GaElementType type)
{
	const size_t most = GA_SLOT_DATA_BYTES / ga_element_size(type);
	ArraySet set;
	long i;

	tap_begin("%s: arrays of all sizes", ga_element_name(type));
	array_set_init(&set, type);
	array_set_add_random(&set, rng, most, ARRAY_SET_PACKED, ARRAY_SET_PACKED);
	for (i = 0; i < 500; i++)
		array_set_add_random(&set, rng, (size_t) i, ARRAY_SET_PACKED,
							 ARRAY_SET_PACKED);
	for (i = 0; i < tap_cases(200); i++)
		array_set_add_random(&set, rng, rng_below(rng, most / 10),
							 ARRAY_SET_PACKED, ARRAY_SET_PACKED);
	check_set(&set);
	array_set_free(&set);
	tap_end();
}

/* A slot full of the smallest arrays, and one with none. */
static void
test_counts(Rng *rng)
{
	GaRequest request = {.opcode = GA_SUM, .u.sum = {GA_float4, 0, 0}};
	GaReply reply;
	ArraySet set;
	uint32_t i;

	tap_begin("no arrays, and as many as there may be");
	reply = client_call(&client, &request);
	tap_check(reply.status == GA_OK && reply.n_full == 0, "no arrays: %d",
			  reply.status);

	array_set_init(&set, GA_int2);
	for (i = 0; i < 2 * GA_SLOT_ARRAYS; i++)
		array_set_add_random(&set, rng, rng_below(rng, 20), ARRAY_SET_PACKED,
							 ARRAY_SET_PACKED);
	check_set(&set);
	tap_check(client_fill(&client, 0, &set, 0, &request) == GA_SLOT_ARRAYS,
			  "not that many");
	array_set_free(&set);
	tap_end();
}

/* Sums that need full records, more than there is capacity for. */
static void
test_full_records(void)
{
	static const double far[] = {1e300, 1, 1e-300};
	GaRequest request;
	GaReply reply;
	ArraySet set;
	uint32_t n_full = 0;
	uint32_t i;

	tap_begin("sums that need full records");
	array_set_init(&set, GA_float8);
	for (i = 0; i < 3 * GA_SLOT_FULL; i++)
		array_set_add_doubles(&set, "far apart", far, i % 2 ? 3 : 1);
	check_set(&set);

	tap_check(client_fill(&client, 0, &set, 0, &request) == set.n_arrays,
			  "not one slot");
	reply = client_call(&client, &request);
	tap_check(reply.n_full == set.n_arrays / 2, "%u full records",
			  reply.n_full);
	for (i = 0; i < set.n_arrays; i++)
		n_full += client_slot(&client, 0)->sums[i].kind == GA_PARTIAL_FULL;
	tap_check(n_full == GA_SLOT_FULL, "capacity for %u", n_full);
	array_set_free(&set);
	tap_end();
}

int
main(void)
{
	Rng rng = {41};
	int type;

	daemon_start(&gpuaggd, "--staging-size=32", NULL);
	client_open(&client, &gpuaggd);
	client_lease(&client, false);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
		test_type(&rng, (GaElementType) type);
	test_counts(&rng);
	test_full_records();
	client_close(&client);
	tap_begin("the end");
	daemon_stop(&gpuaggd);
	tap_end();
	return tap_done();
}
