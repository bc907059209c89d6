/*
 * batch_slots.h
 *		The slots of a session's window, as the batch fills and empties them.
 *
 * Of batch.c and batch_reply.c alone.
 */
#ifndef GA_BATCH_SLOTS_H
#define GA_BATCH_SLOTS_H

#include "batch.h"
#include "protocol.h"

typedef struct GaBatchEntry
{
	void	   *sum;			/* NULL if it is wanted no more */
	GaOwner    *owner;
	bool		begins;			/* here an array begins, for the statistics */
} GaBatchEntry;

typedef enum GaSlotState
{
	SLOT_FREE = 0,
	SLOT_OPEN,					/* is being filled */
	SLOT_SENT					/* is gpuaggd's until it replies */
} GaSlotState;

typedef struct GaBatchSlot
{
	GaSlotState	state;
	GaElementType type;
	uint32		n_entries;
	uint32		n_bytes;
	uint32		n_wanted;		/* entries with a sum */
	GaBatchEntry *entries;		/* as many as the slot has arrays */
} GaBatchSlot;

typedef struct GaBatch
{
	GaBatchSlot slots[GA_WINDOW_SLOTS];
	int			n_sent;			/* slots in this state */
	int			oldest;			/* where their order begins */
	int			sent_order[GA_WINDOW_SLOTS];	/* in which replies come */
} GaBatch;

extern GaBatch ga_batch;

extern void ga_batch_free_slot(GaBatchSlot *slot);
extern void ga_batch_forget(void);
extern void ga_batch_compute(GaReason reason);
extern bool ga_batch_take_reply(bool waits);

#endif							/* GA_BATCH_SLOTS_H */
