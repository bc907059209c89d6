/*
 * client_lease.c
 *		When a session has a lease of staging memory, and large lookup slots.
 *
 * Both are few, and sessions are many: so what was refused is not asked for
 * again at once, and what others need is released.  slots_open.c asks, with
 * nothing under way.
 */
#include "postgres.h"
#include "access/parallel.h"

#include "client.h"
#include "extension/clock.h"
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
	reason = ga_client_get_lease(ga_client_fd, n_slots, wait_ms,
								 ga_client_answer_ms(waits));
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
	reason =
		ga_client_get_lookups(ga_client_fd, true, ga_client_answer_ms(false));
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

/* Release the lease, if there is one, with nothing under way.  Never throws. */
void
ga_client_release_lease(void)
{
	const GaRequest request = {.opcode = GA_RELEASE_LEASE};

	if (ga_client_memory.n_leased == 0)
		return;
	ga_client_unmap_lease();
	next_lease_us = 0;
	if (!ga_client_send(&request))
		ga_client_close();
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
	else if (!ga_client_may_keep_lease() || ga_client_lease_is_wanted())
		ga_client_release_lease();
}
