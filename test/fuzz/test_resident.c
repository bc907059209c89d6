/*
 * test_resident.c
 *		Results of resident arrays that a session waits for: parts of an
 *		array, and pairs, by a gpuaggd that answers as it is told.
 */
#include "postgres.h"

#include "extension/offload/offload.h"
#include "extension/offload/stored.h"
#include "extension/sql/engine_resident.h"
#include "session_case.h"

#define N_PARTS	 100 /* more than a small slot takes */
#define PART	 40	 /* elements of each */
#define N_STORED 1000

/* How the arrays are answered, and what came. */
static uint32 state_at_first; /* until they are loaded, or a doubt is settled */
static uint32 n_short;		  /* elements that are missing in a part */
static uint32 capacity;		  /* results of a request */
static GaPartialKind kind;	  /* of results */
static bool answers_loads;
static int64 sample_ms; /* of the request that settled a doubt */
static uint32 n_named;	/* of these parts */
static uint32 n_hits;

static GaStoredPart parts[N_PARTS];
static GaAnyState states[N_PARTS];
static GaResidentRun run;

/* Set the answer about an array; the sum of a part is where it begins. */
static void
answer_ref(const GaRequest *request, GaStoredRef *ref, GaPartialSum *records,
		   bool fits)
{
	const bool settles = ref->xmin != 0;
	const bool has_loaded = hostile_n_requests[GA_LOAD] > 0;

	ref->state = settles || has_loaded ? GA_STORED_RESIDENT : state_at_first;
	if (request->u.stored.lookup.loads && !has_loaded)
		ref->state = answers_loads ? GA_STORED_LOAD : GA_STORED_STREAM;
	ref->n = ref->part.n == 0 ? N_STORED : ref->part.n - n_short;
	records[0] = (GaPartialSum){.limb = {ref->part.from}};
	records[0].kind = fits ? kind : GA_PARTIAL_NO_CAPACITY;
	n_named++;
	n_hits += !ref->is_missed;
	if (settles)
		sample_ms = request->u.stored.lookup.sample.taken_ms;
}

static void
answer(const GaRequest *request, GaReply *reply)
{
	const uint32 n_arrays = request->u.stored.n_arrays;
	GaLookupSlot slot;
	uint32 i;

	(void) reply;
	if (request->opcode != GA_REDUCE_STORED ||
		!hostile_lookup(request->slot - GA_LEASE_SLOTS, &slot))
		return;
	for (i = 0; i < n_arrays; i++)
		answer_ref(request, &slot.refs[i], &slot.sums[i], i < capacity);
	if (request->u.stored.reduction != GA_REDUCE_PRODUCTS)
		return;
	tap_check(n_arrays % 2 == 0, "half a pair");
	for (i = 0; i < n_arrays; i += 2)
	{
		slot.sums[i] = (GaPartialSum){.limb = {3}};
		slot.sums[i + 1] = (GaPartialSum){.limb = {7}};
	}
}

/* Begin with answers that are all as they should be. */
static void
begin(const char *name, GaReduction reduction)
{
	int i;

	session_begin(name, answer);
	tap_check(ga_offload_choose((Datum) 0, false) == GA_NO_REASON, "engine");
	state_at_first = GA_STORED_RESIDENT;
	n_short = n_named = n_hits = 0;
	sample_ms = 0;
	capacity = UINT32_MAX;
	kind = GA_PARTIAL_COMPACT;
	answers_loads = true;
	for (i = 0; i < N_PARTS; i++)
		parts[i] = (GaStoredPart){1 + i * PART, PART};
	run = (GaResidentRun){
		.type = GA_int4,
		.reduction = reduction,
		.keys = {{7, 1, N_STORED * sizeof(int32), 0},
				 {7, 2, N_STORED * sizeof(int32), 0}},
		.parts = parts,
		.n = N_PARTS,
		.states = (char *) states,
	};
}

static void
compute(void *argument)
{
	(void) argument;
	(void) ga_resident_compute(&run);
}

/* Have all sums been taken, once? */
static void
check_sums(void)
{
	const GaIntSum *sums = (GaIntSum *) states;
	int i;

	tap_check(run.reason == GA_NO_REASON, "reason %d", run.reason);
	tap_check(run.n_done == N_PARTS, "%d parts", run.n_done);
	for (i = 0; i < N_PARTS; i++)
		tap_check(sums[i].n == PART &&
					  ga_int_sum_total(&sums[i]) == 1 + i * PART,
				  "part %d", i);
}

static void
test_parts(void)
{
	begin("parts of a resident array, one of which is a hit", GA_REDUCE_SUM);
	compute(NULL);
	check_sums();
	tap_check(n_named == N_PARTS, "%u parts were named", n_named);
	tap_check(n_hits == 1, "%u hits", n_hits);
	session_end();

	begin("requests that have no capacity for all results", GA_REDUCE_SUM);
	capacity = 3;
	compute(NULL);
	check_sums();
	session_end();

	begin("and one for none", GA_REDUCE_SUM);
	capacity = 0;
	compute(NULL);
	tap_check(run.reason == GA_REASON_RECORDS, "reason %d", run.reason);
	session_end();
}

static void
test_wrong(void)
{
	static const struct
	{
		const char *name;
		GaPartialKind kind;
		uint32 n_short;
		GaReason reason;
	} cases[] = {
		{"refused results", GA_PARTIAL_REFUSED, 0, GA_REASON_REFUSED},
		{"full records that there are not", GA_PARTIAL_FULL, 0,
		 GA_REASON_FAILED},
		{"records of no kind", (GaPartialKind) 77, 0, GA_REASON_FAILED},
		{"parts with fewer elements", GA_PARTIAL_COMPACT, 1, GA_REASON_FAILED},
	};
	Size i;

	for (i = 0; i < lengthof(cases); i++)
	{
		begin(cases[i].name, GA_REDUCE_SUM);
		kind = cases[i].kind;
		n_short = cases[i].n_short;
		compute(NULL);
		tap_check(run.reason == cases[i].reason, "reason %d", run.reason);
		tap_check(run.n_done == 0, "%d parts", run.n_done);
		session_end();
	}
}

static void
test_missing(void)
{
	begin("an array that is missing is loaded", GA_REDUCE_SUM);
	state_at_first = GA_STORED_STREAM;
	compute(NULL);
	check_sums();
	tap_check(hostile_n_requests[GA_LOAD] > 0, "it was not");
	session_end();

	begin("one that another session loads is waited for", GA_REDUCE_SUM);
	state_at_first = GA_STORED_BUSY;
	compute(NULL);
	check_sums();
	session_end();

	begin("but not for a small part of it", GA_REDUCE_SUM);
	state_at_first = GA_STORED_BUSY;
	run.is_small = true;
	compute(NULL);
	tap_check(run.reason == GA_REASON_PART, "reason %d", run.reason);
	tap_check(hostile_n_requests[GA_LOAD] == 0, "it was loaded");
	session_end();

	begin("one that finds no memory is the CPU's", GA_REDUCE_SUM);
	state_at_first = GA_STORED_STREAM;
	answers_loads = false;
	compute(NULL);
	tap_check(run.reason == GA_REASON_CACHE, "reason %d", run.reason);
	session_end();

	begin("a doubt is settled", GA_REDUCE_SUM);
	state_at_first = GA_STORED_DOUBT;
	compute(NULL);
	check_sums();
	tap_check(hostile_n_requests[GA_LOAD] == 0, "it was loaded");
	tap_check(sample_ms > 0 && sample_ms < stubs_looked_at,
			  "the sample is of %lld, the look of %lld", (long long) sample_ms,
			  (long long) stubs_looked_at);
	session_end();
}

static void
test_pairs(void)
{
	const GaIntProducts *sums = (GaIntProducts *) states;
	int i;

	begin("pairs", GA_REDUCE_PRODUCTS);
	compute(NULL);
	tap_check(run.reason == GA_NO_REASON && run.n_done == N_PARTS, "%d pairs",
			  run.n_done);
	tap_check(n_hits == 2, "%u hits", n_hits);
	for (i = 0; i < N_PARTS; i++)
		tap_check(sums[i].n == PART && sums[i].weight[0] == 3 &&
					  sums[i].product[0] == 7,
				  "pair %d", i);
	session_end();
}

/* Wherever it is cancelled, the sum of another query is right. */
static void
test_cancelled(void)
{
	const GaStoredKey key = {7, 9, N_STORED * sizeof(int32), 0};
	int at;

	for (at = 1; at < 8; at++)
	{
		GaOwner other = {NULL};
		GaIntSum sum = {0};

		begin("a run that is cancelled, and another query", GA_REDUCE_SUM);
		state_at_first = at % 2 ? GA_STORED_RESIDENT : GA_STORED_STREAM;
		ga_stored_add(&other, ga_sum_state(&sum, GA_int4), &key,
					  &GA_WANTED_ALL);
		hostile_late = GA_SLOTS;
		stubs_cancel_at = stubs_n_looks + at;
		if (stubs_try(compute, NULL))
			check_sums();
		stubs_cancel_at = 0;
		hostile_late = 0;
		ga_offload_finish_all();
		tap_check(sum.n == N_STORED, "%lld inputs", (long long) sum.n);
		tap_check(!ga_slots_are_wanted(), "a slot waits");
		session_end();
	}
}

int
main(void)
{
	test_parts();
	test_wrong();
	test_missing();
	test_pairs();
	test_cancelled();
	return tap_done();
}
