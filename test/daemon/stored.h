/*
 * stored.h
 *		Stored arrays as a backend uses them: named, loaded, summed.
 *
 * A stored array is an array of a set with a key.  A lookup slot names them,
 * and slots of a lease load their elements.  Each sum that comes back is
 * compared with the CPU engine's.
 */
#ifndef STORED_H
#define STORED_H

#include "client.h"

/* The counter of OIDs at the start, and ids that it will not pass soon. */
#define STORED_NEXT_OID 1000000
#define STORED_FIRST	2000000

#define STORED_RELATION 20000
#define STORED_DATABASE 5

typedef struct StoredArray
{
	const ArraySet *set;
	uint32_t i; /* which array of it */
	GaStoredKey key;
	uint32_t xmin;
	uint32_t is_settled;
	uint32_t is_no_line;
	uint32_t lookup_xmin; /* as the lookup has it */
	uint32_t is_missed;	  /* that, too */
	GaStoredPart part;	  /* that, too: what is to be summed */
} StoredArray;

extern StoredArray stored_make(const ArraySet *set, uint32_t i, uint32_t id);
/* Of all arrays of a set, with ids one after the other; to be freed. */
extern StoredArray *stored_make_all(const ArraySet *set, uint32_t first_id);

/* A client of a database, with a lease and large lookup slots. */
extern void stored_open(Client *client, const Daemon *daemon,
						uint32_t database);

/* The usual lookup: it loads, and does not wait. */
extern GaStoredLookup stored_lookup(uint64_t statement_id);
/* A usual lookup in a statement of its own. */
extern GaStoredLookup stored_lookup_next(void);

/* Name arrays in a lookup slot; the request is to be sent. */
extern GaRequest stored_name(Client *client, const StoredArray *arrays,
							 uint32_t n, const GaStoredLookup *lookup);
/* What the answer says about the i-th of them. */
extern GaStoredState stored_state(const Client *client, uint32_t i);
/* Check the sums of those that are resident; returns how many are. */
extern uint32_t stored_check(Client *client, const GaReply *reply,
							 const StoredArray *arrays, uint32_t n);
/* Name them, send the request and check the sums. */
extern uint32_t stored_request(Client *client, const StoredArray *arrays,
							   uint32_t n, const GaStoredLookup *lookup);
extern GaStoredState stored_request_one(Client *client,
										const StoredArray *array,
										const GaStoredLookup *lookup);

/*
 * Elements of an array from one on as segment j of a slot, where its data is
 * filled up to *n_bytes; returns how many fit.
 */
extern uint32_t stored_put(Client *client, uint32_t slot, uint32_t j,
						   const StoredArray *array, uint32_t from,
						   uint32_t *n_bytes);
/* A request to load one segment. */
extern GaRequest stored_segment(Client *client, uint32_t slot,
								const StoredArray *array, uint32_t from,
								uint32_t most);
/* Load the arrays that the answer says to load. */
extern void stored_load(Client *client, const StoredArray *arrays, uint32_t n);
/* Have the answer say to load the first array. */
extern void stored_set_load(Client *client);
/* Request, load and request again; returns how many are resident then. */
extern uint32_t stored_make_resident(Client *client, const StoredArray *arrays,
									 uint32_t n, const GaStoredLookup *lookup);

/* Send a request that waits, and perhaps may load. */
extern void stored_wait(Client *client, const StoredArray *arrays, uint32_t n,
						bool loads);
/* Receive the reply about one array: its state must be this one. */
extern void stored_check_state(Client *client, const StoredArray *array,
							   GaStoredState state);
/*
 * Receive the reply about an array that was removed: it is to be loaded, or to
 * be streamed while the removal lasts, and to be loaded after it.
 */
extern void stored_check_removed(Client *client, const StoredArray *array);
/* Request one array, which must be resident, or have to be loaded. */
extern void stored_check_resident(Client *client, const StoredArray *array);
extern void stored_check_load(Client *client, const StoredArray *array);

/*
 * Fill the cache, and clear every second page: the next array's pages lie
 * apart.  Returns how many pages are free.
 */
extern uint32_t stored_fragment(Client *client);

/* Counters, and what is resident. */
extern GaStatRow stored_stat(Client *client, bool resets);
extern uint64_t stored_clear(Client *client, uint32_t relation);
extern void stored_check_empty(Client *client);
/*
 * Check with another client that nothing is left of the others' arrays, and
 * that it has the right sums of two arrays.
 */
extern void stored_check_witness(Client *witness, const StoredArray *arrays);

#endif /* STORED_H */
