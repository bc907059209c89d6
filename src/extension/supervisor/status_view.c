/*
 * status_view.c
 *		The state of gpuaggd, for views.
 *
 * The status file says how gpuaggd was when it was written.  A view must not
 * show what is no longer so, or was never written: then it says why.  Called by
 * sessions; raises no error.
 */
#include "postgres.h"

#include "utils/guc.h"
#include "utils/timestamp.h"

#include "daemon_status.h"
#include "extension/settings.h"
#include "supervisor_lock.h"

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

/* Read the status for a view. */
void
ga_daemon_status_show(GaDaemonStatus *status)
{
	char trouble[sizeof(status->reason)];
	int holder;

	ga_daemon_status_read(status);
	if (!ga_supervisor_lock_find(&holder, trouble, sizeof(trouble)))
		holder = -1;
	else if (holder != 0 && holder != status->supervisor_pid)
		ga_daemon_status_describe_mute(holder, trouble, sizeof(trouble));
	else
	{
		if (is_outdated(status))
			set_without_supervisor(status);
		return;
	}
	memset(status, 0, sizeof(*status));
	status->state = GA_DAEMON_UNKNOWN;
	status->supervisor_pid = Max(holder, 0);
	status->since = GetCurrentTimestamp();
	strlcpy(status->reason, trouble, sizeof(status->reason));
}
