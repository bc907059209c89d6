/*
 * dispatch.c
 *		Begins each request of the protocol.
 *
 * Owns nothing.  session.c calls ga_dispatch() for the first request of a
 * session, when its turn comes and again when a wait has ended.  A request is
 * answered at once, unless it waits or goes to the device (request.c).
 */
#include <stdio.h>
#include <unistd.h>

#include "daemon/cache/caches.h"
#include "daemon/cache/cache_view.h"
#include "clear.h"
#include "stats.h"
#include "exit.h"
#include "idle.h"
#include "options.h"
#include "dispatch.h"
#include "ladder_run.h"
#include "request.h"

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

/* Describe a device, sessions and leases included. */
static void
fill_device(GaReply *reply, uint32_t i)
{
	ga_devices_fill(i, &reply->u.device);
	reply->u.device.n_sessions = ga_sessions_count();
	reply->u.device.n_leases = ga_staging_n_taken();
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
		ga_session_reject(session, GA_BAD_REQUEST, "GA_HELLO",
						  "there was one before");
	else if (fault != NULL)
		ga_session_reject(session, GA_BAD_VERSION, "GA_HELLO", fault);
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
send_lease(GaSession *session, GaLease *lease)
{
	GaReply reply = {.status = GA_OK};

	session->lease = lease;
	reply.u.lease.offset = lease->offset;
	reply.u.lease.keeps = ga_staging_keeps();
	if (ga_session_send(session, &reply, ga_staging_fd()))
		ga_session_done(session);
}

/* Sessions that wait for a lease come first. */
static void
start_lease(GaSession *session, const GaRequest *request)
{
	GaDeviceFailure failure = {"GA_LEASE", "all leases are taken"};
	GaLease *lease = session->lease;

	if (lease == NULL && !ga_sessions_wait_for_lease())
		lease = ga_staging_lease(session);
	if (lease != NULL)
		send_lease(session, lease);
	else if (request->u.lease.waits)
		ga_session_wait(session, GA_WAITS_FOR_LEASE);
	else
		answer_failure(session, GA_NO_CAPACITY, &failure);
}

static void
start_release_lease(GaSession *session)
{
	if (session->lease == NULL)
	{
		ga_session_reject(session, GA_BAD_REQUEST, "GA_RELEASE_LEASE",
						  "there is no lease");
		return;
	}
	ga_session_release_lease(session);
	ga_session_done(session);
}

static void
start_cancel_loads(GaSession *session)
{
	if (session->lease != NULL)
		ga_cache_cancel_loads(ga_cache_of(session->lease->device),
							  &session->client);
	ga_session_done(session);
}

static void
start_active(GaSession *session, const GaRequest *request,
			 const GaRequestKind *kind)
{
	GaDeviceFailure failure = {.call = ""};
	GaReply reply = {.status = GA_OK};
	GaStatus status;

	if (session->lease == NULL)
	{
		ga_session_reject(session, GA_BAD_REQUEST, "request",
						  "there is no lease");
		return;
	}
	status = ga_request_start(session->lease, kind, request, &reply, &failure);
	switch (status)
	{
		case GA_PENDING:
			session->is_active = true;
			break;
		case GA_OK:
			answer(session, &reply);
			break;
		case GA_NO_CAPACITY:
			ga_session_wait(session, GA_WAITS_FOR_STORED);
			break;
		case GA_BAD_REQUEST:
			ga_session_reject(session, status, failure.call, failure.message);
			break;
		default:
			if (kind->refuse != NULL)
				kind->refuse(session);
			answer_failure(session, status, &failure);
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
		ga_session_reject(session, GA_BAD_REQUEST, "GA_LADDER", fault);
		return;
	}
	status = ga_ladder_start(session, &request->u.ladder, &failure);
	if (status == GA_PENDING)
		session->is_active = true;
	else if (status == GA_NO_CAPACITY)
		ga_session_wait(session, GA_WAITS_FOR_LADDER);
	else if (status == GA_DEVICE_FAILED)
		ga_exit_lost(&failure);
	else
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
		GaReply reply = {.status = GA_OK};

		reply.status = ga_devices_describe(i, &failure);
		if (reply.status == GA_DEVICE_FAILED)
			ga_exit_lost(&failure);
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

	if (status == GA_PENDING)
		session->is_active = true;
	else
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
	return ga_uses_slot(opcode) || opcode == GA_LEASE || opcode == GA_LADDER;
}

/* Begin with the first request of a session. */
void
ga_dispatch(GaSession *session, const GaRequest *request)
{
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
		case GA_SUM:
			start_active(session, request, &ga_request_sum);
			break;
		case GA_SCAN:
			start_active(session, request, &ga_request_scan);
			break;
		case GA_SUM_STORED:
			start_active(session, request, &ga_request_sum_stored);
			break;
		case GA_LOAD:
			start_active(session, request, &ga_request_load);
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
			start_stat(session, false);
			break;
		case GA_RESET:
			start_stat(session, true);
			break;
	}
}
