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
 * standard input when gpuaggd comes up, and every 10 s.  Nothing but speed
 * depends on those, so the supervisor waits neither for the lock nor for space
 * in the pipe, which takes some thousand samples.  A sample is smaller than
 * PIPE_BUF, so none is torn.
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

#define PERIOD_MS 10000
#define RETRY_MS  100

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

/* Send gpuaggd a sample, if one is due; none while gpuaggd is not up. */
void
ga_oid_sample_send(int pipe, bool is_up)
{
	int64 now = ga_clock_ms();
	GaOidSample sample;
	ssize_t written;

	if (!is_up)
		due_at = 0;
	if (!is_up || now < due_at)
		return;
	if (!try_take(&sample))
	{
		due_at = now + RETRY_MS;
		return;
	}
	due_at = now + PERIOD_MS;
	written = write(pipe, &sample, sizeof(sample));
	(void) written;
}

/* Return how long it is until the supervisor's next sample is due. */
long
ga_oid_sample_wait_ms(void)
{
	return (long) Max(due_at - ga_clock_ms(), 0);
}
