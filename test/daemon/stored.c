/*
 * stored.c
 *		Stored arrays as a backend uses them: named, loaded, summed.
 */
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "stored.h"

/* What an array has before its elements. */
#define HEAD_BYTES 24

/* Pages of the device's memory for arrays. */
#define PAGE_BYTES (256 << 10)

static GaElementType
type_of(const StoredArray *array)
{
	return array->set->type;
}

static uint32_t
n_of(const StoredArray *array)
{
	return (uint32_t) array->set->arrays[array->i].n;
}

StoredArray
stored_make(const ArraySet *set, uint32_t i, uint32_t id)
{
	uint32_t n_bytes =
		(uint32_t) (set->arrays[i].n * ga_element_size(set->type));

	/* one without elements has NULLs */
	return (StoredArray){.set = set,
						 .i = i,
						 .key = {STORED_RELATION, id,
								 HEAD_BYTES + n_bytes + (n_bytes == 0),
								 n_bytes},
						 .xmin = 700,
						 .is_settled = 1};
}

StoredArray *
stored_make_all(const ArraySet *set, uint32_t first_id)
{
	StoredArray *arrays = malloc((set->n_arrays + 1) * sizeof(*arrays));
	uint32_t i;

	for (i = 0; i < set->n_arrays; i++)
		arrays[i] = stored_make(set, i, first_id + i);
	return arrays;
}

void
stored_open(Client *client, const Daemon *daemon, uint32_t database)
{
	GaRequest hello = client_hello_request();
	GaReply reply;

	hello.u.hello.database = database;
	hello.u.hello.database_hash = 3;
	client_connect(client, daemon);
	reply = client_call(client, &hello);
	tap_check(reply.status == GA_OK, "hello: %d, %s", reply.status,
			  reply.reason);
	tap_check(client_lease(client, false) == GA_OK, "no lease");
	tap_check(client_get_lookups(client, true) == GA_OK, "no lookup slots");
}

GaStoredLookup
stored_lookup(uint64_t statement_id)
{
	return (GaStoredLookup){
		.statement_id = statement_id,
		.loads = 1,
		.sample = {.taken_ms = 1000, .next_oid = STORED_NEXT_OID}};
}

GaStoredLookup
stored_lookup_next(void)
{
	static uint64_t statement_id;

	return stored_lookup(++statement_id);
}

static GaStoredRef *
refs_of(const Client *client)
{
	return client_lookup(client, CLIENT_LOOKUP).refs;
}

GaRequest
stored_name(Client *client, const StoredArray *arrays, uint32_t n,
			const GaStoredLookup *lookup)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		refs_of(client)[i] = (GaStoredRef){
			.key = arrays[i].key,
			.xmin = arrays[i].lookup_xmin,
			.is_settled = arrays[i].is_settled,
			.is_missed = arrays[i].is_missed,
			.part = arrays[i].part,
			.state = UINT32_MAX,
			.n = UINT32_MAX,
		};
	memset(client_lookup(client, CLIENT_LOOKUP).sums, 0xa5,
		   n * sizeof(GaPartialSum));
	return (GaRequest){.opcode = GA_REDUCE_STORED,
					   .slot = CLIENT_LOOKUP,
					   .u.stored = {.type = type_of(arrays),
									.n_arrays = n,
									.lookup = *lookup}};
}

GaStoredState
stored_state(const Client *client, uint32_t i)
{
	return (GaStoredState) refs_of(client)[i].state;
}

uint32_t
stored_check(Client *client, const GaReply *reply, const StoredArray *arrays,
			 uint32_t n)
{
	const GaLookupSlot lookup = client_lookup(client, CLIENT_LOOKUP);
	const GaPartialSum *sums = lookup.sums;
	const GaFullRecord *full = lookup.full;
	uint32_t n_resident = 0;
	uint32_t i;

	tap_check(reply->opcode == GA_REDUCE_STORED && reply->status == GA_OK,
			  "status %d, %s", reply->status, reply->reason);
	for (i = 0; i < n && reply->status == GA_OK; i++)
	{
		const GaPartialSum *sum = &sums[n_resident];

		tap_check(stored_state(client, i) <= GA_STORED_MISSING,
				  "state %u of "
				  "array %u",
				  stored_state(client, i), arrays[i].key.value_id);
		if (stored_state(client, i) != GA_STORED_RESIDENT)
			continue;
		n_resident++;
		tap_check(refs_of(client)[i].n == n_of(&arrays[i]),
				  "array %u: %u elements, must be %u", arrays[i].key.value_id,
				  refs_of(client)[i].n, n_of(&arrays[i]));
		if (sum->kind != GA_PARTIAL_NO_CAPACITY)
			array_set_check_sum(arrays[i].set, arrays[i].i, sum, full);
	}
	return n_resident;
}

uint32_t
stored_request(Client *client, const StoredArray *arrays, uint32_t n,
			   const GaStoredLookup *lookup)
{
	GaRequest request = stored_name(client, arrays, n, lookup);
	GaReply reply = client_call(client, &request);

	return stored_check(client, &reply, arrays, n);
}

GaStoredState
stored_request_one(Client *client, const StoredArray *array,
				   const GaStoredLookup *lookup)
{
	stored_request(client, array, 1, lookup);
	return stored_state(client, 0);
}

/* As much of it as is wanted, at most. */
static uint32_t
put_segment(Client *client, uint32_t slot, uint32_t j, const StoredArray *array,
			uint32_t from, uint32_t most, uint32_t *n_bytes)
{
	const size_t size = ga_element_size(type_of(array));
	uint32_t capacity = (uint32_t) ((GA_SLOT_DATA_BYTES - *n_bytes) / size);
	uint32_t n = n_of(array) - from;

	n = n < most ? n : most;
	n = n < capacity ? n : capacity;
	client_slot(client, slot)->segments[j] = (GaLoadSegment){
		.key = array->key,
		.xmin = array->xmin,
		.at = *n_bytes,
		.n = n,
		.from = from,
		.n_all = n_of(array),
		.is_settled = (uint16_t) array->is_settled,
		.is_line = !array->is_no_line,
	};
	memcpy(client_data(client, slot) + *n_bytes,
		   (char *) array_set_elements(array->set, array->i) + from * size,
		   n * size);
	*n_bytes += (uint32_t) ((n * size + GA_LOAD_ALIGN - 1) / GA_LOAD_ALIGN *
							GA_LOAD_ALIGN);
	if (*n_bytes > GA_SLOT_DATA_BYTES)
		*n_bytes = GA_SLOT_DATA_BYTES;
	return n;
}

uint32_t
stored_put(Client *client, uint32_t slot, uint32_t j, const StoredArray *array,
		   uint32_t from, uint32_t *n_bytes)
{
	return put_segment(client, slot, j, array, from, UINT32_MAX, n_bytes);
}

GaRequest
stored_segment(Client *client, uint32_t slot, const StoredArray *array,
			   uint32_t from, uint32_t most)
{
	uint32_t n_bytes = 0;

	put_segment(client, slot, 0, array, from, most, &n_bytes);
	return (GaRequest){.opcode = GA_LOAD,
					   .slot = slot,
					   .u.load = {type_of(array), 1, n_bytes}};
}

/* A slot that is being filled with segments, while others are under way. */
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
send_segments(Loading *loading)
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
load_array(Loading *loading, const StoredArray *array)
{
	GaRequest *request = &loading->request;
	uint32_t from = 0;

	do
	{
		if (request->u.load.n_segments == GA_SLOT_ARRAYS ||
			GA_SLOT_DATA_BYTES - request->u.load.n_data_bytes < GA_LOAD_ALIGN)
			send_segments(loading);
		from += stored_put(loading->client, request->slot,
						   request->u.load.n_segments++, array, from,
						   &request->u.load.n_data_bytes);
	} while (from < n_of(array));
}

void
stored_load(Client *client, const StoredArray *arrays, uint32_t n)
{
	Loading loading = {.client = client,
					   .request = {.opcode = GA_LOAD,
								   .slot = 1,
								   .u.load.type = type_of(arrays)}};
	uint32_t i;

	for (i = 0; i < n; i++)
	{
		if (stored_state(client, i) == GA_STORED_LOAD)
			load_array(&loading, &arrays[i]);
	}
	send_segments(&loading);
	while (loading.n_sent > 0)
		take_answer(&loading);
}

void
stored_set_load(Client *client)
{
	refs_of(client)->state = GA_STORED_LOAD;
}

uint32_t
stored_make_resident(Client *client, const StoredArray *arrays, uint32_t n,
					 const GaStoredLookup *lookup)
{
	GaStoredLookup again = *lookup;

	(void) stored_request(client, arrays, n, lookup);
	stored_load(client, arrays, n);
	again.loads = 0;
	return stored_request(client, arrays, n, &again);
}

/* Ask, and do not get an answer at once. */
void
stored_wait(Client *client, const StoredArray *arrays, uint32_t n, bool loads)
{
	GaStoredLookup lookup = stored_lookup(0);
	GaRequest request;

	lookup.waits = 1;
	lookup.loads = loads;
	request = stored_name(client, arrays, n, &lookup);
	client_send(client, &request);
}

void
stored_check_state(Client *client, const StoredArray *array,
				   GaStoredState state)
{
	GaReply reply;

	tap_check(client_receive(client, &reply), "no answer");
	(void) stored_check(client, &reply, array, 1);
	tap_check(stored_state(client, 0) == state, "state %u, must be %u",
			  stored_state(client, 0), state);
}

void
stored_check_removed(Client *client, const StoredArray *array)
{
	GaReply reply;

	tap_check(client_receive(client, &reply), "no answer");
	(void) stored_check(client, &reply, array, 1);
	if (stored_state(client, 0) == GA_STORED_STREAM)
		stored_check_load(client, array);
	tap_check(stored_state(client, 0) == GA_STORED_LOAD, "state %u",
			  stored_state(client, 0));
}

void
stored_check_resident(Client *client, const StoredArray *array)
{
	GaStoredLookup lookup = stored_lookup(0);

	lookup.loads = 0;
	tap_check(stored_request_one(client, array, &lookup) == GA_STORED_RESIDENT,
			  "array %u is not resident: %u", array->key.value_id,
			  stored_state(client, 0));
}

void
stored_check_load(Client *client, const StoredArray *array)
{
	const GaStoredLookup lookup = stored_lookup(0);

	tap_check(stored_request_one(client, array, &lookup) == GA_STORED_LOAD,
			  "array %u is not to be loaded: %u", array->key.value_id,
			  stored_state(client, 0));
}

uint32_t
stored_fragment(Client *client)
{
	const GaStoredLookup lookup = stored_lookup(UINT64_C(1) << 40);
	uint32_t n = 0;
	ArraySet set;
	StoredArray array;

	array_set_init(&set, GA_int2);
	memset(array_set_add(&set, "filler", PAGE_BYTES / 2, 0, 0), 1, PAGE_BYTES);
	array = stored_make(&set, 0, STORED_FIRST);
	do
	{
		array.key.relation = STORED_RELATION + 1 + n % 2;
		array.key.value_id++;
		n++;
	} while (stored_make_resident(client, &array, 1, &lookup) == 1);
	array_set_free(&set);
	return (uint32_t) stored_clear(client, STORED_RELATION + 2);
}

GaStatRow
stored_stat(Client *client, bool resets)
{
	const GaRequest request = {.opcode = resets ? GA_RESET : GA_STAT};

	return client_call(client, &request).u.stat;
}

uint64_t
stored_clear(Client *client, uint32_t relation)
{
	const GaRequest request = {.opcode = GA_CLEAR, .u.clear = {relation}};

	return client_call(client, &request).u.cache.n_rows;
}

/* Clear all; nothing may be left then. */
void
stored_check_empty(Client *client)
{
	GaStatRow stat;

	(void) stored_clear(client, 0);
	stat = stored_stat(client, false);
	tap_check(stat.n_resident == 0 && stat.n_cache_bytes == 0,
			  "%llu arrays of %llu bytes are left",
			  (unsigned long long) stat.n_resident,
			  (unsigned long long) stat.n_cache_bytes);
}

void
stored_check_witness(Client *witness, const StoredArray *arrays)
{
	const GaStoredLookup lookup = stored_lookup_next();

	tap_check(stored_stat(witness, false).n_resident == 0, "an array is left");
	tap_check(stored_make_resident(witness, arrays, 2, &lookup) == 2,
			  "the others are disturbed");
	tap_check(stored_clear(witness, 0) == 2, "not two arrays");
}
