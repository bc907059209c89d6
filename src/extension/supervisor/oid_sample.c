/*
 * oid_sample.c
 *		Samples of the OID counter, for gpuaggd.
 *
 * What a sample is, and what depends on it, is in oid_guard.h.  Any process
 * with shared memory can take one; a database is not needed.
 *
 * Sessions send samples with their requests.  Without a request for a minute,
 * gpuaggd could no longer tell how far the counter went, and would have to
 * doubt all resident arrays.  So the supervisor writes a sample to gpuaggd's
 * standard input when gpuaggd comes up, and five times a second: whether
 * gpuaggd reads them also shows whether it works (heartbeat.h).  Nothing but
 * speed depends on the samples themselves, so the supervisor waits neither for
 * the lock nor for space in the pipe.  A sample is smaller than PIPE_BUF, so
 * none is torn.
 *
 * Locking: the counter and its time are read under OidGenLock, so that they
 * belong together however slow this process is.  Nobody changes the counter
 * meanwhile, neither an allocation nor replay.
 */
#include "postgres.h"

#include <unistd.h>

#include "access/transam.h"
#include "access/xlog.h"
#include "access/xlogrecovery.h"
#include "storage/lwlock.h"

#include "extension/clock.h"
#include "extension/pg_compat.h"
#include "oid_sample.h"

#define PERIOD_MS 200

/* When the supervisor's next sample is due, by ga_clock_ms(). */
static int64 due_at;

/*
 * Read the counter and its time, under the lock.  Whether this is a standby was
 * read before: a sample of one that has just been promoted may count as a
 * standby's, but not the other way round.
 */
static void
read_counter(GaOidSample *sample)
{
	Assert(LWLockHeldByMe(OidGenLock));
	sample->next_oid = ga_transam_variables->nextOid;
	sample->taken_ms =
		sample->is_standby ? GetLatestXTime() / 1000 : ga_clock_ms();
}

/* Take a sample. */
void
ga_oid_sample_take(GaOidSample *sample)
{
	sample->is_standby = RecoveryInProgress();
	LWLockAcquire(OidGenLock, LW_SHARED);
	read_counter(sample);
	LWLockRelease(OidGenLock);
}

/* Take a sample if that needs no waiting; returns false if it does. */
static bool
try_take(GaOidSample *sample)
{
	sample->is_standby = RecoveryInProgress();
	if (!LWLockConditionalAcquire(OidGenLock, LW_SHARED))
		return false;
	read_counter(sample);
	LWLockRelease(OidGenLock);
	return true;
}

/* Is it time for a sample?  None is due while gpuaggd is not up. */
bool
ga_oid_sample_is_due(bool is_up)
{
	if (!is_up)
		due_at = 0;
	return is_up && ga_clock_ms() >= due_at;
}

/* Send none this time. */
void
ga_oid_sample_skip(void)
{
	due_at = ga_clock_ms() + PERIOD_MS;
}

/* Send gpuaggd a sample, unless that needs waiting. */
void
ga_oid_sample_send(int pipe)
{
	GaOidSample sample;
	ssize_t written;

	ga_oid_sample_skip();
	if (!try_take(&sample))
		return;
	written = write(pipe, &sample, sizeof(sample));
	(void) written;
}

/* Return how long it is until the supervisor's next sample is due. */
long
ga_oid_sample_wait_ms(void)
{
	return (long) Max(due_at - ga_clock_ms(), 0);
}
