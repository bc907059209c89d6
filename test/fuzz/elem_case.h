/*
 * elem_case.h
 *		Sums by position, with a gpuaggd that answers as it is told.
 *
 * All elements are 1, so each position's sum is the number of arrays, whoever
 * added which of them.  Values, which the session cannot check, are the
 * positions' numbers.
 */
#ifndef ELEM_CASE_H
#define ELEM_CASE_H

#include "postgres.h"

#include "extension/sql/elem_state.h"
#include "session_case.h"

#define ELEM_ARRAYS 4
#define ELEM_BYTES	(1 << 20) /* of an array; the stubs have no more */
#define ELEM_ALL	(ELEM_BYTES / (int) sizeof(int16))

/* What happens at a segment of positions; the first one is 0. */
typedef enum Lie
{
	TRUTH = 0,
	REFUSED,	/* some positions */
	IMPOSSIBLE, /* sums that so many elements cannot have */
	NO_KIND,	/* records of none */
	ANOTHER,	/* a reply to another request */
	NO_MEMORY,
	FAILURE,
	LOST,	   /* the connection */
	MISSING,   /* an array, until it was loaded */
	DOUBT,	   /* an array, until its chunk was looked at */
	FOR_EVER,  /* an array, whatever is loaded */
	NONE,	   /* none is missing, but there are no results */
	NO_STATES, /* states that are none, and other lengths */
	N_LIES,
	NO_LEASE = N_LIES /* ever */
} Lie;

/* What to call a lie, and why the CPU adds something then. */
typedef struct LieKind
{
	const char *name;
	GaReason reason;
} LieKind;

extern const LieKind elem_lies[];

/* What is answered: a lie from a segment on, or at this one alone. */
extern Lie elem_lie;
extern int elem_lie_at;
extern bool elem_lies_once;
extern bool elem_loads; /* what is missing, if the session wants to */

/* The positions of a segment, and where those began that were asked for. */
extern uint32 elem_segment;
#define ELEM_MAX_ASKED 100
extern uint32 elem_asked[ELEM_MAX_ASKED];
extern int elem_n_asked;

/* The state, and arrays that are noted in it. */
extern GaElemState elem_state;
extern void elem_note_arrays(void);

/* Begin a test, with answers that lie from a segment on. */
extern void elem_begin(const char *name, GaElemForm form, Lie lie, int at);

/* Have the arrays added; an argument is ignored. */
extern void elem_finish(void *argument);

/* All arrays were added at each position, once, and counted. */
extern void elem_check_sums(void);

/*
 * Cancel a call at each of its looks.  Sums of another query, and of this
 * session afterwards, must be right.
 */
extern void elem_test_cancelled(void (*call)(void *argument), GaElemForm form,
								Lie lie);

#endif /* ELEM_CASE_H */
