/*
 * request.h
 *		A request on its way through the device.
 *
 * A window has one GaActiveRequest: its queue, its memory on the device, and the one
 * request that is there.  All that the device was given the address of lies
 * in it or in staging memory, so a session may go away at any time.
 *
 * request.c is the way that all requests go; request_sum.c, request_scan.c,
 * request_stored.c, request_load.c and request_ladder.c have what is particular to each.
 * schedule.c says when to look at which.
 */
#ifndef GA_REQUEST_H
#define GA_REQUEST_H

#include "daemon/cache/caches.h"
#include "scan_prefix.h"
#include "loop.h"
#include "staging.h"

typedef enum GaRequestState
{
	GA_REQUEST_IDLE = 0,
	GA_REQUEST_COALESCED, /* it goes with others: not on its own queue */
	GA_REQUEST_BUSY,
	GA_REQUEST_DRAINS /* it failed; what is left is to be finished */
} GaRequestState;

struct GaActiveRequest;

/*
 * What is particular to an operation.  All that can fail say why; what they
 * submit to the queue is finished when the next one is called.
 */
typedef struct GaRequestKind
{
	/*
	 * Does the request keep the rules?  GA_OK; GA_BAD_REQUEST; GA_NO_CAPACITY if
	 * the session is to wait until a value is loaded; GA_BAD_STATE if what it
	 * continues failed; GA_NO_MEMORY.
	 */
	GaStatus (*check)(struct GaActiveRequest *work, GaDeviceFailure *failure);

	/* GA_PENDING; GA_OK if there is nothing for the device to do; or not. */
	GaStatus (*submit)(struct GaActiveRequest *work, GaDeviceFailure *failure);

	/* The next step, if there may be more than one: as submit. */
	GaStatus (*advance)(struct GaActiveRequest *work, GaDeviceFailure *failure);

	/* It went well: fill the slot and the reply, while there is a session. */
	void (*answer)(struct GaActiveRequest *work, GaReply *reply);

	/* It was submitted, and went well or not; the session may be gone. */
	void (*end)(struct GaActiveRequest *work);

	/*
	 * It is many steps, each of which may take as long as a request; no more
	 * are begun when the session is gone.
	 */
	bool is_long;
} GaRequestKind;

typedef struct GaActiveRequest
{
	GaSource source; /* of the queue's eventfd */
	GaLease *window;
	GaRequestState state;
	const GaRequestKind *operation;
	GaRequest request; /* a copy, as all that follows */
	GaSlot *slot;	   /* NULL if it is about none */
	GaStatus status;   /* what it came to */
	GaDeviceFailure failure;

	/* schedule.c */
	TAILQ_ENTRY(GaActiveRequest) busy;
	int64_t started_ns;
	int64_t step_ns;  /* when it was submitted, or went on */
	bool is_notified; /* the eventfd will tell about this step */
	bool is_ending;	  /* ... about all steps, since it is given up */
	uint64_t n_asked; /* how often it was to tell, */
	uint64_t n_told;  /* and has told */

	/* The device side. */
	const GaDeviceKind *kind;
	GaDeviceQueue *queue;
	GaDeviceAddress memory; /* as large as a slot */
	int event_fd;

	/* What the device works on. */
	GaSumRequest sum;
	GaScanRequest scan;
	GaScanArray scan_array;
	GaScanResult scan_result;
	GaFullRecord scan_wide;
	GaStoredState scan_state; /* of the value that it is of */
	bool scan_copies;		  /* totals, to the slot */
	uint64_t scan_done;		  /* elements whose totals are there */
	GaScanPrefix before;
	GaScanPrefix piece; /* the sum of those elements */
	GaRungRequest rung;
	GaDeviceArray arrays[GA_SLOT_ARRAYS];

	/* Resident values that it uses, and the arrays that they are made of. */
	uint32_t n_entries;
	GaEntry *entries[GA_SLOT_ARRAYS];
	uint32_t n_parts[GA_SLOT_ARRAYS];
	uint32_t parts_room; /* for arrays and their sums */
	GaDeviceArray *parts;
	GaPartialSum *part_sums;

	/* request_coalesce.c */
	TAILQ_ENTRY(GaActiveRequest) joint;
	TAILQ_HEAD(, GaActiveRequest)
	followers;			  /* requests that go with this one */
	bool leads;			  /* it was submitted, perhaps with others */
	uint64_t joint_bytes; /* of all that go with it */
	uint32_t n_own;		  /* arrays of this one */
	uint32_t n_joint;	  /* ... and of all of them */
	GaFullRecord *joint_wide;
} GaActiveRequest;

/* What a submission to the queue came to, as GaRequestKind has it. */
static inline GaStatus
ga_submitted(GaStatus status)
{
	return status == GA_OK ? GA_PENDING : status;
}

extern GaStatus ga_request_start(GaLease *window, const GaRequest *request,
								 GaReply *reply, GaDeviceFailure *failure);
extern GaStatus ga_request_advance(GaActiveRequest *work, GaStatus status,
								   const GaDeviceFailure *failure);
extern void ga_request_submit(GaActiveRequest *work);
extern void ga_request_finish(GaActiveRequest *work);
extern bool ga_request_is_cancelled(const GaActiveRequest *work);
extern void ga_request_cancel(GaActiveRequest *work);
extern bool ga_request_reserve_parts(GaActiveRequest *work, uint32_t n);
extern GaFullRecord *ga_request_stored_full(GaActiveRequest *work);
extern GaCacheLookup ga_request_lookup(const GaActiveRequest *work,
									   GaElementType type,
									   const GaStoredLookup *how);
extern const char *ga_request_place_fault(uint32_t at, uint64_t n,
										  uint32_t n_data_bytes, size_t size);

extern const GaRequestKind ga_request_sum;
extern const GaRequestKind ga_request_scan;
extern const GaRequestKind ga_request_sum_stored;
extern const GaRequestKind ga_request_load;
extern const GaRequestKind ga_request_ladder;

#endif /* GA_REQUEST_H */
