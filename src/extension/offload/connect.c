/*
 * connect.c
 *		Connecting to gpuaggd, and having it started.
 *
 * If gpuaggd is not up, this session has a supervisor started, unless the last
 * one gave up and the configuration was not reloaded since.  Owns the memory of
 * the last attempt that failed: a session that does not wait tries again only
 * after a while, so that a server without a device loses no time with it.
 * Called by client.c and client_open.c, and for views by stat_client.c.  Only
 * an interrupt throws.
 */
#include "postgres.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/timestamp.h"

#include "extension/clock.h"
#include "connect.h"
#include "spare_fd.h"
#include "extension/engine/session_counters.h"
#include "extension/supervisor/daemon_status.h"
#include "extension/settings.h"
#include "extension/wait_event.h"

/* How long to wait for gpuaggd to start, and how often to try. */
#define START_MS 30000
#define TRY_MS	 5

/*
 * How long to wait if there is no worker slot, since other sessions that start
 * a supervisor may take one for a moment; and if gpuaggd failed, since after
 * its first failure it is started again at once.
 */
#define RESTART_MS 500

/* How long not to try again: if gpuaggd starts or failed, and otherwise. */
#define RETRY_SOON_MS  200
#define RETRY_LATER_MS 5000

/* The last attempt, if it failed. */
static GaReason last_reason = GA_NO_REASON;
static int64 next_try; /* by ga_clock_us() */
static TimestampTz last_reload;

/* Close a socket of ga_connect or ga_connect_if_up.  Never throws. */
void
ga_disconnect(int fd)
{
	close(fd);
	ReleaseExternalFD();
}

/* Does the server's own user listen at the other end? */
static bool
is_own_user(int fd)
{
	struct ucred peer;
	socklen_t n = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 &&
		   peer.uid == geteuid();
}

/*
 * Return a new socket; -1 if this session has no descriptors left for it, and
 * for waiting.
 */
static int
open_socket(void)
{
	int fd;

	if (!ga_spare_fd_reserve() || !AcquireExternalFD())
		return -1;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		ReleaseExternalFD();
	return fd;
}

/*
 * Connect, without waiting.  Returns GA_REASON_STARTING if gpuaggd is not up;
 * GA_REASON_DESCRIPTORS if there is none left for the socket.
 */
static GaReason
try_connection(int *fd)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	*fd = open_socket();
	if (*fd < 0)
		return GA_REASON_DESCRIPTORS;
	strlcpy(address.sun_path, GA_SOCKET_PATH, sizeof(address.sun_path));
	if (connect(*fd, (struct sockaddr *) &address, sizeof(address)) == 0 &&
		is_own_user(*fd))
		return GA_NO_REASON;
	ga_disconnect(*fd);
	*fd = -1;
	return GA_REASON_STARTING;
}

/* Return a connected socket, or -1 if there is none.  Never waits. */
int
ga_connect_if_up(void)
{
	int fd;

	(void) try_connection(&fd);
	return fd;
}

/*
 * Does gpuaggd not answer?  The supervisor, which watches it, then takes away
 * the permission to connect (health.c).  Costs a system call.
 */
bool
ga_connect_is_hung(void)
{
	return access(GA_SOCKET_PATH, W_OK) != 0 && errno == EACCES;
}

/*
 * Have gpuaggd started, which is not up.  Returns GA_REASON_HUNG if it is, but
 * does not answer; GA_REASON_STARTING if it is expected soon; GA_REASON_FAILED
 * if it failed and will be started again; and otherwise why it is not started.
 * *trouble may say more.
 */
static GaReason
start_daemon(char *trouble, Size trouble_bytes)
{
	GaDaemonStatus status;

	if (strcmp(ga_device, "none") == 0)
	{
		strlcpy(trouble, GA_REASON_OFF, trouble_bytes);
		return GA_REASON_NO_DEVICE;
	}
	if (ga_connect_is_hung())
		return GA_REASON_HUNG;
	ga_daemon_status_read(&status);
	if (ga_daemon_status_is_final(&status))
	{
		strlcpy(trouble, status.reason, trouble_bytes);
		return GA_REASON_NO_DEVICE;
	}
	switch (ga_supervisor_start(status.supervisor_pid, trouble, trouble_bytes))
	{
		case GA_SUPERVISOR_RUNS:
		case GA_SUPERVISOR_STARTED:
			break;
		case GA_SUPERVISOR_MUTE:
		case GA_SUPERVISOR_REFUSED:
			return GA_REASON_NO_DEVICE;
		case GA_SUPERVISOR_NO_SLOT:
			return GA_REASON_NO_WORKER;
	}
	if (status.state != GA_DAEMON_WAITING)
		return GA_REASON_STARTING;
	strlcpy(trouble, status.reason, trouble_bytes);
	return GA_REASON_FAILED;
}

/* Connect, waiting for gpuaggd to start.  Throws if the query is cancelled. */
static GaReason
connect_and_wait(int *fd, char *trouble, Size trouble_bytes)
{
	int64 start = ga_clock_us();

	for (;;)
	{
		GaReason reason = try_connection(fd);
		long ms;

		if (reason != GA_REASON_STARTING)
			return reason;
		reason = start_daemon(trouble, trouble_bytes);
		ms = (long) ((ga_clock_us() - start) / 1000);
		if (ms > (reason == GA_REASON_STARTING ? START_MS :
				  reason == GA_REASON_NO_DEVICE || reason == GA_REASON_HUNG ?
												 -1 :
												 RESTART_MS))
			return reason;
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 TRY_MS, ga_wait_event(GA_WAIT_START));
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * Remember for a while that there is no use in trying, for a reason;
 * GA_NO_REASON ends that.
 */
void
ga_connect_failed(GaReason reason)
{
	last_reason = reason;
	last_reload = PgReloadTime;
	next_try = ga_clock_us() + 1000 * (reason == GA_REASON_STARTING ||
											   ga_reason_is_failure(reason) ?
										   RETRY_SOON_MS :
										   RETRY_LATER_MS);
}

/*
 * Connect to gpuaggd, and have it started if it is not up.  If `waits`, wait
 * for it to start.  With a reason why there is no connection, *trouble may say
 * more.  Throws if the query is cancelled.
 */
GaReason
ga_connect(bool waits, int *fd, char *trouble, Size trouble_bytes)
{
	GaReason reason;

	*fd = -1;
	if (last_reason != GA_NO_REASON && last_reload == PgReloadTime &&
		(!waits || last_reason == GA_REASON_STAGING ||
		 ga_reason_is_failure(last_reason)) &&
		ga_clock_us() < next_try)
		return last_reason;
	trouble[0] = '\0';
	if (waits)
	{
		const int64 start_us = ga_clock_us();

		reason = connect_and_wait(fd, trouble, trouble_bytes);
		ga_session_count_waiting(start_us);
	}
	else
	{
		reason = try_connection(fd);
		if (reason == GA_REASON_STARTING)
			reason = start_daemon(trouble, trouble_bytes);
	}
	ga_connect_failed(reason);
	if (reason == GA_NO_REASON)
		ga_supervisor_worked();
	return reason;
}
