/*
 * test_replies.c
 *		Replies of a gpuaggd that lies: each thing that a session must not
 *		believe, one by one.  What a fuzzer found has its test here.
 */
#include "postgres.h"

#include "tap.h"
#include "extension/offload/client.h"
#include "extension/offload/elements.h"
#include "extension/offload/stat_client.h"
#include "extension/offload/stored.h"
#include "extension/sql/ladder_client.h"
#include "hostile.h"
#include "server_stubs.h"

#define N 1000

static GaOwner owner; /* of all sums */

static const double ones[N];
static GaIntSum ints;
static GaFullSum floats;
static uint32_t lied_about; /* the opcode of the request */

/* Begin with a gpuaggd that answers so. */
static void
begin(const char *name, HostileAnswer answer)
{
	tap_begin("%s", name);
	memset(&ints, 0, sizeof(ints));
	(void) ga_full_sum_init(&floats);
	hostile_answer_by(answer);
	ga_slots_init(ga_stored_connection_lost);
}

static void
end(void)
{
	(void) ga_stored_reset();
	ga_slots_reset();
	hostile_end();
	stubs_reset();
	tap_end();
}

/* Sum N elements that are zero by a request. */
static void
sum_elements(void *argument)
{
	const GaElementType type = *(GaElementType *) argument;
	void *sum = ga_element_is_float(type) ? (void *) ga_full_sum(&floats) :
											(void *) &ints;

	tap_check(ga_client_open(true) == GA_NO_REASON, "no connection");
	tap_check(ga_elements_add(&owner, sum, type, ones, N, true) == N, "slot");
	ga_elements_send();
	ga_slots_drain();
}

static GaStoredWanted wanted; /* all, unless a test says a part */

/* Sum what is wanted of a stored array of N elements, which are 1. */
static void
sum_stored(void *argument)
{
	const GaStoredKey key = {7, 100, N * sizeof(int64), 0};

	(void) argument;
	tap_check(ga_client_open(true) == GA_NO_REASON, "no connection");
	ga_stored_add(&owner, ga_sum_state(&ints, GA_int8), &key, &wanted);
	ga_stored_finish();
	ga_elements_send();
	ga_slots_drain();
}

/* N integers were added whose sum is this. */
static void
check_ints(int64 sum)
{
	tap_check(ints.n == N, "%lld inputs", (long long) ints.n);
	tap_check(ga_int_sum_total(&ints) == sum, "another sum");
}

/* --- elements */

static void
move_arrays(const GaRequest *request, GaReply *reply)
{
	GaSlot *slot = hostile_slot(request->slot);

	if (request->opcode != GA_SUM)
		return;
	slot->arrays[0] = (GaSlotArray){UINT32_MAX - 7, UINT32_MAX};
	slot->sums[0] = (GaPartialSum){.limb = {0}};
	reply->status = lied_about == GA_SUM ? GA_DEVICE_FAILED : GA_OK;
}

static void
test_arrays(void)
{
	GaElementType type = GA_int8;

	for (lied_about = 0; lied_about <= GA_SUM; lied_about += GA_SUM)
	{
		begin("the place of an array is not read from the slot", move_arrays);
		tap_check(stubs_try(sum_elements, &type), "an error");
		check_ints(0);
		end();
	}
}

static GaPartialSum record;
static GaFullRecord full;

static void
put_record(const GaRequest *request, GaReply *reply)
{
	(void) reply;
	if (request->opcode != GA_SUM)
		return;
	hostile_slot(request->slot)->sums[0] = record;
	hostile_slot(request->slot)->full[0] = full;
}

/* A record that no device makes is not added; the CPU computes instead. */
static void
check_record(const char *what, GaElementType type)
{
	double result = 1;

	begin(what, put_record);
	tap_check(stubs_try(sum_elements, &type), "an error");
	if (ga_element_is_float(type))
	{
		const GaExactSum *sum = ga_full_sum(&floats);

		tap_check(ga_exact_sum_is_valid(sum) && sum->n == N &&
					  ga_exact_sum_float8(sum, &result) == GA_OK && result == 0,
				  "it was added");
	}
	else
		check_ints(0);
	end();
	memset(&record, 0, sizeof(record));
	memset(&full, 0, sizeof(full));
}

static void
test_records(void)
{
	record.limb[1] = (uint64) 1 << 62;
	check_record("an integer sum that so many inputs cannot have", GA_int8);
	record.limb[0] = GA_SLOT_FULL;
	record.kind = GA_PARTIAL_FULL;
	check_record("a full record that there is not", GA_float8);
	record.n_neg_zero = N + 1;
	check_record("more zeros than inputs", GA_float8);
	record.limb[2] = (uint64) 1 << 62;
	record.first = 66;
	check_record("a sum beyond all floats", GA_float8);
	record.kind = GA_PARTIAL_FULL;
	full.n_nan = -1;
	check_record("a negative count", GA_float8);
	record.kind = GA_PARTIAL_FULL;
	full.n_nan = full.n_pos_inf = full.n_neg_inf = INT64_MAX;
	check_record("more special inputs than inputs", GA_float8);
	record.kind = GA_PARTIAL_FULL;
	full.cells[3] = INT64_MAX;
	check_record("a cell that overflows", GA_float8);
	record.kind = GA_PARTIAL_FULL;
	full.cells[67] = INT64_C(1) << 50;
	check_record("a total beyond all floats", GA_float8);
}

/* --- stored arrays */

static uint32 lied_n = N + 1; /* elements that were summed */

static void
spoil_refs(const GaRequest *request, GaReply *reply)
{
	GaLookupSlot lookup;

	(void) reply;
	if (request->opcode != GA_REDUCE_STORED ||
		!hostile_lookup(request->slot - GA_LEASE_SLOTS, &lookup))
		return;
	lookup.refs->state = lied_about;
	lookup.refs->n = lied_n;
	lookup.refs->key.raw_bytes = 8;
	lookup.sums[0] = (GaPartialSum){.limb = {N}};
}

static void
test_stored(void)
{
	static const char *const names[] = {
		"more elements than an array has",
		"another array to load, again and again",
		"another array to wait for, for ever",
		"another array to check, for ever",
		"another array to send",
		"another array to ask for later, for ever"};

	for (lied_about = 0; lied_about < lengthof(names); lied_about++)
	{
		begin(names[lied_about], spoil_refs);
		tap_check(stubs_try(sum_stored, NULL), "an error");
		check_ints(lied_about == GA_STORED_STREAM ? 1 : N);
		end();
	}
}

/* Of a part it is known how many elements it has. */
static void
test_parts(void)
{
	const uint32 n_part = 100;

	wanted.part = (GaPart){11, 110};
	wanted.elements = (GaStoredPart){10, n_part};
	lied_n = n_part + 1;
	for (wanted.is_small = 0;; wanted.is_small = 1)
	{
		for (lied_about = 0; lied_about <= GA_STORED_MISSING; lied_about++)
		{
			const bool is_sent =
				lied_about == GA_STORED_STREAM && !wanted.is_small;

			begin("another number of elements than a part has", spoil_refs);
			tap_check(stubs_try(sum_stored, NULL), "an error");
			tap_check(ints.n == n_part, "%lld inputs", (long long) ints.n);
			tap_check(ga_int_sum_total(&ints) == (is_sent ? 1 : n_part),
					  "another sum");
			end();
		}
		if (wanted.is_small)
			break;
	}
	wanted = GA_WANTED_ALL;
}

/* --- packets */

static void
lengthen_texts(const GaRequest *request, GaReply *reply)
{
	memset(reply->reason, 'x', sizeof(reply->reason));
	if (request->opcode != GA_LADDER)
	{
		memset(reply->u.device.name, 'x', sizeof(reply->u.device.name));
		memset(reply->u.device.id, '\n', sizeof(reply->u.device.id));
		memset(reply->u.device.kind, '\xff', sizeof(reply->u.device.kind));
	}
	else
	{
		memset(&reply->u.ladder.row, 'x', sizeof(reply->u.ladder.row));
		reply->u.ladder.event = GA_LADDER_ROW;
	}
	if (request->opcode == lied_about)
		reply->status = GA_DEVICE_FAILED;
	if (request->opcode == GA_LEASE)
		hostile_n_descriptors = 0;
}

static void
ask_devices(void *argument)
{
	GaDeviceRow *rows;

	tap_check(ga_stat_client_devices(&rows) == *(int *) argument, "rows");
	if (*(int *) argument == 0)
		return;
	tap_check(strlen(rows->name) == sizeof(rows->name) - 1, "name");
	tap_check(strspn(rows->id, "?") == sizeof(rows->id) - 1, "id");
	tap_check(strspn(rows->kind, "?") == sizeof(rows->kind) - 1, "kind");
}

static void
take_row(const GaLadderRow *row, void *to)
{
	tap_check(strlen(row->rung.name) == sizeof(row->rung.name) - 1, "name");
	tap_check(row->rung.is_step && row->rung.is_exact, "not true");
	++*(int *) to;
}

static void
ask_ladder(void *argument)
{
	const GaLadderCall call = {.n = 1, .type = GA_int4, .repeats = 1};

	ga_ladder_fetch(&call, take_row, argument);
}

static void
test_texts(void)
{
	int n = 1;
	GaElementType type = GA_int8;

	lied_about = 0;
	begin("texts of devices without an end", lengthen_texts);
	tap_check(stubs_try(ask_devices, &n), "an error");
	end();
	n = 0;
	begin("the name of a rung without an end", lengthen_texts);
	tap_check(!stubs_try(ask_ladder, &n) && n == 1, "%d rows", n);
	end();
	lied_about = GA_SUM;
	begin("a reason without an end", lengthen_texts);
	tap_check(stubs_try(sum_elements, &type), "an error");
	tap_check(strlen(ga_client_trouble()) ==
				  sizeof(((GaReply *) 0)->reason) - 1,
			  "no end");
	check_ints(0);
	end();
	lied_about = GA_HELLO;
	begin("a reason of a greeting without an end", lengthen_texts);
	tap_check(ga_client_open(true) == GA_REASON_VERSION, "reason");
	end();
}

static void
pass_descriptors(const GaRequest *request, GaReply *reply)
{
	hostile_by_socket = true;
	hostile_n_descriptors =
		request->opcode == GA_LEASE || request->opcode == GA_LOOKUP_SLOTS ? 2 :
																			0;
	if (lied_about == GA_LOOKUP_SLOTS && request->opcode == GA_LOOKUP_SLOTS)
		reply->status = GA_DEVICE_FAILED;
	if (lied_about == GA_SUM && request->opcode == GA_SUM)
		hostile_n_descriptors = 1;
	if (lied_about == GA_LOAD && request->opcode == GA_SUM)
	{
		hostile_n_descriptors = 2;
		hostile_n_bytes = 8;
	}
	if (lied_about == GA_SCAN && request->opcode == GA_SUM)
		hostile_n_bytes = sizeof(*reply) + 4;
}

static void
test_descriptors(void)
{
	GaElementType type = GA_int8;

	lied_about = 0;
	begin("two descriptors for one", pass_descriptors);
	tap_check(stubs_try(sum_elements, &type), "an error");
	end();
	lied_about = GA_LOOKUP_SLOTS;
	begin("a descriptor with a failure", pass_descriptors);
	tap_check(ga_client_open(true) == GA_REASON_FAILED, "reason");
	end();
	lied_about = GA_SUM;
	begin("a descriptor that nobody wants", pass_descriptors);
	tap_check(stubs_try(sum_elements, &type), "an error");
	end();
	lied_about = GA_LOAD;
	begin("descriptors with a message that is too short", pass_descriptors);
	tap_check(stubs_try(sum_elements, &type), "an error");
	check_ints(0);
	end();
	lied_about = GA_SCAN;
	begin("a message that is too long", pass_descriptors);
	tap_check(stubs_try(sum_elements, &type), "an error");
	check_ints(0);
	tap_check(hostile_counted == GA_REASON_GONE, "taken");
	end();
}

/* --- leases and views */

static bool moves_lookups;

static void
move_lease(const GaRequest *request, GaReply *reply)
{
	if (request->opcode == GA_LEASE)
		reply->u.lease.offsets[GA_LEASE_SLOTS - 1] += lied_about;
	if (request->opcode == GA_LOOKUP_SLOTS && moves_lookups)
		reply->u.lookup_slots.offset = lied_about;
}

/* A lease that this gpuaggd grants is not taken: the caller has to compute. */
static void
check_no_lease(void)
{
	stubs_pass_ms(2000);
	tap_check(ga_elements_add(&owner, &ints, GA_int8, ones, N, true) == 0,
			  "taken");
	tap_check(!ga_client_is_open, "the connection stays");
	tap_check(ga_slots_lease_reason() == GA_REASON_GONE, "reason");
}

static void
test_leases(void)
{
	lied_about = 0;
	moves_lookups = false;
	begin("lookup slots that are too short", move_lease);
	hostile_lease_bytes = 4096;
	tap_check(ga_client_open(true) != GA_NO_REASON, "taken");
	end();
	begin("a lease that is too short", move_lease);
	tap_check(ga_client_open(true) == GA_NO_REASON, "no connection");
	hostile_lease_bytes = 4096;
	check_no_lease();
	end();
	begin("lookup slots that can become too short", move_lease);
	hostile_lease_is_sealed = false;
	tap_check(ga_client_open(true) != GA_NO_REASON, "taken");
	end();
	begin("a lease that can become too short", move_lease);
	tap_check(ga_client_open(true) == GA_NO_REASON, "no connection");
	hostile_lease_is_sealed = false;
	check_no_lease();
	end();
	lied_about = 4096;
	begin("a slot behind the memory's end", move_lease);
	tap_check(ga_client_open(true) == GA_NO_REASON, "no connection");
	check_no_lease();
	end();
	moves_lookups = true;
	begin("lookup slots behind the memory's end", move_lease);
	tap_check(ga_client_open(true) != GA_NO_REASON, "taken");
	end();
	moves_lookups = false;
}

static void
say_many_rows(const GaRequest *request, GaReply *reply)
{
	if (request->opcode == GA_DEVICES)
		reply->opcode = GA_STAT;
	if (request->opcode == GA_CACHE)
		reply->u.cache.n_rows = UINT64_MAX / sizeof(GaCacheRow) + 3;
	hostile_lease_bytes = 2 * sizeof(GaCacheRow) + 5;
}

static void
ask_cache(void *argument)
{
	GaCacheRow *rows;

	tap_check(ga_stat_client_cache(&rows) == 2, "rows");
	tap_check(rows[1].n_arrays == 0, "row");
}

static void
test_views(void)
{
	int n = 0;

	begin("more rows than there are", say_many_rows);
	tap_check(stubs_try(ask_cache, NULL), "an error");
	end();
	begin("an answer to another request", say_many_rows);
	tap_check(stubs_try(ask_devices, &n), "an error");
	end();
}

int
main(void)
{
	test_arrays();
	test_records();
	wanted = GA_WANTED_ALL;
	test_stored();
	test_parts();
	test_texts();
	test_descriptors();
	test_leases();
	test_views();
	return tap_done();
}
