/*
 * test_slots.c
 *		What a session sends to gpuaggd, in which order; what it does with
 *		the answers, and what it counts.
 */
#include "postgres.h"

#include "extension/engine/session_counters.h"
#include "extension/offload/elements.h"
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
	begin("one that others want, too, after what is in it", answer_honestly);
	add_elements(N, true);
	ga_slots_share_lease();
	tap_check(hostile_n_requests[GA_SUM] == 0, "nobody wants it");
	session_want_lease();
	ga_slots_share_lease();
	tap_check(hostile_n_requests[GA_SUM] == 1 && ints.n == N, "what is in it");
	tap_check(ga_client_memory.n_leased == 0, "kept");
	tap_check(hostile_n_requests[GA_RELEASE_LEASE] == 1, "request");
	session_end();
}

int
main(void)
{
	test_arrays();
	test_another();
	test_device_time();
	test_warning();
	test_leases();
	return tap_done();
}
