/*
 * resident.h
 *		Results of resident arrays that the caller waits for.
 */
#ifndef GA_RESIDENT_H
#define GA_RESIDENT_H

#include "extension/engine/reduction_state.h"
#include "slots.h"

/*
 * Parts of a stored array, or of a pair of them, and a state for each, of full
 * capacity.
 */
typedef struct GaResidentRun
{
	GaElementType type;
	GaReduction reduction;
	GaStoredKey keys[2];	   /* the second one of a pair only */
	const GaStoredPart *parts; /* of the array, or of both; none is empty */
	int n;
	char *states;  /* memory for n of them, one behind the other */
	bool is_small; /* the arrays are not to be loaded for it */

	int n_done;			/* parts whose results are in their states */
	GaReason reason;	/* why the device did not go on */
	bool is_missing[2]; /* the array is not resident */
	bool is_found;		/* all were resident, the last time */
	bool is_counted;	/* hits and misses are counted */
	bool has_loaded;	/* the caller had what was missing loaded */
	GaOwner owner;		/* for the counters */

	/* of resident.c alone: */
	GaStoredRef refs[2]; /* as the arrays are named */
	GaOidSample sample;	 /* older than what settles a doubt */
	int n_begun;		 /* parts that were done at the call */
	bool is_doubt;		 /* it is missing because its id is in doubt */
	bool checks;		 /* requests bring what settles a doubt */
	bool is_full;		 /* a request had no capacity for all its results */
} GaResidentRun;

extern bool ga_resident_has_device(const GaResidentRun *run);
extern void ga_resident_ask(GaResidentRun *run);

/* Return the state of part i. */
static inline GaState
ga_resident_state(const GaResidentRun *run, int i)
{
	return (GaState){run->states +
						 i * ga_state_bytes(run->type, run->reduction),
					 run->type, run->reduction};
}

/* Is any array of a run missing? */
static inline bool
ga_resident_is_missing(const GaResidentRun *run)
{
	return run->is_missing[0] || run->is_missing[1];
}

#endif /* GA_RESIDENT_H */
