/*
 * owner.h
 *		The owner of sums that the device computes.
 */
#ifndef GA_OWNER_H
#define GA_OWNER_H

#include "extension/engine/counters.h"
#include "extension/engine/float_sum.h"

/*
 * The owner of sums that the device computes: it lives as long as they are
 * wanted.  One is kept for each memory context, and cancelled when that is
 * reset; a caller that waits for its sums has one on the stack, zeroed, and
 * cancels it if something throws.  What is made ahead for an expression has one
 * of its own (ahead.c).
 */
typedef struct GaOwner
{
	MemoryContext context; /* NULL on the stack */
	struct GaOwner *next;
	MemoryContextCallback callback;
	GaFloatSumPool pool;  /* of the context */
	GaCounters *counters; /* of the aggregate node; NULL: nobody asks */
	bool is_partial;	  /* other processes have rows of the same plan, too */

	/* Of a caller that waits for one array, and asks for one in each row. */
	struct GaAhead *ahead;
} GaOwner;

#endif /* GA_OWNER_H */
