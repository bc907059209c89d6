/*
 * resident.h
 *		Results of resident arrays that the caller waits for.
 */
#ifndef GA_RESIDENT_H
#define GA_RESIDENT_H

#include "extension/engine/reduction_state.h"
#include "slots.h"

/* Parts of a stored array, and a state for each, of full capacity. */
typedef struct GaResidentRun
{
	GaElementType type;
	GaReduction reduction;
	GaStoredKey key;
	const GaStoredPart *parts; /* of the array; none is empty */
	int n;
	char *states;  /* memory for n of them, one behind the other */
	bool is_small; /* the array is not to be loaded for it */

	int n_done;		 /* parts whose results are in their states */
	GaReason reason; /* why the device did not go on */
	bool is_missing; /* the array is not resident */
	bool is_found;	 /* it was resident, the last time */
	bool is_counted; /* it is counted as a hit or a miss */
	bool has_loaded; /* the caller had it loaded */
	GaOwner owner;	 /* for the counters */

	/* of resident.c alone: */
	GaStoredRef ref;	/* as the array is named */
	GaOidSample sample; /* older than what settles a doubt */
	int n_begun;		/* parts that were done at the call */
	bool is_doubt;		/* it is missing because its id is in doubt */
	bool checks;		/* requests bring what settles a doubt */
	bool is_full;		/* a request had no capacity for all its results */
} GaResidentRun;

extern void ga_resident_ask(GaResidentRun *run);

/* Return the state of part i. */
static inline GaState
ga_resident_state(const GaResidentRun *run, int i)
{
	return (GaState){run->states +
						 i * ga_state_bytes(run->type, run->reduction),
					 run->type, run->reduction};
}

#endif /* GA_RESIDENT_H */
