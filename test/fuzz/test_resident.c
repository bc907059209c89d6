/*
 * test_resident.c
 *		Results of resident arrays that a session waits for: parts of an
 *		array, by a gpuaggd that answers as it is told; and pairs, which an
 *		aggregate adds later.
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
static bool has_no_lines;
static uint32 n_with_lines;
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
	ref->n = ref->part.n == 0 ? N_STORED : Min(ref->part.n, N_STORED) - n_short;
	records[0] = (GaPartialSum){.limb = {ref->part.from}};
	records[0].kind = fits ? kind : GA_PARTIAL_NO_CAPACITY;
	n_named++;
	n_hits += !ref->is_missed;
	if (settles)
		sample_ms = request->u.stored.lookup.sample.taken_ms;
}

/*
 * Set the results of the pairs that have one.  Without lines one array has no
 * elements; resident pairs are as they are told.
 */
static void
answer_pairs(const GaRequest *request, const GaLookupSlot *slot)
{
	uint32 n = 0;
	uint32 i;

	tap_check(request->u.stored.n_arrays % 2 == 0, "half a pair");
	for (i = 0; i < request->u.stored.n_arrays; i += 2)
	{
		GaStoredRef *refs = &slot->refs[i];

		if (request->u.stored.lines && has_no_lines)
			refs[1].n = 0;
		n_with_lines += request->u.stored.lines != 0;
		if (refs[0].state != GA_STORED_RESIDENT ||
			refs[1].state != GA_STORED_RESIDENT || refs[0].n != refs[1].n)
			continue;
		slot->sums[n++] = (GaPartialSum){.limb = {3}, .kind = kind};
		slot->sums[n++] = (GaPartialSum){.limb = {7}, .kind = kind};
	}
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
	if (request->u.stored.reduction == GA_REDUCE_PRODUCTS)
		answer_pairs(request, &slot);
}

/* Begin with answers that are all as they should be. */
static void
begin(const char *name, GaReduction reduction)
{
	int i;

	session_begin(name, answer);
	tap_check(ga_offload_choose((Datum) 0, false) == GA_NO_REASON, "engine");
	state_at_first = GA_STORED_RESIDENT;
	n_short = n_named = n_hits = n_with_lines = 0;
	has_no_lines = false;
	sample_ms = stubs_first_look = 0;
	capacity = UINT32_MAX;
	kind = GA_PARTIAL_COMPACT;
	answers_loads = true;
	for (i = 0; i < N_PARTS; i++)
		parts[i] = (GaStoredPart){1 + i * PART, PART};
	run = (GaResidentRun){
		.type = GA_int4,
		.reduction = reduction,
		.key = {7, 1, N_STORED * sizeof(int32), 0},
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
	tap_check(sample_ms > 0 && sample_ms < stubs_first_look,
			  "the sample is of %lld, the first look of %lld",
			  (long long) sample_ms, (long long) stubs_first_look);
	session_end();
}

/* The pairs of an aggregate, each of the same two arrays, or of one. */
static GaIntProducts products;
static GaOwner pairs_owner;

static void
add_pairs(void *argument)
{
	const GaState state = {&products, GA_int4, GA_REDUCE_PRODUCTS};
	const GaStoredKey *keys = argument;
	int i;

	for (i = 0; i < N_PARTS; i++)
		ga_stored_add_pair(&pairs_owner, state, keys);
	ga_offload_finish_all();
}

/*
 * Check the sums of the pairs, by the device and by the CPU, of ones, and how
 * many arrays gpuaggd may count as hits: those that were named, and not missed
 * before.
 */
static void
check_pairs(int by_device, int by_cpu, uint32 hits)
{
	const int64 n_cpu = (int64) by_cpu * N_STORED;

	tap_check(products.n == (int64) N_PARTS * N_STORED, "%lld pairs",
			  (long long) products.n);
	tap_check((int64) products.weight[0] == 3 * by_device + n_cpu &&
				  (int64) products.product[0] == 7 * by_device + n_cpu,
			  "weights %lld, products %lld", (long long) products.weight[0],
			  (long long) products.product[0]);
	tap_check(n_hits == hits, "%u hits", n_hits);
	tap_check(!ga_slots_are_wanted() && !ga_stored_are_wanted(), "more waits");
	session_end();
}

static void
begin_pairs(const char *name)
{
	begin(name, GA_REDUCE_PRODUCTS);
	memset(&products, 0, sizeof(products));
}

static void
test_pairs(void)
{
	const uint32 raw_bytes = N_STORED * sizeof(int32);
	GaStoredKey keys[2] = {{7, 1, raw_bytes, raw_bytes},
						   {7, 2, raw_bytes, raw_bytes}};
	const GaStoredKey one[2] = {keys[0], keys[0]};

	begin_pairs("pairs");
	add_pairs(keys);
	tap_check(n_with_lines == N_PARTS, "%u had to be lines", n_with_lines);
	check_pairs(N_PARTS, 0, 2 * N_PARTS);

	begin_pairs("pairs that are no lines");
	has_no_lines = true;
	add_pairs(keys);
	tap_check(n_with_lines == N_PARTS, "%u had to be lines", n_with_lines);
	check_pairs(N_PARTS, 0, 2 * N_PARTS);

	begin_pairs("pairs with fewer elements than their heads say");
	n_short = 1;
	has_no_lines = true;
	add_pairs(keys);
	tap_check(products.n == N_PARTS * (N_STORED - 1), "%lld pairs",
			  (long long) products.n);
	session_end();

	begin_pairs("pairs that are missing are loaded");
	state_at_first = GA_STORED_STREAM;
	add_pairs(keys);
	tap_check(hostile_n_requests[GA_LOAD] > 0, "they were not");
	check_pairs(N_PARTS, 0, 4 * N_PARTS);

	begin_pairs("pairs of one array each");
	state_at_first = GA_STORED_STREAM;
	add_pairs((void *) one);
	check_pairs(N_PARTS, 0, 3 * N_PARTS);

	begin_pairs("pairs that find no memory are the CPU's");
	state_at_first = GA_STORED_STREAM;
	answers_loads = false;
	add_pairs(keys);
	tap_check(products.n == (int64) N_PARTS * N_STORED &&
				  (int64) products.product[0] == (int64) N_PARTS * N_STORED,
			  "products %lld", (long long) products.product[0]);
	session_end();

	begin_pairs("doubts about both arrays of pairs are settled");
	state_at_first = GA_STORED_DOUBT;
	add_pairs(keys);
	tap_check(hostile_n_requests[GA_LOAD] == 0, "they were loaded");
	tap_check(sample_ms > 0 && sample_ms < stubs_first_look,
			  "the sample is of %lld, the first look of %lld",
			  (long long) sample_ms, (long long) stubs_first_look);
	check_pairs(N_PARTS, 0, 4 * N_PARTS);

	begin_pairs("and about pairs that are no lines");
	state_at_first = GA_STORED_DOUBT;
	has_no_lines = true;
	add_pairs(keys);
	check_pairs(N_PARTS, 0, 4 * N_PARTS);

	begin_pairs("refused pairs are the CPU's");
	kind = GA_PARTIAL_REFUSED;
	add_pairs(keys);
	check_pairs(0, N_PARTS, 2 * N_PARTS);

	begin_pairs("pairs of different lengths are the CPU's");
	keys[1].raw_bytes += 400;
	has_no_lines = true;
	add_pairs(keys);
	check_pairs(0, N_PARTS, 2 * N_PARTS);
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
