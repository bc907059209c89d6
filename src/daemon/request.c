/*
 * request.c
 *		The way of every request through the device.
 *
 * Owns the GaActiveRequest of each lease, which stays for the program's life.
 * dispatch.c starts requests; schedule.c calls step_done() when the device has
 * finished one step.  What differs between kinds of requests is in
 * GaRequestKind: request_sum.c, request_scan.c, request_stored.c,
 * request_load.c have one each.  Must not look at what a kind alone uses, nor
 * compare kinds.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device/clock.h"
#include "device/device_check.h"
#include "exit.h"
#include "oid_clock.h"
#include "options.h"
#include "request.h"
#include "stats.h"

/* Of the leases that are opened, for each device. */
static GaMemoryBackoff opening[GA_MAX_DEVICES];

static GaStatus step_done(GaPolledQueue *polled, GaStatus status,
						  const GaDeviceFailure *failure);

/* Make a lease's active request, with nothing of the device. */
static GaActiveRequest *
make_active(GaLease *lease)
{
	GaActiveRequest *active = calloc(1, sizeof(*active));

	if (active == NULL)
		return NULL;
	active->lease = lease;
	active->polled.device = lease->device->kind;
	active->polled.step_done = step_done;
	if (!ga_schedule_open(&active->polled))
	{
		free(active);
		return NULL;
	}
	return active;
}

/*
 * Allocate what is missing of a lease's device side.  What was allocated stays
 * for the next attempt.
 */
static GaStatus
allocate(GaLease *lease, GaDeviceFailure *failure)
{
	GaDevice *device = lease->device->device;
	const GaDeviceKind *functions = lease->device->kind;
	GaActiveRequest *active = lease->active;
	GaStatus status = GA_OK;

	if (active == NULL)
		active = lease->active = make_active(lease);
	if (active == NULL)
	{
		ga_device_failure(failure, "eventfd", "%s", strerror(errno));
		return GA_NO_MEMORY;
	}
	if (active->memory == 0)
		status = functions->allocate(device, GA_SLOT_BYTES, &active->memory,
									 failure);
	if (status == GA_OK && active->polled.queue == NULL)
		status = functions->queue_open(device, active->polled.event_fd,
									   &active->polled.queue, failure);
	return status;
}

/*
 * Allocate a lease's device side; evict resident arrays if the device has no
 * memory for it.
 */
static GaStatus
open_active(GaLease *lease, GaDeviceFailure *failure)
{
	GaCache *cache = ga_cache_of(lease->device);
	GaMemoryBackoff *backoff = &opening[lease->device - ga_devices_get(0)];
	GaStatus status;

	if (ga_memory_backoff_holds(backoff, failure))
		return GA_NO_MEMORY;
	do
		status = allocate(lease, failure);
	while (status == GA_NO_MEMORY && lease->active != NULL &&
		   ga_extents_evict(&cache->extents));
	if (status == GA_DEVICE_FAILED)
		ga_exit_lost(failure);
	ga_memory_backoff_note(backoff, status, failure);
	return status;
}

/* Return what is wrong with an array's place among a slot's data, or NULL. */
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

/* Return a session's lookup for the cache; take in its OID sample. */
GaCacheLookup
ga_request_lookup(const GaActiveRequest *active, GaElementType type,
				  const GaStoredLookup *lookup)
{
	const GaOidSample sample = lookup->sample;
	const uint64_t oid_mark = ga_oid_clock_sample(&sample);

	return (GaCacheLookup){
		.client = &active->lease->session->client,
		.type = type,
		.oid_now = ga_oid_clock_now(),
		.oid_mark = oid_mark,
		.statement_id = lookup->statement_id,
		.now_us = ga_time_us(),
		.loads = lookup->loads != 0,
		.waits = lookup->waits != 0,
		.counts = true,
	};
}

/* Release the resident arrays that it used. */
static void
release_entries(GaActiveRequest *active)
{
	GaCache *cache = ga_cache_of(active->lease->device);
	uint32_t i;

	for (i = 0; i < active->n_entries; i++)
		ga_cache_release(cache, active->entries[i]);
	active->n_entries = 0;
}

/*
 * A request failed that looked arrays up, or loaded them: the session will not
 * receive that it can load them, or a part is missing.
 */
static void
cancel_loads(GaActiveRequest *active)
{
	GaSession *session = active->lease->session;

	if (session != NULL && active->kind->cancels_loads)
		ga_cache_cancel_loads(ga_cache_of(active->lease->device),
							  &session->client);
}

/* End a request that was submitted, and is finished. */
static void
end(GaActiveRequest *active)
{
	if (active->kind->end != NULL)
		active->kind->end(active);
	if (active->status != GA_OK)
		cancel_loads(active);
	release_entries(active);
	active->state = GA_REQUEST_IDLE;
}

/* Keep the failure, and let the queue finish what it has. */
static void
fail(GaActiveRequest *active, GaStatus status, const GaDeviceFailure *failure)
{
	if (status == GA_DEVICE_FAILED)
		ga_exit_lost(failure);
	active->status = status;
	active->failure = *failure;
	active->state = GA_REQUEST_DRAINS;
}

/* Submit a request; evict resident arrays if the device lacks memory. */
static GaStatus
submit(GaActiveRequest *active, GaDeviceFailure *failure)
{
	GaExtents *extents = &ga_cache_of(active->lease->device)->extents;
	GaStatus status;

	active->state = GA_REQUEST_BUSY;
	status = active->kind->submit(active, failure);
	if (status == GA_NO_MEMORY && active->kind->evicts &&
		ga_extents_evict(extents))
		status = active->kind->submit(active, failure);
	return status;
}

/* Schedule a request that was submitted, or has failed to be. */
static void
schedule(GaActiveRequest *active, GaStatus status,
		 const GaDeviceFailure *failure)
{
	if (status != GA_PENDING)
		fail(active, status, failure);
	ga_schedule_begin(&active->polled);
}

/* Submit a request that was coalesced, and for which the device is needed. */
void
ga_request_submit(GaActiveRequest *active)
{
	GaDeviceFailure failure = {.call = ""};

	schedule(active, submit(active, &failure), &failure);
}

/* Submit a checked request at once, or queue it to be coalesced. */
static GaStatus
begin(GaActiveRequest *active, GaReply *reply, GaDeviceFailure *failure)
{
	if (active->kind->coalesce != NULL && active->kind->coalesce(active))
		active->state = GA_REQUEST_COALESCED;
	else
	{
		GaStatus status = submit(active, failure);

		if (status == GA_OK)
		{
			active->kind->answer(active, reply);
			end(active);
			return GA_OK;
		}
		schedule(active, status, failure);
	}
	ga_stats.n_requests++;
	active->lease->is_busy = true;
	return GA_PENDING;
}

/*
 * Start a request of the lease's session.  Return GA_PENDING: it is on the
 * device, and the session will receive the reply.  GA_OK: the reply is
 * filled.  GA_BAD_REQUEST: the client broke a rule.  GA_NO_CAPACITY: start it
 * again when a load has ended.  Any other status is the answer.
 */
GaStatus
ga_request_start(GaLease *lease, const GaRequestKind *kind,
				 const GaRequest *request, GaReply *reply,
				 GaDeviceFailure *failure)
{
	GaStatus status = GA_OK;
	GaActiveRequest *active;

	if (lease->active == NULL || lease->active->polled.queue == NULL)
		status = open_active(lease, failure);
	if (status != GA_OK)
		return status;

	active = lease->active;
	active->kind = kind;
	active->request = *request;
	active->slot = ga_lease_slot(lease, request->slot);
	active->status = GA_OK;
	active->n_entries = 0;
	if (ga_memory_backoff_holds(&active->backoff, failure))
		status = GA_NO_MEMORY;
	else
		status = kind->check(active, failure);
	if (status == GA_OK)
		return begin(active, reply, failure);
	release_entries(active);
	if (status != GA_NO_CAPACITY)
		cancel_loads(active);
	return status;
}

/* Complete a request: send the reply if the session is still there. */
void
ga_request_finish(GaActiveRequest *active)
{
	GaLease *lease = active->lease;
	GaSession *session = lease->session;
	GaReply reply = {.status = active->status};

	/* coalesced requests count once, with the primary */
	if (active->state != GA_REQUEST_COALESCED)
	{
		const double ms = ga_ms_since(active->polled.started_ns);

		ga_stats.device_ms += ms;
		active->device_us = (uint64_t) (ms * 1000);
	}
	if (active->kind->finish_members != NULL)
		active->kind->finish_members(active);
	if (session != NULL && active->status == GA_OK)
		active->kind->answer(active, &reply);
	else if (session != NULL)
		ga_packet_explain(&reply, &active->failure);
	ga_memory_backoff_note(&active->backoff, active->status, &active->failure);
	reply.device_us = active->device_us;
	end(active);
	ga_staging_idle(lease);
	if (session != NULL && active->status == GA_BAD_REQUEST)
		ga_session_reject(session, active->status, active->failure.call,
						  active->failure.message);
	else if (session != NULL)
		ga_session_complete(session, &reply);
}

/* Submit the next step.  Return GA_PENDING if the queue has something to do. */
static GaStatus
advance(GaActiveRequest *active, GaStatus status,
		const GaDeviceFailure *failure)
{
	GaDeviceFailure next_failure = {.call = ""};

	if (active->state == GA_REQUEST_DRAINS)
		return GA_OK;
	if (status != GA_OK)
	{
		fail(active, status, failure);
		return GA_PENDING;
	}
	if (active->kind->advance == NULL)
		return GA_OK;

	status = active->kind->advance(active, &next_failure);
	if (status != GA_OK && status != GA_PENDING)
	{
		fail(active, status, &next_failure);
		return GA_PENDING;
	}
	return status;
}

/* The queue has finished a step: submit the next one or complete. */
static GaStatus
step_done(GaPolledQueue *polled, GaStatus status,
		  const GaDeviceFailure *failure)
{
	GaActiveRequest *active = (GaActiveRequest *) polled;

	if (status == GA_DEVICE_FAILED)
		ga_exit_lost(failure);
	if (advance(active, status, failure) == GA_PENDING)
		return GA_PENDING;
	ga_request_finish(active);
	return GA_OK;
}
