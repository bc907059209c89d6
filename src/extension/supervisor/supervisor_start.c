/*
 * supervisor_start.c
 *		Start of the supervisor: at the server's start, or by a session.
 *
 * If the module is preloaded, the supervisor is registered before the server is
 * up.  Otherwise the first session that wants a device has the postmaster start
 * it, so gpuagg needs neither shared_preload_libraries nor a restart.
 *
 * Owns this session's handle of the worker that it registered.  Called by the
 * postmaster when it loads the module, and by sessions.  Takes no locks, and
 * never waits for the worker.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "extension/settings.h"
#include "supervisor.h"
#include "supervisor_lock.h"

/* The worker that this session registered last. */
static BackgroundWorkerHandle *registered_worker = NULL;

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

/*
 * Have a supervisor started, unless there is one.  Called by sessions, again
 * and again, and by many: all but one of their workers then exit at once.
 */
GaSupervisorStart
ga_supervisor_start(void)
{
	BackgroundWorker worker;
	MemoryContext before;
	bool registered;

	if (ga_supervisor_lock_held())
		return GA_SUPERVISOR_RUNS;
	if (is_under_way())
		return GA_SUPERVISOR_STARTED;
	describe_worker(&worker, false);
	before = MemoryContextSwitchTo(TopMemoryContext);
	registered = RegisterDynamicBackgroundWorker(&worker, &registered_worker);
	MemoryContextSwitchTo(before);
	return registered ? GA_SUPERVISOR_STARTED : GA_SUPERVISOR_NO_SLOT;
}
