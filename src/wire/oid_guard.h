/*
 * oid_guard.h
 *		Whether the id of a stored value can be another value's by now.
 *
 * A TOAST pointer names its value by an id of 32 bits from the server's OID
 * counter.  An id is given again only when the chunks of its value are gone
 * and the counter has come round to it.  So what was read once under an id may
 * be served for it as long as the counter has not passed that id since.  That
 * is all there is to this file: the counter, extended to 64 bits by samples
 * that sessions send, and a comparison.  A doubt is not a miss: who doubts
 * looks at the chunk's xmin, and may clear the doubt by it.
 *
 * Words.  N is the counter of who makes values, extended to 64 bits; it never
 * goes back.  A sample is what a process read of it, and when.  now is the
 * highest sample, extended.  A mark is a bound that N was not below when a
 * sample was taken.  A value's mark is that of a sample which its reader took
 * before it read the first chunk.  Value id V is served iff
 *
 *		now - mark <= (uint32) (V - (uint32) mark)
 *
 * that is, iff now has not passed the first V at or behind the mark.
 *
 * Why that is right.  Who asks got its pointer, then took a sample, and sent
 * it with the request.  Let V be another value's, in its pointer, than it was
 * when the entry was read.  Then N handed out V after the entry's sample, at
 * some X >= mark with X = V (mod 2^32), and before the asker's: it is now
 * above X.  The right side is the distance of the mark to the nearest such X,
 * so that now - mark exceeds it: a doubt.  The case V = mark needs no rule of
 * its own: V is the next to be handed out, so it is in doubt with the first
 * allocation.  Nor does a V a little behind the mark: its X is 2^32 on.
 *
 * "After the entry's sample" is the reader's part.  The counter moves first,
 * then the session that moved it looks whether chunks of that id exist, dead
 * or alive.  It may be slow in between; an entry that was read meanwhile has
 * the old value, and a sample behind V.  That does no harm unless the chunks
 * vanish before the other one looks.  They cannot if nobody had deleted them
 * when they were read: who deletes them later is no older than the snapshot of
 * the slow one, which keeps them.  So a mark must be given to an entry only if
 * its first chunk had no xmax when it was read, and its inserter has
 * committed; others get GA_OID_NO_MARK.  The same holds for a doubt that is
 * cleared.
 *
 * The mark is that of the reader's own sample, never one of a newer now: the
 * reader may have ended, its value may be gone and its id another's, with its
 * message still under way; the newer now would be behind all that.  A mark
 * that is too old only costs a doubt.  That now never goes back matters to
 * nobody: each asker brings a sample that is behind its pointer.  It makes
 * samples arrive in any order.
 *
 * A standby has no counter, but a bound that it replays.  It moves in steps of
 * 8192, ahead of N by at most as much, and goes back to N at the primary's
 * shutdown checkpoint.  So sample - 8192 <= N <= sample, and the mark is
 * sample - 8192.  That goes with the sample, not with the server: what was
 * read before a promotion keeps its mark after it.  With the mark, values less
 * than 8192 behind the bound stay in doubt until the bound has moved on.
 *
 * Signed differences tell how far samples are apart if that is less than 2^31.
 * It is, if they were taken within twice GA_OID_GAP_MS: no server allocates 18
 * million ids a second, each under OidGenLock and for a row of its own.  If
 * there was none for longer, how often the counter went round is unknown, and
 * now moves so far that all that was read before is in doubt.  So does it at a
 * promotion, where the time is another.  A sample that is so much older than
 * the newest has no mark.
 *
 * The time must be that of reading the counter: read both while holding
 * OidGenLock.  On a primary it is the monotonic clock.  On a standby it is the
 * time of the last transaction that was replayed, for one that lags behind
 * replays in a second what took hours, and the bound moves by 2^31 in as
 * little as 8 MB of its log.  Nobody sees an id there before its transaction
 * was replayed, so that this time has gone on by then.
 *
 * Marks are of one process's life.  Whatever may set the counter back, a crash
 * of the server or pg_resetwal, ends it.
 */
#ifndef GA_OID_GUARD_H
#define GA_OID_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#define GA_OID_GAP_MS 60000

/* The mark of what is always in doubt. */
#define GA_OID_NO_MARK UINT64_C(0)

/* The numbers of PostgreSQL; tests have smaller ones. */
typedef struct GaOidSpace
{
	uint32_t mask;	/* the highest id: one less than a power of 2 */
	uint32_t step;	/* a standby's bound is ahead by at most this */
	int64_t gap_ms; /* N moves by less than half of the ids */
} GaOidSpace;

static const GaOidSpace ga_oid_space = {UINT32_MAX, 8192, GA_OID_GAP_MS};

/* What is sent. */
typedef struct GaOidSample
{
	int64_t taken_ms; /* on a standby, of the primary's clock */
	uint32_t next_oid;
	uint32_t is_standby; /* as it was before the counter was read */
} GaOidSample;

/* Begins with zeros. */
typedef struct GaOidClock
{
	uint64_t now;	   /* 0: no sample so far */
	int64_t newest_ms; /* of a sample */
	bool is_standby;
} GaOidClock;

typedef enum GaGuard
{
	GA_GUARD_DOUBT, /* look at the chunk's xmin */
	GA_GUARD_SERVE
} GaGuard;

/* How far a sample is ahead of the clock, or behind it (negative). */
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

/* All marks so far are in doubt, for any id. */
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
 * Take in a sample, whenever it comes.  Returns its mark, for what is read
 * after it was taken.
 */
static inline uint64_t
ga_oid_sample(const GaOidSpace *space, GaOidClock *clock,
			  const GaOidSample *sample)
{
	bool is_standby = sample->is_standby != 0;
	uint64_t extended;

	/* a standby becomes a primary, never the other way round */
	if (is_standby && !clock->is_standby && clock->now != 0)
		return GA_OID_NO_MARK;
	if (clock->now == 0 || is_standby != clock->is_standby ||
		ga_oid_is_gap(space, clock->newest_ms, sample->taken_ms))
		ga_oid_jump(space, clock, sample);
	else if (ga_oid_is_gap(space, sample->taken_ms, clock->newest_ms))
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
 * May what was read under this id be served, to one whose sample was taken
 * after it got its pointer, and is taken in?
 */
static inline GaGuard
ga_oid_guard(const GaOidSpace *space, uint64_t now, uint64_t mark,
			 uint32_t value_id)
{
	uint32_t ahead = (value_id - (uint32_t) mark) & space->mask;

	return now - mark <= ahead ? GA_GUARD_SERVE : GA_GUARD_DOUBT;
}

#endif /* GA_OID_GUARD_H */
