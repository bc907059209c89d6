/*
 * values.h
 *		Stored values that a batch asks for, and those that have to be loaded.
 *
 * Of batch.c and batch_reply.c, and of who makes running totals.
 */
#ifndef GA_VALUES_H
#define GA_VALUES_H

#include "batch_slots.h"

/* What is still to be done about a value. */
typedef enum GaValueTodo
{
	TODO_NOTHING = 0,			/* it was done, or is wanted no more */
	TODO_LOAD,					/* to the device; we were told to */
	TODO_ASK,					/* it should be there */
	TODO_WAIT,					/* another session loads it */
	TODO_CHECK,					/* is it still what it was? */
	TODO_STREAM,				/* there is no room: to the device, and no more */
	TODO_COMPUTE				/* the CPU is to do it */
} GaValueTodo;

/* A value that is to be added to a sum. */
typedef struct GaValue
{
	GaValueKey	key;
	GaElementType type;
	GaOwner    *owner;
	void	   *sum;			/* as in GaBatchEntry */
	GaValueTodo todo;
	GaReason	reason;			/* why the CPU is to do it */
	int			n_done;			/* elements that are in slots, or in the sum */
	TransactionId xmin;			/* of its first chunk, or invalid */
	bool		is_settled;		/* as in GaValueRef */
	bool		only_loads;		/* as in GaBatchEntry */
	uint8		n_tries;
} GaValue;

/* Those that something is to be done about; of values.c and values_work.c. */
typedef struct GaValueList
{
	GaValue    *values;
	uint32		n;
	uint32		room;
	uint32		n_wanted;		/* with a sum */
	uint32		n_ready;		/* not TODO_WAIT, since it was worked off */
} GaValueList;

extern GaValueList ga_values;

extern void ga_values_put_off(const GaValue *value);
extern void ga_values_set_done(GaValue *value);
extern void ga_values_abandon(void);

/* values.c */
extern bool ga_value_key(Datum datum, GaValueKey *key);
extern void ga_values_how(GaAskHow *how, bool loads, bool waits);
extern void ga_values_ask(const GaValue *value, GaSlotKind kind);
extern void ga_values_reserve(void);
extern void ga_values_take(int slot);
extern void ga_values_return(int slot, GaReason reason);
extern bool ga_values_wanted(void);
extern void ga_values_drop(GaOwner *owner);
extern void ga_values_lost(void);
extern bool ga_values_end(void);

/* values_work.c */
extern void ga_values_load(GaElementType type, const GaValueKey *key);
extern void ga_values_work(void);
extern void ga_values_finish(void);

#endif							/* GA_VALUES_H */
