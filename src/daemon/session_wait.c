/*
 * session_wait.c
 *		Sessions whose next request cannot begin yet.
 *
 * Owns the lists of waiting sessions, by what they wait for.  dispatch.c has a
 * session wait, and its request is dispatched again later, when what it waits
 * for may be there: it may wait again.  Those that wait for the same are served
 * in the order in which they came.  The loop calls it at the end of each turn.
 */
#include "device/clock.h"
#include "request_pool.h"
#include "session_wait.h"

/* How often sessions that wait for stored arrays try again in any case. */
#define RETRY_NS (250 * GA_NS_PER_MS)

TAILQ_HEAD(WaiterList, GaSession);

static struct WaiterList waiters[GA_N_WAITS];
static bool loads_ended; /* since those for stored arrays tried last */
static int64_t retry_ns; /* when they try again in any case */
static void (*begin_requests)(GaSession *session);

/* Set the function that begins with the requests whose turn it is. */
void
ga_session_waits_open(void (*begin)(GaSession *session))
{
	int i;

	for (i = 0; i < GA_N_WAITS; i++)
		TAILQ_INIT(&waiters[i]);
	begin_requests = begin;
}

/* Have the request wait that was to begin; it is dispatched again later. */
void
ga_session_wait(GaSession *session, GaWaitsFor what)
{
	session->n_begun--;
	session->waits_for = what;
	TAILQ_INSERT_TAIL(&waiters[what], session, waiting);
}

/* Have the session wait for nothing. */
void
ga_session_end_wait(GaSession *session)
{
	if (session->waits_for != GA_WAITS_FOR_NOTHING)
		TAILQ_REMOVE(&waiters[session->waits_for], session, waiting);
	session->waits_for = GA_WAITS_FOR_NOTHING;
}

/* Does any session wait for this? */
bool
ga_sessions_wait(GaWaitsFor what)
{
	return !TAILQ_EMPTY(&waiters[what]);
}

/* The cache calls this when a load has ended or was cancelled. */
void
ga_sessions_retry(void)
{
	loads_ended = true;
}

/*
 * Dispatch the first request that waits for this; it may wait again.  Return
 * false if none waits.
 */
bool
ga_sessions_wake(GaWaitsFor what)
{
	GaSession *session = TAILQ_FIRST(&waiters[what]);

	if (session == NULL)
		return false;
	ga_session_end_wait(session);
	begin_requests(session);
	return true;
}

/*
 * Dispatch all requests that wait for this, each once: those that wait again
 * are behind the others.
 */
static void
wake_all(GaWaitsFor what)
{
	struct WaiterList *waiting = &waiters[what];
	struct WaiterList list = TAILQ_HEAD_INITIALIZER(list);
	GaSession *session;

	TAILQ_CONCAT(&list, waiting, waiting);
	while ((session = TAILQ_FIRST(&list)) != NULL)
	{
		TAILQ_REMOVE(&list, session, waiting);
		TAILQ_INSERT_HEAD(waiting, session, waiting);
		ga_session_end_wait(session);
		begin_requests(session);
	}
}

/*
 * Give free slots to the sessions that wait for a lease, and an answer to those
 * that waited long enough: to the dispatcher both are the same.
 */
static void
serve_lease_waiters(int64_t now_ns)
{
	struct WaiterList *waiting = &waiters[GA_WAITS_FOR_LEASE];
	GaSession *session = TAILQ_FIRST(waiting);

	while (session != NULL)
	{
		GaSession *next = TAILQ_NEXT(session, waiting);
		const bool has_lease = ga_staging_lease(&session->lease, 1);

		if (has_lease || now_ns >= session->wait_end_ns)
		{
			ga_session_end_wait(session);
			begin_requests(session);
		}
		session = next;
	}
}

/* At the end of the loop's turn: serve what waits. */
void
ga_sessions_serve(void)
{
	const int64_t now_ns = ga_now_ns();

	if (ga_sessions_wait(GA_WAITS_FOR_LEASE))
		serve_lease_waiters(now_ns);
	if (ga_sessions_wait(GA_WAITS_FOR_STORED) &&
		(loads_ended || now_ns >= retry_ns))
	{
		loads_ended = false;
		retry_ns = now_ns + RETRY_NS;
		wake_all(GA_WAITS_FOR_STORED);
	}
	if (ga_sessions_wait(GA_WAITS_FOR_REQUEST) && ga_request_pool_has_new())
		wake_all(GA_WAITS_FOR_REQUEST);
}

/* Return the milliseconds from now until a time, 0 if it has passed. */
static int
ms_until(int64_t time_ns, int64_t now_ns)
{
	return time_ns <= now_ns ? 0 :
							   (int) ((time_ns - now_ns) / GA_NS_PER_MS) + 1;
}

/* Return the milliseconds that the loop may sleep; -1 is for ever. */
int
ga_sessions_timeout_ms(int64_t now_ns)
{
	const GaSession *session;
	int least = -1;

	TAILQ_FOREACH(session, &waiters[GA_WAITS_FOR_LEASE], waiting)
	{
		const int ms = ms_until(session->wait_end_ns, now_ns);

		if (least < 0 || ms < least)
			least = ms;
	}
	if (ga_sessions_wait(GA_WAITS_FOR_STORED))
	{
		const int ms = loads_ended ? 0 : ms_until(retry_ns, now_ns);

		if (least < 0 || ms < least)
			least = ms;
	}
	return least;
}
