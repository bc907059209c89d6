/*
 * test_cancel.c
 *		Queries that are cancelled, or fail, while the device computes for
 *		them: nothing is counted twice or forgotten, and gpuaggd hears of what
 *		will not come.
 */
#include "postgres.h"

#include <sys/socket.h>

#include "extension/engine/cpu_reduce.h"
#include "extension/engine/cpu_sums.h"
#include "extension/offload/elements.h"
#include "extension/offload/offload.h"
#include "extension/offload/stored_list.h"
#include "session_case.h"

#define N 1000

/* An array so large that its reading has many steps, and fits in a slot. */
#define N_LARGE 100000

static GaOwner owner;
static GaOwner other;
static GaIntSum ints;
static GaIntSum other_ints;
static uint32_t
	state; /* of stored arrays that are asked for, but once loaded */

/* Begin with a gpuaggd that answers so. */
static void
begin(const char *name, HostileAnswer answer)
{
	session_begin(name, answer);
	memset(&ints, 0, sizeof(ints));
	memset(&other_ints, 0, sizeof(other_ints));
	/* as a query does; the first time also for the end of transactions */
	tap_check(ga_offload_choose((Datum) 0, false) == GA_NO_REASON, "engine");
}

static int
n_cancels(void)
{
	return hostile_n_requests[GA_CANCEL_LOADS];
}

/* Have a stored array of n elements, which are 1, summed. */
static void
add_stored(GaOwner *of, GaIntSum *sum, uint32_t id, uint32_t n)
{
	const GaStoredKey key = {7, id, n * sizeof(int64), 0};

	ga_stored_add(of, ga_sum_state(sum, GA_int8), &key, &GA_WANTED_ALL);
}

static void
finish(void *argument)
{
	(void) argument;
	ga_stored_finish();
	ga_elements_send();
	ga_slots_drain();
}

/* All of n elements are summed, of which so many by the CPU. */
static void
check_sum(const GaIntSum *sum, int64 n, int64 n_by_cpu)
{
	tap_check(sum->n == n, "%lld inputs", (long long) sum->n);
	tap_check(ga_int_sum_total(sum) ==
				  n_by_cpu + hostile_n_elements[GA_NO_REASON],
			  "another sum");
}

/* --- stored arrays */

/* Each sum that the device makes is the number of the elements. */
static void
answer_stored(const GaRequest *request, GaReply *reply)
{
	GaSlot *slot = hostile_slot(request->slot % GA_LEASE_SLOTS);
	GaLookupSlot lookup;
	uint32_t i;

	(void) reply;
	for (i = 0; request->opcode == GA_SUM && i < request->u.sum.n_arrays; i++)
		slot->sums[i] = (GaPartialSum){.limb = {slot->arrays[i].n}};
	if (request->opcode != GA_REDUCE_STORED ||
		!hostile_lookup(request->slot - GA_LEASE_SLOTS, &lookup))
		return;
	for (i = 0; i < request->u.stored.n_arrays; i++)
	{
		GaStoredRef *ref = &lookup.refs[i];

		ref->state =
			request->u.stored.lookup.loads ? state : GA_STORED_RESIDENT;
		ref->n = ref->key.raw_bytes / sizeof(int64);
		lookup.sums[i] = (GaPartialSum){.limb = {ref->n}};
	}
}

static void
test_promised(void)
{
	state = GA_STORED_LOAD;
	begin("a promised load of a query that is cancelled", answer_stored);
	add_stored(&owner, &ints, 1, N);
	add_stored(&other, &other_ints, 2, N);
	ga_slots_send_open(&ga_stored_kind);
	tap_check(n_cancels() == 0, "too early");
	ga_offload_cancel(&owner);
	tap_check(n_cancels() == 1, "gpuaggd waits for it");
	finish(NULL);
	check_sum(&other_ints, N, 0);
	tap_check(ints.n == 0, "it was summed");
	session_end();

	begin("one that is cancelled before the answer", answer_stored);
	add_stored(&owner, &ints, 1, N);
	add_stored(&other, &other_ints, 2, N);
	hostile_late = GA_LEASE_SLOTS;
	ga_slots_send_open(&ga_stored_kind);
	ga_offload_cancel(&owner);
	tap_check(n_cancels() == 0, "too early");
	finish(NULL);
	tap_check(n_cancels() == 1, "gpuaggd waits for it");
	check_sum(&other_ints, N, 0);
	tap_check(ints.n == 0, "it was summed");
	session_end();

	begin("a load that fails half-way", answer_stored);
	add_stored(&owner, &ints, 1, N_LARGE);
	stubs_fail_at = 2;
	tap_check(!stubs_try(finish, NULL), "no error");
	tap_check(n_cancels() == 1, "gpuaggd waits for it");
	tap_check(stubs_try(finish, NULL), "an error");
	check_sum(&ints, N_LARGE, N_LARGE);
	tap_check(hostile_n_arrays[GA_REASON_ERROR] == 1, "the reason");
	session_end();
}

/* A promise that comes while an earlier one is kept is kept as well. */
static void
test_promised_meanwhile(void)
{
	const GaStored second = {.keys[0] = {7, 2, N * sizeof(int64), 0},
							 .wanted = GA_WANTED_ALL,
							 .type = GA_int8,
							 .owner = &other,
							 .state = &other_ints,
							 .level = 1};

	state = GA_STORED_LOAD;
	begin("a promise while others are kept", answer_stored);
	tap_check(ga_client_lease(GA_LEASE_SLOTS, false) == GA_NO_REASON, "lease");
	add_stored(&owner, &ints, 1, N);
	ga_slots_send_open(&ga_stored_kind);
	/* this one is answered when the load of the first one is sent */
	hostile_late = 2;
	ga_stored_ask(&second, &ga_stored_kind);
	ga_slots_send_open(&ga_stored_kind);
	ga_stored_take_steps();
	hostile_late = 0;
	finish(NULL);
	tap_check(n_cancels() == 0, "it is cancelled");
	tap_check(hostile_n_requests[GA_LOAD] == 2, "loads");
	tap_check(ints.n == N && other_ints.n == N, "an array is missing");
	session_end();
}

/* Each array counts once, whoever summed how much of it. */
static void
test_streamed(void)
{
	const int n_sent = 49 * 1000; /* by runs */

	state = GA_STORED_STREAM;
	begin("an array that was sent in part, before an error", answer_stored);
	add_stored(&owner, &ints, 1, N_LARGE);
	add_stored(&owner, &ints, 2, N);
	stubs_fail_at = 50;
	tap_check(!stubs_try(finish, NULL), "no error");
	tap_check(stubs_try(finish, NULL), "an error");
	check_sum(&ints, N_LARGE + N, N_LARGE - n_sent);
	tap_check(hostile_n_elements[GA_NO_REASON] == n_sent + N, "sent");
	tap_check(hostile_n_elements[GA_REASON_ERROR] == N_LARGE - n_sent, "read");
	tap_check(hostile_n_arrays[GA_NO_REASON] == 2, "arrays of the device");
	tap_check(hostile_n_arrays[GA_REASON_ERROR] == 0, "arrays of the CPU");
	session_end();
}

/* An array of a transaction is not read in one that is nested in it. */
static void
test_nested(void)
{
	static const GaStoredState inner[] = {GA_STORED_BUSY, GA_STORED_RESIDENT};
	Size i;

	for (i = 0; i < lengthof(inner); i++)
	{
		state = GA_STORED_LOAD;
		begin("an array of an outer transaction", answer_stored);
		add_stored(&owner, &ints, 1, N);
		ga_slots_send_open(&ga_stored_kind);
		stubs_level = 2;
		state = inner[i];
		add_stored(&other, &other_ints, 2, N);
		finish(NULL);
		tap_check(other_ints.n == N && ints.n == 0, "another one was read");
		tap_check(n_cancels() == 1, "gpuaggd waits for it");
		stubs_level = 1;
		state = GA_STORED_LOAD;
		finish(NULL);
		tap_check(ints.n == N, "it is forgotten");
		session_end();
	}

	state = GA_STORED_LOAD;
	begin("one that a subtransaction left to its parent", answer_stored);
	stubs_level = 2;
	add_stored(&owner, &ints, 1, N);
	stubs_end_level(true);
	stubs_level = 2;
	finish(NULL);
	tap_check(ints.n == 0, "the next subtransaction reads it");
	stubs_level = 1;
	finish(NULL);
	tap_check(ints.n == N, "it is forgotten");
	session_end();
}

/* What an aborted subtransaction leaves is of a query that failed. */
static void
test_aborted(void)
{
	int is_sent;

	for (is_sent = 0; is_sent < 2; is_sent++)
	{
		state = GA_STORED_LOAD;
		begin("arrays of a subtransaction that is aborted", answer_stored);
		add_stored(&other, &other_ints, 1, N);
		stubs_level = 2;
		add_stored(&owner, &ints, 2, N);
		if (is_sent)
			ga_slots_send_open(&ga_stored_kind);
		stubs_end_level(false);
		tap_check(n_cancels() == is_sent, "gpuaggd waits for it");
		finish(NULL);
		tap_check(ints.n == 0, "they are summed");
		tap_check(other_ints.n == N, "those of its parent are not");
		session_end();
	}

	begin("requests of nobody else, either", answer_stored);
	stubs_level = 2;
	add_stored(&owner, &ints, 1, N);
	hostile_late = GA_LEASE_SLOTS;
	ga_slots_send_open(&ga_stored_kind);
	stubs_end_level(false);
	tap_check(!ga_client_is_open, "they go on");
	session_end();
}

/* A session that loads gives its lease to others after so much. */
static void
test_turns(void)
{
	state = GA_STORED_LOAD;
	begin("a lease is shared after an array that is large", answer_stored);
	session_want_lease();
	add_stored(&owner, &ints, 1, N_LARGE);
	finish(NULL);
	tap_check(hostile_n_requests[GA_RELEASE_LEASE] == 1, "it is kept");
	add_stored(&owner, &ints, 2, N);
	finish(NULL);
	tap_check(hostile_n_requests[GA_RELEASE_LEASE] == 1, "after a small one");
	tap_check(ints.n == N_LARGE + N, "an array is missing");
	session_end();
}

/* --- requests under way */

/* What the replies have for others is not for those who left. */
static void
test_shifted(void)
{
	state = GA_STORED_RESIDENT;
	begin("sums behind one that nobody wants any more", answer_stored);
	add_stored(&owner, &ints, 1, N);
	add_stored(&other, &other_ints, 2, 2 * N);
	hostile_late = GA_LEASE_SLOTS;
	ga_slots_send_open(&ga_stored_kind);
	ga_offload_cancel(&owner);
	finish(NULL);
	check_sum(&other_ints, 2 * N, 0);
	tap_check(ints.n == 0, "it was summed");
	session_end();
}

static const int64 ones[N] = {1};

static void
add_elements(GaOwner *of, GaIntSum *sum)
{
	tap_check(ga_elements_add(of, sum, GA_int8, ones, N, true) == N, "slot");
}

static void
test_owners(void)
{
	begin("elements of a query that is cancelled are not sent", answer_stored);
	add_elements(&owner, &ints);
	ga_offload_cancel(&owner);
	finish(NULL);
	tap_check(hostile_n_requests[GA_SUM] == 0, "sent");
	tap_check(ga_client_is_open, "closed");
	session_end();

	begin("but those of others are", answer_stored);
	add_elements(&owner, &ints);
	add_elements(&other, &other_ints);
	ga_offload_cancel(&owner);
	finish(NULL);
	tap_check(hostile_n_requests[GA_SUM] == 1, "not sent");
	tap_check(other_ints.n == N && ints.n == 0, "another sum");
	session_end();

	begin("elements are not sent when their transaction is over",
		  answer_stored);
	add_elements(&owner, &ints);
	stubs_end_transaction();
	tap_check(ga_client_open(true) == GA_NO_REASON, "no connection");
	finish(NULL);
	tap_check(hostile_n_requests[GA_SUM] == 0 && ints.n == 0, "sent");
	session_end();

	begin("a connection is closed when nobody waits for it", answer_stored);
	hostile_late = GA_LEASE_SLOTS;
	add_elements(&owner, &ints);
	add_elements(&other, &other_ints);
	ga_elements_send();
	ga_offload_cancel(&owner);
	tap_check(ga_client_is_open, "too early");
	ga_offload_cancel(&other);
	tap_check(!ga_client_is_open, "its request goes on");
	session_end();
}

/* gpuaggd goes while a slot is open, and is missed when a lease is released. */
static void
test_gone(void)
{
	state = GA_STORED_RESIDENT;
	begin("a lease cannot be released, and an array is named", answer_stored);
	tap_check(ga_client_lease(1, false) == GA_NO_REASON, "no lease");
	add_stored(&owner, &ints, 1, N);
	session_want_lease();
	tap_check(shutdown(ga_client_fd, SHUT_RDWR) == 0, "shutdown");
	ga_slots_share_lease();
	tap_check(!ga_client_is_open && !ga_slots_has(&ga_stored_kind),
			  "it is named to nobody");
	add_stored(&other, &other_ints, 2, N);
	finish(NULL);
	tap_check(ints.n == N && other_ints.n == N, "an array is missing");
	tap_check(hostile_n_arrays[GA_REASON_GONE] == 2, "the reason");
	session_end();
}

/* --- looks for a cancellation */

static void
drain(void *argument)
{
	(void) argument;
	ga_slots_drain();
}

static void
test_waiting(void)
{
	begin("a query that waits is cancelled", answer_stored);
	hostile_late = GA_LEASE_SLOTS;
	add_elements(&owner, &ints);
	ga_elements_send();
	stubs_cancel_at = stubs_n_looks + 1;
	tap_check(!stubs_try(drain, NULL), "no error");
	tap_check(ints.n == 0, "it was summed");
	finish(NULL);
	check_sum(&ints, N, 0);
	session_end();
}

/* The CPU adds some million elements between two looks. */
#define N_CPU (20 << 20)

static void
add_by_cpu(void *elements)
{
	(void) ga_cpu_reduce(ga_cpu_add_growing, &ints, GA_int2, elements, N_CPU);
}

static void
test_cpu(void)
{
	int16 *elements;

	begin("a long sum by the CPU is cancelled", answer_stored);
	elements = palloc0(N_CPU * sizeof(int16));
	stubs_n_looks = stubs_cancel_at = 0;
	tap_check(stubs_try(add_by_cpu, elements), "an error");
	tap_check(ints.n == N_CPU && stubs_n_looks >= 4, "%d looks", stubs_n_looks);
	stubs_cancel_at = stubs_n_looks + 2;
	tap_check(!stubs_try(add_by_cpu, elements), "no error");
	session_end();

	state = GA_STORED_LOAD;
	begin("a long array, too, when the device has failed", answer_stored);
	add_stored(&owner, &ints, 1, N_LARGE);
	stubs_fail_at = 2;
	tap_check(!stubs_try(finish, NULL), "no error");
	stubs_cancel_at = stubs_n_looks + 50;
	tap_check(!stubs_try(finish, NULL), "not cancelled");
	tap_check(ints.n == 0, "%lld inputs", (long long) ints.n);
	tap_check(stubs_try(finish, NULL), "an error");
	check_sum(&ints, N_LARGE, N_LARGE);
	session_end();
}

int
main(void)
{
	test_promised();
	test_promised_meanwhile();
	test_streamed();
	test_nested();
	test_aborted();
	test_turns();
	test_shifted();
	test_owners();
	test_gone();
	test_waiting();
	test_cpu();
	return tap_done();
}
