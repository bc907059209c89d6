/*
 * supervisor.c
 *		The background worker that starts, restarts, stops and logs gpuaggd.
 *
 * Owns gpuaggd and the status file, which it alone writes.  It has one loop on
 * its latch, a connection without a database and no CUDA, and shares nothing
 * with sessions but that file.  The lock file (supervisor_lock.c) keeps a
 * second supervisor away.
 *
 * gpuaggd that fails is started again, at once and then ever more slowly.  If
 * it reports that there is no driver or no device, or cannot be executed, it is
 * not: the supervisor exits with the state GA_DAEMON_ABSENT or GA_DAEMON_FAILED
 * and the reason, and takes no worker slot.
 *
 * Exit codes matter to the postmaster: after 0 the worker is gone for good,
 * after 1 (an ERROR) a preloaded supervisor is started again, and all others
 * would restart the whole server.
 */
#include "postgres.h"

#include <unistd.h>

#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/timestamp.h"

#include "extension/clock.h"
#include "extension/pg_compat.h"
#include "daemon_command.h"
#include "daemon_output.h"
#include "daemon_process.h"
#include "oid_sample.h"
#include "extension/settings.h"
#include "health.h"
#include "publish.h"
#include "restart.h"
#include "supervisor.h"
#include "supervisor_lock.h"
#include "supervisor_session.h"

/* How many lines of gpuaggd are logged before anything else is done. */
#define LINES_PER_TURN 100

typedef enum Goal
{
	GOAL_UP,	  /* gpuaggd runs, or will at start_at */
	GOAL_RESTART, /* gpuaggd is to end, and to start again */
	GOAL_EXIT	  /* gpuaggd is to end, and so is the supervisor */
} Goal;

/* The state of this supervisor. */
static struct
{
	Goal goal;
	int lock; /* descriptor of the lock file */
	GaDaemonProcess daemon;
	GaDaemonCommand command; /* that gpuaggd was started with */
	char fatal[256];		 /* its last FATAL line; or empty */
	GaRestart restart;
	bool is_reloaded; /* since its start: it gets one more trial */
	bool has_failed;  /* its next start is a restart */
} self;

/* Publish a new state.  The reason may be "". */
static void
set_state(GaDaemonState state, const char *reason)
{
	ga_publish(state, (int) self.daemon.pid, reason);
}

/*
 * Have gpuaggd started again, later the more often it failed.  `event` is what
 * happened, for the log; `reason` is for sessions.  An orderly end is no
 * failure.
 */
static void
schedule_restart(const char *event, const char *reason, bool is_orderly)
{
	self.has_failed = !is_orderly;
	ga_restart_later(&self.restart, event, is_orderly);
	set_state(GA_DAEMON_WAITING, reason);
}

/* Start gpuaggd by the present settings. */
static void
start_daemon(void)
{
	char event[128];
	bool has_failed = self.has_failed;

	self.has_failed = false;
	self.is_reloaded = false;
	ga_daemon_command_make(&self.command);
	self.fatal[0] = '\0';
	ga_health_reset();
	(void) unlink(GA_SOCKET_PATH);
	if (ga_daemon_start(&self.daemon, self.command.words, self.lock))
	{
		ga_publish_restart((int) self.daemon.pid, has_failed);
		return;
	}
	snprintf(event, sizeof(event), "could not start gpuaggd: %m");
	schedule_restart(event, event, false);
}

/* Stop gpuaggd, if there is one, for this goal. */
static void
stop_daemon(Goal goal, GaDaemonState state, const char *reason)
{
	self.goal = goal;
	ga_restart_end_run(&self.restart);
	ga_daemon_stop(&self.daemon);
	set_state(state, reason);
}

/* Read the settings again, and follow them. */
static void
reload(void)
{
	ProcessConfigFile(PGC_SIGHUP);
	self.is_reloaded = true;
	if (self.goal == GOAL_EXIT)
		return;
	ga_restart_now(&self.restart);
	if (strcmp(ga_device, "none") == 0)
		stop_daemon(GOAL_EXIT, GA_DAEMON_OFF, GA_REASON_OFF);
	else if (self.daemon.pid != 0 && ga_daemon_command_changed(&self.command))
		stop_daemon(GOAL_RESTART, GA_DAEMON_WAITING, "its settings changed");
}

/* Do what signals asked for. */
static void
handle_signals(void)
{
	ga_supervisor_serve();
	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		reload();
	}
	if (ShutdownRequestPending && self.goal != GOAL_EXIT)
		stop_daemon(GOAL_EXIT, GA_DAEMON_STOPPED, "it was told to stop");
}

/* Log a line of gpuaggd, and follow what it means. */
static void
handle_line(char *line)
{
	const char *message;
	GaDaemonLine kind = ga_daemon_output_log(line, &message);

	if (kind == GA_LINE_READY && self.goal == GOAL_UP)
	{
		self.restart.up_at = ga_clock_ms();
		set_state(GA_DAEMON_UP, "");
	}
	else if (kind == GA_LINE_FATAL)
		strlcpy(self.fatal, message, sizeof(self.fatal));
}

/* Log what gpuaggd wrote.  Returns true if there may be more at once. */
static bool
log_output(void)
{
	char *line;
	int n;

	for (n = 0; n < LINES_PER_TURN; n++)
	{
		line = ga_daemon_output_read(&self.daemon.output, self.daemon.pid != 0);
		if (line == NULL)
			return false;
		handle_line(line);
	}
	return true;
}

/* Clean up after gpuaggd, which ended, and decide what comes next. */
static void
handle_end(int wait_status)
{
	char event[64];
	const char *reason = self.fatal;
	int i;

	ga_daemon_describe_end(wait_status, event, sizeof(event));
	for (i = 0; i < 20 && log_output(); i++)
		;
	ga_daemon_close(&self.daemon);
	(void) unlink(GA_SOCKET_PATH);
	if (reason[0] == '\0')
		reason = event;

	ga_restart_end_run(&self.restart);
	handle_signals();
	if (self.goal == GOAL_RESTART)
	{
		self.goal = GOAL_UP;
		ga_restart_now(&self.restart);
	}
	else if (self.goal == GOAL_UP && ga_daemon_end_is_idle(wait_status))
	{
		ga_publish_idle_end();
		self.goal = GOAL_EXIT;
	}
	else if (self.goal == GOAL_UP && ga_daemon_end_is_final(wait_status) &&
			 !self.is_reloaded)
	{
		ga_publish_giving_up(reason, ga_daemon_end_is_absent(wait_status));
		self.goal = GOAL_EXIT;
	}
	else if (self.goal == GOAL_UP)
		schedule_restart(event, reason, ga_daemon_end_is_orderly(wait_status));
}

/* Is gpuaggd up, and to be? */
static bool
is_up(void)
{
	return self.daemon.pid != 0 && self.restart.up_at != 0;
}

/* End a gpuaggd that does not answer; handle_end() goes on from there. */
static void
end_hung(void)
{
	snprintf(self.fatal, sizeof(self.fatal), "gpuaggd did not answer for %d ms",
			 GA_HUNG_MS);
	ga_restart_end_run(&self.restart);
	ga_daemon_end_hung(&self.daemon);
}

/*
 * Look whether gpuaggd, which is up, answers, and follow what is seen.  If it
 * has read what it got, send it something again.
 */
static void
watch(void)
{
	switch (ga_health_look(&self.daemon))
	{
		case GA_HEALTH_SAME:
			break;
		case GA_HEALTH_SILENT:
			set_state(GA_DAEMON_HUNG, "it does not answer");
			break;
		case GA_HEALTH_BACK:
			set_state(GA_DAEMON_UP, "");
			break;
		case GA_HEALTH_HUNG:
			end_hung();
			return;
		case GA_HEALTH_CUT_OFF:
			stop_daemon(GOAL_RESTART, GA_DAEMON_WAITING,
						"its socket was removed");
			return;
	}
	if (ga_health_has_unread())
		ga_oid_sample_skip();
	else
		ga_oid_sample_send(self.daemon.input);
}

/* Return how long there is nothing to do without an event; -1 is for ever. */
static long
idle_ms(void)
{
	int64 until = self.restart.start_at;

	if (self.daemon.pid == 0 && self.goal == GOAL_EXIT)
		return -1;
	if (self.daemon.pid != 0)
	{
		until = ga_daemon_stop_deadline(&self.daemon, self.goal == GOAL_EXIT);
		if (until == 0)
			return is_up() ? ga_oid_sample_wait_ms() : -1;
	}
	return (long) Max(until - ga_clock_ms(), 0);
}

/*
 * Do sessions know that there is no gpuaggd?  One that does not would have
 * another supervisor started.  After a reload, that is what it is to do.
 */
static bool
may_exit(void)
{
	return ga_publish_is_done() || self.is_reloaded || ShutdownRequestPending;
}

/* Keep gpuaggd running, until there is a reason to exit. */
static void
supervise(void)
{
	int wait_status;
	bool busy;

	for (;;)
	{
		ResetLatch(MyLatch);
		handle_signals();
		if (self.goal == GOAL_UP && self.daemon.pid == 0 &&
			ga_clock_ms() >= self.restart.start_at)
			start_daemon();
		busy = log_output();
		if (ga_daemon_wait(&self.daemon, &wait_status))
			handle_end(wait_status);
		ga_daemon_stop_retry(&self.daemon, self.goal == GOAL_EXIT);
		ga_publish_retry();
		if (self.goal == GOAL_EXIT && self.daemon.pid == 0 && may_exit())
			return;
		if (ga_oid_sample_is_due(is_up()))
			watch();
		ga_supervisor_wait(self.daemon.output.pipe,
						   busy ? 0 : ga_publish_wait_ms(idle_ms()));
	}
}

/* Kill gpuaggd, and publish the end, however the supervisor exits. */
static void
on_exit_kill(int code, Datum arg)
{
	ga_daemon_kill(&self.daemon);
	(void) unlink(GA_SOCKET_PATH);
	ga_publish_exit();
}

static void
on_child(SIGNAL_ARGS)
{
	int save_errno = errno;

	SetLatch(MyLatch);
	errno = save_errno;
}

/* Take the lock that gpuaggd inherits.  Returns false if one still has it. */
static bool
take_daemon_lock(void)
{
	static const char reason[] =
		"gpuaggd of an earlier supervisor has not ended yet";

	if (ga_supervisor_lock_try_daemon(self.lock))
		return true;
	set_state(GA_DAEMON_WAITING, reason);
	if (ga_supervisor_lock_wait_daemon(self.lock))
		return true;
	ereport(LOG, (errmsg("%s", reason)));
	set_state(GA_DAEMON_STOPPED, reason);
	ga_publish_exit();
	return false;
}

/*
 * Run the worker.  The argument tells whether it was registered at the server's
 * start.
 */
void
gpuagg_supervisor_main(Datum preloaded)
{
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	pqsignal(SIGCHLD, on_child);
	pqsignal(SIGPIPE, GA_SIG_IGN);
	BackgroundWorkerUnblockSignals();

	ga_daemon_init(&self.daemon);
	ga_publish_init();
	/* descriptors that PostgreSQL does not manage: the lock, and the pipes */
	ReserveExternalFD();
	ReserveExternalFD();
	ReserveExternalFD();
	self.lock = ga_supervisor_lock_open();
	if (!ga_supervisor_lock_try(self.lock) || ga_publish_is_old_news())
		proc_exit(0);
	ga_supervisor_connect();
	/* after 1 the postmaster tries again, if it registered the worker */
	if (!take_daemon_lock())
		proc_exit(DatumGetBool(preloaded) && !ShutdownRequestPending ? 1 : 0);
	before_shmem_exit(on_exit_kill, 0);
	/*
	 * PostgreSQL has a new worker ignore SIGHUP.  It may have missed a reload
	 * since the postmaster made it.
	 */
	ProcessConfigFile(PGC_SIGHUP);
	if (strcmp(ga_device, "none") == 0)
		set_state(GA_DAEMON_OFF, GA_REASON_OFF);
	else
		supervise();
	proc_exit(0);
}
