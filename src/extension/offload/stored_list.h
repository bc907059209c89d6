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
	STEP_RETRY,	   /* ask with GA_LOADS_NOW */
	STEP_WAIT,	   /* ask again at the end, and wait for other sessions */
	STEP_CHECK,	   /* ask again, with the xmin of its first chunk */
	STEP_FETCH,	   /* of a pair: have loaded what is missing; ask again */
	STEP_LOOK,	   /* of a pair: look at the heads; ask again */
	STEP_STREAM,   /* send its elements, to be summed: the cache is full */
	STEP_COMPUTE,  /* have the CPU add it */
	STEP_SHARED	   /* it is in the queue of the query's helpers */
} GaStoredStep;

/* A stored array, or a pair of them, that is to be added to a state. */
typedef struct GaStored
{
	GaStoredKey keys[GA_MAX_ARRAYS]; /* the second one of a pair only */
	GaStoredWanted wanted;
	int n_done; /* elements wanted that are in slots, or in the state */
	GaOwner *owner;
	void *state;  /* NULL if it is cancelled */
	int level;	  /* of nested transactions, where its errors belong */
	uint32 place; /* of STEP_SHARED: in the queue */

	/* of the first chunk of each, or invalid */
	TransactionId xmin[GA_MAX_ARRAYS];

	/* small, since a list has tens of thousands */
	uint8 type;		 /* a GaElementType */
	uint8 reduction; /* a GaReduction */
	uint8 step;		 /* a GaStoredStep */
	uint8 next;		 /* of STEP_SHARED: the step of its process */
	uint8 reason;	 /* of STEP_COMPUTE: a GaReason */
	uint8 n_tries;
	uint8 missing;	 /* of STEP_FETCH: a bit for each array */
	uint8 counted;	 /* of a pair: the same, as hits or misses */
	bool only_loads; /* the state is of no interest */
	bool is_missed;	 /* as in GaSlotEntry */
	bool has_loaded; /* what was missing of a pair was asked for */
	bool is_settled[GA_MAX_ARRAYS]; /* as in GaStoredRef */
} GaStored;

/*
 * Bytes of a slot's data that segments take, so that all slots together stay in
 * the processor's cache.
 */
#define GA_SEGMENTS_BYTES (512 * 1024)

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
} GaStoredList;

extern GaStoredList ga_stored_list;

/* Slots that name stored arrays, and slots with elements of those to load. */
extern const GaSlotKind ga_stored_kind;		  /* may require a load */
extern const GaSlotKind ga_stored_later_kind; /* may not yet */
extern const GaSlotKind ga_stored_pair_kind;  /* pairs, for the first time */
extern const GaSlotKind ga_stored_again_kind; /* may not */
extern const GaSlotKind ga_stored_part_kind;  /* nor do small parts */
extern const GaSlotKind ga_stored_wait_kind;  /* waits for other sessions */
extern const GaSlotKind ga_stored_check_kind; /* with xmin, to settle doubts */
extern const GaSlotKind ga_stored_seen_kind;  /* the same; pairs as they are */
extern const GaSlotKind ga_segments_kind;

/* All of these that name arrays, but for the one that waits for others. */
#define GA_STORED_LOOKUP_KINDS 7
extern const GaSlotKind *const ga_stored_lookup_kinds[GA_STORED_LOOKUP_KINDS];

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
	if (ga_reduction_has_pairs(array->reduction))
		return (uint64) array->keys[0].raw_bytes + array->keys[1].raw_bytes;
	return array->wanted.elements.n == 0 ?
			   array->keys[0].raw_bytes :
			   array->wanted.elements.n * ga_element_size(array->type);
}

extern int ga_stored_load_slots(void);
extern void ga_stored_reserve(uint32 n);
extern bool ga_stored_has_readable(bool without_waits);
extern bool ga_stored_has_promised(bool is_outer);
extern void ga_stored_ask(const GaStored *array, const GaSlotKind *kind);
extern void ga_stored_defer(const GaStored *array);
extern void ga_stored_set_done(GaStored *array);
extern void ga_stored_tidy(void);
extern void ga_stored_cancel_loads(void);
extern bool ga_stored_send_segments(const GaStored *array,
									GaToastRelation *relation);
extern void ga_stored_take_steps(void);
extern void ga_stored_advance(void);
extern void ga_stored_receive(int i, const GaReply *reply);
extern void ga_stored_fall_back(int i, GaReason reason);
extern void ga_stored_send_lookups(void);
extern int ga_stored_n_lookups(void);
extern void ga_stored_finish_own(bool (*share)(void));
extern void ga_stored_wait_for_others(void);

/* Pairs (stored_pairs.c). */
extern void ga_stored_fetch_pair(GaStored *pair);
extern bool ga_stored_look_at_pair(GaStored *pair);
extern void ga_stored_compute_pair(GaStored *pair);

#endif /* GA_STORED_LIST_H */
