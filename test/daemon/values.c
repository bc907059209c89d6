/*
 * values.c
 *		Stored values as a backend asks for them: named, loaded, summed.
 */
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "values.h"

/* What an array has before its elements. */
#define HEAD_BYTES 24

/* Pages of the device's memory for values. */
#define PAGE_BYTES (256 << 10)

static GaElementType
type_of(const Value *value)
{
	return value->batch->type;
}

static uint32_t
n_of(const Value *value)
{
	return (uint32_t) value->batch->arrays[value->i].n;
}

Value
value_of(const Batch *batch, uint32_t i, uint32_t id)
{
	uint32_t n_bytes =
		(uint32_t) (batch->arrays[i].n * ga_element_size(batch->type));

	/* one without elements has NULLs */
	return (Value){.batch = batch,
				   .i = i,
				   .key = {VALUES_RELATION, id,
						   HEAD_BYTES + n_bytes + (n_bytes == 0), n_bytes},
				   .xmin = 700,
				   .is_settled = 1};
}

Value *
values_of(const Batch *batch, uint32_t first_id)
{
	Value *values = malloc((batch->n_arrays + 1) * sizeof(*values));
	uint32_t i;

	for (i = 0; i < batch->n_arrays; i++)
		values[i] = value_of(batch, i, first_id + i);
	return values;
}

void
values_open(Client *client, const Daemon *daemon, uint32_t database)
{
	GaRequest hello = client_hello_request();
	GaReply reply;

	hello.u.hello.database = database;
	hello.u.hello.database_xmin = 3;
	client_connect(client, daemon);
	reply = client_call(client, &hello);
	tap_check(reply.status == GA_OK, "hello: %d, %s", reply.status,
			  reply.reason);
	tap_check(client_ask(client, false) == GA_OK, "no window");
}

GaStoredLookup
values_how(uint64_t scan)
{
	return (GaStoredLookup){
		.statement_id = scan,
		.loads = 1,
		.sample = {.taken_ms = 1000, .next_oid = VALUES_NEXT_OID}};
}

GaStoredLookup
values_how_next(void)
{
	static uint64_t scan;

	return values_how(++scan);
}

static GaStoredRef *
refs_of(const Client *client)
{
	return (GaStoredRef *) client_data(client, 0);
}

GaRequest
values_name(Client *client, const Value *values, uint32_t n,
			const GaStoredLookup *how)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		refs_of(client)[i] = (GaStoredRef){
			.key = values[i].key,
			.xmin = values[i].asked_xmin,
			.is_settled = values[i].is_settled,
			.state = UINT32_MAX,
			.n = UINT32_MAX,
		};
	memset(client_slot(client, 0)->sums, 0xa5, n * sizeof(GaPartialSum));
	return (GaRequest){.opcode = GA_SUM_STORED,
					   .u.stored = {type_of(values), n, *how}};
}

GaStoredState
values_state(const Client *client, uint32_t i)
{
	return (GaStoredState) refs_of(client)[i].state;
}

uint32_t
values_check(Client *client, const GaReply *reply, const Value *values,
			 uint32_t n)
{
	const GaPartialSum *sums = client_slot(client, 0)->sums;
	const GaFullRecord *wide =
		(GaFullRecord *) (client_data(client, 0) + GA_STORED_FULL_AT);
	uint32_t n_resident = 0;
	uint32_t i;

	tap_check(reply->opcode == GA_SUM_STORED && reply->status == GA_OK,
			  "status %d, %s", reply->status, reply->reason);
	for (i = 0; i < n && reply->status == GA_OK; i++)
	{
		const GaPartialSum *sum = &sums[n_resident];

		tap_check(values_state(client, i) <= GA_STORED_STREAM,
				  "state %u of "
				  "value %u",
				  values_state(client, i), values[i].key.value_id);
		if (values_state(client, i) != GA_STORED_RESIDENT)
			continue;
		n_resident++;
		tap_check(refs_of(client)[i].n == n_of(&values[i]),
				  "value %u: %u elements, must be %u", values[i].key.value_id,
				  refs_of(client)[i].n, n_of(&values[i]));
		if (sum->kind != GA_PARTIAL_NO_CAPACITY)
			batch_check_sum(values[i].batch, values[i].i, sum, wide);
	}
	return n_resident;
}

uint32_t
values_ask(Client *client, const Value *values, uint32_t n,
		   const GaStoredLookup *how)
{
	GaRequest request = values_name(client, values, n, how);
	GaReply reply = client_call(client, &request);

	return values_check(client, &reply, values, n);
}

GaStoredState
value_ask(Client *client, const Value *value, const GaStoredLookup *how)
{
	values_ask(client, value, 1, how);
	return values_state(client, 0);
}

/* As much of it as is wanted, at most. */
static uint32_t
put_piece(Client *client, uint32_t slot, uint32_t j, const Value *value,
		  uint32_t from, uint32_t most, uint32_t *n_bytes)
{
	const size_t size = ga_element_size(type_of(value));
	uint32_t room = (uint32_t) ((GA_SLOT_DATA_BYTES - *n_bytes) / size);
	uint32_t n = n_of(value) - from;

	n = n < most ? n : most;
	n = n < room ? n : room;
	client_slot(client, slot)->segments[j] = (GaLoadSegment){
		.key = value->key,
		.xmin = value->xmin,
		.at = *n_bytes,
		.n = n,
		.from = from,
		.n_all = n_of(value),
		.is_settled = value->is_settled,
	};
	memcpy(client_data(client, slot) + *n_bytes,
		   (char *) batch_elements(value->batch, value->i) + from * size,
		   n * size);
	*n_bytes += (uint32_t) ((n * size + GA_LOAD_ALIGN - 1) / GA_LOAD_ALIGN *
							GA_LOAD_ALIGN);
	if (*n_bytes > GA_SLOT_DATA_BYTES)
		*n_bytes = GA_SLOT_DATA_BYTES;
	return n;
}

uint32_t
values_put(Client *client, uint32_t slot, uint32_t j, const Value *value,
		   uint32_t from, uint32_t *n_bytes)
{
	return put_piece(client, slot, j, value, from, UINT32_MAX, n_bytes);
}

GaRequest
value_piece(Client *client, uint32_t slot, const Value *value, uint32_t from,
			uint32_t most)
{
	uint32_t n_bytes = 0;

	put_piece(client, slot, 0, value, from, most, &n_bytes);
	return (GaRequest){.opcode = GA_LOAD,
					   .slot = slot,
					   .u.load = {type_of(value), 1, n_bytes}};
}

/* A slot that is being filled with pieces, while others are under way. */
typedef struct Loading
{
	Client *client;
	GaRequest request;
	uint32_t n_sent;
} Loading;

static void
take_answer(Loading *loading)
{
	GaReply reply;

	tap_check(client_receive(loading->client, &reply) &&
				  reply.opcode == GA_LOAD && reply.status == GA_OK,
			  "loading: status %d, %s", reply.status, reply.reason);
	loading->n_sent--;
}

/* Send what is in the slot, and go on with the next one. */
static void
send_pieces(Loading *loading)
{
	GaRequest *request = &loading->request;

	if (request->u.load.n_segments == 0)
		return;
	client_send(loading->client, request);
	request->u.load.n_segments = request->u.load.n_data_bytes = 0;
	request->slot = request->slot % (GA_LEASE_SLOTS - 1) + 1;
	if (++loading->n_sent == GA_LEASE_SLOTS - 1)
		take_answer(loading);
}

static void
load_value(Loading *loading, const Value *value)
{
	GaRequest *request = &loading->request;
	uint32_t from = 0;

	do
	{
		if (request->u.load.n_segments == GA_SLOT_ARRAYS ||
			GA_SLOT_DATA_BYTES - request->u.load.n_data_bytes < GA_LOAD_ALIGN)
			send_pieces(loading);
		from += values_put(loading->client, request->slot,
						   request->u.load.n_segments++, value, from,
						   &request->u.load.n_data_bytes);
	} while (from < n_of(value));
}

void
values_load(Client *client, const Value *values, uint32_t n)
{
	Loading loading = {.client = client,
					   .request = {.opcode = GA_LOAD,
								   .slot = 1,
								   .u.load.type = type_of(values)}};
	uint32_t i;

	for (i = 0; i < n; i++)
	{
		if (values_state(client, i) == GA_STORED_LOAD)
			load_value(&loading, &values[i]);
	}
	send_pieces(&loading);
	while (loading.n_sent > 0)
		take_answer(&loading);
}

void
values_say_load(Client *client)
{
	refs_of(client)->state = GA_STORED_LOAD;
}

uint32_t
values_have(Client *client, const Value *values, uint32_t n,
			const GaStoredLookup *how)
{
	GaStoredLookup again = *how;

	(void) values_ask(client, values, n, how);
	values_load(client, values, n);
	again.loads = 0;
	return values_ask(client, values, n, &again);
}

/* Ask, and do not get an answer at once. */
void
values_wait(Client *client, const Value *values, uint32_t n, bool loads)
{
	GaStoredLookup how = values_how(0);
	GaRequest request;

	how.waits = 1;
	how.loads = loads;
	request = values_name(client, values, n, &how);
	client_send(client, &request);
}

void
value_check_told(Client *client, const Value *value, GaStoredState state)
{
	GaReply reply;

	tap_check(client_receive(client, &reply), "no answer");
	(void) values_check(client, &reply, value, 1);
	tap_check(values_state(client, 0) == state, "state %u, must be %u",
			  values_state(client, 0), state);
}

void
value_check_resident(Client *client, const Value *value)
{
	GaStoredLookup how = values_how(0);

	how.loads = 0;
	tap_check(value_ask(client, value, &how) == GA_STORED_RESIDENT,
			  "value %u is not resident: %u", value->key.value_id,
			  values_state(client, 0));
}

void
value_check_load(Client *client, const Value *value)
{
	const GaStoredLookup how = values_how(0);

	tap_check(value_ask(client, value, &how) == GA_STORED_LOAD,
			  "value %u is not to be loaded: %u", value->key.value_id,
			  values_state(client, 0));
}

uint32_t
values_fragment(Client *client)
{
	const GaStoredLookup how = values_how(UINT64_C(1) << 40);
	uint32_t n = 0;
	Batch batch;
	Value value;

	batch_init(&batch, GA_int2);
	memset(batch_add(&batch, "filler", PAGE_BYTES / 2, 0, 0), 1, PAGE_BYTES);
	value = value_of(&batch, 0, VALUES_FIRST);
	do
	{
		value.key.relation = VALUES_RELATION + 1 + n % 2;
		value.key.value_id++;
		n++;
	} while (values_have(client, &value, 1, &how) == 1);
	batch_free(&batch);
	return (uint32_t) values_clear(client, VALUES_RELATION + 2);
}

GaStatRow
values_stat(Client *client, bool resets)
{
	const GaRequest request = {.opcode = resets ? GA_RESET : GA_STAT};

	return client_call(client, &request).u.stat;
}

uint64_t
values_clear(Client *client, uint32_t relation)
{
	const GaRequest request = {.opcode = GA_CLEAR, .u.clear = {relation}};

	return client_call(client, &request).u.cache.n_rows;
}

/* Clear all; nothing may be left then. */
void
values_check_empty(Client *client)
{
	GaStatRow stat;

	(void) values_clear(client, 0);
	stat = values_stat(client, false);
	tap_check(stat.n_resident == 0 && stat.n_cache_bytes == 0,
			  "%llu values of %llu bytes are left",
			  (unsigned long long) stat.n_resident,
			  (unsigned long long) stat.n_cache_bytes);
}

void
values_check_witness(Client *witness, const Value *values)
{
	const GaStoredLookup how = values_how_next();

	tap_check(values_stat(witness, false).n_resident == 0, "a value is left");
	tap_check(values_have(witness, values, 2, &how) == 2,
			  "the others are disturbed");
	tap_check(values_clear(witness, 0) == 2, "not two values");
}
