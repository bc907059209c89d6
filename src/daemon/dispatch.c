/*
 * dispatch.c
 *		Begins each request of the protocol.
 *
 * Owns nothing.  session.c calls ga_dispatch() for each request of a session,
 * when its turn comes and again when a wait has ended.  A request is
 * answered at once, unless it waits or goes to the device (request.c).
 */
#include <stdio.h>
#include <unistd.h>

#include "daemon/cache/caches.h"
#include "daemon/cache/cache_view.h"
#include "device/clock.h"
#include "clear.h"
#include "stats.h"
#include "idle.h"
#include "options.h"
#include "dispatch.h"
#include "ladder_run.h"
#include "request.h"
#include "session_wait.h"

/* Answer a session's first request at once. */
static void
answer(GaSession *session, GaReply *reply)
{
	if (ga_session_send(session, reply, -1))
		ga_session_done(session);
}

/* Answer a session's first request with a failure. */
static void
answer_failure(GaSession *session, GaStatus status,
			   const GaDeviceFailure *failure)
{
	GaReply reply = {.status = status};

	ga_packet_explain(&reply, failure);
	answer(session, &reply);
}

/* Send what is wrong with a session's first request, and end the session. */
static void
reject(GaSession *session, GaStatus status, const char *call,
	   const char *message)
{
	ga_session_reject(session, ga_session_first(session), status, call,
					  message);
}

/* Describe a device, sessions and leases included. */
static void
fill_device(GaReply *reply, uint32_t i)
{
	ga_devices_fill(i, &reply->u.device);
	reply->u.device.n_sessions = ga_sessions_count();
	reply->u.device.n_leases = ga_staging_n_leases();
}

/* Return what is wrong with a GA_HELLO, perhaps in the buffer; or NULL. */
static const char *
hello_fault(const GaRequest *request, char *buffer, size_t n_bytes)
{
	const bool is_another = ga_options.wrong_version != 0;

	if (request->u.hello.magic != GA_PROTOCOL_MAGIC)
		return "the magic number is another";
	if (request->u.hello.version != GA_PROTOCOL_VERSION || is_another)
	{
		snprintf(buffer, n_bytes, "the protocol's version is %u here, not %u",
				 GA_PROTOCOL_VERSION + is_another, request->u.hello.version);
		return buffer;
	}
	if (request->u.hello.boot_token != ga_options.boot_token)
		return "the boot token is of another start of the server";
	return NULL;
}

/* The reply has the first device as it was described last. */
static void
start_hello(GaSession *session, const GaRequest *request)
{
	GaReply reply = {.status = GA_OK};
	char buffer[100];
	const char *fault = hello_fault(request, buffer, sizeof(buffer));

	if (session->is_greeted)
		reject(session, GA_BAD_REQUEST, "GA_HELLO", "there was one before");
	else if (fault != NULL)
		reject(session, GA_BAD_VERSION, "GA_HELLO", fault);
	else
	{
		session->is_greeted = true;
		session->client.database = request->u.hello.database;
		session->client.database_hash = request->u.hello.database_hash;
		fill_device(&reply, 0);
		answer(session, &reply);
	}
}

/* Answer GA_LEASE with the session's lease. */
static void
send_lease(GaSession *session)
{
	const GaLease *lease = &session->lease;
	GaReply reply = {.status = GA_OK};
	uint32_t i;

	for (i = 0; i < lease->n_slots; i++)
		reply.u.lease.offsets[i] = lease->slots[i]->offset;
	reply.u.lease.n_slots = lease->n_slots;
	reply.u.lease.keeps = ga_staging_keeps();
	session->wait_end_ns = 0;
	ga_session_want_lease(session, ga_sessions_wait(GA_WAITS_FOR_LEASE));
	if (ga_session_send(session, &reply, ga_staging_fd()))
		ga_session_done(session);
}

/*
 * Sessions that wait for a lease come first; each gets one slot while others
 * wait.  A session that has waited long enough comes here again, and does not
 * wait twice: its wait_end_ns is not 0 then.
 */
static void
start_lease(GaSession *session, const GaRequest *request)
{
	GaDeviceFailure failure = {"GA_LEASE", "all leases are taken"};
	const uint32_t n = request->u.lease.n_slots;

	if (n == 0 || n > GA_LEASE_SLOTS)
	{
		reject(session, GA_BAD_REQUEST, "GA_LEASE", "no such number of slots");
		return;
	}
	if (!ga_sessions_wait(GA_WAITS_FOR_LEASE))
		(void) ga_staging_lease(&session->lease, n);
	if (session->lease.n_slots > 0)
		send_lease(session);
	else if (request->u.lease.wait_ms > 0 && session->wait_end_ns == 0)
	{
		session->wait_end_ns =
			ga_now_ns() + request->u.lease.wait_ms * GA_NS_PER_MS;
		ga_session_wait(session, GA_WAITS_FOR_LEASE);
		ga_sessions_want_lease();
	}
	else
	{
		session->wait_end_ns = 0;
		answer_failure(session, GA_NO_CAPACITY, &failure);
	}
}

static void
start_release_lease(GaSession *session)
{
	if (session->lease.n_slots == 0)
	{
		reject(session, GA_BAD_REQUEST, "GA_RELEASE_LEASE",
			   "there is no lease");
		return;
	}
	ga_staging_release(&session->lease);
	ga_session_done(session);
}

/* Replace the session's lookup slots. */
static void
start_lookup_slots(GaSession *session, const GaRequest *request)
{
	GaDeviceFailure failure = {"GA_LOOKUP_SLOTS", "all are taken"};
	GaLookupMemory *lookups =
		ga_lookup_memory_take(request->u.lookup_slots.is_large != 0);
	GaReply reply = {.status = GA_OK};

	if (lookups == NULL)
	{
		answer_failure(session, GA_NO_CAPACITY, &failure);
		return;
	}
	ga_lookup_memory_release(session->lookups);
	session->lookups = lookups;
	reply.u.lookup_slots.offset = lookups->offset;
	reply.u.lookup_slots.n_arrays = lookups->shape.n_arrays;
	reply.u.lookup_slots.n_full = lookups->shape.n_full;
	reply.u.lookup_slots.keeps = ga_lookup_memory_keeps(lookups);
	if (ga_session_send(session, &reply, lookups->fd))
		ga_session_done(session);
}

static void
start_cancel_loads(GaSession *session)
{
	ga_cache_cancel_loads(&session->client);
	ga_session_done(session);
}

/* Start a request about a slot. */
static void
start_active(GaSession *session, GaQueuedRequest *queued,
			 const GaRequestKind *kind)
{
	GaDeviceFailure failure = {.call = ""};
	GaReply reply = {.status = GA_OK};
	GaStatus status;

	if (!ga_session_has_slot(session, &queued->request))
	{
		ga_session_reject(session, queued, GA_BAD_REQUEST, "request",
						  "there is no lease of the slot");
		return;
	}
	status = ga_request_start(session, queued, kind, &reply, &failure);
	switch (status)
	{
		case GA_PENDING:
			break;
		case GA_OK:
			ga_session_answer(session, queued, &reply);
			break;
		case GA_NO_CAPACITY:
			ga_session_wait(session, GA_WAITS_FOR_STORED);
			break;
		case GA_BUSY:
			ga_session_wait(session, GA_WAITS_FOR_REQUEST);
			break;
		case GA_BAD_REQUEST:
			ga_session_reject(session, queued, status, failure.call,
							  failure.message);
			break;
		default:
			if (kind->refuse != NULL)
				kind->refuse(session);
			reply.status = status;
			ga_packet_explain(&reply, &failure);
			ga_session_answer(session, queued, &reply);
			break;
	}
}

/* Replies come as gpuagg-ladder times its rungs. */
static void
start_ladder(GaSession *session, const GaRequest *request)
{
	const char *fault = ga_ladder_call_fault(&request->u.ladder);
	GaDeviceFailure failure = {.call = ""};
	GaStatus status;

	if (fault != NULL)
	{
		reject(session, GA_BAD_REQUEST, "GA_LADDER", fault);
		return;
	}
	status = ga_ladder_start(session, &request->u.ladder, &failure);
	if (status == GA_NO_CAPACITY)
		ga_session_wait(session, GA_WAITS_FOR_LADDER);
	if (status == GA_PENDING || status == GA_NO_CAPACITY)
		return;
	if (status == GA_DEVICE_FAILED)
		ga_devices_lose(ga_devices_get(0), &failure);
	answer_failure(session, status, &failure);
}

/* One reply for each device. */
static void
start_devices(GaSession *session)
{
	uint32_t i;

	for (i = 0; i < ga_devices_count(); i++)
	{
		GaDeviceFailure failure = {.call = ""};
		GaReply reply = {.status = ga_devices_describe(i, &failure)};

		if (reply.status == GA_DEVICE_FAILED)
		{
			ga_devices_lose(ga_devices_get(i), &failure);
			reply.status = GA_OK;
		}
		if (reply.status != GA_OK)
			ga_packet_explain(&reply, &failure);
		fill_device(&reply, i);
		if (!ga_session_send(session, &reply, -1))
			return;
	}
	ga_session_done(session);
}

/* The rows go in a memfd of their own, however many there are. */
static void
start_cache(GaSession *session)
{
	GaReply reply = {.status = GA_OK};
	int fd = ga_cache_view(&reply.u.cache.n_rows);

	if (fd < 0)
	{
		GaDeviceFailure failure = {"memfd_create", "there is no memory"};

		answer_failure(session, GA_NO_MEMORY, &failure);
		return;
	}
	if (ga_session_send(session, &reply, fd))
		ga_session_done(session);
	close(fd);
}

/* Replies come while arrays are removed, and when all are. */
static void
start_clear(GaSession *session, const GaRequest *request)
{
	GaDeviceFailure failure = {.call = ""};
	GaStatus status =
		ga_clear_start(session, request->u.clear.relation, &failure);

	if (status != GA_PENDING)
		answer_failure(session, status, &failure);
}

static void
start_stat(GaSession *session, bool resets)
{
	GaReply reply = {.status = GA_OK};

	ga_caches_fill(&ga_stats);
	reply.u.stat = ga_stats;
	if (resets)
		ga_stats_reset();
	answer(session, &reply);
}

/* Does the request use a device, or is it about to? */
static bool
is_use(GaOpcode opcode)
{
	return ga_uses_slot(opcode) || opcode == GA_LEASE ||
		   opcode == GA_LOOKUP_SLOTS || opcode == GA_LADDER;
}

/* Begin with a request of a session: the first one, or an independent one. */
void
ga_dispatch(GaSession *session, GaQueuedRequest *queued)
{
	static const GaRequestKind *const kinds[] = {
		[GA_SUM] = &ga_request_sum,
		[GA_SCAN] = &ga_request_scan,
		[GA_REDUCE_STORED] = &ga_request_reduce_stored,
		[GA_ELEM] = &ga_request_elem,
		[GA_WINDOW] = &ga_request_window,
		[GA_LOAD] = &ga_request_load,
	};
	const GaRequest *request = &queued->request;

	if (is_use((GaOpcode) request->opcode))
		ga_idle_used();
	switch ((GaOpcode) request->opcode)
	{
		case GA_HELLO:
			start_hello(session, request);
			break;
		case GA_LEASE:
			start_lease(session, request);
			break;
		case GA_RELEASE_LEASE:
			start_release_lease(session);
			break;
		case GA_LOOKUP_SLOTS:
			start_lookup_slots(session, request);
			break;
		case GA_SUM:
		case GA_SCAN:
		case GA_REDUCE_STORED:
		case GA_ELEM:
		case GA_WINDOW:
		case GA_LOAD:
			start_active(session, queued, kinds[request->opcode]);
			break;
		case GA_LADDER:
			start_ladder(session, request);
			break;
		case GA_CANCEL_LOADS:
			start_cancel_loads(session);
			break;
		case GA_DEVICES:
			start_devices(session);
			break;
		case GA_CACHE:
			start_cache(session);
			break;
		case GA_CLEAR:
			start_clear(session, request);
			break;
		case GA_STAT:
		case GA_RESET:
			start_stat(session, request->opcode == GA_RESET);
			break;
	}
}
