/*
 * work.h
 *		A request on its way through the device.
 *
 * A window has one GaWork: its queue, its memory on the device, and the one
 * request that is there.  All that the device was given the address of lies
 * in it or in staging memory, so a session may go away at any time.
 *
 * work.c is the way that all requests go; work_sum.c and work_scan.c have what
 * is particular to each.  schedule.c says when to look at which.
 */
#ifndef GA_WORK_H
#define GA_WORK_H

#include "carry.h"
#include "loop.h"
#include "staging.h"

typedef enum GaWorkState
{
	GA_WORK_IDLE = 0,
	GA_WORK_COMPUTES,
	GA_WORK_COPIES,				/* running totals, to the slot */
	GA_WORK_DRAINS				/* it failed; what is left is to be finished */
} GaWorkState;

typedef struct GaWork
{
	GaSource	source;			/* of the queue's eventfd */
	GaWindow   *window;
	GaWorkState state;
	GaRequest	request;		/* a copy, as all that follows */
	GaSlot	   *slot;
	GaStatus	status;			/* what it came to */
	GaDeviceFailure failure;

	/* schedule.c */
	TAILQ_ENTRY(GaWork) busy;
	int64_t		started_ns;
	int64_t		step_ns;		/* when it was submitted, or went on */
	bool		is_notified;	/* the eventfd will tell about this step */

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
	GaCarry		before;
	GaDeviceArray arrays[GA_SLOT_ARRAYS];
} GaWork;

extern GaStatus ga_work_start(GaWindow *window, const GaRequest *request,
							  GaCarry *carry, GaDeviceFailure *failure);
extern GaStatus ga_work_advance(GaWork *work, GaStatus status,
								const GaDeviceFailure *failure);
extern void ga_work_finish(GaWork *work);

/* work_sum.c */
extern bool ga_work_sum_check(GaWork *work, GaDeviceFailure *failure);
extern GaStatus ga_work_sum_submit(GaWork *work, GaDeviceFailure *failure);
extern void ga_work_sum_answer(GaWork *work, GaReply *reply);

/* work_scan.c */
extern bool ga_work_scan_check(GaWork *work, GaCarry *carry,
							   GaDeviceFailure *failure);
extern GaStatus ga_work_scan_submit(GaWork *work, GaDeviceFailure *failure);
extern GaStatus ga_work_scan_fetch(GaWork *work, GaDeviceFailure *failure);
extern void ga_work_scan_answer(GaWork *work, GaReply *reply);

#endif							/* GA_WORK_H */
