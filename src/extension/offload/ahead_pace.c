/*
 * ahead_pace.c
 *		How many arrays a query's requests have made ahead.
 *
 * The first request of an execution has no others made, since the query may use
 * one array only.  From the second one on, as long as most of them are used,
 * more and more are wanted.  Where executions that begin with the same TOAST
 * table mostly use many, the first request wants others, too.
 *
 * Owns what is known of the last executions of a session.  Called by ahead.c.
 */
#include "ahead_pace.h"

#include "client.h"
#include "wire/protocol.h"

/* The session knows the last executions for so many TOAST tables. */
#define RELATIONS 64

/*
 * At first a part is wanted of as many as an execution is expected to use, and
 * another part at most, until as many are used: when the device has ended, the
 * query has yet to use what the last requests made.
 */
#define FIRST_PART	   16
#define LARGEST_PART   8
#define LEAST_OF_PARTS 64

/* The least that is wanted behind the first request's, if others are at all. */
#define LEAST_BEHIND (2 * GA_AHEAD_FIRST)

/* An execution that used so many, the first two requests', used many. */
#define MANY (1 + GA_AHEAD_FIRST + LEAST_BEHIND)

/* When none is wanted, one is tried again at each so many-th request. */
#define PAUSE 32

/*
 * What is known of the executions that began with a relation.  Each one that
 * used few arrays counts as two that are not expected to use many.
 */
typedef struct Last
{
	Oid relation;
	uint32 n_used; /* made ahead, by the last one that used many */
	uint32 n_few;  /* so many of the next ones are expected to use few */
} Last;

#define COUNT_OF_FEW 2
#define MOST_FEW	 4

/* For each remainder of a relation's OID. */
static Last lasts[RELATIONS];

/* Return how many an execution is expected to use, or 0: perhaps few. */
static uint32
n_expected(Oid relation)
{
	const Last *last = &lasts[relation % RELATIONS];

	return last->relation == relation && last->n_few == 0 ? last->n_used : 0;
}

/* Note how many an execution used. */
static void
note(Last *last, uint32 n_used)
{
	if (n_used >= MANY)
	{
		last->n_used = Max(n_used, last->n_used / 2);
		last->n_few -= Min(last->n_few, 1);
	}
	else
		last->n_few = Min(last->n_few + COUNT_OF_FEW, MOST_FEW);
}

/* An execution has ended.  Note how many arrays it used; begin with nothing. */
void
ga_ahead_pace_end(GaAheadPace *pace)
{
	Last *last = &lasts[pace->relation % RELATIONS];

	if (pace->n_asked > 0)
	{
		if (last->relation != pace->relation)
			*last = (Last){.relation = pace->relation};
		note(last, pace->n_used_in_all);
	}
	*pace = (GaAheadPace){0};
}

/* Return a part of what is expected, for each device. */
static uint32
part_of_expected(Oid relation, uint32 part)
{
	return n_expected(relation) /
		   (part * (uint32) __builtin_popcountll(ga_client_devices));
}

/* Return how many are wanted at first. */
static uint32
n_first(Oid relation)
{
	return Min(Max(part_of_expected(relation, FIRST_PART), GA_AHEAD_FIRST),
			   GA_AHEAD_MOST);
}

/* Return how many are wanted at most. */
static uint32
n_most(const GaAheadPace *pace)
{
	const uint32 n = part_of_expected(pace->relation, LARGEST_PART);

	return pace->n_used_in_all < n_expected(pace->relation) ?
			   Min(Max(n, LEAST_OF_PARTS), GA_AHEAD_MOST) :
			   GA_AHEAD_MOST;
}

/*
 * Is an execution that begins with a relation expected to use as many arrays as
 * the first two requests of ga_ahead_pace_begin() have?
 */
bool
ga_ahead_pace_expects(Oid relation)
{
	return n_expected(relation) > 0;
}

/*
 * The first array of an execution is going to be asked for, with others and
 * more behind them.  That request counts as the second one.
 */
void
ga_ahead_pace_begin(GaAheadPace *pace, Oid relation)
{
	pace->relation = relation;
	pace->n_asked = 2;
	pace->n_wanted = Max(n_first(relation), LEAST_BEHIND);
}

/*
 * An array is going to be asked for, and others with it: more or fewer than
 * before.  n_to_come of those that were made may still be used.
 */
void
ga_ahead_pace_ask(GaAheadPace *pace, Oid relation, uint32 n_to_come)
{
	if (pace->n_asked++ == 0)
		pace->relation = relation;
	ga_ahead_pace_adapt(pace, n_to_come);
	if (pace->n_asked == 2)
		pace->n_wanted = n_first(pace->relation);
}

/*
 * Want twice as many as before if most of those before were used, else half as
 * many; if none, try one now and then.
 */
void
ga_ahead_pace_adapt(GaAheadPace *pace, uint32 n_to_come)
{
	const uint32 n_past = pace->n_made - n_to_come;

	if (pace->n_wanted == 0)
		pace->n_wanted = pace->n_asked % PAUSE == 0;
	else if ((uint64) pace->n_used * 2 < n_past)
		pace->n_wanted /= 2;
	else if (n_past > 0)
		pace->n_wanted = Min(2 * pace->n_wanted, n_most(pace));
	pace->n_made = n_to_come + n_past / 2;
	pace->n_used /= 2;
}
