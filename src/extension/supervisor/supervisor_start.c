/*
 * supervisor_start.c
 *		Start of the supervisor: at the server's start, or by a session.
 *
 * If the module is preloaded, the supervisor is registered before the server is
 * up.  Otherwise the first session that wants a device has the postmaster start
 * it, so gpuagg needs neither shared_preload_libraries nor a restart.
 *
 * A worker that ends without any use is not registered again at once, since the
 * next one would be of no more use.
 *
 * Owns this session's handle of the worker that it registered.  Called by the
 * postmaster when it loads the module, and by sessions.  Takes no locks, and
 * never waits for the worker.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "daemon_status.h"
#include "extension/clock.h"
#include "extension/settings.h"
#include "supervisor.h"
#include "supervisor_lock.h"

/*
 * How long not to register another worker after one that was of no use: the
 * first time, and at most.
 */
#define MIN_DELAY_MS 100
#define MAX_DELAY_MS 60000

/* How long a supervisor may run before it writes its status. */
#define MUTE_MS 1000

/*
 * The worker that this session registered last; how many since one worked, or
 * since a reload; and when the next may be, by ga_clock_ms().
 */
static BackgroundWorkerHandle *registered_worker = NULL;
static int n_registered;
static int64 register_at;
static TimestampTz registered_reload;

/*
 * Describe the worker to the postmaster, which restarts a preloaded one that
 * failed.  Sessions register theirs again.
 */
static void
describe_worker(BackgroundWorker *worker, bool preloaded)
{
	memset(worker, 0, sizeof(*worker));
	strlcpy(worker->bgw_name, "gpuagg supervisor", BGW_MAXLEN);
	strlcpy(worker->bgw_type, "gpuagg supervisor", BGW_MAXLEN);
	strlcpy(worker->bgw_library_name, "gpuagg", BGW_MAXLEN);
	strlcpy(worker->bgw_function_name, "gpuagg_supervisor_main", BGW_MAXLEN);
	worker->bgw_flags =
		BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker->bgw_start_time = BgWorkerStart_ConsistentState;
	worker->bgw_restart_time = preloaded ? 5 : BGW_NEVER_RESTART;
	worker->bgw_main_arg = BoolGetDatum(preloaded);
}

/* Register the worker, if the module is loaded at the server's start. */
void
ga_supervisor_preload(void)
{
	BackgroundWorker worker;

	if (!process_shared_preload_libraries_in_progress || IsBinaryUpgrade ||
		strcmp(ga_device, "none") == 0)
		return;
	describe_worker(&worker, true);
	RegisterBackgroundWorker(&worker);
}

/* Does the worker that this session registered run, or will it start? */
static bool
is_under_way(void)
{
	pid_t pid;

	if (registered_worker == NULL)
		return false;
	if (GetBackgroundWorkerPid(registered_worker, &pid) != BGWH_STOPPED)
		return true;
	pfree(registered_worker);
	registered_worker = NULL;
	return false;
}

/* Say once why no supervisor can run here; there may be many queries. */
static void
log_trouble(const char *trouble)
{
	static char logged[MAXPGPATH];

	if (strcmp(trouble, logged) == 0)
		return;
	strlcpy(logged, trouble, sizeof(logged));
	ereport(LOG, (errmsg("gpuaggd is not started: %s", trouble),
				  errhint("gpuagg has its files there. Until they can be "
						  "written, the CPU computes.")));
}

/*
 * Does this supervisor not write its status?  A new one needs a moment, so it
 * must have been seen without one for a while.
 */
static bool
is_mute(int holder, int published_pid)
{
	static int seen; /* without its status */
	static int64 seen_at;

	if (holder == published_pid)
		seen = 0;
	else if (holder != seen)
	{
		seen = holder;
		seen_at = ga_clock_ms();
	}
	return seen != 0 && ga_clock_ms() - seen_at >= MUTE_MS;
}

/*
 * Register a supervisor, unless the last ones that this session registered
 * ended without any use just now.
 */
static GaSupervisorStart
register_worker(void)
{
	BackgroundWorker worker;
	MemoryContext before;
	bool registered;

	if (registered_reload != PgReloadTime)
		ga_supervisor_worked();
	registered_reload = PgReloadTime;
	if (ga_clock_ms() < register_at)
		return GA_SUPERVISOR_STARTED;
	describe_worker(&worker, false);
	before = MemoryContextSwitchTo(TopMemoryContext);
	registered = RegisterDynamicBackgroundWorker(&worker, &registered_worker);
	MemoryContextSwitchTo(before);
	if (!registered)
		return GA_SUPERVISOR_NO_SLOT;
	register_at =
		ga_clock_ms() +
		Min((int64) MIN_DELAY_MS << Min(n_registered, 20), MAX_DELAY_MS);
	n_registered++;
	return GA_SUPERVISOR_STARTED;
}

/* gpuaggd works: the next supervisor is registered without delay. */
void
ga_supervisor_worked(void)
{
	n_registered = 0;
	register_at = 0;
}

/*
 * Have a supervisor started, unless there is one.  Called by sessions, again
 * and again, and by many: all but one of their workers then exit at once.
 * published_pid is the supervisor that wrote the status last.  What says that
 * none works also says why in *trouble.
 */
GaSupervisorStart
ga_supervisor_start(int published_pid, char *trouble, size_t size)
{
	int holder;

	if (!ga_supervisor_lock_find(&holder, trouble, size))
	{
		log_trouble(trouble);
		return GA_SUPERVISOR_REFUSED;
	}
	if (holder != 0 && is_mute(holder, published_pid))
	{
		ga_daemon_status_describe_mute(holder, trouble, size);
		return GA_SUPERVISOR_MUTE;
	}
	if (holder != 0)
		return GA_SUPERVISOR_RUNS;
	return is_under_way() ? GA_SUPERVISOR_STARTED : register_worker();
}
