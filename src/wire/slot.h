/*
 * slot.h
 *		The slots of staging memory, through which bulk data goes.
 *
 * A session's lease is GA_LEASE_SLOTS slots one behind the other.  A slot
 * begins with a GaSlot; the rest of it is data.  The session fills a slot
 * before it sends a request about it; gpuaggd and the device write results
 * until it is answered.  A client can change a slot at any time whatever it
 * promised: gpuaggd reads each field once and checks the copy.
 */
#ifndef GA_SLOT_H
#define GA_SLOT_H

#include "protocol.h"

#define GA_LEASE_SLOTS 4
#define GA_SLOT_BYTES  (UINT32_C(2) << 20)
#define GA_LEASE_BYTES (GA_LEASE_SLOTS * GA_SLOT_BYTES)

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
	uint32_t is_settled; /* as in GaStoredRef */
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
	};
	GaFullRecord full[GA_SLOT_FULL];
	GaSlotReply reply;
} GaSlot;

/* The data begins at a page. */
#define GA_SLOT_DATA_AT ((uint32_t) ((sizeof(GaSlot) + 4095) / 4096 * 4096))

#define GA_SLOT_DATA_BYTES (GA_SLOT_BYTES - GA_SLOT_DATA_AT)

static inline char *
ga_slot_data(GaSlot *slot)
{
	return (char *) slot + GA_SLOT_DATA_AT;
}

/*
 * GA_SUM_STORED: the data begins with a GaStoredRef for each array; full
 * records of sums lie behind GA_SLOT_ARRAYS of these.
 */
#define GA_STORED_FULL_AT ((uint32_t) (GA_SLOT_ARRAYS * sizeof(GaStoredRef)))
#define GA_STORED_FULL \
	((GA_SLOT_DATA_BYTES - GA_STORED_FULL_AT) / (uint32_t) sizeof(GaFullRecord))

static inline GaStoredRef *
ga_slot_stored(GaSlot *slot)
{
	return (GaStoredRef *) ga_slot_data(slot);
}

static inline GaFullRecord *
ga_slot_stored_full(GaSlot *slot)
{
	return (GaFullRecord *) (ga_slot_data(slot) + GA_STORED_FULL_AT);
}

/* GA_SCAN: where totals begin among the data, behind n_bytes of elements. */
#define GA_TOTALS_AT(n_bytes) (((uint32_t) (n_bytes) + 15) / 16 * 16)

#endif /* GA_SLOT_H */
