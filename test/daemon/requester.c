/*
 * requester.c
 *		Clients that request the sums of arrays at once, each of its own.
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "requester.h"
#include "tap.h"

/* The counter of OIDs, and ids that it does not pass. */
#define NEXT_OID 1000000
#define FIRST_ID 2000000

#define HEAD_BYTES 24

Daemon gpuaggd;
Requester requesters[N_REQUESTERS];

void
requester_open(Requester *requester)
{
	client_open(&requester->client, &gpuaggd);
	tap_check(client_lease(&requester->client, false) == GA_OK, "no lease");
	tap_check(client_get_lookups(&requester->client, true) == GA_OK,
			  "no lookup slots");
}

void
requesters_start(const char *option)
{
	uint32_t i;

	daemon_start(&gpuaggd, "--staging-size=128", option, NULL);
	for (i = 0; i < N_REQUESTERS; i++)
	{
		requesters[i].relation = 20000 + i;
		requester_open(&requesters[i]);
	}
}

void
requesters_close(void)
{
	int i;

	for (i = 0; i < N_REQUESTERS; i++)
	{
		client_close(&requesters[i].client);
		array_set_free(&requesters[i].set);
		memset(&requesters[i], 0, sizeof(requesters[i]));
	}
}

void
requesters_stop(void)
{
	requesters_close();
	daemon_stop(&gpuaggd);
}

static uint32_t
array_bytes(const ArraySet *set, uint32_t i)
{
	return (uint32_t) (set->arrays[i].n * ga_element_size(set->type));
}

/* The name of an requester's array; one without elements has NULLs. */
static GaStoredKey
key_of(const Requester *requester, uint32_t i)
{
	uint32_t n_bytes = array_bytes(&requester->set, i);

	return (GaStoredKey){requester->relation, FIRST_ID + i,
						 HEAD_BYTES + n_bytes + (n_bytes == 0), n_bytes};
}

GaStoredRef *
requester_refs(const Requester *requester)
{
	return client_lookup(&requester->client, CLIENT_LOOKUP).refs;
}

GaRequest
requester_name(Requester *requester, bool loads)
{
	uint32_t i;

	for (i = 0; i < requester->set.n_arrays; i++)
		requester_refs(requester)[i] =
			(GaStoredRef){.key = key_of(requester, i), .state = UINT32_MAX};
	memset(client_lookup(&requester->client, CLIENT_LOOKUP).sums, 0xa5,
		   requester->set.n_arrays * sizeof(GaPartialSum));
	return (GaRequest){
		.opcode = GA_REDUCE_STORED,
		.slot = CLIENT_LOOKUP,
		.u.stored = {
			.type = requester->set.type,
			.n_arrays = requester->set.n_arrays,
			.lookup = {.statement_id = 1,
					   .loads = loads,
					   .sample = {.taken_ms = 1000, .next_oid = NEXT_OID}}}};
}

/* Send the segments that are in slot 1. */
static void
send_segments(Requester *requester, GaRequest *request)
{
	if (request->u.load.n_segments > 0)
		tap_check(client_call(&requester->client, request).status == GA_OK,
				  "it was not loaded");
	request->u.load.n_segments = request->u.load.n_data_bytes = 0;
}

/* Put an array into slot 1, and send that when it is full. */
static void
load_array(Requester *requester, uint32_t i, GaRequest *request)
{
	const size_t size = ga_element_size(requester->set.type);
	const uint32_t n_all = (uint32_t) requester->set.arrays[i].n;
	uint32_t from = 0;

	do
	{
		uint32_t at = request->u.load.n_data_bytes;
		uint32_t n = n_all - from;

		if (n > (GA_SLOT_DATA_BYTES - at) / size)
			n = (uint32_t) ((GA_SLOT_DATA_BYTES - at) / size);
		client_slot(&requester->client, 1)
			->segments[request->u.load.n_segments++] =
			(GaLoadSegment){.key = key_of(requester, i),
							.xmin = 700,
							.at = at,
							.n = n,
							.from = from,
							.n_all = n_all,
							.is_settled = 1};
		memcpy(client_data(&requester->client, 1) + at,
			   (char *) array_set_elements(&requester->set, i) + from * size,
			   n * size);
		from += n;
		at = (uint32_t) (at + n * size + GA_LOAD_ALIGN - 1) / GA_LOAD_ALIGN *
			 GA_LOAD_ALIGN;
		request->u.load.n_data_bytes = at;
		if (at + GA_LOAD_ALIGN > GA_SLOT_DATA_BYTES)
			send_segments(requester, request);
	} while (from < n_all);
}

bool
requester_load_missing(Requester *requester)
{
	GaRequest request = {
		.opcode = GA_LOAD, .slot = 1, .u.load.type = requester->set.type};
	bool has_memory = true;
	uint32_t i;

	for (i = 0; i < requester->set.n_arrays; i++)
	{
		if (requester_refs(requester)[i].state == GA_STORED_LOAD)
			load_array(requester, i, &request);
		else
			has_memory = has_memory && requester_refs(requester)[i].state ==
										   GA_STORED_RESIDENT;
	}
	send_segments(requester, &request);
	return has_memory;
}

bool
requester_load(Requester *requester)
{
	GaRequest request = requester_name(requester, true);

	tap_check(client_call(&requester->client, &request).status == GA_OK, "ask");
	return requester_load_missing(requester);
}

void
requester_check(Requester *requester, const GaReply *reply)
{
	const GaLookupSlot lookup =
		client_lookup(&requester->client, CLIENT_LOOKUP);
	const GaPartialSum *sums = lookup.sums;
	const GaFullRecord *full = lookup.full;
	uint32_t n_full = 0;
	uint32_t i;

	tap_check(reply->opcode == GA_REDUCE_STORED && reply->status == GA_OK,
			  "status %d, %s", reply->status, reply->reason);
	for (i = 0; i < requester->set.n_arrays && reply->status == GA_OK; i++)
	{
		tap_check(requester_refs(requester)[i].state == GA_STORED_RESIDENT &&
					  requester_refs(requester)[i].n ==
						  requester->set.arrays[i].n,
				  "array %u: state %u", i, requester_refs(requester)[i].state);
		n_full += sums[i].kind == GA_PARTIAL_FULL;
		tap_check(sums[i].kind != GA_PARTIAL_NO_CAPACITY ||
					  n_full == lookup.shape.n_full,
				  "no capacity for sum %u", i);
		if (sums[i].kind != GA_PARTIAL_NO_CAPACITY)
			array_set_check_sum(&requester->set, i, &sums[i], full);
	}
}

void
requesters_send(bool loads)
{
	int status;
	int i;

	kill(gpuaggd.pid, SIGSTOP);
	tap_check(waitpid(gpuaggd.pid, &status, WUNTRACED) == gpuaggd.pid &&
				  WIFSTOPPED(status),
			  "it does not stop");
	for (i = 0; i < N_REQUESTERS; i++)
	{
		GaRequest request = requester_name(&requesters[i], loads);

		client_send(&requesters[i].client, &request);
	}
	kill(gpuaggd.pid, SIGCONT);
}

void
requester_receive(Requester *requester)
{
	GaReply reply = {.status = -1};

	tap_check(client_receive(&requester->client, &reply), "no reply");
	requester_check(requester, &reply);
}

void
requesters_check(int n_times)
{
	int i;

	for (i = 0; i < N_REQUESTERS; i++)
		tap_check(requester_load(&requesters[i]), "no memory");
	while (n_times-- > 0)
	{
		requesters_send(false);
		for (i = 0; i < N_REQUESTERS; i++)
			requester_receive(&requesters[i]);
	}
}
