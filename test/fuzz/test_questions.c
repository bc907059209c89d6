/*
 * test_questions.c
 *		What a session asks about stored arrays, and how many at once.
 */
#include "postgres.h"
#include "utils/memutils.h"

#include "extension/offload/stored_key.h"
#include "extension/offload/stored_list.h"
#include "session_case.h"

#define N 1000

static GaOwner owner;
static GaIntSum ints;

/* Begin with a gpuaggd that answers so. */
static void
begin(const char *name, HostileAnswer answer)
{
	session_begin(name, answer);
	memset(&owner, 0, sizeof(owner));
	memset(&ints, 0, sizeof(ints));
}

/* A question about a stored array, as it should be, and its answer. */
typedef struct Question
{
	GaStoredState answer;
	GaStoredLoads loads;
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
	tap_check(lookup->loads == questions->loads, "loads: %u", lookup->loads);
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
	} cases[] = {{"a resident array", {{GA_STORED_RESIDENT, GA_LOADS_NOW}}, 0},
				 {"an array to load is loaded, and asked for without a wait",
				  {{GA_STORED_LOAD, GA_LOADS_NOW}, {GA_STORED_RESIDENT}},
				  1},
				 {"one that another session loads is waited for",
				  {{GA_STORED_BUSY, GA_LOADS_NOW},
				   {GA_STORED_RESIDENT, GA_LOADS_NOTHING, true}},
				  0},
				 {"one that is in doubt is looked at",
				  {{GA_STORED_DOUBT, GA_LOADS_NOW},
				   {GA_STORED_RESIDENT, GA_LOADS_NOW, false, true}},
				  0},
				 {"one that is in doubt may be another one, to load",
				  {{GA_STORED_DOUBT, GA_LOADS_NOW},
				   {GA_STORED_LOAD, GA_LOADS_NOW, false, true},
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
	static const Question asked[] = {{GA_STORED_LOAD, GA_LOADS_NOW}};

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

static void
test_later(void)
{
	static const Question asked[] = {{GA_STORED_MISSING, GA_LOADS_LATER},
									 {GA_STORED_RESIDENT, GA_LOADS_LATER},
									 {GA_STORED_LOAD, GA_LOADS_NOW},
									 {GA_STORED_RESIDENT}};
	static const Question at_once[] = {{GA_STORED_LOAD, GA_LOADS_NOW},
									   {GA_STORED_RESIDENT}};

	begin("where there may be helpers, loads begin when all are asked for",
		  answer_question);
	stubs_allow_helpers = true;
	owner.context = TopMemoryContext;
	questions = asked;
	add_stored(1);
	ga_slots_send_open(&ga_stored_later_kind);
	add_stored(2);
	ga_slots_send_open(&ga_stored_later_kind);
	ga_slots_poll();
	tap_check(questions == asked + 2, "%d questions",
			  (int) (questions - asked));
	tap_check(hostile_n_requests[GA_CANCEL_LOADS] == 0, "cancelled");
	ga_stored_finish();
	tap_check(questions == asked + 4 && n_loads == 1, "%d questions, %d loads",
			  (int) (questions - asked), n_loads);
	tap_check(ints.n == 2 * N, "%lld inputs", (long long) ints.n);
	session_end();

	begin("who waits for one array has it loaded at once", answer_question);
	questions = at_once;
	add_stored(1);
	ga_stored_finish();
	tap_check(questions == at_once + 2, "%d questions",
			  (int) (questions - at_once));
	stubs_allow_helpers = false;
	session_end();
}

/* An inner query does not have an outer one load what it is to load later. */
static void
test_later_nested(void)
{
	static const Question asked[] = {{GA_STORED_MISSING, GA_LOADS_LATER},
									 {GA_STORED_RESIDENT, GA_LOADS_LATER},
									 {GA_STORED_RESIDENT, GA_LOADS_LATER},
									 {GA_STORED_LOAD, GA_LOADS_NOW},
									 {GA_STORED_RESIDENT}};

	begin("nor do loads begin for a query within it", answer_question);
	stubs_allow_helpers = true;
	owner.context = TopMemoryContext;
	questions = asked;
	add_stored(1);
	ga_slots_send_open(&ga_stored_later_kind);
	stubs_level = 2;
	add_stored(2);
	ga_stored_finish();
	stubs_level = 1;
	tap_check(ints.n == N, "%lld inputs", (long long) ints.n);
	add_stored(3);
	tap_check(!ga_slots_has(&ga_stored_kind), "asked for, to load it now");
	ga_stored_finish();
	tap_check(questions == asked + lengthof(asked), "%d questions",
			  (int) (questions - asked));
	tap_check(ints.n == 3 * N, "%lld inputs", (long long) ints.n);
	session_end();
	stubs_allow_helpers = false;
}

/* Answer the same about all arrays. */
static void
answer_state(const GaRequest *request, GaStoredState state)
{
	GaLookupSlot slot;
	uint32_t i;

	if (request->opcode != GA_REDUCE_STORED ||
		!hostile_lookup(request->slot - GA_LEASE_SLOTS, &slot))
		return;
	for (i = 0; i < request->u.stored.n_arrays; i++)
	{
		slot.refs[i].state = state;
		slot.refs[i].n = N;
		slot.sums[i] = (GaPartialSum){.limb = {N}};
	}
}

/* Another session loads all arrays, so they wait until they are waited for. */
static void
answer_busy(const GaRequest *request, GaReply *reply)
{
	(void) reply;
	answer_state(request, request->u.stored.lookup.waits ? GA_STORED_RESIDENT :
														   GA_STORED_BUSY);
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

static int n_promised; /* loads that gpuaggd expects */

/* All arrays are evicted before they are asked for again. */
static void
answer_evicted(const GaRequest *request, GaReply *reply)
{
	(void) reply;
	if (request->opcode == GA_REDUCE_STORED && request->u.stored.lookup.loads)
		n_promised++;
	answer_state(request, request->u.stored.lookup.loads ? GA_STORED_LOAD :
														   GA_STORED_MISSING);
}

/*
 * An array that is evicted again and again is loaded a few times, and read by
 * the CPU then, which is no failure of the device.
 */
static void
test_evicted(void)
{
	begin("an array that is evicted again and again", answer_evicted);
	n_promised = 0;
	add_stored(1);
	ga_stored_finish();
	tap_check(ints.n == N && ga_int_sum_total(&ints) == N, "%lld inputs",
			  (long long) ints.n);
	tap_check(hostile_n_arrays[GA_REASON_CACHE] == 1 &&
				  hostile_n_arrays[GA_REASON_FAILED] == 0 &&
				  hostile_n_arrays[GA_NO_REASON] == 0,
			  "counted as reason %d", hostile_counted);
	tap_check(stubs_n_warnings == 0, "%d warnings", stubs_n_warnings);
	tap_check(n_promised > 2 && n_promised <= 8, "asked for %d times",
			  n_promised);
	tap_check(hostile_n_requests[GA_LOAD] == n_promised - 1 &&
				  hostile_n_requests[GA_CANCEL_LOADS] == 1,
			  "%d loads of %d, %d of them cancelled",
			  hostile_n_requests[GA_LOAD], n_promised,
			  hostile_n_requests[GA_CANCEL_LOADS]);
	session_end();
}

static int n_segments;

/* Arrays to load come in segments that are aligned and do not overlap. */
static void
check_segments(const GaRequest *request, GaReply *reply)
{
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
	if (request->opcode == GA_REDUCE_STORED && request->u.stored.lookup.loads)
		answer_state(request, GA_STORED_LOAD);
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

#define MB (INT64_C(1) << 20)

static uint32_t n_asked[GA_SLOTS]; /* arrays, by request */
static uint32_t n_requests;

static void
note_request(const GaRequest *request, GaReply *reply)
{
	if (request->opcode == GA_REDUCE_STORED && n_requests < GA_SLOTS)
		n_asked[n_requests++] = request->u.stored.n_arrays;
	(void) reply;
	answer_state(request, GA_STORED_RESIDENT);
}

/*
 * A device that has nothing to do is asked for little, then for as much as is
 * under way, up to a bound.  The small lookup slots are full with the first
 * request, and become large.
 */
static void
test_growth(void)
{
	const uint32_t least = GA_STORED_ASK_LEAST_BYTES / (16 * MB);
	const uint32_t most = GA_STORED_ASK_BYTES / (16 * MB);
	const uint32_t wanted[] = {least, least, 2 * least, most, most, 1};
	uint32_t i;

	begin("what is asked for grows with what is under way", note_request);
	hostile_late = GA_LOOKUP_COUNT;
	for (i = 0; i < 4 * least + 2 * most + 1; i++)
	{
		const GaStoredKey key = {7, i, 16 * MB, 0};

		ga_stored_add(&owner, ga_sum_state(&ints, GA_int8), &key,
					  &GA_WANTED_ALL);
	}
	ga_stored_finish();
	tap_check(n_requests == lengthof(wanted), "%u requests", n_requests);
	for (i = 0; i < Min(n_requests, lengthof(wanted)); i++)
		tap_check(n_asked[i] == wanted[i], "request %u: %u arrays", i,
				  n_asked[i]);
	session_end();
}

int
main(void)
{
	test_questions();
	test_early_load();
	test_later();
	test_later_nested();
	test_list();
	test_evicted();
	test_alignment();
	test_growth();
	return tap_done();
}
