/*
 * oid_guard.h
 *		Whether the id of a stored array can be another array's by now.
 *
 * A TOAST pointer names a stored array by an id of 32 bits from the server's
 * OID counter.  An id is reused only when the chunks of its array are gone and
 * the counter has wrapped around to it.  So what was read once under an id may
 * be served for it as long as the counter has not passed that id since.  This
 * file has the counter, extended to 64 bits by samples that sessions send, and
 * that comparison.  A doubt is not a miss: the session then looks up the
 * chunk's xmin, which may settle the doubt.
 *
 * Terms.  N is the counter, as the processes that store arrays use it,
 * extended to 64 bits; it never decreases.  A sample is what a process read of
 * it, and when.  now is the highest sample, extended.  A mark is a bound that
 * N was not below when a sample was taken.  The mark of an array is that of a
 * sample which its reader took before it read the first chunk.  Array id V is
 * served iff
 *
 *		now - mark <= (uint32) (V - (uint32) mark)
 *
 * that is, iff now has not passed the first V at or behind the mark; and only
 * to a session whose own sample has a mark.
 *
 * Proof.  The requesting session got its pointer, then took a sample, and sent
 * it with the request.  Assume that V names another array in that pointer than
 * it did when the entry was read.  Then N handed out V after the entry's
 * sample, at some X >= mark with X = V (mod 2^32), and before the session's
 * sample: now is above X.  The right side is the distance of the mark to the
 * nearest such X, so that now - mark exceeds it: a doubt.  The case V = mark
 * needs no rule of its own: V is the next id to be handed out, so it is in
 * doubt with the first allocation.  Nor does a V a little behind the mark: its
 * X is 2^32 further on.
 *
 * "After the entry's sample" is up to the reader.  The counter moves first,
 * then the session that moved it looks whether chunks of that id exist, dead
 * or alive.  It may be slow in between; an entry that was read meanwhile has
 * the old array, and a sample behind V.  That does no harm unless the chunks
 * vanish before the slow session looks.  They cannot if they were not deleted
 * when they were read: a transaction that deletes them later is no older than
 * the snapshot of the slow session, which keeps them.  So a mark must be set
 * on an entry only if its first chunk had no xmax when it was read, and the
 * inserting transaction has committed; other entries get GA_OID_NO_MARK.
 *
 * The same holds for a doubt that is settled by a look at the chunk: the sample
 * that is sent with what was seen is taken before the look, never after it.
 * In between the array may be deleted, removed, and its id handed out.  Nothing
 * that was seen before may be used again with a newer sample.  A sample may be
 * older than pointers that are checked with it, since the requests that were
 * answered with the doubt brought newer ones.
 *
 * The mark is that of the reader's own sample, never one of a newer now: the
 * reader may have ended, its array may be gone and its id reused, with its
 * message still under way; the newer now would be behind all that.  A mark
 * that is too old only costs a doubt.  That now never decreases needs no care:
 * each request brings a sample that is behind its pointer.  So samples may
 * arrive in any order.
 *
 * A standby has no counter, but a bound that it replays.  It moves in steps of
 * 8192, ahead of N by at most as much, and goes back to N at the primary's
 * shutdown checkpoint.  So sample - 8192 <= N <= sample, and the mark is
 * sample - 8192.  This depends on the sample, not on the server: what was read
 * before a promotion keeps its mark after it.  With that mark, ids less than
 * 8192 behind the bound stay in doubt until the bound has moved on.
 *
 * Signed differences say how far samples are apart if that is less than 2^31.
 * It is, if they were taken within twice GA_OID_GAP_MS: no server allocates 18
 * million ids a second, each under OidGenLock and for a row of its own.  After
 * a longer gap the number of wraparounds is unknown, and now moves so far that
 * all that was read before is in doubt.  So does it at a promotion, where the
 * time is another.  A sample that is so much older than the newest has no
 * mark: nothing says where now was, so all is in doubt for its sender.
 *
 * The time must be that of reading the counter: read both while holding
 * OidGenLock.  On a primary it is the monotonic clock.  On a standby it is the
 * time of the last transaction that was replayed: one that lags behind replays
 * in a second what took hours, and the bound moves by 2^31 in as little as 8
 * MB of its log.  No session sees an id there before its transaction was
 * replayed, so that this time has gone on by then.  But the primary's clock may
 * be set back, and samples would seem old until it has caught up, perhaps for
 * hours in which N goes on.  So an old sample of a standby counts as one after
 * a gap: all that was read before is in doubt, and time goes on from there.
 *
 * What was served to a session with one sample it may use for a pointer that
 * it got later, with a second sample of its own, taken behind that pointer, if
 * N did not hand out V between the two: for then N did not since the entry's
 * sample.  That they were taken within GA_OID_GAP_MS tells how far N went.  On
 * a standby that is not known so well, and nothing is used later.
 *
 * Marks are valid for one process.  Whatever may set the counter back, a crash
 * of the server or pg_resetwal, ends that process.
 */
#ifndef GA_OID_GUARD_H
#define GA_OID_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#define GA_OID_GAP_MS 60000

/* The mark of an entry that is always in doubt. */
#define GA_OID_NO_MARK UINT64_C(0)

/* The numbers of PostgreSQL; tests have smaller ones. */
typedef struct GaOidSpace
{
	uint32_t mask;	/* the highest id: one less than a power of 2 */
	uint32_t step;	/* a standby's bound is ahead by at most this */
	int64_t gap_ms; /* N moves by less than half of the ids */
} GaOidSpace;

static const GaOidSpace ga_oid_space = {UINT32_MAX, 8192, GA_OID_GAP_MS};

/* A sample, as it is sent. */
typedef struct GaOidSample
{
	int64_t taken_ms; /* on a standby, of the primary's clock */
	uint32_t next_oid;
	uint32_t is_standby; /* as it was before the counter was read */
} GaOidSample;

/* Initially zero. */
typedef struct GaOidClock
{
	uint64_t now;	   /* 0: no sample so far */
	int64_t newest_ms; /* of a sample */
	bool is_standby;
} GaOidClock;

/* Return how far a sample is ahead of the clock; negative: behind it. */
static inline int64_t
ga_oid_distance(const GaOidSpace *space, uint64_t now, uint32_t next_oid)
{
	uint32_t ahead = (next_oid - (uint32_t) now) & space->mask;

	return ahead <= space->mask / 2 ? (int64_t) ahead :
									  (int64_t) ahead - space->mask - 1;
}

/* Is one time more than a gap behind another? */
static inline bool
ga_oid_is_gap(const GaOidSpace *space, int64_t from_ms, int64_t to_ms)
{
	return to_ms > from_ms &&
		   (uint64_t) to_ms - (uint64_t) from_ms > (uint64_t) space->gap_ms;
}

/* Put all marks so far in doubt, for any id. */
static inline void
ga_oid_jump(const GaOidSpace *space, GaOidClock *clock,
			const GaOidSample *sample)
{
	uint64_t round = (uint64_t) space->mask + 1;

	/* the next two rounds' place of this id; the first mark is not 0 */
	clock->now =
		(clock->now / round + 2) * round + (sample->next_oid & space->mask);
	clock->newest_ms = sample->taken_ms;
	clock->is_standby = sample->is_standby != 0;
}

/*
 * Add a sample, in any order.  Return its mark, for what is read after it was
 * taken.
 */
static inline uint64_t
ga_oid_sample(const GaOidSpace *space, GaOidClock *clock,
			  const GaOidSample *sample)
{
	bool is_standby = sample->is_standby != 0;
	bool is_late;
	uint64_t extended;

	/* a standby becomes a primary, never the other way round */
	if (is_standby && !clock->is_standby && clock->now != 0)
		return GA_OID_NO_MARK;
	is_late = ga_oid_is_gap(space, sample->taken_ms, clock->newest_ms);
	if (clock->now == 0 || is_standby != clock->is_standby ||
		ga_oid_is_gap(space, clock->newest_ms, sample->taken_ms) ||
		(is_late && is_standby))
		ga_oid_jump(space, clock, sample);
	else if (is_late)
		return GA_OID_NO_MARK;

	extended =
		clock->now + ga_oid_distance(space, clock->now, sample->next_oid);
	if (extended > clock->now)
		clock->now = extended;
	if (sample->taken_ms > clock->newest_ms)
		clock->newest_ms = sample->taken_ms;
	return extended - (is_standby ? space->step : 0);
}

/*
 * May what was read under this id be served to a session that
 * took its sample after it got its pointer, and whose sample was added?
 * If not, look at the chunk's xmin.  asker is the mark of that sample, and
 * mark that of the entry.
 */
static inline bool
ga_oid_guard(const GaOidSpace *space, uint64_t now, uint64_t asker,
			 uint64_t mark, uint32_t id)
{
	uint32_t ahead = (id - (uint32_t) mark) & space->mask;

	return asker != GA_OID_NO_MARK && now - mark <= ahead;
}

/*
 * May an id have been handed out between two samples of one session?  If not,
 * what was served with the first one can be used with the second.
 */
static inline bool
ga_oid_may_be_new(const GaOidSpace *space, const GaOidSample *from,
				  const GaOidSample *to, uint32_t id)
{
	return from->is_standby || to->is_standby ||
		   ga_oid_is_gap(space, from->taken_ms, to->taken_ms) ||
		   ((id - from->next_oid) & space->mask) <
			   ((to->next_oid - from->next_oid) & space->mask);
}

#endif /* GA_OID_GUARD_H */
