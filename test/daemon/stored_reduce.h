/*
 * stored_reduce.h
 *		Any reduction of stored arrays, as a backend asks for it.
 */
#ifndef STORED_REDUCE_H
#define STORED_REDUCE_H

#include "stored.h"

/* Arrays of all sizes: none, n random ones, and one of several pages. */
extern void stored_fill_set(ArraySet *set, Rng *rng, GaElementType type, int n);

/* What the answers had. */
typedef struct StoredResults
{
	uint32_t n_resident;
	uint32_t n_refused; /* of these, moments that the CPU has to compute */
} StoredResults;

/* Check an answer about arrays, which stored_name() had named. */
extern StoredResults stored_check_reduction(Client *client,
											const GaReply *reply,
											GaReduction reduction,
											const StoredArray *arrays,
											uint32_t n);
/* Name them, send the request and check the answer. */
extern StoredResults stored_reduce(Client *client, GaReduction reduction,
								   const StoredArray *arrays, uint32_t n,
								   const GaStoredLookup *lookup);
/* All reductions but the sum; all arrays must be resident. */
extern void stored_reduce_all(Client *client, const StoredArray *arrays,
							  uint32_t n);

#endif /* STORED_REDUCE_H */
