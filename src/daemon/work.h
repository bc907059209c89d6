/*
 * work.h
 *		A request on its way through the device.
 *
 * A window has one GaWork: its queue, its memory on the device, and the one
 * request that is there.  All that the device was given the address of lies
 * in it or in staging memory, so a session may go away at any time.
 *
 * work.c is the way that all requests go; work_sum.c, work_scan.c,
 * work_values.c, work_load.c and work_ladder.c have what is particular to each.
 * schedule.c says when to look at which.
 */
#ifndef GA_WORK_H
#define GA_WORK_H

#include "cache.h"
#include "carry.h"
#include "loop.h"
#include "staging.h"

typedef enum GaWorkState
{
	GA_WORK_IDLE = 0,
	GA_WORK_JOINT,				/* it goes with others: not on its own queue */
	GA_WORK_BUSY,
	GA_WORK_DRAINS				/* it failed; what is left is to be finished */
} GaWorkState;

struct GaWork;

/*
 * What is particular to an operation.  All that can fail say why; what they
 * submit to the queue is finished when the next one is called.
 */
typedef struct GaWorkKind
{
	/*
	 * Does the request keep the rules?  GA_OK; GA_BAD_REQUEST; GA_NO_ROOM if
	 * the session is to wait until a value is loaded; GA_BAD_STATE if what it
	 * continues failed; GA_NO_MEMORY.
	 */
	GaStatus	(*check) (struct GaWork *work, GaDeviceFailure *failure);

	/* GA_PENDING; GA_OK if there is nothing for the device to do; or not. */
	GaStatus	(*submit) (struct GaWork *work, GaDeviceFailure *failure);

	/* The next step, if there may be more than one: as submit. */
	GaStatus	(*advance) (struct GaWork *work, GaDeviceFailure *failure);

	/* It went well: fill the slot and the reply, while there is a session. */
	void		(*answer) (struct GaWork *work, GaReply *reply);

	/* It was submitted, and went well or not; the session may be gone. */
	void		(*end) (struct GaWork *work);

	/*
	 * It is many steps, each of which may take as long as a request; no more
	 * are begun when the session is gone.
	 */
	bool		is_long;
} GaWorkKind;

typedef struct GaWork
{
	GaSource	source;			/* of the queue's eventfd */
	GaWindow   *window;
	GaWorkState state;
	const GaWorkKind *operation;
	GaRequest	request;		/* a copy, as all that follows */
	GaSlot	   *slot;			/* NULL if it is about none */
	GaStatus	status;			/* what it came to */
	GaDeviceFailure failure;

	/* schedule.c */
	TAILQ_ENTRY(GaWork) busy;
	int64_t		started_ns;
	int64_t		step_ns;		/* when it was submitted, or went on */
	bool		is_notified;	/* the eventfd will tell about this step */
	bool		is_ending;		/* ... about all steps, since it is given up */
	uint64_t	n_asked;		/* how often it was to tell, */
	uint64_t	n_told;			/* and has told */

	/* The device side. */
	const GaDeviceKind *kind;
	GaDeviceQueue *queue;
	GaDeviceAddress memory;		/* as large as a slot */
	int			event_fd;

	/* What the device works on. */
	GaSumRequest sum;
	GaScanRequest scan;
	GaScanArray scan_array;
	GaScanResult scan_result;
	GaWideSum	scan_wide;
	GaValueState scan_state;	/* of the value that it is of */
	bool		scan_copies;	/* totals, to the slot */
	uint64_t	scan_done;		/* elements whose totals are there */
	GaCarry		before;
	GaCarry		piece;			/* the sum of those elements */
	GaRungRequest rung;
	GaDeviceArray arrays[GA_SLOT_ARRAYS];

	/* Resident values that it uses, and the arrays that they are made of. */
	uint32_t	n_entries;
	GaEntry    *entries[GA_SLOT_ARRAYS];
	uint32_t	n_parts[GA_SLOT_ARRAYS];
	uint32_t	parts_room;		/* for arrays and their sums */
	GaDeviceArray *parts;
	GaPartialSum *part_sums;

	/* work_joint.c */
	TAILQ_ENTRY(GaWork) joint;
	TAILQ_HEAD(, GaWork) followers; /* requests that go with this one */
	bool		leads;			/* it was submitted, perhaps with others */
	uint64_t	joint_bytes;	/* of all that go with it */
	uint32_t	n_own;			/* arrays of this one */
	uint32_t	n_joint;		/* ... and of all of them */
	GaWideSum  *joint_wide;
} GaWork;

/* What a submission to the queue came to, as GaWorkKind has it. */
static inline GaStatus
ga_submitted(GaStatus status)
{
	return status == GA_OK ? GA_PENDING : status;
}

extern GaStatus ga_work_start(GaWindow *window, const GaRequest *request,
							  GaReply *reply, GaDeviceFailure *failure);
extern GaStatus ga_work_advance(GaWork *work, GaStatus status,
								const GaDeviceFailure *failure);
extern void ga_work_submit(GaWork *work);
extern void ga_work_finish(GaWork *work);
extern bool ga_work_is_given_up(const GaWork *work);
extern void ga_work_give_up(GaWork *work);
extern bool ga_work_have_parts(GaWork *work, uint32_t n);
extern GaWideSum *ga_work_values_wide(GaWork *work);
extern GaAsk ga_work_ask(const GaWork *work, GaElementType type,
						 const GaAskHow *how);
extern const char *ga_work_place_fault(uint32_t at, uint64_t n,
									   uint32_t n_data_bytes, size_t size);

extern const GaWorkKind ga_work_sum;
extern const GaWorkKind ga_work_scan;
extern const GaWorkKind ga_work_sum_values;
extern const GaWorkKind ga_work_load;
extern const GaWorkKind ga_work_ladder;

#endif							/* GA_WORK_H */
