/*
 * work.c
 *		A request on its way through the device.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "device_check.h"
#include "exit.h"
#include "schedule.h"
#include "session.h"
#include "work.h"

/* The eventfd was written: notify() has been reached. */
static void
event_ready(GaSource *source, uint32_t events)
{
	GaWork	   *work = (GaWork *) source;
	uint64_t	count;
	ssize_t		n = read(work->event_fd, &count, sizeof(count));

	(void) events;
	(void) n;
	ga_schedule_notified(work);
}

/* A window's device side without anything of the device. */
static GaWork *
make_work(GaWindow *window)
{
	GaWork	   *work = calloc(1, sizeof(*work));

	if (work == NULL)
		return NULL;
	work->source.ready = event_ready;
	work->window = window;
	work->kind = window->device->kind;
	work->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (work->event_fd < 0 ||
		ga_loop_add(&work->source, work->event_fd, EPOLLIN) != 0)
	{
		if (work->event_fd >= 0)
			close(work->event_fd);
		free(work);
		return NULL;
	}
	return work;
}

/*
 * Get what is still missing of a window's device side.  What was had stays
 * for the next attempt.
 */
static GaStatus
open_work(GaWindow *window, GaDeviceFailure *failure)
{
	GaDevice   *device = window->device->device;
	GaWork	   *work = window->work;
	GaStatus	status = GA_OK;

	if (work == NULL)
		work = window->work = make_work(window);
	if (work == NULL)
	{
		ga_device_failure(failure, "eventfd", "%s", strerror(errno));
		return GA_NO_MEMORY;
	}
	if (work->memory == 0)
		status = work->kind->allocate(device, GA_SLOT_BYTES, &work->memory,
									  failure);
	if (status == GA_OK && work->queue == NULL)
		status = work->kind->queue_open(device, work->event_fd, &work->queue,
										failure);
	return status;
}

/* Keep the reason, and let the queue finish what it has. */
static void
fail(GaWork *work, GaStatus status, const GaDeviceFailure *failure)
{
	if (status == GA_DEVICE_FAILED)
		ga_exit_lost(failure);
	work->status = status;
	work->failure = *failure;
	work->state = GA_WORK_DRAINS;
}

/*
 * Put a request on the device.  GA_PENDING: it is there, and its session will
 * have the answer.  GA_BAD_REQUEST: the client broke a rule.  Other statuses
 * are the answer.
 */
GaStatus
ga_work_start(GaWindow *window, const GaRequest *request, GaCarry *carry,
			  GaDeviceFailure *failure)
{
	bool		is_sum = request->operation == GA_SUM;
	GaStatus	status = GA_OK;
	GaWork	   *work;

	if (window->work == NULL || window->work->queue == NULL)
		status = open_work(window, failure);
	if (status == GA_DEVICE_FAILED)
		ga_exit_lost(failure);
	if (status != GA_OK)
		return status;

	work = window->work;
	work->request = *request;
	work->slot = ga_window_slot(window, request->slot);
	work->status = GA_OK;
	if (!(is_sum ? ga_work_sum_check(work, failure) :
		  ga_work_scan_check(work, carry, failure)))
		return GA_BAD_REQUEST;

	work->state = GA_WORK_COMPUTES;
	status = is_sum ? ga_work_sum_submit(work, failure) :
		ga_work_scan_submit(work, failure);
	if (status != GA_OK)
		fail(work, status, failure);
	window->is_busy = true;
	ga_schedule_begin(work);
	return GA_PENDING;
}

/*
 * The queue has finished what it had, and said how it went.  GA_PENDING if
 * there is more for it now.
 */
GaStatus
ga_work_advance(GaWork *work, GaStatus status, const GaDeviceFailure *failure)
{
	GaDeviceFailure copy_failure = {.call = ""};

	if (status == GA_DEVICE_FAILED)
		ga_exit_lost(failure);
	if (work->state == GA_WORK_DRAINS)
		return GA_OK;
	if (status != GA_OK)
	{
		fail(work, status, failure);
		return GA_PENDING;
	}
	if (work->state == GA_WORK_COPIES || work->request.operation == GA_SUM)
		return GA_OK;

	status = ga_work_scan_fetch(work, &copy_failure);
	if (status == GA_OK)
		work->state = GA_WORK_COPIES;
	else
		fail(work, status, &copy_failure);
	return GA_PENDING;
}

/* It is finished: tell the session, if that is still there. */
void
ga_work_finish(GaWork *work)
{
	GaWindow   *window = work->window;
	GaReply		reply = {.status = work->status};

	work->state = GA_WORK_IDLE;
	if (window->session == NULL)
	{
		ga_staging_rest(window);
		return;
	}
	if (work->status != GA_OK)
		ga_session_explain(&reply, &work->failure);
	else if (work->request.operation == GA_SUM)
		ga_work_sum_answer(work, &reply);
	if (work->request.operation == GA_SCAN)
		ga_work_scan_answer(work, &reply);
	ga_staging_rest(window);
	ga_session_answer(window->session, &reply);
}
