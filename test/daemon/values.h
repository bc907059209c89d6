/*
 * values.h
 *		Stored values as a backend asks for them: named, loaded, summed.
 *
 * A value is an array of a batch with a name.  All of them go through slot 0,
 * and their elements through the others.  Each sum that comes back is compared
 * with the CPU engine's.
 */
#ifndef VALUES_H
#define VALUES_H

#include "client.h"

/* The counter of OIDs at the start, and ids that it will not pass soon. */
#define VALUES_NEXT_OID 1000000
#define VALUES_FIRST	2000000

#define VALUES_RELATION 20000
#define VALUES_DATABASE 5

typedef struct Value
{
	const Batch *batch;
	uint32_t i; /* which array of it */
	GaStoredKey key;
	uint32_t xmin;
	uint32_t is_settled;
	uint32_t asked_xmin; /* as it is asked for */
} Value;

extern Value value_of(const Batch *batch, uint32_t i, uint32_t id);
/* Of all arrays of a batch, with ids one after the other; to be freed. */
extern Value *values_of(const Batch *batch, uint32_t first_id);

/* A client of a database, with a window. */
extern void values_open(Client *client, const Daemon *daemon,
						uint32_t database);

/* As most ask: told to load, and not waiting. */
extern GaStoredLookup values_how(uint64_t scan);
/* The same in a statement of its own. */
extern GaStoredLookup values_how_next(void);

/* Name values in slot 0; the request is to be sent. */
extern GaRequest values_name(Client *client, const Value *values, uint32_t n,
							 const GaStoredLookup *how);
/* What the answer says about the i-th of them. */
extern GaStoredState values_state(const Client *client, uint32_t i);
/* Check the sums of those that are resident; returns how many are. */
extern uint32_t values_check(Client *client, const GaReply *reply,
							 const Value *values, uint32_t n);
/* All three. */
extern uint32_t values_ask(Client *client, const Value *values, uint32_t n,
						   const GaStoredLookup *how);
extern GaStoredState value_ask(Client *client, const Value *value,
							   const GaStoredLookup *how);

/*
 * Elements of a value from one on as piece j of a slot, where its data is
 * filled up to *n_bytes; returns for how many there was room.
 */
extern uint32_t values_put(Client *client, uint32_t slot, uint32_t j,
						   const Value *value, uint32_t from,
						   uint32_t *n_bytes);
/* A request to load one piece. */
extern GaRequest value_piece(Client *client, uint32_t slot, const Value *value,
							 uint32_t from, uint32_t most);
/* Load those that slot 0 says are to be loaded. */
extern void values_load(Client *client, const Value *values, uint32_t n);
/* Have slot 0 say that of the first value. */
extern void values_say_load(Client *client);
/* Ask, load and ask again; returns how many are resident then. */
extern uint32_t values_have(Client *client, const Value *values, uint32_t n,
							const GaStoredLookup *how);

/* Send a request that waits, and perhaps may load. */
extern void values_wait(Client *client, const Value *values, uint32_t n,
						bool loads);
/* Take its answer, about one value: it must be this one. */
extern void value_check_told(Client *client, const Value *value,
							 GaStoredState state);
/* Ask for one value, which must be resident, or be to be loaded. */
extern void value_check_resident(Client *client, const Value *value);
extern void value_check_load(Client *client, const Value *value);

/*
 * Fill what room there is, and clear every second page: what comes next lies
 * apart.  Returns how many pages are free.
 */
extern uint32_t values_fragment(Client *client);

/* Counters, and what is resident. */
extern GaStatRow values_stat(Client *client, bool resets);
extern uint64_t values_clear(Client *client, uint32_t relation);
extern void values_check_empty(Client *client);
/*
 * A client that was not concerned: nothing is left of others, and it goes on,
 * with the right sums of two values.
 */
extern void values_check_witness(Client *witness, const Value *values);

#endif /* VALUES_H */
