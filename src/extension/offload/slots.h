/*
 * slots.h
 *		The slots of the session, filled, sent and emptied.
 *
 * Of offload/ alone: of the files that fill slots, and of offload.c.
 */
#ifndef GA_SLOTS_H
#define GA_SLOTS_H

#include "extension/engine/reason.h"
#include "extension/input/array.h"
#include "owner.h"
#include "wire/slot.h"

/* What is wanted of a stored array: the same in two ways. */
typedef struct GaStoredWanted
{
	GaPart part;		   /* by subscripts, to read it */
	GaStoredPart elements; /* to ask for it */
	bool is_small;		   /* the array is not to be loaded for it */
} GaStoredWanted;

#define GA_WANTED_ALL ((GaStoredWanted){GA_WHOLE, GA_STORED_ALL, false})

/* One of the arrays of a slot, and the target of its answer. */
typedef struct GaSlotEntry
{
	void *target; /* of the answer; NULL if there is none, or no longer */
	GaOwner *owner;

	/*
	 * What was asked for.  The slot has it, too, but gpuaggd can write there.
	 */
	union
	{
		GaSlotArray array;				 /* elements */
		GaStoredKey keys[GA_MAX_ARRAYS]; /* a stored array, or a pair */
	} of;

	/* as the slot's kind wants them: */
	GaStoredWanted wanted; /* of a stored array */
	bool is_first;		   /* an array begins here, for the counters */
	bool only_loads;	   /* a stored array's state is of no interest */
	bool is_missed;		   /* it is counted as a hit or a miss */
	uint8 missing;		   /* as in GaStored */
	uint8 counted;		   /* as in GaStored */
	bool has_loaded;	   /* as in GaStored */
	uint8 n_tries;		   /* how often it was asked for before */
	bool has_own;		   /* of a request ahead: its own result is used */
	bool is_followed;	   /* a request goes on behind this one */
	int level;			   /* as in GaStored; 0 for all else */
} GaSlotEntry;

/* What a slot is filled with, and the functions of the file that fills it. */
typedef struct GaSlotKind
{
	GaOpcode opcode;
	bool is_lookup; /* of lookup slots, not of those of a lease */

	/* Return how many slots of a lease are of use; NULL: all. */
	int (*n_slots)(void);

	uint64 max_bytes; /* a slot with so many takes no more entries */

	/*
	 * From so many on, a slot takes no more either if it has as many as are
	 * under way on its device; 0: there is no such limit.
	 */
	uint64 min_bytes;

	/* Complete a request about a slot; opcode and slot are set.  May throw. */
	void (*make_request)(int slot, GaRequest *request);

	/*
	 * Allocate what receive and fall_back need for n entries of all slots
	 * together.  May throw; then no reply was taken.  NULL: nothing.
	 */
	void (*reserve)(uint32 n);

	/* Take the device's answer.  Never throws, nor fills or sends slots. */
	void (*receive)(int slot, const GaReply *reply);

	/*
	 * Have the CPU do what the slot holds, now or later, for a reason.  Never
	 * throws, nor fills or sends slots.
	 */
	void (*fall_back)(int slot, GaReason reason);
} GaSlotKind;

/* A slot: what it is filled with, and for which states. */
typedef struct GaSlotFill
{
	enum
	{
		GA_SLOT_FREE = 0,
		GA_SLOT_OPEN, /* is being filled */
		GA_SLOT_SENT  /* is gpuaggd's until it replies */
	} state;
	const GaSlotKind *kind;
	GaElementType type;
	GaReduction reduction; /* of its arrays */
	uint32 device;		   /* that it is for */
	uint32 n_entries;
	uint32 n_wanted; /* entries with a target */
	uint64 n_bytes;	 /* as the kind counts them */
	bool is_ignored; /* its reply has no effect */
	uint32 capacity; /* of entries whose answers fit */
	uint32 n_allocated;
	GaSlotEntry *entries;
	GaOidSample sample; /* of its request about stored arrays */

	/*
	 * Is a free slot's data still of use?  Then what saves them, and its
	 * argument; else NULL.
	 */
	void (*save)(void *kept);
	void *kept;
} GaSlotFill;

/* Changed by the functions here, slots.c and slots_open.c only. */
extern GaSlotFill ga_slots[GA_SLOTS];
extern int ga_slots_n_sent;

extern void ga_slots_init(void (*at_reset)(void));
extern int ga_slots_open(const GaSlotKind *kind, GaElementType type,
						 GaReduction reduction, uint32 device);
extern void ga_slots_reserve_lookups(uint32 n_results);
extern GaReason ga_slots_lease_reason(void);
extern bool ga_slots_have_free(const GaSlotKind *kind, bool is_unused);
extern void ga_slots_share_lease(void);
extern void ga_slots_send(int i);
extern void ga_slots_send_open(const GaSlotKind *kind);
extern void ga_slots_poll(void);
extern void ga_slots_receive(void);
extern void ga_slots_drain(void);
extern void ga_slots_settle(void);
extern void ga_slots_save(int i);
extern int ga_slots_n_of(const GaSlotKind *kind);
extern bool ga_slots_are_wanted(void);
extern void ga_slots_cancel(const GaOwner *owner);
extern void ga_slots_cancel_level(int level);
extern void ga_slots_release_open(const GaSlotKind *kind);
extern void ga_slots_ignore(const GaSlotKind *kind);
extern void ga_slots_leave(GaReason reason);
extern void ga_slots_fall_back(GaReason reason);
extern void ga_slots_reset(void);

/* Is a slot of a kind in use? */
static inline bool
ga_slots_has(const GaSlotKind *kind)
{
	return ga_slots_n_of(kind) > 0;
}

/*
 * Add an entry of some bytes to an open slot; the caller sets the fields that
 * its kind wants.  Never throws.
 */
static inline GaSlotEntry *
ga_slots_add(int i, void *target, GaOwner *owner, uint64 n_bytes)
{
	GaSlotFill *slot = &ga_slots[i];
	GaSlotEntry *entry = &slot->entries[slot->n_entries++];

	entry->target = target;
	entry->owner = owner;
	entry->level = 0;
	entry->has_own = entry->is_followed = false;
	slot->n_wanted += target != NULL;
	slot->n_bytes += n_bytes;
	return entry;
}

/*
 * Keep the data of a slot of the lease, whose reply is being taken, until
 * ga_slots_forget().  Before the slot is opened or the lease ends, `save` is
 * called, which never throws.
 */
static inline void
ga_slots_keep(int i, void (*save)(void *kept), void *kept)
{
	ga_slots[i].save = save;
	ga_slots[i].kept = kept;
}

/* The data of a slot are of no use any more. */
static inline void
ga_slots_forget(int i)
{
	ga_slots[i].save = NULL;
}

#endif /* GA_SLOTS_H */
