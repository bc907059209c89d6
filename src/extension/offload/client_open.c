/*
 * client_open.c
 *		Making a session's connection to gpuaggd, with small lookup slots.
 */
#include "postgres.h"

#include "client.h"
#include "extension/clock.h"
#include "connect.h"
#include "extension/engine/session_counters.h"

/*
 * Connect, say hello, and get small lookup slots.  A failure is remembered for
 * a while.
 */
static GaReason
open_connection(bool waits)
{
	GaReason reason = ga_client_connect(waits);
	int64 start_us;

	if (reason != GA_NO_REASON)
		return reason;
	ga_client_lease_begin();
	start_us = ga_clock_us();
	reason = ga_client_greet(ga_client_fd, ga_client_answer_ms(waits));
	if (reason == GA_NO_REASON)
		reason = ga_client_get_lookups(false, ga_client_answer_ms(waits));
	ga_session_count_waiting(start_us);
	if (reason != GA_NO_REASON)
		ga_connect_failed(reason);
	return reason;
}

/*
 * Have a connection.  If `waits`, wait for gpuaggd to start; if not, a reason
 * why there is none is remembered for a while.  Throws if the query is
 * cancelled.
 */
GaReason
ga_client_open(bool waits)
{
	volatile GaReason reason;

	if (ga_client_is_open)
		return GA_NO_REASON;
	PG_TRY();
	{
		reason = open_connection(waits);
	}
	PG_CATCH();
	{
		ga_client_close();
		PG_RE_THROW();
	}
	PG_END_TRY();
	ga_client_is_open = reason == GA_NO_REASON;
	if (reason != GA_NO_REASON)
		ga_client_close();
	return reason;
}
