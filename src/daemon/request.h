/*
 * request.h
 *		A request while it is on the device.
 *
 * A GaActiveRequest is a queue of a device, memory there, and the one request
 * that is executed by them; request_pool.c has them all.  What the device has
 * the address of lies in it or in staging memory, so a session may end at any
 * time.
 */
#ifndef GA_REQUEST_H
#define GA_REQUEST_H

#include "daemon/cache/caches.h"
#include "schedule.h"
#include "session.h"

typedef enum GaRequestState
{
	GA_REQUEST_IDLE = 0,
	GA_REQUEST_COALESCED, /* submitted, or to be, on another one's queue */
	GA_REQUEST_BUSY,
	GA_REQUEST_DRAINS /* it failed; what the queue still has is awaited */
} GaRequestState;

struct GaActiveRequest;
struct GaPacking;

/*
 * The kind of a request: what differs between opcodes.  Functions that can
 * fail set the failure; all that they submit to the queue is finished when the
 * next one is called.  All but check, submit and answer may be NULL.
 */
typedef struct GaRequestKind
{
	/*
	 * Does the request keep the rules?  Return GA_OK; GA_BAD_REQUEST;
	 * GA_NO_CAPACITY if the session is to wait until an array is loaded;
	 * GA_BAD_STATE if the segment before it failed; GA_NO_MEMORY.
	 */
	GaStatus (*check)(struct GaActiveRequest *active, GaDeviceFailure *failure);

	/*
	 * Queue a request that was checked, to be submitted with others by
	 * ga_request_submit().  Return false if it has to be submitted alone.
	 */
	bool (*coalesce)(struct GaActiveRequest *active);

	/* Return GA_PENDING; GA_OK if the device has nothing to do; or why not. */
	GaStatus (*submit)(struct GaActiveRequest *active,
					   GaDeviceFailure *failure);

	/* Submit the next step, if there is one: as submit. */
	GaStatus (*advance)(struct GaActiveRequest *active,
						GaDeviceFailure *failure);

	/*
	 * A step was submitted, and failed: does the request go on without it?
	 * Then advance follows.
	 */
	bool (*forgives)(struct GaActiveRequest *active, GaStatus status,
					 const GaDeviceFailure *failure);

	/* It is finished, well or not: finish those that were submitted with it. */
	void (*finish_members)(struct GaActiveRequest *active);

	/* It went well, and there is a session: fill the slot and the reply. */
	void (*answer)(struct GaActiveRequest *active, GaReply *reply);

	/* It was submitted, and went well or not; the session may be gone. */
	void (*end)(struct GaActiveRequest *active);

	/* It could not be submitted, and the session receives why. */
	void (*refuse)(GaSession *session);

	bool is_leisurely;	/* the session goes on meanwhile */
	bool uses_memory;	/* of the device, as large as a slot */
	bool cancels_loads; /* if it fails, the session's loads are of no use */
	bool evicts;		/* submit may lack memory that the cache can release */
} GaRequestKind;

typedef struct GaActiveRequest
{
	GaPolledQueue polled;
	const GaOpenDevice *device;
	GaDeviceAddress memory; /* on the device, as large as a slot; or 0 */
	SLIST_ENTRY(GaActiveRequest) next_free; /* request_pool.c */

	GaRequestState state;
	const GaRequestKind *kind;
	GaSession *session;		 /* NULL if it was closed */
	GaQueuedRequest *queued; /* of the session */
	TAILQ_ENTRY(GaActiveRequest) of_session;
	GaRequest request; /* a copy */

	/* The slot that it is about: staging memory, or else a lookup slot. */
	GaStagingSlot *staging;
	GaSlot *slot;
	GaLookupMemory *lookups;
	GaLookupSlot lookup;

	GaStatus status; /* the result */
	GaDeviceFailure failure;
	uint64_t device_us; /* of a finished one; a part if it was coalesced */

	/* Resident arrays that it uses. */
	uint32_t n_entries;
	GaEntry *entries[GA_SLOT_ARRAYS];

	/* Buffers of stored_parts.c, kept for the next request. */
	uint32_t parts_capacity;
	GaDeviceArray *parts;
	GaDeviceArray *others; /* of pairs: for each part the second one */
	GaPartialSum *part_sums;
	GaFullRecord *part_full;

	/* Buffers of request_elem.c, kept likewise: for pieces of all arrays. */
	uint32_t pieces_capacity;
	uint32_t *n_of_pieces;
	GaDeviceAddress *places; /* GA_SLOT_ARRAYS for each piece */

	/* What the kind alone uses. */
	union
	{
		struct /* request_sum.c */
		{
			GaSumRequest request;
			GaDeviceArray arrays[GA_SLOT_ARRAYS];
		} sum;
		struct /* request_scan.c */
		{
			GaScanRequest request;
			GaStoredState state; /* of a stored array */
			bool copies;		 /* totals, to the slot */
			uint64_t n_done;	 /* elements whose totals are in the slot */
			GaScanPrefix prefix;
			GaScanPrefix segment; /* the sum of those elements */
		} scan;
		struct /* request_stored.c, stored_parts.c, request_coalesce.c */
		{
			GaSumRequest request;
			GaReduceRequest reduction; /* instead, if it is not the sum */
			uint32_t n_results;		   /* entries, or pairs of entries */
			uint32_t n_parts[GA_SLOT_ARRAYS]; /* of each result, not 0 */
			uint32_t n_own;					  /* parts of this request */
			uint32_t n_all; /* parts of this request and its members */
			uint64_t n_bytes;
			bool is_last;	 /* no arrays are known behind its own */
			bool is_primary; /* it was submitted, perhaps with members */
			TAILQ_ENTRY(GaActiveRequest) coalesced;
			TAILQ_HEAD(, GaActiveRequest) members;
		} stored;
		struct /* request_elem.c */
		{
			GaElemRequest request;
			bool has_all; /* the arrays, as they have to be */
			bool copies;  /* results, to the slot */
		} elem;
		struct /* request_window.c */
		{
			GaWindowRequest request;
			GaStoredState state;
			uint32_t n_all; /* windows of all arrays */
			bool is_last;	/* no arrays are known behind them */
			uint32_t n_pieces_of[GA_AHEAD_MOST + 1];
		} window;
		struct /* request_load.c, load_pack.c */
		{
			bool is_complete[GA_SLOT_ARRAYS]; /* the entry's elements */
			struct GaPacking *packing;		  /* or NULL */
		} load;
	} u;
} GaActiveRequest;

/* What a submission to the queue came to, as GaRequestKind's submit. */
static inline GaStatus
ga_submitted(GaStatus status)
{
	return status == GA_OK ? GA_PENDING : status;
}

extern GaStatus ga_request_start(GaSession *session, GaQueuedRequest *queued,
								 const GaRequestKind *kind, GaReply *reply,
								 GaDeviceFailure *failure);
extern void ga_request_submit(GaActiveRequest *active);
extern void ga_request_finish(GaActiveRequest *active);
extern GaCacheLookup ga_request_lookup(const GaActiveRequest *active,
									   GaElementType type,
									   const GaStoredLookup *lookup);
extern GaStatus ga_request_find(GaActiveRequest *active, GaElementType type,
								const GaStoredRef *ref,
								const GaStoredLookup *how, bool is_first,
								GaStoredState *state);
extern GaStatus ga_request_copy_out(GaActiveRequest *active, bool *copies,
									uint64_t n_bytes, GaDeviceFailure *failure);
extern const char *ga_request_place_fault(uint32_t at, uint64_t n,
										  uint32_t n_data_bytes, size_t size);

extern const GaRequestKind ga_request_sum;
extern const GaRequestKind ga_request_scan;
extern const GaRequestKind ga_request_reduce_stored;
extern const GaRequestKind ga_request_elem;
extern const GaRequestKind ga_request_window;
extern const GaRequestKind ga_request_load;

#endif /* GA_REQUEST_H */
