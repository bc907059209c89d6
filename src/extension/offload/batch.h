/*
 * batch.h
 *		Arrays on their way to the device, and their sums on the way back.
 */
#ifndef GA_BATCH_H
#define GA_BATCH_H

#include "extension/sql/float_state.h"
#include "wire/protocol.h"
#include "extension/engine/reason.h"

/*
 * Whose sums these are: what lives as long as they are wanted.  One is kept
 * for each memory context, and dropped with it; a caller that waits for its
 * sums has one on the stack, and drops it if something throws.
 */
typedef struct GaOwner
{
	MemoryContext context; /* NULL on the stack */
	struct GaOwner *next;
	MemoryContextCallback callback;
	GaStateRoom states; /* of the context */
} GaOwner;

extern void ga_batch_begin(void);
extern GaOwner *ga_batch_owner(MemoryContext context);
extern void ga_batch_cancel(GaOwner *owner);
extern size_t ga_batch_add(GaOwner *owner, void *sum, GaElementType type,
						   const void *data, size_t n, bool is_array);
extern void ga_batch_add_stored(GaOwner *owner, void *sum, GaElementType type,
								const GaStoredKey *key);
extern void ga_batch_finish(void);
extern bool ga_batch_is_pending(void);
extern bool ga_batch_is_idle(void);
extern void ga_batch_reset(void);

#endif /* GA_BATCH_H */
