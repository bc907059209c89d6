/*
 * client_lease.c
 *		Asking gpuaggd for lookup slots, and for a lease of staging memory.
 *
 * Leases and large lookup slots are few, and sessions are many: so what was
 * refused is not asked for again at once, and what others need is released.
 * What asks or releases is called with nothing under way.  Only an interrupt
 * throws.
 */
#include "postgres.h"

#include <unistd.h>

#include "access/parallel.h"

#include "client.h"
#include "extension/clock.h"
#include "reply.h"
#include "extension/engine/session_counters.h"
#include "extension/settings.h"

/*
 * How long a session that could use the CPU waits for a lease, and how long it
 * does not ask again for what it did not get.
 */
#define LEASE_MS 250
#define RETRY_US 1000000

static int64 next_lease_us;	  /* when to ask for a lease again */
static int64 next_lookups_us; /* and for large lookup slots */

/* A new connection: what an earlier gpuaggd refused may be asked for. */
void
ga_client_lease_begin(void)
{
	next_lease_us = next_lookups_us = 0;
}

/*
 * Send a request that memory is granted by, and wait for the reply with its
 * memfd.  Without a reason, that is the caller's to close.
 */
static GaReason
request_memory(const GaRequest *request, GaReply *reply, int *memfd, long ms)
{
	GaReason reason = ga_client_ask(ga_client_fd, request, reply, memfd, ms);

	if (reason != GA_NO_REASON)
		return reason;
	if (reply->status == GA_OK && *memfd >= 0)
		return GA_NO_REASON;
	if (reply->status == GA_OK)
		return *memfd == GA_DESCRIPTOR_LOST ? GA_REASON_DESCRIPTORS :
											  GA_REASON_GONE;
	if (*memfd >= 0)
		close(*memfd);
	return reply->status == GA_NO_CAPACITY ? GA_REASON_STAGING :
											 GA_REASON_FAILED;
}

/*
 * Close a memfd after an attempt to map it, and return the reason given.
 * GA_REASON_STAGING: errno is mmap's, and becomes the trouble.
 */
static GaReason
end_mapping(int memfd, GaReason reason)
{
	if (reason == GA_REASON_STAGING)
		ga_client_set_trouble("mmap: %m");
	close(memfd);
	return reason;
}

/*
 * Get lookup slots, and have them name these arrays.  is_replaced: whatever
 * the reason, those of before are not this session's any more.
 */
static GaReason
replace_lookups(bool is_large, const GaSmallRefs *refs, long ms,
				bool *is_replaced)
{
	GaRequest request = {.opcode = GA_LOOKUP_SLOTS};
	GaReply reply;
	int memfd = -1;
	GaReason reason;

	request.u.lookup_slots.is_large = is_large;
	reason = request_memory(&request, &reply, &memfd, ms);
	*is_replaced = reason == GA_NO_REASON;
	if (reason != GA_NO_REASON)
		return reason;
	return end_mapping(memfd, ga_client_map_lookups(memfd, &reply, refs));
}

/*
 * Get lookup slots, large or small ones, instead of those that there are,
 * within ms.  The arrays that these name are named by the new ones, too.
 * GA_REASON_STAGING: there are none, and those of before stay.  With another
 * reason the connection is of no more use.
 */
GaReason
ga_client_get_lookups(bool is_large, long ms)
{
	GaSmallRefs refs;
	bool is_replaced;
	GaReason reason;

	/* when the reply is here, the slots of now may be another session's */
	ga_client_save_refs(&refs);
	reason = replace_lookups(is_large, &refs, ms, &is_replaced);
	if (reason != GA_REASON_STAGING || !is_replaced || !is_large)
		return reason;

	/* it cannot map them, and has none at all until it has small ones again */
	reason = replace_lookups(false, &refs, ms, &is_replaced);
	return reason == GA_NO_REASON ? GA_REASON_STAGING : GA_REASON_GONE;
}

/*
 * Get a lease, or more slots for it, up to n_slots in all.  If all are taken
 * gpuaggd keeps the request for wait_ms; its answer may take ms more.  Reasons
 * as of ga_client_get_lookups().
 */
static GaReason
get_lease(int n_slots, long wait_ms, long ms)
{
	GaRequest request = {.opcode = GA_LEASE};
	GaReply reply;
	int memfd = -1;
	GaReason reason;

	request.u.lease.n_slots = n_slots;
	request.u.lease.wait_ms = wait_ms;
	reason = request_memory(&request, &reply, &memfd, wait_ms + ms);
	if (reason != GA_NO_REASON)
		return reason;
	return end_mapping(memfd, ga_client_map_lease(memfd, &reply));
}

/* Is it too early to ask for a lease again? */
bool
ga_client_lease_is_refused(void)
{
	return ga_clock_us() < next_lease_us;
}

/*
 * With nothing under way, have a lease of up to n_slots; or of fewer, if no
 * more are free.  If all are taken, wait for one: for a moment, or if `waits`
 * as long as a request may take.  GA_REASON_STAGING: there is none; it is not
 * to be asked for again during the next second.  With another reason, and if
 * the query is cancelled, which throws, the connection is of no more use.
 */
GaReason
ga_client_lease(int n_slots, bool waits)
{
	const int64 start_us = ga_clock_us();
	/* a leader keeps its lease while it waits for its workers */
	const long wait_ms = ga_client_memory.n_leased > 0 ? 0 :
						 waits && !IsParallelWorker()  ? ga_request_timeout :
														 LEASE_MS;
	GaReason reason;

	if (ga_client_memory.n_leased >= n_slots)
		return GA_NO_REASON;
	reason = get_lease(n_slots, wait_ms, ga_client_answer_ms(waits));
	ga_session_count_waiting(start_us);
	if ((reason == GA_NO_REASON || reason == GA_REASON_STAGING) &&
		ga_client_memory.n_leased < n_slots)
		next_lease_us = ga_clock_us() + RETRY_US;
	return reason;
}

/*
 * With nothing under way, have large lookup slots, which name the arrays that
 * the small ones do.  Reasons, and errors, as those of ga_client_lease().
 */
GaReason
ga_client_enlarge_lookups(void)
{
	GaReason reason;

	if (ga_clock_us() < next_lookups_us)
		return GA_REASON_STAGING;
	reason = ga_client_get_lookups(true, ga_client_answer_ms(false));
	if (reason == GA_REASON_STAGING)
		next_lookups_us = ga_clock_us() + RETRY_US;
	return reason;
}

/* Do other sessions wait for a lease, while this one has one? */
bool
ga_client_lease_is_wanted(void)
{
	const GaLookupHead *head = (GaLookupHead *) ga_client_memory.lookups;

	return head != NULL && ga_client_memory.n_leased > 0 &&
		   *(const volatile uint32 *) &head->lease_is_wanted != 0;
}

/*
 * Release the lease, if there is one, with nothing under way.  False if the
 * connection is gone, which the caller has to end.  Never throws.
 */
bool
ga_client_release_lease(void)
{
	const GaRequest request = {.opcode = GA_RELEASE_LEASE};

	if (ga_client_memory.n_leased == 0)
		return true;
	ga_client_unmap_lease();
	next_lease_us = 0;
	return ga_client_send(&request);
}

/*
 * At the end of a transaction, with nothing under way, release what others may
 * need.  Never throws.
 */
void
ga_client_rest(void)
{
	if (ga_client_fd >= 0 && !ga_client_may_keep_lookups())
		ga_client_close();
	else if ((!ga_client_may_keep_lease() || ga_client_lease_is_wanted()) &&
			 !ga_client_release_lease())
		ga_client_close();
}
