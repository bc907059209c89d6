/*
 * ahead_pace.h
 *		How many arrays a query's requests have made ahead.
 *
 * Of ahead.c alone.
 */
#ifndef GA_AHEAD_PACE_H
#define GA_AHEAD_PACE_H

#include "postgres.h"

/* Arrays that are wanted at first; small lookup slots have their results. */
#define GA_AHEAD_FIRST 7

/* In an execution of a query. */
typedef struct GaAheadPace
{
	Oid relation;	 /* the TOAST table of the first array */
	uint32 n_asked;	 /* requests of arrays that the query came to */
	uint32 n_wanted; /* besides the next one */
	uint32 n_made;	 /* arrays, the older ones counting less, */
	uint32 n_used;	 /* and those that the query came to */
	uint32 n_used_in_all;
} GaAheadPace;

extern void ga_ahead_pace_end(GaAheadPace *pace);
extern bool ga_ahead_pace_expects(Oid relation);
extern void ga_ahead_pace_begin(GaAheadPace *pace, Oid relation);
extern void ga_ahead_pace_ask(GaAheadPace *pace, Oid relation,
							  uint32 n_to_come);
extern void ga_ahead_pace_adapt(GaAheadPace *pace, uint32 n_to_come);

#endif /* GA_AHEAD_PACE_H */
