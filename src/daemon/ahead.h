/*
 * ahead.h
 *		The arrays that a session will come to.
 */
#ifndef GA_DAEMON_AHEAD_H
#define GA_DAEMON_AHEAD_H

#include "request.h"

/* The arrays behind one, row by row. */
typedef struct GaAheadWalk
{
	GaCache *cache;
	GaCacheLookup lookup;
	uint32_t number; /* of the next entry; 0: there is none */
	uint32_t own;	 /* of the request's entry */
	uint32_t slow;	 /* of an entry half as far */
	uint32_t n_steps;
	uint32_t n_looks;	 /* entries that are still looked at */
	bool only_lines;	 /* as in GaLoadSegment */
	uint64_t n_elements; /* that arrays may still have */
} GaAheadWalk;

/* Return how many arrays may follow a request's own. */
static inline uint32_t
ga_ahead_most(GaAheadWanted wanted)
{
	return wanted.n < GA_AHEAD_MOST ? wanted.n : GA_AHEAD_MOST;
}

extern void ga_ahead_learn(const GaActiveRequest *active,
						   const GaStoredLookup *how);
extern GaAheadWalk ga_ahead_walk(const GaActiveRequest *active,
								 GaElementType type, const GaStoredLookup *how,
								 GaAheadWanted wanted);
extern GaEntry *ga_ahead_next(GaAheadWalk *walk);
extern void ga_ahead_use(GaActiveRequest *active, GaAheadWalk *walk,
						 GaEntry *entry, GaStoredRef *ref);
extern bool ga_ahead_end(const GaActiveRequest *active,
						 const GaAheadWalk *walk);

#endif /* GA_DAEMON_AHEAD_H */
