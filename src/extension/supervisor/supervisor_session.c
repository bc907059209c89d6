/*
 * supervisor_session.c
 *		The supervisor as the server sees it: a backend without a database.
 *
 * Owns that connection.  It has the supervisor appear in pg_stat_activity, and
 * pg_terminate_backend() end it.  In return the supervisor answers what the
 * server asks all backends.  It runs no query and holds no snapshot, so nothing
 * waits for it: no VACUUM, no DROP DATABASE, and no recovery of a standby.
 * Called by supervisor.c only.
 */
#include "postgres.h"

#include <signal.h>

#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/latch.h"
#include "storage/procsignal.h"
#include "storage/sinval.h"
#include "utils/memutils.h"

#include "supervisor_session.h"
#include "extension/pg_compat.h"
#include "extension/wait_event.h"

/* Connect, without a database, as the bootstrap superuser.  May throw. */
void
ga_supervisor_connect(void)
{
	/* there is no query to cancel */
	pqsignal(SIGINT, GA_SIG_IGN);
	BackgroundWorkerInitializeConnection(NULL, NULL, 0);
}

/* Answer what the server asked of all backends; called if the latch is set. */
void
ga_supervisor_serve(void)
{
	if (ProcSignalBarrierPending)
		ProcessProcSignalBarrier();
	if (catchupInterruptPending)
		ProcessCatchupInterrupt();
	if (LogMemoryContextPending)
		ProcessLogMemoryContextInterrupt();
}

/*
 * Wait for a signal, for something to read from a pipe (-1: there is none), or
 * for so many milliseconds (-1: for ever).
 */
void
ga_supervisor_wait(int pipe, long ms)
{
	int events = WL_LATCH_SET | WL_EXIT_ON_PM_DEATH;
	pgsocket output = PGINVALID_SOCKET;

	if (ms >= 0)
		events |= WL_TIMEOUT;
	if (pipe >= 0)
	{
		events |= WL_SOCKET_READABLE;
		output = pipe;
	}
	(void) WaitLatchOrSocket(MyLatch, events, output, ms,
							 ga_wait_event(GA_WAIT_MAIN));
}
