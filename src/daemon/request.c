/*
 * request.c
 *		The way of every request through the device.
 *
 * Owns what is executed; request_pool.c has what is free.  dispatch.c starts
 * requests; schedule.c calls step_done() when the device has finished one step.
 * What differs between kinds of requests is in GaRequestKind: request_sum.c,
 * request_scan.c, request_stored.c, request_elem.c, request_window.c and
 * request_load.c have one
 * each.  Must not look at what a kind alone uses, nor compare kinds.
 */
#include "device/clock.h"
#include "device/device_check.h"
#include "exit.h"
#include "oid_clock.h"
#include "options.h"
#include "request.h"
#include "request_pool.h"
#include "stats.h"

static GaStatus step_done(GaPolledQueue *polled, GaStatus status,
						  const GaDeviceFailure *failure);

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
		.client = &active->session->client,
		.type = type,
		.oid_now = ga_oid_clock_now(),
		.oid_mark = oid_mark,
		.statement_id = lookup->statement_id,
		.now_us = ga_time_us(),
		.loads = (GaStoredLoads) lookup->loads,
		.waits = lookup->waits != 0,
		.counts = true,
	};
}

/* Release the resident arrays that it used. */
static void
release_entries(GaActiveRequest *active)
{
	GaCache *cache = ga_cache_of(active->device);
	uint32_t i;

	for (i = 0; i < active->n_entries; i++)
		ga_cache_release(cache, active->entries[i]);
	active->n_entries = 0;
}

/*
 * A request failed, perhaps before it began, that looks arrays up or loads
 * them: the session, unless it is gone, will not receive that it can load them,
 * or a part is missing.
 */
static void
cancel_loads(GaSession *session, const GaRequestKind *kind)
{
	if (session != NULL && kind->cancels_loads)
		ga_cache_cancel_loads(&session->client);
}

/* Give a request its session, and the slot that it is about. */
static void
attach(GaActiveRequest *active, GaSession *session, GaQueuedRequest *queued,
	   const GaRequestKind *kind)
{
	const uint32_t slot = queued->request.slot;

	active->kind = kind;
	active->session = session;
	active->queued = queued;
	active->request = queued->request;
	active->status = GA_OK;
	active->n_entries = 0;
	session->ahead_ends[slot] = 0;
	active->polled.step_done = step_done;
	active->polled.is_leisurely = kind->is_leisurely;
	TAILQ_INSERT_TAIL(&session->actives, active, of_session);
	if (slot < GA_LEASE_SLOTS)
	{
		active->staging = session->lease.slots[slot];
		active->staging->is_busy = true;
		active->slot = active->staging->start;
	}
	else
	{
		active->lookups = session->lookups;
		active->lookups->n_busy++;
		active->lookup = ga_lookup_memory_slot(active->lookups, slot);
	}
}

/* Release all that a request has, and put it back. */
static void
detach(GaActiveRequest *active)
{
	release_entries(active);
	if (active->session != NULL)
		TAILQ_REMOVE(&active->session->actives, active, of_session);
	if (active->staging != NULL)
		ga_staging_idle(active->staging);
	if (active->lookups != NULL)
		ga_lookup_memory_idle(active->lookups);
	active->session = NULL;
	active->staging = NULL;
	active->lookups = NULL;
	active->state = GA_REQUEST_IDLE;
	ga_request_pool_put(active);
}

/* End a request that was submitted, and is finished. */
static void
end(GaActiveRequest *active)
{
	if (active->kind->end != NULL)
		active->kind->end(active);
	if (active->status != GA_OK)
		cancel_loads(active->session, active->kind);
	detach(active);
}

/* Keep the failure, and let the queue finish what it has. */
static void
fail(GaActiveRequest *active, GaStatus status, const GaDeviceFailure *failure)
{
	if (status == GA_DEVICE_FAILED)
		ga_devices_lose(active->device, failure);
	active->status = status;
	active->failure = *failure;
	active->state = GA_REQUEST_DRAINS;
}

/* Submit a request; evict resident arrays if the device lacks memory. */
static GaStatus
submit(GaActiveRequest *active, GaDeviceFailure *failure)
{
	GaExtents *extents = &ga_cache_of(active->device)->extents;
	GaStatus status;

	active->state = GA_REQUEST_BUSY;
	if (active->device->is_lost)
	{
		*failure = active->device->failure;
		return GA_DEVICE_FAILED;
	}
	status = active->kind->submit(active, failure);
	if (status == GA_NO_MEMORY && active->kind->evicts &&
		ga_extents_evict(extents, GA_DEVICE_WORKSPACE_BYTES))
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
	return GA_PENDING;
}

/*
 * Start a request of a session, which has the slot that it is about.  Return
 * GA_PENDING: it is on the device, and the session will receive the reply.
 * GA_OK: the reply is filled.  GA_BAD_REQUEST: the client broke a rule.
 * GA_NO_CAPACITY: start it again when a load has ended.  GA_BUSY: start it
 * again when another request has ended.  Any other status is the answer.
 */
GaStatus
ga_request_start(GaSession *session, GaQueuedRequest *queued,
				 const GaRequestKind *kind, GaReply *reply,
				 GaDeviceFailure *failure)
{
	GaActiveRequest *active;
	GaStatus status = GA_NO_MEMORY;

	if (!ga_memory_backoff_holds(&session->backoff, failure))
	{
		status = ga_request_pool_take(ga_devices_get(queued->request.device),
									  kind->uses_memory, &active, failure);
		ga_memory_backoff_note(&session->backoff,
							   status == GA_NO_MEMORY ? status : GA_BUSY,
							   failure);
	}
	if (status == GA_OK)
	{
		attach(active, session, queued, kind);
		status = kind->check(active, failure);
		if (status == GA_OK)
			return begin(active, reply, failure);
		detach(active);
	}
	if (status != GA_NO_CAPACITY && status != GA_BUSY)
		cancel_loads(session, kind);
	return status;
}

/*
 * Look up the one array of a request, and set its state; if it is resident it
 * is the request's first entry.  It counts once, by the first request about it,
 * if it is resident.  Return GA_OK, or GA_NO_CAPACITY to wait for it.
 */
GaStatus
ga_request_find(GaActiveRequest *active, GaElementType type,
				const GaStoredRef *ref, const GaStoredLookup *how,
				bool is_first, GaStoredState *state)
{
	GaCacheLookup lookup = ga_request_lookup(active, type, how);
	GaCache *cache = ga_cache_of(active->device);
	GaEntry *entry;

	lookup.counts = false;
	if (lookup.waits && ga_cache_must_wait(cache, &lookup, &ref->key))
		return GA_NO_CAPACITY;
	*state = ga_cache_lookup(cache, &lookup, ref, &entry);
	if (*state != GA_STORED_RESIDENT)
		return GA_OK;
	active->entries[active->n_entries++] = entry;
	if (is_first && !ref->is_missed)
	{
		ga_stats.n_hits++;
		ga_cache_relation(cache, entry)->n_hits++;
	}
	return GA_OK;
}

/*
 * The last steps of a request whose results are in its memory: submit their
 * copy to the slot, once; then it is finished.
 */
GaStatus
ga_request_copy_out(GaActiveRequest *active, bool *copies, uint64_t n_bytes,
					GaDeviceFailure *failure)
{
	if (*copies)
		return GA_OK;
	*copies = true;
	ga_stats.n_bytes_out += n_bytes;
	return ga_submitted(active->polled.device->copy_out(
		active->polled.queue, ga_slot_data(active->slot), active->memory,
		n_bytes, failure));
}

/* Complete a request: send the reply if the session is still there. */
void
ga_request_finish(GaActiveRequest *active)
{
	GaSession *session = active->session;
	GaQueuedRequest *queued = active->queued;
	const GaStatus status = active->status;
	const GaDeviceFailure failure = active->failure;
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
	if (session != NULL && status == GA_OK)
		active->kind->answer(active, &reply);
	else if (session != NULL)
		ga_packet_explain(&reply, &failure);
	if (session != NULL)
		ga_memory_backoff_note(&session->backoff, status, &failure);
	reply.device_us = active->device_us;
	end(active);
	if (session != NULL && status == GA_BAD_REQUEST)
		ga_session_reject(session, queued, status, failure.call,
						  failure.message);
	else if (session != NULL)
		ga_session_complete(session, queued, &reply);
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
		if (active->kind->forgives == NULL ||
			!active->kind->forgives(active, status, failure))
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

/*
 * Leave a request to the device that was lost with it, which may still read and
 * write its slot and what it has of this process: all that stays taken until
 * the program ends.  So the session has to connect again, for another slot.
 * A request without a slot in staging memory can be finished: its own memory is
 * not used again, since requests of a lost device are not.
 */
static void
abandon(GaActiveRequest *active)
{
	ga_request_pool_lose();
	if (active->session != NULL)
		ga_session_reject(active->session, active->queued, active->status,
						  active->failure.call, active->failure.message);
}

/* The queue has finished a step: submit the next one or complete. */
static GaStatus
step_done(GaPolledQueue *polled, GaStatus status,
		  const GaDeviceFailure *failure)
{
	GaActiveRequest *active = (GaActiveRequest *) polled;

	if (status == GA_DEVICE_FAILED)
	{
		fail(active, status, failure);
		if (active->staging != NULL)
			abandon(active);
		else
			ga_request_finish(active);
		return GA_OK;
	}
	if (advance(active, status, failure) == GA_PENDING)
		return GA_PENDING;
	ga_request_finish(active);
	return GA_OK;
}
