/*
 * publish.c
 *		What the supervisor lets sessions know about gpuaggd.
 *
 * Owns the supervisor's copy of the status.  Each change is written to the
 * status file (daemon_status.c).  If that fails, as on a full disk, it is tried
 * again: after 0.1, 0.2, 0.4, ... 60 seconds.
 *
 * A supervisor that gave up must have said so before it exits.  Otherwise every
 * query would start another one, which would start gpuaggd, and give up.  Nor
 * does a supervisor start gpuaggd if another one gave up since the last reload,
 * for a session may be late to see a reload: it does so with its next query.
 *
 * Only the supervisor calls these functions, which raise no error.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/timestamp.h"

#include "extension/clock.h"
#include "publish.h"

#define MIN_DELAY_MS 100
#define MAX_DELAY_MS 60000

static GaDaemonStatus status;

/* What was not written: when to try again, by ga_clock_ms(); or 0. */
static int64 retry_at;
static int64 delay_ms;

static void
write_status(void)
{
	if (ga_daemon_status_write(&status))
	{
		retry_at = delay_ms = 0;
		return;
	}
	delay_ms = delay_ms == 0 ? MIN_DELAY_MS : Min(delay_ms * 2, MAX_DELAY_MS);
	retry_at = ga_clock_ms() + delay_ms;
}

/* Begin as this process, with nothing published. */
void
ga_publish_init(void)
{
	memset(&status, 0, sizeof(status));
	status.supervisor_pid = MyProcPid;
}

/* Publish a new state.  The reason may be "". */
void
ga_publish(GaDaemonState state, int daemon_pid, const char *reason)
{
	status.state = state;
	status.daemon_pid = daemon_pid;
	status.since = GetCurrentTimestamp();
	status.reload = PgReloadTime;
	strlcpy(status.reason, reason, sizeof(status.reason));
	write_status();
}

/* Publish that gpuaggd starts, after a failure or not; the reason stays. */
void
ga_publish_restart(int daemon_pid, bool has_failed)
{
	char reason[sizeof(status.reason)];

	if (has_failed)
		status.n_restarts++;
	strlcpy(reason, status.reason, sizeof(reason));
	ga_publish(GA_DAEMON_STARTING, daemon_pid, reason);
}

/*
 * Publish and log that the supervisor gives up, since another start of gpuaggd
 * would end in the same way.
 */
void
ga_publish_giving_up(const char *reason, bool is_absent)
{
	GaDaemonState state = is_absent ? GA_DAEMON_ABSENT : GA_DAEMON_FAILED;

	ereport(LOG,
			(is_absent ? errmsg("gpuagg computes by the CPU: %s", reason) :
						 errmsg("gpuaggd is not started again: %s", reason),
			 errhint("%s", ga_daemon_state_hint(state))));
	ga_publish(state, 0, reason);
}

/* Publish and log the end of a gpuaggd that no session used. */
void
ga_publish_idle_end(void)
{
	static const char reason[] = "not used for gpuagg.idle_timeout";

	ereport(LOG, (errmsg("gpuaggd has ended: %s", reason)));
	ga_publish(GA_DAEMON_STOPPED, 0, reason);
}

/* Write again what could not be written, if it is time. */
void
ga_publish_retry(void)
{
	if (retry_at != 0 && ga_clock_ms() >= retry_at)
		write_status();
}

/* Return a time (-1: for ever); or less, until ga_publish_retry() is due. */
long
ga_publish_wait_ms(long ms)
{
	long until_retry = (long) Max(retry_at - ga_clock_ms(), 0);

	if (retry_at == 0)
		return ms;
	return ms < 0 ? until_retry : Min(ms, until_retry);
}

/* Is the state known to sessions, as far as they need it? */
bool
ga_publish_is_done(void)
{
	return retry_at == 0 || (status.state != GA_DAEMON_FAILED &&
							 status.state != GA_DAEMON_ABSENT);
}

/*
 * Did a supervisor give up before, and was there no reload since?  Then that is
 * published anew.  Called before this supervisor has published anything; the
 * postmaster, which has just made this process, knows each reload first.
 */
bool
ga_publish_is_old_news(void)
{
	GaDaemonStatus last;

	ga_daemon_status_read(&last);
	if ((last.state != GA_DAEMON_FAILED && last.state != GA_DAEMON_ABSENT) ||
		last.reload < PgReloadTime)
		return false;
	status = last;
	status.supervisor_pid = 0;
	status.checked = GetCurrentTimestamp();
	write_status();
	return true;
}

/* Publish the end of the supervisor, and of gpuaggd, whatever their reason. */
void
ga_publish_exit(void)
{
	status.supervisor_pid = 0;
	status.daemon_pid = 0;
	if (status.state >= GA_DAEMON_ABSENT)
		write_status();
	else
		ga_publish(GA_DAEMON_STOPPED, 0, "the supervisor failed");
}
