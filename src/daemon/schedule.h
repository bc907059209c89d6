/*
 * schedule.h
 *		When to poll which queue of a device.
 */
#ifndef GA_SCHEDULE_H
#define GA_SCHEDULE_H

#include <sys/queue.h>

#include "device/device.h"
#include "loop.h"

/* A queue, as its owner has it: the first member of the owner's struct. */
typedef struct GaPolledQueue
{
	GaSource source; /* of event_fd, which the device writes */
	int event_fd;
	const GaDeviceKind *device; /* the functions of the queue */
	GaDeviceQueue *queue;
	const GaDevice *of; /* the device */

	/*
	 * The queue has finished its step, with this status.  The owner submits
	 * the next step and returns GA_PENDING, or completes its request; then it
	 * may have begun with another one.
	 */
	GaStatus (*step_done)(struct GaPolledQueue *polled, GaStatus status,
						  const GaDeviceFailure *failure);

	/*
	 * A step that its session does not wait for: it is polled now and then, and
	 * for longer before the eventfd is to be written.
	 */
	bool is_leisurely;

	/* schedule.c */
	TAILQ_ENTRY(GaPolledQueue) busy;
	int64_t started_ns; /* when the request was submitted */
	int64_t step_ns;	/* when its step was */
	int64_t polled_ns;	/* when it was polled last */
	bool is_busy;
	bool is_notified; /* the eventfd will be written for this step */
} GaPolledQueue;

extern bool ga_schedule_open(GaPolledQueue *polled);
extern void ga_schedule_begin(GaPolledQueue *polled);
extern void ga_schedule_fail(const GaDevice *device,
							 const GaDeviceFailure *failure);
extern void ga_schedule_poll(void);
extern bool ga_schedule_is_busy(void);
extern int ga_schedule_timeout_ms(int64_t now_ns);

#endif /* GA_SCHEDULE_H */
