/*
 * stored_list.h
 *		Stored arrays that a session asks for, and those that are deferred.
 *
 * Of the files stored*.c and helper*.c alone.
 */
#ifndef GA_STORED_LIST_H
#define GA_STORED_LIST_H

#include "access/xact.h"
#include "slots.h"
#include "stored.h"

/* The next step with a deferred array. */
typedef enum GaStoredStep
{
	STEP_NONE = 0, /* it is done, or cancelled */
	STEP_LOAD,	   /* load it, as gpuaggd requires; others may wait */
	STEP_ASK,	   /* ask again: it should be resident */
	STEP_RETRY,	   /* ask as if for the first time: its load was cancelled */
	STEP_WAIT,	   /* ask again and wait: another session loads it */
	STEP_CHECK,	   /* ask again, with the xmin of its first chunk */
	STEP_STREAM,   /* send its elements, to be summed: the cache is full */
	STEP_COMPUTE,  /* have the CPU add it */
	STEP_SHARED	   /* it is in the queue of the query's helpers */
} GaStoredStep;

/* A stored array that is to be added to a state. */
typedef struct GaStored
{
	GaStoredKey key;
	GaStoredWanted wanted;
	int n_done; /* elements wanted that are in slots, or in the state */
	GaOwner *owner;
	void *state;		/* NULL if it is cancelled */
	TransactionId xmin; /* of its first chunk, or invalid */
	int level;			/* of nested transactions, where its errors belong */
	uint32 place;		/* of STEP_SHARED: in the queue */

	/* small, since a list has tens of thousands */
	uint8 type;		 /* a GaElementType */
	uint8 reduction; /* a GaReduction */
	uint8 step;		 /* a GaStoredStep */
	uint8 next;		 /* of STEP_SHARED: the step of its process */
	uint8 reason;	 /* of STEP_COMPUTE: a GaReason */
	uint8 n_tries;
	bool is_settled; /* as in GaStoredRef */
	bool only_loads; /* the state is of no interest */
	bool is_missed;	 /* as in GaSlotEntry */
} GaStored;

/* The deferred ones. */
typedef struct GaStoredList
{
	GaStored *arrays;
	uint32 n;
	uint32 capacity;
	uint32 n_wanted; /* with a state */
	uint32 n_ready;	 /* new since the last pass, and not of STEP_WAIT */
	uint32 n_outer;	 /* that may not be read now */
	int outer_level; /* the deepest level of these; or 0 */
	int deepest;	 /* no array is of a deeper level */
	bool is_warm;	 /* the last request had hits only */
	uint64 n_bytes;	 /* of the arrays asked for since all were finished */
} GaStoredList;

extern GaStoredList ga_stored_list;

/* Slots that name stored arrays, and slots with elements of those to load. */
extern const GaSlotKind ga_stored_kind;		  /* may require a load */
extern const GaSlotKind ga_stored_again_kind; /* may not */
extern const GaSlotKind ga_stored_part_kind;  /* nor do small parts */
extern const GaSlotKind ga_stored_wait_kind;  /* waits for other sessions */
extern const GaSlotKind ga_stored_check_kind; /* with xmin, to settle doubts */
extern const GaSlotKind ga_segments_kind;

/*
 * May an array be read now?  One of an outer transaction may not: its error
 * would end the inner one, which may catch it.
 */
static inline bool
ga_stored_may_read(const GaStored *array)
{
	return array->level >= GetCurrentTransactionNestLevel();
}

/* Return the state that an array is to be added to. */
static inline GaState
ga_stored_state(const GaStored *array)
{
	return (GaState){array->state, array->type, array->reduction};
}

/* Return the bytes of the elements that are wanted, or somewhat more. */
static inline uint64
ga_stored_wanted_bytes(const GaStored *array)
{
	return array->wanted.elements.n == 0 ?
			   array->key.raw_bytes :
			   array->wanted.elements.n * ga_element_size(array->type);
}

extern int ga_stored_load_slots(void);
extern void ga_stored_reserve(uint32 n);
extern bool ga_stored_has_readable(bool without_waits);
extern void ga_stored_ask(const GaStored *array, const GaSlotKind *kind);
extern void ga_stored_defer(const GaStored *array);
extern void ga_stored_set_done(GaStored *array);
extern void ga_stored_tidy(void);
extern void ga_stored_cancel_loads(void);
extern void ga_stored_take_steps(void);
extern void ga_stored_advance(void);
extern void ga_stored_finish_own(void);

#endif /* GA_STORED_LIST_H */
