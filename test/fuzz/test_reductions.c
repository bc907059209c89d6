/*
 * test_reductions.c
 *		Extrema and moments that gpuaggd answers with: records that are added,
 *		records that no device makes, and how many arrays a slot takes.
 */
#include "postgres.h"

#include "extension/engine/session_counters.h"
#include "extension/offload/stored.h"
#include "session_case.h"

#define N	  1000
#define EVERY 40 /* arrays: more than a small slot takes */

static GaOwner owner;
static GaAnyState memory;
static GaState state;

/* An answer, and what becomes of it. */
typedef struct Answer
{
	const char *name;
	GaReduction reduction;
	GaElementType type;
	GaPartialSum records[GA_MAX_RECORDS];
	GaReason reason; /* GA_NO_REASON: it is added */
	int64 result;	 /* the extremum, or the sum */
} Answer;

static const Answer *answer;

/* Begin with a gpuaggd that answers so, and a state of no elements. */
static void
begin(const char *name, HostileAnswer by, GaReduction reduction,
	  GaElementType type)
{
	session_begin(name, by);
	memset(&owner, 0, sizeof(owner));
	state = (GaState){&memory, type, reduction};
	ga_state_init(state);
}

static void
add_stored(uint32_t id)
{
	const GaStoredKey key = {7, id, N * ga_element_size(state.type), 0};

	ga_stored_add(&owner, state, &key, &GA_WANTED_ALL);
}

static void
put_answer(const GaRequest *request, GaReply *reply)
{
	GaLookupSlot slot;

	(void) reply;
	if (request->opcode != GA_REDUCE_STORED ||
		!hostile_lookup(request->slot - GA_LEASE_SLOTS, &slot))
		return;
	tap_check(request->u.stored.reduction == answer->reduction, "reduction");
	slot.refs->state = GA_STORED_RESIDENT;
	slot.refs->n = N;
	memcpy(slot.sums, answer->records, sizeof(answer->records));
}

/* Return the extremum, or the sum of the moments; check their number. */
static int64
result(void)
{
	const GaExtremum *extremum = &memory.extremum;
	double sum = 0;

	if (state.reduction != GA_REDUCE_MOMENTS)
	{
		tap_check(extremum->is_set, "nothing was added");
		return ga_element_is_float(state.type) ?
				   (int64) extremum->value.as_float :
				   extremum->value.as_int;
	}
	if (!ga_element_is_float(state.type))
	{
		tap_check(memory.ints.n == N, "%lld inputs", (long long) memory.ints.n);
		return (int64) ga_int_sum_total(&memory.ints);
	}
	tap_check(
		ga_exact_sum_float8(ga_sum_pair_single(ga_full_sum_pair(&memory.pair)),
							&sum) == GA_OK,
		"sum");
	return (int64) sum;
}

/* Bits of doubles. */
#define THREE	  UINT64_C(0x4008000000000000)
#define HUGE	  UINT64_C(0x7e37e43c8800759c) /* 1e300 */
#define INT32_END ((uint64) 1 << 31)

static void
test_answers(void)
{
	/* what is not added the CPU reads: N elements that are 1 */
	static const Answer cases[] = {
		{"a minimum",
		 GA_REDUCE_MIN,
		 GA_int8,
		 {{.limb = {-7}}},
		 GA_NO_REASON,
		 -7},
		{"a maximum",
		 GA_REDUCE_MAX,
		 GA_float8,
		 {{.limb = {THREE}}},
		 GA_NO_REASON,
		 3},
		{"a maximum of real",
		 GA_REDUCE_MAX,
		 GA_float4,
		 {{.limb = {THREE}}},
		 GA_NO_REASON,
		 3},
		{"a minimum that is no integer of 32 bits",
		 GA_REDUCE_MIN,
		 GA_int4,
		 {{.limb = {INT32_END}}},
		 GA_REASON_RECORDS,
		 1},
		{"a maximum that is no integer of 16 bits",
		 GA_REDUCE_MAX,
		 GA_int2,
		 {{.limb = {-32769}}},
		 GA_REASON_RECORDS,
		 1},
		{"a maximum that is no real",
		 GA_REDUCE_MAX,
		 GA_float4,
		 {{.limb = {HUGE}}},
		 GA_REASON_RECORDS,
		 1},
		{"a full record of an extremum",
		 GA_REDUCE_MIN,
		 GA_int8,
		 {{.kind = GA_PARTIAL_FULL}},
		 GA_REASON_RECORDS,
		 1},
		{"an extremum that is refused",
		 GA_REDUCE_MIN,
		 GA_int8,
		 {{.kind = GA_PARTIAL_REFUSED}},
		 GA_REASON_REFUSED,
		 1},
		{"moments of integers",
		 GA_REDUCE_MOMENTS,
		 GA_int8,
		 {{.limb = {2 * N}}, {.limb = {9 * N}}},
		 GA_NO_REASON,
		 2 * N},
		{"moments of floats",
		 GA_REDUCE_MOMENTS,
		 GA_float8,
		 {{.limb = {1 << 30}, .first = 33}, {.limb = {9 * N}, .unit = 2148}},
		 GA_NO_REASON,
		 4096},
		{"moments that are refused",
		 GA_REDUCE_MOMENTS,
		 GA_float8,
		 {{.kind = GA_PARTIAL_REFUSED}, {.kind = GA_PARTIAL_REFUSED}},
		 GA_REASON_REFUSED,
		 N},
		{"moments that are half refused",
		 GA_REDUCE_MOMENTS,
		 GA_float8,
		 {{.limb = {0}}, {.kind = GA_PARTIAL_REFUSED}},
		 GA_REASON_RECORDS,
		 N},
		{"integer moments that are refused",
		 GA_REDUCE_MOMENTS,
		 GA_int4,
		 {{.kind = GA_PARTIAL_REFUSED}, {.kind = GA_PARTIAL_REFUSED}},
		 GA_REASON_REFUSED,
		 N},
		{"moments with a full record",
		 GA_REDUCE_MOMENTS,
		 GA_float8,
		 {{.kind = GA_PARTIAL_FULL}, {.limb = {0}}},
		 GA_REASON_RECORDS,
		 N},
	};
	Size i;

	for (i = 0; i < lengthof(cases); i++)
	{
		answer = &cases[i];
		begin(answer->name, put_answer, answer->reduction, answer->type);
		add_stored(1);
		ga_stored_finish();
		tap_check(hostile_n_arrays[answer->reason] == 1, "counted");
		tap_check(result() == answer->result, "%lld", (long long) result());
		session_end();
	}
}

/* --- slots */

static uint32 n_asked[GA_N_REDUCTIONS]; /* arrays */
static uint32 most_asked;				/* in one request */

/* Answer with moments whose sum is the array's id. */
static void
answer_ids(const GaRequest *request, GaReply *reply)
{
	const GaReduction reduction = request->u.stored.reduction;
	const uint32 n_records = ga_reduction_records(reduction);
	GaLookupSlot slot;
	uint32 i;

	(void) reply;
	if (request->opcode != GA_REDUCE_STORED ||
		!hostile_lookup(request->slot - GA_LEASE_SLOTS, &slot))
		return;
	tap_check(request->u.stored.n_arrays * n_records <= slot.shape.n_arrays,
			  "more arrays than results fit");
	n_asked[reduction] += request->u.stored.n_arrays;
	most_asked = Max(most_asked, request->u.stored.n_arrays);
	for (i = 0; i < request->u.stored.n_arrays; i++)
	{
		const uint32 id = slot.refs[i].key.value_id;

		slot.refs[i].state = GA_STORED_RESIDENT;
		slot.refs[i].n = N;
		slot.sums[i * n_records] = (GaPartialSum){.limb = {id}};
		if (n_records == 2)
			slot.sums[i * n_records + 1] = (GaPartialSum){.limb = {id * id}};
	}
}

static void
test_capacity(void)
{
	uint32 id;

	begin("a slot takes as many arrays as results fit in it", answer_ids,
		  GA_REDUCE_MOMENTS, GA_int8);
	memset(n_asked, 0, sizeof(n_asked));
	most_asked = 0;
	for (id = 1; id <= EVERY; id++)
		add_stored(id);
	ga_stored_finish();
	tap_check(n_asked[GA_REDUCE_MOMENTS] == EVERY, "%u arrays",
			  n_asked[GA_REDUCE_MOMENTS]);
	tap_check(ga_int_sum_total(&memory.ints) == EVERY * (EVERY + 1) / 2, "sum");
	tap_check(memory.ints.n == EVERY * N, "inputs");
	session_end();
}

static void
test_mixture(void)
{
	GaAnyState others[GA_N_REDUCTIONS];
	uint32 id;
	int i;

	begin("each reduction has requests of its own", answer_ids,
		  GA_REDUCE_MOMENTS, GA_int8);
	memset(n_asked, 0, sizeof(n_asked));
	for (i = 0; i < GA_N_REDUCTIONS; i++)
		ga_state_init((GaState){&others[i], GA_int8, (GaReduction) i});
	for (id = 1; id <= EVERY; id++)
	{
		for (i = 0; i < GA_N_REDUCTIONS; i++)
		{
			state = (GaState){&others[i], GA_int8, (GaReduction) i};
			add_stored(id);
		}
	}
	ga_stored_finish();
	for (i = 0; i < GA_N_REDUCTIONS; i++)
		tap_check(n_asked[i] == EVERY, "%u arrays", n_asked[i]);
	tap_check(others[GA_REDUCE_MIN].extremum.value.as_int == 1, "least");
	tap_check(others[GA_REDUCE_MAX].extremum.value.as_int == EVERY, "largest");
	for (i = 0; i < GA_N_REDUCTIONS; i += GA_REDUCE_MOMENTS)
		tap_check(ga_int_sum_total(&others[i].ints) == EVERY * (EVERY + 1) / 2,
				  "sum");
	session_end();
}

/* --- a cache that is full */

static void
have_no_memory(const GaRequest *request, GaReply *reply)
{
	GaLookupSlot slot;

	(void) reply;
	if (request->opcode == GA_REDUCE_STORED &&
		hostile_lookup(request->slot - GA_LEASE_SLOTS, &slot))
		slot.refs->state = GA_STORED_STREAM;
}

static void
test_full_cache(void)
{
	begin("elements are not sent to be searched", have_no_memory, GA_REDUCE_MIN,
		  GA_int8);
	add_stored(1);
	ga_stored_finish();
	tap_check(hostile_n_requests[GA_SUM] == 0, "they were sent");
	tap_check(hostile_n_arrays[GA_REASON_CACHE] == 1, "counted");
	tap_check(result() == 1, "least");
	session_end();
}

int
main(void)
{
	test_answers();
	test_capacity();
	test_mixture();
	test_full_cache();
	return tap_done();
}
