/*
 * request.c
 *		A request on its way through the device.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "device/clock.h"
#include "stats.h"
#include "device/device_check.h"
#include "exit.h"
#include "oid_clock.h"
#include "schedule.h"
#include "session.h"
#include "request.h"
#include "request_coalesce.h"

/* The eventfd was written: notify() has been reached. */
static void
event_ready(GaSource *source, uint32_t events)
{
	GaActiveRequest *work = (GaActiveRequest *) source;
	uint64_t count;
	ssize_t n = read(work->event_fd, &count, sizeof(count));

	(void) events;
	if (n == sizeof(count))
		work->n_told += count;
	ga_schedule_notified(work);
}

/* A window's device side without anything of the device. */
static GaActiveRequest *
make_work(GaLease *window)
{
	GaActiveRequest *work = calloc(1, sizeof(*work));

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
open_work(GaLease *window, GaDeviceFailure *failure)
{
	GaDevice *device = window->device->device;
	GaActiveRequest *work = window->work;
	GaStatus status = GA_OK;

	if (work == NULL)
		work = window->work = make_work(window);
	if (work == NULL)
	{
		ga_device_failure(failure, "eventfd", "%s", strerror(errno));
		return GA_NO_MEMORY;
	}
	if (work->memory == 0)
		status =
			work->kind->allocate(device, GA_SLOT_BYTES, &work->memory, failure);
	if (status == GA_OK && work->queue == NULL)
		status = work->kind->queue_open(device, work->event_fd, &work->queue,
										failure);
	return status;
}

/*
 * The same, and if the device has no memory for it then values that are
 * resident give way.
 */
static GaStatus
have_work(GaLease *window, GaDeviceFailure *failure)
{
	GaCache *cache = ga_cache_of(window->device);
	GaStatus status;

	do
		status = open_work(window, failure);
	while (status == GA_NO_MEMORY && window->work != NULL &&
		   ga_extents_evict(&cache->extents));
	if (status == GA_DEVICE_FAILED)
		ga_exit_lost(failure);
	return status;
}

/* What is wrong with an array's place among a slot's data, or NULL. */
const char *
ga_request_place_fault(uint32_t at, uint64_t n, uint32_t n_data_bytes,
					   size_t size)
{
	if (at % size != 0)
		return "not aligned";
	if (at > n_data_bytes || n > (n_data_bytes - at) / size)
		return "beyond the data";
	return NULL;
}

/* How a window's session asks for values; takes in what it tells. */
GaCacheLookup
ga_request_lookup(const GaActiveRequest *work, GaElementType type,
				  const GaStoredLookup *how)
{
	const GaOidSample sample = how->sample;
	const uint64_t mark = ga_oid_clock_sample(&sample);

	return (GaCacheLookup){
		.client = &work->window->session->client,
		.type = type,
		.oid_now = ga_oid_clock_now(),
		.oid_mark = mark,
		.statement_id = how->statement_id,
		.now_us = ga_time_us(),
		.loads = how->loads != 0,
		.waits = how->waits != 0,
		.counts = true,
	};
}

static const GaRequestKind *
kind_of(uint32_t operation)
{
	switch (operation)
	{
		case GA_SUM:
			return &ga_request_sum;
		case GA_SCAN:
			return &ga_request_scan;
		case GA_SUM_STORED:
			return &ga_request_sum_stored;
		case GA_RUNG:
			return &ga_request_ladder;
		default:
			return &ga_request_load;
	}
}

/* Leave the values that it used. */
static void
leave_values(GaActiveRequest *work)
{
	GaCache *cache = ga_cache_of(work->window->device);
	uint32_t i;

	for (i = 0; i < work->n_entries; i++)
		ga_cache_release(cache, work->entries[i]);
	work->n_entries = 0;
}

/*
 * A session that asked for values, or loads them, has no use any more for what
 * it was told to load: it will not hear of it, or has lost a part.
 */
static void
give_up_loads(GaActiveRequest *work)
{
	if (work->window->session != NULL &&
		(work->operation == &ga_request_sum_stored ||
		 work->operation == &ga_request_load))
		ga_cache_cancel_loads(ga_cache_of(work->window->device),
							  &work->window->session->client);
}

/* It was submitted, and is finished. */
static void
end(GaActiveRequest *work)
{
	if (work->operation->end != NULL)
		work->operation->end(work);
	if (work->status != GA_OK)
		give_up_loads(work);
	leave_values(work);
	work->state = GA_REQUEST_IDLE;
}

/* Keep the reason, and let the queue finish what it has. */
static void
fail(GaActiveRequest *work, GaStatus status, const GaDeviceFailure *failure)
{
	if (status == GA_DEVICE_FAILED)
		ga_exit_lost(failure);
	work->status = status;
	work->failure = *failure;
	work->state = GA_REQUEST_DRAINS;
}

/* Submit it; values give way if the device has no memory to work with. */
static GaStatus
submit(GaActiveRequest *work, GaDeviceFailure *failure)
{
	GaExtents *blocks = &ga_cache_of(work->window->device)->extents;
	GaStatus status = work->operation->submit(work, failure);

	if (status == GA_NO_MEMORY && work->operation == &ga_request_sum_stored &&
		ga_extents_evict(blocks))
		status = work->operation->submit(work, failure);
	return status;
}

/* Have a checked request, which has something to do, on the device. */
void
ga_request_submit(GaActiveRequest *work)
{
	GaDeviceFailure failure = {.call = ""};
	GaStatus status;

	work->state = GA_REQUEST_BUSY;
	status = submit(work, &failure);
	if (status != GA_PENDING)
		fail(work, status, &failure);
	ga_schedule_begin(work);
}

/* The same at once, or with others, now or later. */
static GaStatus
begin(GaActiveRequest *work, GaReply *reply, GaDeviceFailure *failure)
{
	GaStatus status = GA_PENDING;

	if (ga_coalesce_takes(work))
		ga_coalesce_add(work);
	else
	{
		work->state = GA_REQUEST_BUSY;
		status = submit(work, failure);
		if (status == GA_OK)
		{
			work->operation->answer(work, reply);
			end(work);
			return GA_OK;
		}
		if (status != GA_PENDING)
			fail(work, status, failure);
		ga_schedule_begin(work);
	}
	ga_stats.n_requests++;
	work->window->is_busy = true;
	return GA_PENDING;
}

/*
 * Put a request of the window's session on the device.  GA_PENDING: it is
 * there, and the session will have the answer.  GA_OK: the reply is the
 * answer.  GA_BAD_REQUEST: the client broke a rule.  GA_NO_CAPACITY: it is to be
 * tried again once a value was loaded.  Other statuses are the answer.
 */
GaStatus
ga_request_start(GaLease *window, const GaRequest *request, GaReply *reply,
				 GaDeviceFailure *failure)
{
	GaStatus status = GA_OK;
	GaActiveRequest *work;

	if (window->work == NULL || window->work->queue == NULL)
		status = have_work(window, failure);
	if (status != GA_OK)
		return status;

	work = window->work;
	work->operation = kind_of(request->opcode);
	work->request = *request;
	work->slot = ga_uses_slot(request->opcode) ?
					 ga_lease_slot(window, request->slot) :
					 NULL;
	work->status = GA_OK;
	work->n_entries = 0;
	status = work->operation->check(work, failure);
	if (status == GA_OK)
		return begin(work, reply, failure);
	leave_values(work);
	if (status != GA_NO_CAPACITY)
		give_up_loads(work);
	return status;
}

/*
 * The queue has finished what it had, and said how it went.  GA_PENDING if
 * there is more for it now.
 */
GaStatus
ga_request_advance(GaActiveRequest *work, GaStatus status,
				   const GaDeviceFailure *failure)
{
	GaDeviceFailure next_failure = {.call = ""};

	if (status == GA_DEVICE_FAILED)
		ga_exit_lost(failure);
	if (work->state == GA_REQUEST_DRAINS)
		return GA_OK;
	if (status != GA_OK)
	{
		fail(work, status, failure);
		return GA_PENDING;
	}
	if (work->operation->advance == NULL)
		return GA_OK;

	status = work->operation->advance(work, &next_failure);
	if (status != GA_OK && status != GA_PENDING)
	{
		fail(work, status, &next_failure);
		return GA_PENDING;
	}
	return status;
}

/* It is finished: tell the session, if that is still there. */
void
ga_request_finish(GaActiveRequest *work)
{
	GaLease *window = work->window;
	GaSession *session = window->session;
	GaReply reply = {.status = work->status};

	if (work->operation == &ga_request_sum_stored)
		ga_coalesce_share(work);
	if (session != NULL && work->status == GA_OK)
		work->operation->answer(work, &reply);
	else if (session != NULL)
		ga_packet_explain(&reply, &work->failure);
	/* those that went together count once, with their leader */
	if (work->state != GA_REQUEST_COALESCED)
		ga_stats.device_ms += ga_ms_since(work->started_ns);
	end(work);
	ga_staging_rest(window);
	if (session != NULL && work->status == GA_BAD_REQUEST)
		ga_session_reject(session, work->status, work->failure.call,
						  work->failure.message);
	else if (session != NULL)
		ga_session_complete(session, &reply);
}

/* Is it of no use to begin its next step? */
bool
ga_request_is_cancelled(const GaActiveRequest *work)
{
	return work->operation->is_long && work->state == GA_REQUEST_BUSY &&
		   work->window->session == NULL;
}

/*
 * Forget the steps that were not begun.  There should be none under way, for
 * that is waited for.
 */
void
ga_request_cancel(GaActiveRequest *work)
{
	work->kind->queue_close(work->queue);
	work->queue = NULL;
	ga_request_finish(work);
}
