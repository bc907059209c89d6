/*
 * elem_batch.h
 *		Arrays that are added together to sums position by position.
 */
#ifndef GA_ELEM_BATCH_H
#define GA_ELEM_BATCH_H

#include "elem_state.h"
#include "extension/engine/reason.h"

/* Positions from one on, up to another. */
typedef struct GaPositionRange
{
	uint32 from;
	uint32 to;
} GaPositionRange;

/* Arrays that the device adds, and what it leaves to the CPU. */
typedef struct GaElemBatch
{
	GaElemState *state;
	const GaStoredKey *keys;
	uint32 n;
	GaReason reason;		 /* of the ranges */
	GaPositionRange *ranges; /* in order */
	int n_ranges;
	int64 n_left; /* positions in all ranges */
} GaElemBatch;

extern void ga_elem_batch_leave(GaElemBatch *batch, uint32 from, uint32 to);
extern void ga_elem_batch_take(void *target, uint32 at,
							   const GaPartialSum *records, uint32 n);
extern void ga_elem_batch_end(GaElemBatch *batch);
extern void ga_elem_add_by_cpu(GaElemState *state, const GaStoredKey *keys,
							   uint32 n, GaReason reason);

#endif /* GA_ELEM_BATCH_H */
