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
#include <sys/stat.h>
#include <unistd.h>

#include "miscadmin.h"
#include "postmaster/interrupt.h"
#include "storage/fd.h"
#include "storage/latch.h"

#include "supervisor.h"
#include "supervisor_lock.h"
#include "extension/wait_event.h"

/* How long to wait for the gpuaggd of a supervisor that ended. */
#define WAIT_MS 3000
#define POLL_MS 20

#define LOCK_MODE 0600

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
 * Open the lock file; returns its descriptor.  Only the server's user can open
 * it, whatever the mode of the data directory is: who has it open could hold a
 * lock, and keep gpuaggd from starting.  A process that has the
 * supervisor's lock must do this once only: to close any descriptor of the file
 * would release that lock.
 */
int
ga_supervisor_lock_open(void)
{
	int lock = open(GA_LOCK_PATH, O_RDWR | O_CREAT | O_CLOEXEC, LOCK_MODE);

	if (lock < 0 || fchmod(lock, LOCK_MODE) != 0)
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
bool
ga_supervisor_lock_try_daemon(int lock)
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
		if (ga_supervisor_lock_try_daemon(lock))
			return true;
		if (ShutdownRequestPending)
			return false;
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 POLL_MS, ga_wait_event(GA_WAIT_LOCK));
		ResetLatch(MyLatch);
	}
	return false;
}

/*
 * Find the supervisor that runs; 0 if there is none.  Returns false, and says
 * why, if none can run here.  Called by sessions.
 */
bool
ga_supervisor_lock_find(int *holder, char *trouble, size_t size)
{
	struct flock range = whole_file();
	int file = OpenTransientFile(GA_LOCK_PATH, O_RDWR);

	*holder = 0;
	if (file >= 0)
	{
		if (fcntl(file, F_GETLK, &range) == 0 && range.l_type != F_UNLCK)
			*holder = (int) range.l_pid;
		CloseTransientFile(file);
		return true;
	}
	if (errno != ENOENT)
		snprintf(trouble, size, "could not open file \"%s\": %m", GA_LOCK_PATH);
	else if (access(GA_DIRECTORY_PATH, W_OK | X_OK) != 0)
		snprintf(trouble, size, "could not access directory \"%s\": %m",
				 GA_DIRECTORY_PATH);
	else
		return true; /* there was no supervisor so far */
	return false;
}
