/*
 * status_view.c
 *		The state of gpuaggd, for views.
 *
 * The status file says how gpuaggd was when it was written.  A view must not
 * show what is no longer so, or was never written: then it says why.  Called by
 * sessions; raises no error.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/timestamp.h"

#include "daemon_status.h"
#include "extension/settings.h"
#include "supervisor_lock.h"

/* How long a supervisor has to write its status, and how often to look. */
#define MUTE_MS 1000
#define POLL_MS 10

/*
 * Is the last status true no longer, since its supervisor has exited, and does
 * not follow the configuration?
 */
static bool
is_outdated(const GaDaemonStatus *status)
{
	if (status->supervisor_pid != 0)
		return false;
	if (strcmp(ga_device, "none") == 0)
		return status->state != GA_DAEMON_OFF;
	return status->state != GA_DAEMON_STOPPED &&
		   !ga_daemon_status_is_final(status);
}

/* Return the state for now, without the knowledge of a supervisor. */
static void
set_without_supervisor(GaDaemonStatus *status)
{
	const bool is_off = strcmp(ga_device, "none") == 0;

	status->state = is_off ? GA_DAEMON_OFF : GA_DAEMON_NONE;
	status->since = PgReloadTime;
	strlcpy(status->reason, is_off ? GA_REASON_OFF : "",
			sizeof(status->reason));
}

/*
 * Read the status, and find a supervisor that did not write it: its process, -1
 * if none can run here, for the reason in trouble, or 0.
 */
static int
find_mute(GaDaemonStatus *status, char *trouble, size_t size)
{
	int holder;

	ga_daemon_status_read(status);
	if (!ga_supervisor_lock_find(&holder, trouble, size))
		return -1;
	return holder == status->supervisor_pid ? 0 : holder;
}

/*
 * Read the status for a view.  A supervisor has no status for a moment when it
 * begins, and again when it exits.  Throws if the query is cancelled.
 */
void
ga_daemon_status_show(GaDaemonStatus *status)
{
	char trouble[sizeof(status->reason)];
	int mute = find_mute(status, trouble, sizeof(trouble));
	int waited;

	for (waited = 0; mute > 0 && waited < MUTE_MS; waited += POLL_MS)
	{
		CHECK_FOR_INTERRUPTS();
		pg_usleep(POLL_MS * 1000);
		mute = find_mute(status, trouble, sizeof(trouble));
	}
	if (mute == 0)
	{
		if (is_outdated(status))
			set_without_supervisor(status);
		return;
	}
	if (mute > 0)
		ga_daemon_status_describe_mute(mute, trouble, sizeof(trouble));
	memset(status, 0, sizeof(*status));
	status->state = GA_DAEMON_UNKNOWN;
	status->supervisor_pid = Max(mute, 0);
	status->since = GetCurrentTimestamp();
	strlcpy(status->reason, trouble, sizeof(status->reason));
}
