/*
 * supervisor_start.c
 *		How there comes to be a supervisor: at the server's start, or later.
 *
 * If the module is preloaded, the supervisor is registered before the server is
 * up.  Otherwise the first session that wants a device has the postmaster start
 * it, so gpuagg needs neither shared_preload_libraries nor a restart.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/pg_shmem.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "extension/settings.h"
#include "supervisor.h"
#include "supervisor_lock.h"

/* The worker that this session asked for last. */
static BackgroundWorkerHandle *asked_for = NULL;

/*
 * The mark of this life of the server: the same in all of its processes.  A
 * crash restart begins another one, with the same postmaster, but with new
 * shared memory, in whose header is a random number.
 */
uint64
ga_boot_token(void)
{
	const PGShmemHeader *memory = (PGShmemHeader *) UsedShmemSegAddr;
	uint64 life[3];

	life[0] = (uint64) PgStartTime;
	life[1] = (uint64) PostmasterPid;
	life[2] = memory == NULL ? 0 : (uint64) memory->dsm_control;
	return hash_bytes_extended((unsigned char *) life, sizeof(life), 0);
}

/*
 * Describes the worker to the postmaster.  A preloaded one that failed comes
 * again; one that a session asked for is asked for again.
 */
static void
describe_worker(BackgroundWorker *worker, bool preloaded)
{
	memset(worker, 0, sizeof(*worker));
	strlcpy(worker->bgw_name, "gpuagg supervisor", BGW_MAXLEN);
	strlcpy(worker->bgw_type, "gpuagg supervisor", BGW_MAXLEN);
	strlcpy(worker->bgw_library_name, "gpuagg", BGW_MAXLEN);
	strlcpy(worker->bgw_function_name, "gpuagg_supervisor_main", BGW_MAXLEN);
	worker->bgw_flags = BGWORKER_SHMEM_ACCESS;
	worker->bgw_start_time = BgWorkerStart_ConsistentState;
	worker->bgw_restart_time = preloaded ? 5 : BGW_NEVER_RESTART;
	worker->bgw_main_arg = BoolGetDatum(preloaded);
}

/* Called when the module is loaded; does nothing unless that is at start. */
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

/* Is the worker that this session asked for still to come, or at work? */
static bool
is_under_way(void)
{
	pid_t pid;

	if (asked_for == NULL)
		return false;
	if (GetBackgroundWorkerPid(asked_for, &pid) != BGWH_STOPPED)
		return true;
	pfree(asked_for);
	asked_for = NULL;
	return false;
}

/*
 * From a session: sees to it that there is a supervisor, or soon will be.  It
 * may be called again and again, and by many sessions at once: all but one of
 * their workers then leave at once.
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
	registered = RegisterDynamicBackgroundWorker(&worker, &asked_for);
	MemoryContextSwitchTo(before);
	return registered ? GA_SUPERVISOR_STARTED : GA_SUPERVISOR_NO_SLOT;
}
