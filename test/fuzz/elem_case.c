/*
 * elem_case.c
 *		Sums by position, with a gpuaggd that answers as it is told.
 */
#include "postgres.h"
#include "miscadmin.h"

#include "elem_case.h"
#include "elem_stubs.h"
#include "extension/offload/offload.h"
#include "extension/offload/stored.h"

const LieKind elem_lies[] = {
	[TRUTH] = {"the truth", GA_NO_REASON},
	[REFUSED] = {"positions that are refused", GA_REASON_REFUSED},
	[IMPOSSIBLE] = {"sums that cannot be", GA_REASON_REFUSED},
	[NO_KIND] = {"records of no kind", GA_REASON_REFUSED},
	[ANOTHER] = {"a reply to another request", GA_REASON_GONE},
	[NO_MEMORY] = {"no device memory", GA_REASON_MEMORY},
	[FAILURE] = {"a failure", GA_REASON_FAILED},
	[LOST] = {"a connection that is lost", GA_REASON_GONE},
	[MISSING] = {"an array that is loaded then", GA_NO_REASON},
	[DOUBT] = {"an array that is in doubt", GA_NO_REASON},
	[FOR_EVER] = {"an array that stays missing", GA_REASON_CACHE},
	[NONE] = {"no results, and nothing is missing", GA_REASON_CACHE},
	[NO_STATES] = {"states that are none", GA_REASON_CACHE},
};

Lie elem_lie;
int elem_lie_at;
bool elem_lies_once;
uint32 elem_segment;
bool elem_loads;
uint32 elem_asked[ELEM_MAX_ASKED];
int elem_n_asked;

/* The array that is missing, as MISSING and FOR_EVER have it. */
#define MISSING_ID 3

static bool
is_loaded(void)
{
	return hostile_n_requests[GA_LOAD] > 0;
}

/* Spoil two results of a segment, so that the CPU has to add there. */
static void
spoil_results(const GaRequest *request, GaPartialSum record)
{
	char *data = ga_slot_data(hostile_slot(request->slot));
	const uint32 n = request->u.elem.n;
	const uint64 some = 2;

	if (request->u.elem.form != GA_FORM_RECORD)
		memcpy(data + n * sizeof(some), &some, sizeof(some));
	else
	{
		((GaPartialSum *) data)[n / 3] = record;
		((GaPartialSum *) data)[n / 2] = record;
	}
}

/* Set the states of arrays that are missing; return whether one is. */
static bool
spoil_states(const GaRequest *request)
{
	GaStoredRef *refs = hostile_slot(request->slot)->refs;
	const bool lacks =
		elem_lie == FOR_EVER || (elem_lie == MISSING && !is_loaded());
	bool is_missing = elem_lie == NONE || elem_lie == NO_STATES;
	uint32 i;

	for (i = 0; i < request->u.elem.n_arrays; i++)
	{
		if (lacks && refs[i].key.value_id == MISSING_ID)
		{
			refs[i].state = GA_STORED_STREAM;
			is_missing = true;
		}
		if (elem_lie == DOUBT && refs[i].key.value_id == MISSING_ID)
		{
			refs[i].state =
				refs[i].xmin == 0 ? GA_STORED_DOUBT : GA_STORED_RESIDENT;
			is_missing = refs[i].xmin == 0;
			tap_check(is_missing || request->u.elem.lookup.sample.taken_ms <
										stubs_looked_at,
					  "the sample is newer than the look at the chunk");
		}
		if (elem_lie == NO_STATES)
		{
			refs[i].state = i % 2 ? 12345 : GA_STORED_RESIDENT;
			refs[i].n = i % 2 ? refs[i].n : UINT32_MAX;
		}
	}
	return is_missing;
}

static void
answer_elem(const GaRequest *request, GaReply *reply)
{
	const int number = (int) (request->u.elem.from / elem_segment);
	const bool lies =
		elem_lies_once ? number == elem_lie_at : number >= elem_lie_at;
	static const GaPartialSum refused = {.kind = GA_PARTIAL_REFUSED};
	static const GaPartialSum impossible = {.limb = {0, 1 << 20}};
	static const GaPartialSum of_no_kind = {.kind = 77};

	tap_check(elem_n_asked < ELEM_MAX_ASKED, "too often");
	elem_asked[elem_n_asked++ % ELEM_MAX_ASKED] = request->u.elem.from;
	tap_check(request->u.elem.n_all == ELEM_ALL, "%u elements",
			  request->u.elem.n_all);
	if (!lies)
		return;
	reply->u.elem.has_results = !spoil_states(request);
	if (elem_lie == REFUSED || elem_lie == IMPOSSIBLE || elem_lie == NO_KIND)
		spoil_results(request, elem_lie == REFUSED	  ? refused :
							   elem_lie == IMPOSSIBLE ? impossible :
														of_no_kind);
	if (elem_lie == ANOTHER)
		reply->opcode = GA_SUM;
	if (elem_lie == NO_MEMORY || elem_lie == FAILURE)
		reply->status = elem_lie == NO_MEMORY ? GA_NO_MEMORY : GA_DEVICE_FAILED;
	hostile_by_socket = elem_lie == LOST;
	hostile_n_bytes = elem_lie == LOST ? 0 : sizeof(*reply);
}

/* Lookups are those of loads; sums of another query's array are its length. */
static void
answer(const GaRequest *request, GaReply *reply)
{
	GaLookupSlot slot;
	uint32 i;

	if (request->opcode == GA_ELEM)
		answer_elem(request, reply);
	if (request->opcode == GA_LEASE && elem_lie == NO_LEASE)
		reply->status = GA_NO_CAPACITY;
	if (request->opcode != GA_REDUCE_STORED ||
		!hostile_lookup(request->slot - GA_LEASE_SLOTS, &slot))
		return;
	for (i = 0; i < request->u.stored.n_arrays; i++)
	{
		slot.refs[i].state = is_loaded() || !request->u.stored.lookup.loads ?
								 GA_STORED_RESIDENT :
							 elem_loads ? GA_STORED_LOAD :
										  GA_STORED_STREAM;
		slot.refs[i].n = slot.refs[i].key.raw_bytes / sizeof(int16);
		slot.sums[i] = (GaPartialSum){.limb = {slot.refs[i].n}};
	}
}

GaElemState elem_state;

void
elem_note_arrays(void)
{
	GaStoredKey key = {7, 0, ELEM_BYTES, 0};

	elem_stubs_init(&elem_state, GA_int2, ELEM_ALL);
	for (key.value_id = 1; key.value_id <= ELEM_ARRAYS; key.value_id++)
		ga_elem_note_key(&elem_state.noted, &key, ELEM_ALL);
}

void
elem_begin(const char *name, GaElemForm form, Lie lie, int at)
{
	session_begin(name, answer);
	tap_check(ga_offload_choose((Datum) 0, false) == GA_NO_REASON, "engine");
	elem_lie = lie;
	elem_lie_at = at;
	elem_lies_once = false;
	elem_loads = true;
	elem_segment = ga_slot_positions(form);
	elem_n_asked = 0;
	elem_note_arrays();
}

void
elem_finish(void *argument)
{
	(void) argument;
	ga_elem_finish(&elem_state.noted);
}

void
elem_check_sums(void)
{
	size_t n_wrong = 0;
	int64 n_elements = 0;
	size_t i;

	for (i = 0; i < ELEM_ALL; i++)
		n_wrong += ga_elem_int_total(&elem_state.sum.blocks[i / GA_ELEM_BLOCK],
									 (int) (i % GA_ELEM_BLOCK)) != ELEM_ARRAYS;
	tap_check(n_wrong == 0, "%zu positions have other sums", n_wrong);
	tap_check(elem_state.noted.n == 0 && elem_state.sum.n_arrays == ELEM_ARRAYS,
			  "%lld arrays", (long long) elem_state.sum.n_arrays);
	for (i = 0; i < GA_N_REASONS; i++)
		n_elements += hostile_n_elements[i];
	tap_check(n_elements == (int64) ELEM_ARRAYS * ELEM_ALL, "%lld are counted",
			  (long long) n_elements);
}

/*
 * Cancel a call at one look, and have another query go on; returns whether the
 * call came to that look.
 */
static bool
cancel(void (*call)(void *argument), GaElemForm form, Lie lie, int late, int at)
{
	const GaStoredKey key = {7, 99, 2000, 0};
	GaOwner other = {NULL};
	GaIntSum sum = {0};
	bool is_cancelled;

	elem_begin("a query that is cancelled, and another one", form, lie, 1);
	ga_stored_add(&other, ga_sum_state(&sum, GA_int2), &key, &GA_WANTED_ALL);
	hostile_late = late;
	stubs_cancel_at = stubs_n_looks + at;
	is_cancelled = !stubs_try(call, NULL);
	stubs_cancel_at = 0;
	hostile_late = 0;
	ga_offload_finish_all();
	tap_check(sum.n == 1000 && ga_int_sum_total(&sum) == 1000, "%lld inputs",
			  (long long) sum.n);
	tap_check(!ga_slots_are_wanted(), "a slot waits");
	memset(hostile_n_elements, 0, sizeof(hostile_n_elements));
	elem_note_arrays();
	elem_finish(NULL);
	elem_check_sums();
	session_end();
	return is_cancelled;
}

void
elem_test_cancelled(void (*call)(void *argument), GaElemForm form, Lie lie)
{
	static const int late[] = {0, GA_LEASE_SLOTS, GA_SLOTS};
	int n_cancelled = 0;
	int at;
	Size i;

	for (i = 0; i < lengthof(late); i++)
	{
		for (at = 1; at < 8 && cancel(call, form, lie, late[i], at); at++)
			n_cancelled++;
	}
	tap_begin("that it was cancelled");
	tap_check(n_cancelled > 4, "%d times", n_cancelled);
	tap_end();
}
