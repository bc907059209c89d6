/*
 * slot.h
 *		The slots through which sessions and gpuaggd exchange data.
 *
 * Slots 0 to GA_LEASE_SLOTS - 1 of a session are those of its lease, in
 * staging memory.  Such a slot begins with a GaSlot; the rest of it is data.
 * The numbers behind these are of lookup slots: small ones that every session
 * has, or large ones while it asks about many arrays.
 *
 * The session fills a slot before it sends a request about it; gpuaggd and the
 * device write results until it is answered.  A client can change a slot at any
 * time whatever it promised: gpuaggd reads each field once and checks the copy.
 */
#ifndef GA_SLOT_H
#define GA_SLOT_H

#include "exact/elem_form.h"
#include "exact/packed.h"
#include "protocol.h"

#define GA_SLOT_BYTES  (UINT32_C(2) << 20)
#define GA_LEASE_BYTES (GA_LEASE_SLOTS * GA_SLOT_BYTES)
#define GA_SLOTS	   (GA_LEASE_SLOTS + GA_LOOKUP_COUNT)

/* The capacity of a slot: arrays, and sums that need a full record. */
#define GA_SLOT_ARRAYS 4096
#define GA_SLOT_FULL   64

/* An array's elements: their place among the slot's data. */
typedef struct GaSlotArray
{
	uint32_t at; /* bytes, a multiple of the element's size */
	uint32_t n;	 /* elements */
} GaSlotArray;

/* A segment of a stored array that is being loaded; they come in order. */
typedef struct GaLoadSegment
{
	GaStoredKey key;
	uint32_t xmin;		 /* raw, of its first chunk */
	uint32_t at;		 /* among the slot's data, bytes */
	uint32_t n;			 /* elements of this segment */
	uint32_t from;		 /* elements of the array before it */
	uint32_t n_all;		 /* elements of the array */
	uint16_t is_settled; /* as in GaStoredRef */
	uint16_t is_line;	 /* the array has one dimension, from subscript 1 on,
						  * and no NULLs */
} GaLoadSegment;

/* Segments begin at multiples of this among the data. */
#define GA_LOAD_ALIGN 64

/*
 * How the reply to a request about a slot is delivered.  A client that polls
 * the slot costs gpuaggd nothing; a client that goes to sleep says so, and the
 * socket wakes it up.  Each reply is delivered one way only.
 */
typedef enum GaReplyState
{
	GA_REPLY_BY_SOCKET = 0,
	GA_REPLY_AWAITED, /* the client polls: put the reply here */
	GA_REPLY_HERE
} GaReplyState;

typedef struct GaSlotReply
{
	uint32_t state; /* a GaReplyState, set before the request is sent */
	GaReply reply;
} GaSlotReply;

/*
 * Change a state, and publish all that was written before.  Return false if it
 * was another one; then all is visible that was written before it became that.
 */
static inline bool
ga_reply_change(GaSlotReply *reply, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&reply->state, &from, to, false,
									   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Return the state; if it is GA_REPLY_HERE, the reply can be read. */
static inline GaReplyState
ga_reply_state(const GaSlotReply *reply)
{
	return (GaReplyState) __atomic_load_n(&reply->state, __ATOMIC_ACQUIRE);
}

typedef struct GaSlot
{
	GaSlotArray arrays[GA_SLOT_ARRAYS];
	union
	{
		GaPartialSum sums[GA_SLOT_ARRAYS]; /* the answer */
		GaLoadSegment segments[GA_SLOT_ARRAYS];
		GaStoredRef refs[GA_SLOT_ARRAYS]; /* of GA_ELEM; of GA_WINDOW, ahead */
	};
	GaFullRecord full[GA_SLOT_FULL];
	GaSlotReply reply;
} GaSlot;

/* The data begins at a page. */
#define GA_SLOT_DATA_AT ((uint32_t) ((sizeof(GaSlot) + 4095) / 4096 * 4096))

#define GA_SLOT_DATA_BYTES (GA_SLOT_BYTES - GA_SLOT_DATA_AT)

/*
 * Return how many positions a request has whose results are a slot's data: a
 * multiple of a packed vector, so that the next request begins with one.
 */
static inline uint32_t
ga_slot_positions(GaElemForm form)
{
	const uint64_t n = (GA_SLOT_DATA_BYTES - ga_elem_all_bytes(form, 0)) /
					   ga_elem_result_bytes(form);
	const uint64_t most =
		n < GA_ELEM_MOST_POSITIONS ? n : GA_ELEM_MOST_POSITIONS;

	return (uint32_t) (most - most % GA_PACKED_VECTOR);
}

/* Return the most windows of a request. */
static inline uint32_t
ga_slot_windows(GaElemForm form)
{
	return ga_elem_is_extreme(form) || form == GA_FORM_DELTA ?
			   GA_WINDOW_MOST_VALUES :
			   ga_slot_positions(form);
}

_Static_assert((GA_WINDOW_MOST_VALUES + 1) * sizeof(uint64_t) <=
				   GA_SLOT_DATA_BYTES,
			   "the values of windows fit");

static inline char *
ga_slot_data(GaSlot *slot)
{
	return (char *) slot + GA_SLOT_DATA_AT;
}

/*
 * A lookup slot: the arrays that GA_REDUCE_STORED names, and the answer.  The
 * memory of all lookup slots begins with a GaLookupHead.
 */
typedef struct GaLookupHead
{
	uint32_t lease_is_wanted; /* gpuaggd: other sessions wait for a lease */
} GaLookupHead;

/* How many arrays and full records each lookup slot has. */
typedef struct GaLookupShape
{
	uint32_t n_arrays;
	uint32_t n_full;
} GaLookupShape;

#define GA_LOOKUP_SMALL_ARRAYS 16
#define GA_LOOKUP_SMALL_FULL   4
#define GA_LOOKUP_LARGE_FULL   512
#define GA_LOOKUP_SMALL \
	((GaLookupShape){GA_LOOKUP_SMALL_ARRAYS, GA_LOOKUP_SMALL_FULL})
#define GA_LOOKUP_LARGE ((GaLookupShape){GA_SLOT_ARRAYS, GA_LOOKUP_LARGE_FULL})

/* Where the parts of a lookup slot lie. */
typedef struct GaLookupSlot
{
	GaSlotReply *reply;
	GaStoredRef *refs;
	GaPartialSum *sums; /* the answer */
	GaFullRecord *full;
	GaLookupShape shape;
} GaLookupSlot;

#define GA_LOOKUP_ALIGN 64
#define GA_LOOKUP_ALIGNED(n) \
	(((n) + GA_LOOKUP_ALIGN - 1) / GA_LOOKUP_ALIGN * GA_LOOKUP_ALIGN)

static inline size_t
ga_lookup_slot_bytes(GaLookupShape shape)
{
	return GA_LOOKUP_ALIGNED(sizeof(GaSlotReply)) +
		   shape.n_arrays * (sizeof(GaStoredRef) + sizeof(GaPartialSum)) +
		   GA_LOOKUP_ALIGNED(shape.n_full * sizeof(GaFullRecord));
}

/* Return the bytes of all lookup slots of a session, with their head. */
static inline size_t
ga_lookup_bytes(GaLookupShape shape)
{
	return GA_LOOKUP_ALIGNED(sizeof(GaLookupHead)) +
		   GA_LOOKUP_COUNT * ga_lookup_slot_bytes(shape);
}

/* Return lookup slot i, from 0 on, of the memory of all. */
static inline GaLookupSlot
ga_lookup_slot(char *memory, GaLookupShape shape, uint32_t i)
{
	char *start = memory + GA_LOOKUP_ALIGNED(sizeof(GaLookupHead)) +
				  i * ga_lookup_slot_bytes(shape);
	GaLookupSlot slot = {.reply = (GaSlotReply *) start, .shape = shape};

	start += GA_LOOKUP_ALIGNED(sizeof(GaSlotReply));
	slot.refs = (GaStoredRef *) start;
	start += shape.n_arrays * sizeof(GaStoredRef);
	slot.sums = (GaPartialSum *) start;
	start += shape.n_arrays * sizeof(GaPartialSum);
	slot.full = (GaFullRecord *) start;
	return slot;
}

/* GA_SCAN: where totals begin among the data, behind n_bytes of elements. */
#define GA_TOTALS_AT(n_bytes) (((uint32_t) (n_bytes) + 15) / 16 * 16)

#endif /* GA_SLOT_H */
