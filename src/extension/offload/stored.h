/*
 * stored.h
 *		Stored values that a batch asks for, and those that have to be loaded.
 *
 * Of batch.c and batch_reply.c, and of who makes running totals.
 */
#ifndef GA_STORED_H
#define GA_STORED_H

#include "batch_slots.h"

/* What is still to be done about a value. */
typedef enum GaStoredTodo
{
	TODO_NOTHING = 0, /* it was done, or is wanted no more */
	TODO_LOAD,		  /* to the device; we were told to */
	TODO_ASK,		  /* it should be there */
	TODO_WAIT,		  /* another session loads it */
	TODO_CHECK,		  /* is it still what it was? */
	TODO_STREAM,	  /* there is no room: to the device, and no more */
	TODO_COMPUTE	  /* the CPU is to do it */
} GaStoredTodo;

/* A value that is to be added to a sum. */
typedef struct GaStored
{
	GaStoredKey key;
	GaElementType type;
	GaOwner *owner;
	void *sum; /* as in GaBatchEntry */
	GaStoredTodo todo;
	GaReason reason;	/* why the CPU is to do it */
	int n_done;			/* elements that are in slots, or in the sum */
	TransactionId xmin; /* of its first chunk, or invalid */
	bool is_settled;	/* as in GaStoredRef */
	bool only_loads;	/* as in GaBatchEntry */
	uint8 n_tries;
} GaStored;

/* Those that something is to be done about; of values.c and stored_load.c. */
typedef struct GaStoredList
{
	GaStored *values;
	uint32 n;
	uint32 room;
	uint32 n_wanted; /* with a sum */
	uint32 n_ready;	 /* not TODO_WAIT, since it was worked off */
} GaStoredList;

extern GaStoredList ga_stored_list;

extern void ga_stored_defer(const GaStored *value);
extern void ga_stored_set_done(GaStored *value);
extern void ga_stored_cancel_loads(void);

/* values.c */
extern bool ga_stored_key(Datum datum, GaStoredKey *key);
extern void ga_stored_how(GaStoredLookup *how, bool loads, bool waits);
extern void ga_stored_ask(const GaStored *value, GaSlotKind kind);
extern void ga_stored_reserve(void);
extern void ga_stored_receive(int slot);
extern void ga_stored_return(int slot, GaReason reason);
extern bool ga_stored_wanted(void);
extern void ga_stored_cancel(GaOwner *owner);
extern void ga_stored_lost(void);
extern bool ga_stored_end(void);

/* stored_load.c */
extern void ga_stored_load(GaElementType type, const GaStoredKey *key);
extern void ga_stored_work(void);
extern void ga_stored_finish(void);

#endif /* GA_STORED_H */
