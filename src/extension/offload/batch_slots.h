/*
 * batch_slots.h
 *		The slots of a session's window, as the batch fills and empties them.
 *
 * Of batch.c and batch_reply.c alone.
 */
#ifndef GA_BATCH_SLOTS_H
#define GA_BATCH_SLOTS_H

#include "batch.h"
#include "wire/slot.h"

typedef struct GaBatchEntry
{
	void *sum; /* NULL if it is wanted no more */
	GaOwner *owner;
	bool begins; /* here an array begins, for the statistics */
	/* of a value: */
	bool only_loads; /* its sum is of no interest */
	uint8 n_tries;	 /* how often it was asked for before */
} GaBatchEntry;

typedef enum GaSlotState
{
	SLOT_FREE = 0,
	SLOT_OPEN, /* is being filled */
	SLOT_SENT  /* is gpuaggd's until it replies */
} GaSlotState;

/* What a slot is filled with. */
typedef enum GaSlotKind
{
	SLOT_ARRAYS = 0,   /* elements, to be summed */
	SLOT_STORED,	   /* stored values, to be summed, or to be loaded */
	SLOT_STORED_AGAIN, /* ... that should be there by now */
	SLOT_STORED_WAIT,  /* ... that another session loads */
	SLOT_SEGMENTS	   /* of stored values that are loaded */
} GaSlotKind;

typedef struct GaBatchSlot
{
	GaSlotState state;
	GaSlotKind kind;
	GaElementType type;
	uint32 n_entries;
	uint64 n_bytes;		   /* of its data, or of the values that it names */
	uint32 n_wanted;	   /* entries with a sum */
	GaBatchEntry *entries; /* as many as the slot has arrays */
} GaBatchSlot;

typedef struct GaBatch
{
	GaBatchSlot slots[GA_LEASE_SLOTS];
	int n_sent;						/* slots in this state */
	int oldest;						/* where their order begins */
	int sent_order[GA_LEASE_SLOTS]; /* in which replies come */
} GaBatch;

extern GaBatch ga_batch;

/* What is asked about a slot of a kind. */
static inline GaOpcode
ga_slot_opcode(GaSlotKind kind)
{
	return kind == SLOT_ARRAYS	 ? GA_SUM :
		   kind == SLOT_SEGMENTS ? GA_LOAD :
								   GA_SUM_STORED;
}

/* Does a slot of this kind name values? */
static inline bool
ga_slot_names_stored(GaSlotKind kind)
{
	return kind >= SLOT_STORED && kind <= SLOT_STORED_WAIT;
}

extern int ga_batch_open_slot(GaSlotKind kind, GaElementType type);
extern size_t ga_batch_fill(int i, GaOwner *owner, void *sum, const char *data,
							size_t n, bool begins);
extern void ga_batch_send(int i);
extern void ga_batch_send_open(GaSlotKind kind);
extern void ga_batch_drain(void);
extern bool ga_batch_has(GaSlotKind kind);
extern bool ga_batch_merge(void *sum, GaElementType type, uint32 n,
						   const GaPartialSum *partial,
						   const GaFullRecord *wide, uint32 full_capacity);
extern void ga_batch_free_slot(GaBatchSlot *slot);
extern void ga_batch_compute(GaReason reason);
extern bool ga_batch_take_reply(bool waits);

#endif /* GA_BATCH_SLOTS_H */
