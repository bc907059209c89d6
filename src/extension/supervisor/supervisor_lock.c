/*
 * supervisor_lock.c
 *		The lock file: one supervisor at a time, and one gpuaggd.
 *
 * Owns the lock file, which has two locks.  The kernel keeps them apart, and
 * releases them when a process ends, however it ends.
 *
 * The supervisor's lock, by fcntl(), belongs to its process.  Sessions can test
 * whether it is held without taking it.  A supervisor that cannot take it
 * exits: there is another one.
 *
 * The lock by flock() belongs to the open file, which gpuaggd inherits.  So it
 * outlives a supervisor that ended before its gpuaggd, and a new supervisor
 * waits for it: a device may need time to release a process.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/file_perm.h"
#include "miscadmin.h"
#include "postmaster/interrupt.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/wait_event.h"

#include "supervisor.h"
#include "supervisor_lock.h"

/* How long to wait for the gpuaggd of a supervisor that ended. */
#define WAIT_MS 3000
#define POLL_MS 20

static void
report_lock_failure(void)
{
	ereport(ERROR, (errcode_for_file_access(),
					errmsg("could not lock file \"%s\": %m", GA_LOCK_PATH)));
}

/* Return the range of the whole file, for fcntl(). */
static struct flock
whole_file(void)
{
	struct flock range;

	memset(&range, 0, sizeof(range));
	range.l_type = F_WRLCK;
	range.l_whence = SEEK_SET;
	return range;
}

/*
 * Open the lock file; returns its descriptor.  A process that has the
 * supervisor's lock must do this once only: to close any descriptor of the file
 * would release that lock.
 */
int
ga_supervisor_lock_open(void)
{
	int lock =
		open(GA_LOCK_PATH, O_RDWR | O_CREAT | O_CLOEXEC, pg_file_create_mode);

	if (lock < 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not open file \"%s\": %m", GA_LOCK_PATH)));
	return lock;
}

/* Take the supervisor's lock; returns false if another process has it. */
bool
ga_supervisor_lock_try(int lock)
{
	struct flock range = whole_file();

	if (fcntl(lock, F_SETLK, &range) == 0)
		return true;
	if (errno != EAGAIN && errno != EACCES)
		report_lock_failure();
	return false;
}

/* Take the lock that gpuaggd inherits; returns false if one still has it. */
static bool
try_daemon(int lock)
{
	if (flock(lock, LOCK_EX | LOCK_NB) == 0)
		return true;
	if (errno != EWOULDBLOCK && errno != EINTR)
		report_lock_failure();
	return false;
}

/*
 * Take the lock that gpuaggd inherits, and give the gpuaggd of a supervisor
 * that ended some time to end.  Returns false if it does not, or if the caller
 * was told to stop.
 */
bool
ga_supervisor_lock_wait_daemon(int lock)
{
	int waited;

	for (waited = 0; waited < WAIT_MS; waited += POLL_MS)
	{
		if (try_daemon(lock))
			return true;
		if (ShutdownRequestPending)
			return false;
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 POLL_MS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
	ereport(LOG,
			(errmsg("gpuaggd of an earlier supervisor has not ended yet")));
	return false;
}

/* Does a supervisor run?  Called by sessions. */
bool
ga_supervisor_lock_held(void)
{
	struct flock range = whole_file();
	int file = OpenTransientFile(GA_LOCK_PATH, O_RDWR);
	bool held;

	if (file < 0)
		return false; /* there is no such file so far */
	held = fcntl(file, F_GETLK, &range) == 0 && range.l_type != F_UNLCK;
	CloseTransientFile(file);
	return held;
}
