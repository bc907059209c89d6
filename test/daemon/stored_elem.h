/*
 * stored_elem.h
 *		Sums of stored arrays by position, as a backend asks for them.
 */
#ifndef STORED_ELEM_H
#define STORED_ELEM_H

#include "stored.h"

/* A set of arrays of one length, of one family if they are short. */
extern void elem_fill(ArraySet *set, Rng *rng, GaElementType type,
					  uint32_t n_arrays, uint32_t n);

/* Name arrays in a slot of the lease, and ask for records from one on. */
extern GaRequest elem_name(Client *client, uint32_t slot,
						   const StoredArray *arrays, uint32_t n_arrays,
						   uint32_t from, uint32_t n);

/* The most positions of a request for records. */
extern uint32_t elem_most(void);

/* What the answer says about the i-th of them. */
extern const GaStoredRef *elem_ref(const Client *client, uint32_t slot,
								   uint32_t i);

/* How many results were checked, and how many of these were refused. */
typedef struct ElemResults
{
	uint64_t n;
	uint64_t n_refused;
} ElemResults;

/*
 * Check an answer, of which all arrays must be resident.  One position in so
 * many is compared with what the CPU makes of its elements.
 */
extern void elem_check(Client *client, const GaRequest *request,
					   const GaReply *reply, const StoredArray *arrays,
					   uint32_t one_in, ElemResults *results);

/* Send a request and check its answer. */
extern void elem_request(Client *client, const GaRequest *request,
						 const StoredArray *arrays, uint32_t one_in,
						 ElemResults *results);

/* Send a request that is not to have results. */
extern void elem_check_none(Client *client, const GaRequest *request);

#endif /* STORED_ELEM_H */
