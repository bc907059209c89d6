/*
 * asker.c
 *		Clients that ask for the sums of values at once, each of its own.
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "asker.h"
#include "tap.h"

/* The counter of OIDs, and ids that it does not pass. */
#define NEXT_OID 1000000
#define FIRST_ID 2000000

#define HEAD_BYTES 24

Daemon gpuaggd;
Asker askers[N_ASKERS];

void
asker_open(Asker *asker)
{
	client_open(&asker->client, &gpuaggd);
	tap_check(client_ask(&asker->client, false) == GA_OK, "no window");
}

void
askers_start(const char *option)
{
	uint32_t i;

	daemon_start(&gpuaggd, "--staging-size=128", option, NULL);
	for (i = 0; i < N_ASKERS; i++)
	{
		askers[i].relation = 20000 + i;
		asker_open(&askers[i]);
	}
}

void
askers_close(void)
{
	int i;

	for (i = 0; i < N_ASKERS; i++)
	{
		client_close(&askers[i].client);
		batch_free(&askers[i].batch);
		memset(&askers[i], 0, sizeof(askers[i]));
	}
}

void
askers_stop(void)
{
	askers_close();
	daemon_stop(&gpuaggd);
}

static uint32_t
array_bytes(const Batch *batch, uint32_t i)
{
	return (uint32_t) (batch->arrays[i].n * ga_element_size(batch->type));
}

/* The name of an asker's value; one without elements has NULLs. */
static GaStoredKey
key_of(const Asker *asker, uint32_t i)
{
	uint32_t n_bytes = array_bytes(&asker->batch, i);

	return (GaStoredKey){asker->relation, FIRST_ID + i,
						 HEAD_BYTES + n_bytes + (n_bytes == 0), n_bytes};
}

GaStoredRef *
asker_refs(const Asker *asker)
{
	return (GaStoredRef *) client_data(&asker->client, 0);
}

GaRequest
asker_name(Asker *asker, bool loads)
{
	uint32_t i;

	for (i = 0; i < asker->batch.n_arrays; i++)
		asker_refs(asker)[i] =
			(GaStoredRef){.key = key_of(asker, i), .state = UINT32_MAX};
	memset(client_slot(&asker->client, 0)->sums, 0xa5,
		   asker->batch.n_arrays * sizeof(GaPartialSum));
	return (GaRequest){
		.opcode = GA_SUM_STORED,
		.u.stored = {asker->batch.type,
					 asker->batch.n_arrays,
					 {.statement_id = 1,
					  .loads = loads,
					  .sample = {.taken_ms = 1000, .next_oid = NEXT_OID}}}};
}

/* Send the pieces that are in slot 1. */
static void
send_pieces(Asker *asker, GaRequest *request)
{
	if (request->u.load.n_segments > 0)
		tap_check(client_call(&asker->client, request).status == GA_OK,
				  "it was not loaded");
	request->u.load.n_segments = request->u.load.n_data_bytes = 0;
}

/* Put a value into slot 1, and send that when it is full. */
static void
load_value(Asker *asker, uint32_t i, GaRequest *request)
{
	const size_t size = ga_element_size(asker->batch.type);
	const uint32_t n_all = (uint32_t) asker->batch.arrays[i].n;
	uint32_t from = 0;

	do
	{
		uint32_t at = request->u.load.n_data_bytes;
		uint32_t n = n_all - from;

		if (n > (GA_SLOT_DATA_BYTES - at) / size)
			n = (uint32_t) ((GA_SLOT_DATA_BYTES - at) / size);
		client_slot(&asker->client, 1)->segments[request->u.load.n_segments++] =
			(GaLoadSegment){.key = key_of(asker, i),
							.xmin = 700,
							.at = at,
							.n = n,
							.from = from,
							.n_all = n_all,
							.is_settled = 1};
		memcpy(client_data(&asker->client, 1) + at,
			   (char *) batch_elements(&asker->batch, i) + from * size,
			   n * size);
		from += n;
		at = (uint32_t) (at + n * size + GA_LOAD_ALIGN - 1) / GA_LOAD_ALIGN *
			 GA_LOAD_ALIGN;
		request->u.load.n_data_bytes = at;
		if (at + GA_LOAD_ALIGN > GA_SLOT_DATA_BYTES)
			send_pieces(asker, request);
	} while (from < n_all);
}

bool
asker_load_told(Asker *asker)
{
	GaRequest request = {
		.opcode = GA_LOAD, .slot = 1, .u.load.type = asker->batch.type};
	bool has_room = true;
	uint32_t i;

	for (i = 0; i < asker->batch.n_arrays; i++)
	{
		if (asker_refs(asker)[i].state == GA_STORED_LOAD)
			load_value(asker, i, &request);
		else
			has_room =
				has_room && asker_refs(asker)[i].state == GA_STORED_RESIDENT;
	}
	send_pieces(asker, &request);
	return has_room;
}

bool
asker_load(Asker *asker)
{
	GaRequest request = asker_name(asker, true);

	tap_check(client_call(&asker->client, &request).status == GA_OK, "ask");
	return asker_load_told(asker);
}

void
asker_check(Asker *asker, const GaReply *reply)
{
	const GaPartialSum *sums = client_slot(&asker->client, 0)->sums;
	const GaFullRecord *wide =
		(GaFullRecord *) (client_data(&asker->client, 0) + GA_STORED_FULL_AT);
	uint32_t i;

	tap_check(reply->opcode == GA_SUM_STORED && reply->status == GA_OK,
			  "status %d, %s", reply->status, reply->reason);
	for (i = 0; i < asker->batch.n_arrays && reply->status == GA_OK; i++)
	{
		tap_check(asker_refs(asker)[i].state == GA_STORED_RESIDENT &&
					  asker_refs(asker)[i].n == asker->batch.arrays[i].n,
				  "value %u: state %u", i, asker_refs(asker)[i].state);
		tap_check(sums[i].kind != GA_PARTIAL_NO_CAPACITY, "no room for sum %u",
				  i);
		if (sums[i].kind != GA_PARTIAL_NO_CAPACITY)
			batch_check_sum(&asker->batch, i, &sums[i], wide);
	}
}

void
askers_send(bool loads)
{
	int status;
	int i;

	kill(gpuaggd.pid, SIGSTOP);
	tap_check(waitpid(gpuaggd.pid, &status, WUNTRACED) == gpuaggd.pid &&
				  WIFSTOPPED(status),
			  "it does not stop");
	for (i = 0; i < N_ASKERS; i++)
	{
		GaRequest request = asker_name(&askers[i], loads);

		client_send(&askers[i].client, &request);
	}
	kill(gpuaggd.pid, SIGCONT);
}

void
asker_receive(Asker *asker)
{
	GaReply reply = {.status = -1};

	tap_check(client_receive(&asker->client, &reply), "no reply");
	asker_check(asker, &reply);
}

void
askers_check(int n_times)
{
	int i;

	for (i = 0; i < N_ASKERS; i++)
		tap_check(asker_load(&askers[i]), "no room");
	while (n_times-- > 0)
	{
		askers_send(false);
		for (i = 0; i < N_ASKERS; i++)
			asker_receive(&askers[i]);
	}
}
