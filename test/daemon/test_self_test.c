/*
 * test_self_test.c
 *		What gpuaggd does with a device that computes wrong bits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "stored_reduce.h"
#include "tap.h"

static Daemon gpuaggd;
static Client client;

/* Have the first two of some resident arrays reduced; return the records. */
static const GaPartialSum *
reduce_two(const StoredArray *arrays, GaReduction reduction)
{
	const GaStoredLookup lookup = stored_lookup_next();
	GaRequest request = stored_name(&client, arrays, 2, &lookup);
	GaReply reply;

	request.u.stored.reduction = reduction;
	reply = client_call(&client, &request);
	tap_check(reply.status == GA_OK, "status %d, %s", reply.status,
			  reply.reason);
	return client_lookup(&client, CLIENT_LOOKUP).sums;
}

static void
test_reductions(Rng *rng)
{
	const GaStoredLookup lookup = stored_lookup_next();
	const StoredArray *arrays;
	ArraySet set;
	int wrong, reduction;

	tap_begin("wrong reductions are left to the CPU, the others are not");
	array_set_init(&set, GA_int4);
	array_set_add_random(&set, rng, 1000, 0, 0);
	array_set_add_random(&set, rng, 1000, 0, 0);
	arrays = stored_make_all(&set, STORED_FIRST);
	for (wrong = 1; wrong < GA_N_ALL_REDUCTIONS; wrong++)
	{
		char option[64];

		snprintf(option, sizeof(option), "--emulated-faults=wrong_bits=%d",
				 1 << wrong);
		daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=64", option,
					 NULL);
		stored_open(&client, &gpuaggd, STORED_DATABASE);
		tap_check(stored_make_resident(&client, arrays, 2, &lookup) == 2,
				  "they are not resident");
		for (reduction = 1; reduction < GA_N_ALL_REDUCTIONS; reduction++)
		{
			const GaPartialSum *records =
				reduce_two(arrays, (GaReduction) reduction);
			const int kind =
				reduction == wrong ? GA_PARTIAL_REFUSED : GA_PARTIAL_COMPACT;

			tap_check(records[0].kind == kind && records[1].kind == kind,
					  "%d of %d is of kind %d", reduction, wrong,
					  records[0].kind);
		}
		tap_check(daemon_said(&gpuaggd, "have wrong bits"), "no warning");
		client_close(&client);
		daemon_stop(&gpuaggd);
	}
	array_set_free(&set);
	free((void *) arrays);
	tap_end();
}

static void
test_sums(void)
{
	char *argv[] = {"gpuaggd",
					"--boot-token=1",
					"--device=emulated",
					"--socket=unused",
					"--emulated-faults=wrong_bits=1",
					NULL};

	tap_begin("a device whose sums are wrong is not used");
	daemon_launch(&gpuaggd, argv);
	tap_check(WEXITSTATUS(daemon_wait(&gpuaggd, 30000)) == 11, "it starts");
	tap_check(daemon_said(&gpuaggd, "sums have wrong bits"), "no reason");
	daemon_remove(&gpuaggd);
	tap_end();
}

int
main(void)
{
	Rng rng = {17};

	if (daemon_is_emulated())
	{
		test_reductions(&rng);
		test_sums();
	}
	else
		tap_skip("wrong bits", "the emulated device alone computes them");
	return tap_done();
}
