/*
 * test_slots.c
 *		What a session sends to gpuaggd, in which order; what it does with
 *		the answers, and what it counts.
 */
#include "postgres.h"

#include "extension/engine/session_counters.h"
#include "extension/offload/elements.h"
#include "extension/offload/stored_list.h"
#include "session_case.h"

#define N 1000

static GaOwner owner;
static GaIntSum ints;
static const int64 ones[N] = {1};

/* Begin with a gpuaggd that answers so. */
static void
begin(const char *name, HostileAnswer answer)
{
	session_begin(name, answer);
	memset(&owner, 0, sizeof(owner));
	memset(&ints, 0, sizeof(ints));
}

static void
answer_honestly(const GaRequest *request, GaReply *reply)
{
	(void) request;
	(void) reply;
}

/* --- stored arrays */

/* A question about a stored array, as it should be, and its answer. */
typedef struct Question
{
	GaStoredState answer;
	bool loads;
	bool waits;
	bool checks;
} Question;

static const Question *questions; /* to come */
static int n_loads;				  /* requests, before the last question */

static void
answer_question(const GaRequest *request, GaReply *reply)
{
	const GaStoredLookup *lookup = &request->u.stored.lookup;
	GaLookupSlot slot;
	GaStoredRef *ref;

	(void) reply;
	if (request->opcode != GA_REDUCE_STORED ||
		!hostile_lookup(request->slot - GA_LEASE_SLOTS, &slot))
		return;
	ref = slot.refs;
	tap_check((lookup->loads != 0) == questions->loads, "loads");
	tap_check((lookup->waits != 0) == questions->waits, "waits");
	tap_check((ref->xmin != 0) == questions->checks, "checks");
	if (ref->xmin != 0)
		tap_check(lookup->sample.taken_ms < stubs_looked_at,
				  "the sample is newer than the look at the chunk");
	ref->state = questions->answer;
	ref->n = N;
	slot.sums[0] = (GaPartialSum){.limb = {N}};
	questions++;
	n_loads = hostile_n_requests[GA_LOAD];
}

static void
add_stored(uint32_t id)
{
	const GaStoredKey key = {7, id, N * sizeof(int64), 0};

	ga_stored_add(&owner, ga_sum_state(&ints, GA_int8), &key, &GA_WANTED_ALL);
}

static void
test_questions(void)
{
	static const struct
	{
		const char *name;
		Question questions[4];
		int n_loads;
	} cases[] = {
		{"a resident array", {{GA_STORED_RESIDENT, true}}, 0},
		{"an array to load is loaded, and asked for without a wait",
		 {{GA_STORED_LOAD, true}, {GA_STORED_RESIDENT}},
		 1},
		{"one that another session loads is waited for",
		 {{GA_STORED_BUSY, true}, {GA_STORED_RESIDENT, false, true}},
		 0},
		{"one that is in doubt is looked at",
		 {{GA_STORED_DOUBT, true}, {GA_STORED_RESIDENT, true, false, true}},
		 0},
		{"one that is in doubt may be another one, to load",
		 {{GA_STORED_DOUBT, true},
		  {GA_STORED_LOAD, true, false, true},
		  {GA_STORED_RESIDENT}},
		 1}};
	Size i;

	for (i = 0; i < lengthof(cases); i++)
	{
		begin(cases[i].name, answer_question);
		questions = cases[i].questions;
		add_stored(1);
		ga_stored_finish();
		tap_check(questions > cases[i].questions &&
					  (questions - 1)->answer == GA_STORED_RESIDENT,
				  "it was given up");
		tap_check(n_loads == cases[i].n_loads, "%d loads", n_loads);
		tap_check(ints.n == N, "%lld inputs", (long long) ints.n);
		tap_check(hostile_n_arrays[GA_NO_REASON] == 1, "counted");
		session_end();
	}
}

static void
test_early_load(void)
{
	static const Question asked[] = {{GA_STORED_LOAD, true}};

	begin("a load is sent before the query has all its arrays",
		  answer_question);
	questions = asked;
	add_stored(1);
	ga_slots_send_open(&ga_stored_kind);
	add_stored(2);
	tap_check(hostile_n_requests[GA_LOAD] == 1, "others wait for it");
	tap_check(hostile_n_requests[GA_REDUCE_STORED] == 1, "requests");
	session_end();
}

/* Another session loads all arrays, so they wait until they are waited for. */
static void
answer_busy(const GaRequest *request, GaReply *reply)
{
	GaLookupSlot slot;
	uint32_t i;

	(void) reply;
	for (i = 0;
		 request->opcode == GA_REDUCE_STORED && i < request->u.stored.n_arrays;
		 i++)
	{
		GaStoredRef *ref;

		if (!hostile_lookup(request->slot - GA_LEASE_SLOTS, &slot))
			break;
		ref = &slot.refs[i];

		ref->state = request->u.stored.lookup.waits ? GA_STORED_RESIDENT :
													  GA_STORED_BUSY;
		ref->n = N;
		slot.sums[i] = (GaPartialSum){.limb = {N}};
	}
}

static void
test_list(void)
{
	const uint32_t most = 4 * GA_LEASE_SLOTS * GA_SLOT_ARRAYS;
	const uint32_t n_arrays = most + most / 2;
	uint32_t n = 0;
	uint32_t i;

	begin("arrays that are deferred are not more and more", answer_busy);
	for (i = 0; i < n_arrays; i++)
	{
		add_stored(i);
		n = Max(n, ga_stored_list.n);
	}
	ga_stored_finish();
	tap_check(n > GA_SLOT_ARRAYS && n <= most, "%u", n);
	tap_check(ints.n == (int64) n_arrays * N, "%lld inputs",
			  (long long) ints.n);
	session_end();
}

static int n_segments;

/* Arrays to load come in segments that are aligned and do not overlap. */
static void
check_segments(const GaRequest *request, GaReply *reply)
{
	GaLookupSlot slot;
	uint32_t end = 0;
	uint32_t i;

	if (request->opcode != GA_LOAD)
		answer_busy(request, reply);
	else
	{
		for (i = 0; i < request->u.load.n_segments; i++)
		{
			const GaLoadSegment *segment =
				&hostile_slot(request->slot)->segments[i];

			tap_check(segment->at % GA_LOAD_ALIGN == 0, "at %u", segment->at);
			tap_check(segment->at >= end, "they overlap");
			end = segment->at + segment->n * sizeof(int64);
			n_segments++;
		}
		tap_check(end <= request->u.load.n_data_bytes, "beyond the data");
	}
	if (request->opcode == GA_REDUCE_STORED && request->u.stored.lookup.loads &&
		hostile_lookup(request->slot - GA_LEASE_SLOTS, &slot))
	{
		for (i = 0; i < request->u.stored.n_arrays; i++)
			slot.refs[i].state = GA_STORED_LOAD;
	}
}

static void
test_alignment(void)
{
	uint32_t i;

	begin("segments of arrays of any length", check_segments);
	for (i = 1; i <= 200; i++)
	{
		const GaStoredKey key = {7, i, i * 7 * sizeof(int64), 0};

		ga_stored_add(&owner, ga_sum_state(&ints, GA_int8), &key,
					  &GA_WANTED_ALL);
	}
	ga_stored_finish();
	tap_check(n_segments >= 200, "%d segments", n_segments);
	session_end();
}

/* --- elements */

static void
add_elements(int n, bool is_first)
{
	tap_check(ga_elements_add(&owner, &ints, GA_int8, ones, n, is_first) == n,
			  "slot");
}

static void
finish_elements(void)
{
	ga_elements_send();
	ga_slots_drain();
}

static int max_arrays;

static void
count_arrays(const GaRequest *request, GaReply *reply)
{
	(void) reply;
	if (request->opcode == GA_SUM)
		max_arrays = Max(max_arrays, (int) request->u.sum.n_arrays);
}

static void
test_arrays(void)
{
	int i;

	begin("a slot has no more arrays than fit", count_arrays);
	for (i = 0; i < 2 * GA_SLOT_ARRAYS + 1; i++)
		add_elements(1, true);
	finish_elements();
	tap_check(max_arrays == GA_SLOT_ARRAYS, "%d arrays", max_arrays);
	tap_check(hostile_n_requests[GA_SUM] == 3, "requests");
	tap_check(hostile_n_arrays[GA_NO_REASON] == 2 * GA_SLOT_ARRAYS + 1,
			  "counted");
	session_end();

	max_arrays = 0;
	begin("runs of an array are one, but arrays of a sum are not",
		  count_arrays);
	add_elements(N, true);
	add_elements(N, false);
	add_elements(N, true);
	finish_elements();
	tap_check(max_arrays == 2, "%d arrays", max_arrays);
	tap_check(hostile_n_arrays[GA_NO_REASON] == 2, "counted");
	tap_check(ints.n == 3 * N, "%lld inputs", (long long) ints.n);
	session_end();
}

static uint32_t lie;

/* Answer for another slot, or another request. */
static void
answer_another(const GaRequest *request, GaReply *reply)
{
	if (request->opcode != GA_SUM)
		return;
	reply->slot ^= lie == GA_SUM;
	reply->opcode = lie == GA_SUM ? GA_SUM : GA_SCAN;
}

static void
test_another(void)
{
	for (lie = GA_SUM; lie <= GA_SCAN; lie += GA_SCAN - GA_SUM)
	{
		begin(lie == GA_SUM ? "an answer about another slot" :
							  "an answer to another request",
			  answer_another);
		add_elements(N, true);
		finish_elements();
		tap_check(hostile_counted == GA_REASON_GONE, "it was taken");
		tap_check(ints.n == N && ga_int_sum_total(&ints) == 1, "sum");
		tap_check(!ga_client_is_open, "the connection stays");
		session_end();
	}
}

/* --- counters */

static void
take_ten_us(const GaRequest *request, GaReply *reply)
{
	(void) request;
	reply->device_us = 10;
}

static void
test_device_time(void)
{
	GaCounters nodes[2] = {{{{0}}}};
	GaOwner others = {.counters = &nodes[1]};

	begin("the device's time is divided among nodes", take_ten_us);
	owner.counters = ga_node_counters = &nodes[0];
	add_elements(1, true);
	add_elements(1, true);
	tap_check(ga_elements_add(&others, &ints, GA_int8, ones, 1, true) == 1,
			  "slot");
	finish_elements();
	ga_node_counters = NULL;
	tap_check(nodes[0].device_us == 6 && nodes[1].device_us == 4,
			  "%lld us, %lld us", (long long) nodes[0].device_us,
			  (long long) nodes[1].device_us);
	session_end();
}

static void
fail_sums(const GaRequest *request, GaReply *reply)
{
	if (request->opcode == GA_SUM)
		reply->status = GA_NO_MEMORY;
}

static void
test_warning(void)
{
	begin("a session warns once", fail_sums);
	add_elements(N, true);
	finish_elements();
	add_elements(N, true);
	finish_elements();
	tap_check(hostile_n_arrays[GA_REASON_MEMORY] == 2, "failures");
	tap_check(stubs_n_warnings == 1, "%d warnings", stubs_n_warnings);
	session_end();
}

/* --- leases */

static void
let_keep(const GaRequest *request, GaReply *reply)
{
	if (request->opcode == GA_LEASE)
		reply->u.lease.keeps = 1;
}

static void
test_leases(void)
{
	begin("a lease that may be kept is kept", let_keep);
	tap_check(ga_client_lease(1, false) == GA_NO_REASON, "no lease");
	ga_client_rest();
	tap_check(ga_client_memory.n_leased > 0, "released");
	tap_check(hostile_n_requests[GA_RELEASE_LEASE] == 0, "request");
	session_end();
	begin("an idle session leaves a gpuaggd that does not answer", let_keep);
	ga_client_check();
	tap_check(ga_client_is_open, "it answers");
	hostile_is_hung = true;
	stubs_pass_ms(10);
	ga_client_check();
	tap_check(!ga_client_is_open, "the connection stays");
	session_end();
	begin("a lease that may not be kept is released", answer_honestly);
	tap_check(ga_client_lease(1, false) == GA_NO_REASON, "no lease");
	ga_client_rest();
	tap_check(ga_client_memory.n_leased == 0, "kept");
	tap_check(hostile_n_requests[GA_RELEASE_LEASE] == 1, "request");
	session_end();
}

int
main(void)
{
	test_questions();
	test_early_load();
	test_list();
	test_alignment();
	test_arrays();
	test_another();
	test_device_time();
	test_warning();
	test_leases();
	return tap_done();
}
