/*
 * ahead_batch.h
 *		The results that one reply brought, of arrays that a query comes to.
 *
 * Of the files that ask for them alone.
 */
#ifndef GA_AHEAD_BATCH_H
#define GA_AHEAD_BATCH_H

#include "ahead.h"

/* An array, and where its result is in its batch. */
typedef struct GaAheadKept
{
	GaAheadArray array;
	uint32 at;
} GaAheadKept;

struct GaAheadBatch
{
	struct GaAheadBatch *next; /* an older one */
	GaOidSample sample;		   /* taken when the request was sent */
	uint32 n_arrays;
	uint32 expected; /* the array that comes next, perhaps */
	GaAheadKept *arrays;
	Size n_bytes;
	char *results;
	int slot;		  /* that has the results; -1: the batch has them itself */
	bool is_past;	  /* the query came to what is behind, or elsewhere */
	bool has_more;	  /* gpuaggd knows arrays behind them, */
	bool is_followed; /* which it was asked for */
};

extern GaAheadBatch *ga_ahead_batch_new(MemoryContext memory,
										const GaOidSample *sample,
										uint32 n_arrays, Size n_bytes);
extern void ga_ahead_batch_keep(GaAheadBatch *batch, int slot, char *results);
extern void ga_ahead_batch_free(GaAheadBatch *batch);
extern void *ga_ahead_batch_add(GaAheadBatch *batch, GaAheadArray array,
								Size n_bytes);
extern const GaAheadKept *ga_ahead_batch_find(const GaAheadBatch *batch,
											  const GaStoredKey *key);
extern bool ga_ahead_batch_may_be_new(const GaAheadBatch *batch,
									  const GaStoredKey *key);

#endif /* GA_AHEAD_BATCH_H */
