/*
 * supervisor.c
 *		The background worker that starts, restarts, stops and logs gpuaggd.
 *
 * One process, one loop on its latch: it has no database connection and no
 * CUDA, and shares nothing with sessions but the status file, whose only writer
 * it is.  It is alone by the lock file (supervisor_lock.c).
 *
 * gpuaggd that fails is started again, at once and then ever more slowly.  When
 * it says that there is no driver or no device, or cannot be executed, it is
 * not: the supervisor leaves with the state GA_DAEMON_FAILED and the reason,
 * and takes no worker slot.
 *
 * Exit codes matter to the postmaster: 0 is for good, 1 (an ERROR) has it start
 * a preloaded supervisor again, and all others would restart the whole server.
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
#include "utils/wait_event.h"

#include "extension/clock.h"
#include "daemon_command.h"
#include "daemon_log.h"
#include "daemon_process.h"
#include "daemon_status.h"
#include "oid_feed.h"
#include "extension/settings.h"
#include "supervisor.h"
#include "supervisor_lock.h"

/* How long gpuaggd has to end when it is told to, and when it is killed. */
#define TERM_MS 500
#define KILL_MS 300

/* A gpuaggd that was up for so long did not fail at its start. */
#define GOOD_MS		30000
#define MAX_DELAY_S 60

/* Lines that are relayed before anything else gets its turn. */
#define LINES_PER_TURN 100

typedef enum Goal
{
	GOAL_UP,	  /* gpuaggd runs, or will at start_at */
	GOAL_RESTART, /* it is to end, and to start again */
	GOAL_LEAVE	  /* it is to end, and so are we */
} Goal;

/* All about this supervisor. */
static struct
{
	Goal goal;
	int lock; /* descriptor of the lock file */
	GaDaemonProcess daemon;
	GaDaemonStatus status;
	GaDaemonCommand command; /* it was started with this */
	char last_words[256];	 /* its last FATAL line; or empty */
	int n_failures;			 /* in a row */
	bool reloaded;			 /* since its start: one more is asked for */
	bool failed;			 /* its next start is a restart */

	/* By ga_clock_ms(), or 0. */
	int64 up_at;	/* since when it is up, and is to be */
	int64 start_at; /* while there is none */
	int64 kill_at;	/* while it is told to end */
	int64 leave_at; /* while it is killed */
} self;

/* Waits for a signal, for output of gpuaggd, or for so many milliseconds. */
static void
wait_ms(long ms)
{
	int events = WL_LATCH_SET | WL_EXIT_ON_PM_DEATH;
	pgsocket output = PGINVALID_SOCKET;

	if (ms >= 0)
		events |= WL_TIMEOUT;
	if (self.daemon.output >= 0)
	{
		events |= WL_SOCKET_READABLE;
		output = self.daemon.output;
	}
	(void) WaitLatchOrSocket(MyLatch, events, output, ms, PG_WAIT_EXTENSION);
}

/* Tells sessions of a new state.  The reason may be "". */
static void
set_state(GaDaemonState state, const char *reason)
{
	self.status.state = state;
	self.status.daemon_pid = (int) self.daemon.pid;
	self.status.since = GetCurrentTimestamp();
	if (reason != self.status.reason)
		strlcpy(self.status.reason, reason, sizeof(self.status.reason));
	ga_daemon_status_write(&self.status);
}

/* It did not start, or it ended: says when it will be tried again. */
static void
try_again(const char *what, const char *reason)
{
	int delay = 0;

	if (self.n_failures > 0)
		delay = Min(1 << Min(self.n_failures - 1, 10), MAX_DELAY_S);
	self.n_failures++;
	self.failed = true;
	self.start_at = ga_clock_ms() + delay * 1000;
	ereport(WARNING,
			(errmsg("%s", what),
			 delay == 0 ?
				 errdetail("It is started again.") :
				 errdetail_plural("It will be started again in %d second.",
								  "It will be started again in %d seconds.",
								  delay, delay)));
	set_state(GA_DAEMON_WAITING, reason);
}

/* It will not be started again by this supervisor. */
static void
give_up(const char *reason)
{
	ereport(LOG,
			(errmsg("gpuaggd is not started again: %s", reason),
			 errhint("Once the cause is removed, reload the configuration: the "
					 "next query that wants a device will try again.")));
	set_state(GA_DAEMON_FAILED, reason);
	self.goal = GOAL_LEAVE;
}

/* Starts gpuaggd by the settings of now. */
static void
start_daemon(void)
{
	char what[128];

	if (self.failed)
		self.status.n_restarts++;
	self.failed = false;
	self.reloaded = false;
	ga_daemon_command_make(&self.command);
	self.last_words[0] = '\0';
	self.up_at = self.kill_at = self.leave_at = 0;
	(void) unlink(GA_SOCKET_PATH);
	if (ga_daemon_start(&self.daemon, self.command.words, self.lock))
	{
		set_state(GA_DAEMON_STARTING, self.status.reason);
		return;
	}
	snprintf(what, sizeof(what), "could not start gpuaggd: %m");
	try_again(what, what);
}

/* Tells gpuaggd to end, if there is one, for this goal. */
static void
stop_daemon(Goal goal, GaDaemonState state, const char *reason)
{
	self.goal = goal;
	self.up_at = 0;
	if (self.daemon.pid != 0 && self.kill_at == 0)
	{
		ga_daemon_signal(&self.daemon, SIGTERM);
		self.kill_at = ga_clock_ms() + TERM_MS;
	}
	set_state(state, reason);
}

/* Kills a gpuaggd that did not end; leaves one that cannot even be killed. */
static void
insist(void)
{
	int64 now = ga_clock_ms();

	if (self.daemon.pid == 0)
		return;
	if (self.leave_at != 0)
	{
		if (now < self.leave_at || self.goal != GOAL_LEAVE)
			return;
		ereport(WARNING, (errmsg("gpuaggd did not end when it was killed"),
						  errdetail("Process %d may be waiting for the driver.",
									(int) self.daemon.pid)));
		self.daemon.pid = 0;
	}
	else if (self.kill_at != 0 && now >= self.kill_at)
	{
		ga_daemon_signal(&self.daemon, SIGKILL);
		self.leave_at = now + KILL_MS;
	}
}

/* After a signal of PostgreSQL: the settings may be others. */
static void
reload(void)
{
	ProcessConfigFile(PGC_SIGHUP);
	if (self.goal == GOAL_LEAVE)
		return;
	self.reloaded = true;
	self.n_failures = 0;
	self.start_at = 0;
	if (strcmp(ga_device, "none") == 0)
		stop_daemon(GOAL_LEAVE, GA_DAEMON_STOPPED, "gpuagg.device is none");
	else if (self.daemon.pid != 0 && ga_daemon_command_changed(&self.command))
		stop_daemon(GOAL_RESTART, GA_DAEMON_WAITING, "its settings changed");
}

/* Does what signals asked for. */
static void
take_orders(void)
{
	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		reload();
	}
	if (ShutdownRequestPending && self.goal != GOAL_LEAVE)
		stop_daemon(GOAL_LEAVE, GA_DAEMON_STOPPED, "it was told to stop");
}

/* Logs a line of gpuaggd, and takes note of it. */
static void
hear(char *line)
{
	const char *message;
	GaDaemonLine said = ga_daemon_log(line, &message);

	if (said == GA_LINE_READY && self.goal == GOAL_UP)
	{
		self.up_at = ga_clock_ms();
		set_state(GA_DAEMON_UP, "");
	}
	else if (said == GA_LINE_FATAL)
		strlcpy(self.last_words, message, sizeof(self.last_words));
}

/* Relays what gpuaggd wrote.  True if there may be more at once. */
static bool
relay(void)
{
	char *line;
	int n;

	for (n = 0; n < LINES_PER_TURN; n++)
	{
		line = ga_daemon_read_line(&self.daemon);
		if (line == NULL)
			return false;
		hear(line);
	}
	return true;
}

/* gpuaggd ended, asked or unasked. */
static void
bury(int wait_status)
{
	char what[64];
	const char *reason = self.last_words;
	int i;

	ga_daemon_describe_end(wait_status, what, sizeof(what));
	for (i = 0; i < 20 && relay(); i++)
		;
	ga_daemon_close(&self.daemon);
	(void) unlink(GA_SOCKET_PATH);
	if (reason[0] == '\0')
		reason = what;

	take_orders();
	if (self.goal == GOAL_RESTART)
	{
		self.goal = GOAL_UP;
		self.start_at = 0;
	}
	else if (self.goal == GOAL_UP && ga_daemon_end_is_final(wait_status) &&
			 !self.reloaded)
		give_up(reason);
	else if (self.goal == GOAL_UP)
	{
		if (self.up_at != 0 && ga_clock_ms() - self.up_at >= GOOD_MS)
			self.n_failures = 0;
		try_again(what, reason);
	}
	self.up_at = 0;
}

/* How long nothing is to be done, unless something happens; -1: for ever. */
static long
time_to_wait(void)
{
	int64 until;

	if (self.daemon.pid == 0)
		until = self.start_at;
	else if (self.leave_at != 0 && self.goal == GOAL_LEAVE)
		until = self.leave_at;
	else if (self.leave_at == 0 && self.kill_at != 0)
		until = self.kill_at;
	else
		return self.up_at != 0 ? ga_oid_feed_wait_ms() : -1;
	return (long) Max(until - ga_clock_ms(), 0);
}

/* Keeps gpuaggd running, until there is a reason to leave. */
static void
supervise(void)
{
	int wait_status;
	bool busy;

	for (;;)
	{
		ResetLatch(MyLatch);
		take_orders();
		if (self.goal == GOAL_UP && self.daemon.pid == 0 &&
			ga_clock_ms() >= self.start_at)
			start_daemon();
		busy = relay();
		if (ga_daemon_ended(&self.daemon, &wait_status))
			bury(wait_status);
		insist();
		if (self.goal == GOAL_LEAVE && self.daemon.pid == 0)
			return;
		ga_oid_feed(&self.daemon, self.up_at != 0);
		wait_ms(busy ? 0 : time_to_wait());
	}
}

/* However the supervisor ends: gpuaggd ends with it, and nobody waits. */
static void
leave(int code, Datum arg)
{
	int wait_status;
	int i;

	ga_daemon_signal(&self.daemon, SIGKILL);
	for (i = 0; self.daemon.pid != 0 && i < KILL_MS / 10; i++)
	{
		if (!ga_daemon_ended(&self.daemon, &wait_status))
			pg_usleep(10 * 1000);
	}
	self.daemon.pid = 0;
	(void) unlink(GA_SOCKET_PATH);
	self.status.supervisor_pid = 0;
	self.status.daemon_pid = 0;
	if (self.status.state == GA_DAEMON_FAILED ||
		self.status.state == GA_DAEMON_STOPPED)
		ga_daemon_status_write(&self.status);
	else
		set_state(GA_DAEMON_STOPPED, "the supervisor failed");
}

static void
on_child(SIGNAL_ARGS)
{
	int save_errno = errno;

	SetLatch(MyLatch);
	errno = save_errno;
}

/* The worker.  Its argument: was it registered at the server's start? */
void
gpuagg_supervisor_main(Datum preloaded)
{
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	pqsignal(SIGCHLD, on_child);
	pqsignal(SIGPIPE, SIG_IGN);
	BackgroundWorkerUnblockSignals();

	self.daemon.input = self.daemon.output = -1;
	self.status.supervisor_pid = MyProcPid;
	/* Descriptors that PostgreSQL does not manage: the lock, and the pipes. */
	ReserveExternalFD();
	ReserveExternalFD();
	ReserveExternalFD();
	self.lock = ga_supervisor_lock_open();
	if (!ga_supervisor_lock_try(self.lock))
		proc_exit(0);
	/* With 1, the postmaster tries again, if it is its own worker. */
	if (!ga_supervisor_lock_wait_daemon(self.lock))
		proc_exit(DatumGetBool(preloaded) && !ShutdownRequestPending ? 1 : 0);
	before_shmem_exit(leave, 0);
	if (strcmp(ga_device, "none") == 0)
		set_state(GA_DAEMON_STOPPED, "gpuagg.device is none");
	else
		supervise();
	proc_exit(0);
}
