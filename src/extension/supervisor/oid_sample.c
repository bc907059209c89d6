/*
 * oid_sample.c
 *		Samples of the OID counter, for gpuaggd.
 *
 * By sessions and by the supervisor: whoever has shared memory; a database is
 * not needed.  What a sample is, and what depends on it, is in oid_guard.h.
 *
 * The counter and its time are read under OidGenLock, so that they belong
 * together however slow this process is: nobody changes the counter meanwhile,
 * neither who allocates nor who replays.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xlog.h"
#include "access/xlogrecovery.h"
#include "storage/lwlock.h"

#include "extension/clock.h"
#include "oid_sample.h"
#include "extension/pg_compat.h"

/*
 * Reads what the lock protects.  Whether this is a standby was asked before: a
 * sample of one that has just been promoted may count as a standby's, but not
 * the other way round.
 */
static void
read_counter(GaOidSample *sample)
{
	Assert(LWLockHeldByMe(OidGenLock));
	sample->next_oid = ga_transam_variables->nextOid;
	sample->taken_ms =
		sample->is_standby ? GetLatestXTime() / 1000 : ga_clock_ms();
}

/* Takes one. */
void
ga_oid_sample_take(GaOidSample *sample)
{
	sample->is_standby = RecoveryInProgress();
	LWLockAcquire(OidGenLock, LW_SHARED);
	read_counter(sample);
	LWLockRelease(OidGenLock);
}

/* The same, unless it would have to wait: then false. */
bool
ga_oid_sample_try(GaOidSample *sample)
{
	sample->is_standby = RecoveryInProgress();
	if (!LWLockConditionalAcquire(OidGenLock, LW_SHARED))
		return false;
	read_counter(sample);
	LWLockRelease(OidGenLock);
	return true;
}
