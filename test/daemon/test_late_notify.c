/*
 * test_late_notify.c
 *		Notifications that come late: when their request is over, and the next
 *		one goes to the device with another client's.
 *
 * The loop takes 64 events in a turn.  With twice as many clients, and
 * requests whose submission takes long enough, it finds the first half of them
 * finished in the turn of the second half, before it reads their eventfds.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "client.h"
#include "tap.h"

#define N_CLIENTS 128
#define N_ROUNDS  12

/* Elements of a request that is submitted slowly. */
#define N_ELEMENTS 3

#define FIRST_RELATION 20000
#define ID			   2000000
#define NEXT_OID	   1000000
#define HEAD_BYTES	   24

static Daemon gpuaggd;
static Client clients[N_CLIENTS];

/* An array of so many bytes, in a lookup slot. */
static GaRequest
name_array(Client *client, uint32_t relation, uint32_t n_bytes)
{
	const GaLookupSlot to = client_lookup(client, CLIENT_LOOKUP);

	to.refs[0] = (GaStoredRef){.key = {relation, ID, HEAD_BYTES + n_bytes, 0},
							   .state = UINT32_MAX};
	memset(to.sums, 0xa5, sizeof(GaPartialSum));
	return (GaRequest){
		.opcode = GA_REDUCE_STORED,
		.slot = CLIENT_LOOKUP,
		.u.stored = {
			.type = GA_int8,
			.n_arrays = 1,
			.lookup = {.statement_id = 1,
					   .sample = {.taken_ms = 1000, .next_oid = NEXT_OID}}}};
}

/* Have an array on the device, of one integer, which is slot 0's data. */
static void
load(Client *client, uint32_t relation)
{
	const uint32_t n_bytes = 8;
	GaRequest lookup = name_array(client, relation, n_bytes);
	const GaRequest request = {
		.opcode = GA_LOAD, .slot = 0, .u.load = {GA_int8, 1, n_bytes}};

	lookup.u.stored.lookup.loads = 1;
	(void) client_call(client, &lookup);
	client_slot(client, 0)->segments[0] =
		(GaLoadSegment){.key = {relation, ID, HEAD_BYTES + n_bytes, 0},
						.xmin = 700,
						.n = 1,
						.n_all = 1,
						.is_settled = 1};
	tap_check(client_call(client, &request).status == GA_OK, "load");
}

/* The sum of an array in slot 1. */
static GaRequest
slot_request(Client *client)
{
	client_slot(client, 1)->arrays[0] = (GaSlotArray){0, N_ELEMENTS};
	return (GaRequest){.opcode = GA_SUM,
					   .slot = 1,
					   .u.sum = {GA_float8, 1, N_ELEMENTS * sizeof(double)}};
}

static GaRequest
stored_request(uint32_t i)
{
	return name_array(&clients[i], FIRST_RELATION + i, 8);
}

static void
start(void)
{
	const GaRequest lease = {.opcode = GA_LEASE, .u.lease.n_slots = 2};
	uint32_t i;

	daemon_start(&gpuaggd, "--staging-size=1024",
				 "--emulated-faults=pause_launch=1", NULL);
	for (i = 0; i < N_CLIENTS; i++)
	{
		client_open(&clients[i], &gpuaggd);
		client_send(&clients[i], &lease);
		tap_check(client_receive_lease(&clients[i]) == GA_OK &&
					  clients[i].n_slots == 2,
				  "no lease");
		tap_check(client_get_lookups(&clients[i], false) == GA_OK,
				  "no lookup slots");
		*(int64_t *) client_data(&clients[i], 0) = 1000 + i;
		load(&clients[i], FIRST_RELATION + i);
		memset(client_data(&clients[i], 1), 0, N_ELEMENTS * sizeof(double));
	}
}

static void
check_round(void)
{
	GaReply reply;
	int status;
	uint32_t i;

	kill(gpuaggd.pid, SIGSTOP);
	tap_check(waitpid(gpuaggd.pid, &status, WUNTRACED) == gpuaggd.pid, "stop");
	for (i = 0; i < N_CLIENTS; i++)
	{
		GaRequest request = slot_request(&clients[i]);

		client_send(&clients[i], &request);
	}
	for (i = 0; i < N_CLIENTS; i++)
	{
		GaRequest request = stored_request(i);

		client_send(&clients[i], &request);
	}
	kill(gpuaggd.pid, SIGCONT);
	for (i = 0; i < N_CLIENTS; i++)
	{
		tap_check(client_receive(&clients[i], &reply) && reply.slot == 1 &&
					  reply.status == GA_OK,
				  "client %u: the array in its slot", i);
		tap_check(client_receive(&clients[i], &reply) &&
					  reply.slot == CLIENT_LOOKUP && reply.status == GA_OK,
				  "client %u: the stored one", i);
		tap_check(client_lookup(&clients[i], CLIENT_LOOKUP).sums[0].limb[0] ==
					  1000 + i,
				  "client %u: a wrong sum", i);
	}
	for (i = 0; i < N_CLIENTS; i++)
		tap_check(!client_has_reply(&clients[i], 0), "client %u: more", i);
}

int
main(void)
{
	uint32_t i;

	if (!daemon_is_emulated())
	{
		printf("1..0 # SKIP submissions to a GPU are quick\n");
		return 0;
	}
	tap_begin("notifications that come late");
	start();
	for (i = 0; i < N_ROUNDS; i++)
		check_round();
	for (i = 0; i < N_CLIENTS; i++)
		client_close(&clients[i]);
	daemon_stop(&gpuaggd);
	tap_end();
	return tap_done();
}
