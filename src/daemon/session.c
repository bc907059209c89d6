/*
 * session.c
 *		Connections: their requests, and their end.
 *
 * Owns all sessions.  The loop calls it for packets and at the end of each
 * turn; dispatch.c and request.c answer requests through it.  It begins
 * requests by the function that main.c gave it.
 *
 * A session's requests are begun and answered in the order in which they came.
 * The first is under way, and so are those right behind it if all of them are
 * independent (may_begin); the others are queued here or in the socket.  A
 * client that breaks a rule of the protocol receives the reason and loses the
 * connection.
 * Nothing may wait for a client: one that does not read its replies loses its
 * connection, too.
 *
 * The client of a session that is closed here may not know that, and read its
 * slots: others get them when it has closed its end, too, or released them.
 * From then on the session is only kept until the end of the loop's turn, since
 * events of it may have been fetched already.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/cache/caches.h"
#include "device/clock.h"
#include "device/device_check.h"
#include "log.h"
#include "request.h"
#include "session.h"
#include "session_wait.h"

TAILQ_HEAD(SessionList, GaSession);

static struct SessionList sessions = TAILQ_HEAD_INITIALIZER(sessions);
static struct SessionList closed_sessions =
	TAILQ_HEAD_INITIALIZER(closed_sessions); /* here, and not by the client */
static struct SessionList ended_sessions =
	TAILQ_HEAD_INITIALIZER(ended_sessions);
static uint32_t n_sessions;
static uint32_t n_active; /* of these have requests */
static void (*dispatch_request)(GaSession *session, GaQueuedRequest *queued);

static void begin_requests(GaSession *session);

/* Set the function that begins with a request. */
void
ga_sessions_open(void (*dispatch)(GaSession *, GaQueuedRequest *))
{
	ga_session_waits_open(begin_requests);
	dispatch_request = dispatch;
}

uint32_t
ga_sessions_count(void)
{
	return n_sessions;
}

/*
 * Serve a session no more; requests of it that are on a device go on.  It keeps
 * its slots until the client has closed its end: session_ready().
 */
static void
close_session(GaSession *session)
{
	struct GaActiveRequest *active;

	if (session->is_closed)
		return;
	session->is_closed = true;
	(void) shutdown(session->fd, SHUT_WR);
	ga_loop_change(&session->source, session->fd, EPOLLIN | EPOLLRDHUP);
	n_sessions--;
	n_active -= session->n_requests > 0;
	TAILQ_REMOVE(&sessions, session, all);
	TAILQ_INSERT_TAIL(&closed_sessions, session, all);
	ga_session_end_wait(session);
	if (session->on_close != NULL)
		session->on_close(session);
	TAILQ_FOREACH(active, &session->actives, of_session)
	{
		active->session = NULL;
	}
	ga_cache_cancel_loads(&session->client);
}

/* The client has closed its end: others may have its slots. */
static void
end_session(GaSession *session)
{
	close_session(session);
	ga_packet_drain(session->fd);
	ga_loop_remove(session->fd);
	close(session->fd);
	session->fd = -1;
	TAILQ_REMOVE(&closed_sessions, session, all);
	TAILQ_INSERT_TAIL(&ended_sessions, session, all);
	ga_staging_release(&session->lease);
	ga_lookup_memory_release(session->lookups);
}

/* Have the loop call the session for requests, or for its end only. */
static void
poll_requests(GaSession *session, bool wants_requests)
{
	ga_loop_change(&session->source, session->fd,
				   (wants_requests ? EPOLLIN : 0) | EPOLLRDHUP);
}

/* Return request i of the queue. */
static GaQueuedRequest *
queued_request(GaSession *session, uint32_t i)
{
	return &session->requests[(session->first + i) % GA_SESSION_REQUESTS];
}

/* Return where the reply to a request goes that uses a slot. */
static GaSlotReply *
slot_reply(const GaSession *session, const GaRequest *request)
{
	if (request->opcode == GA_REDUCE_STORED)
		return ga_lookup_memory_slot(session->lookups, request->slot).reply;
	return &session->lease.slots[request->slot]->start->reply;
}

/* Does a session have the slot of a request that uses one? */
bool
ga_session_has_slot(const GaSession *session, const GaRequest *request)
{
	if (request->opcode == GA_REDUCE_STORED)
		return session->lookups != NULL && request->slot >= GA_LEASE_SLOTS &&
			   request->slot < GA_SLOTS;
	return request->slot < session->lease.n_slots;
}

/*
 * Send the reply to a session's first request, to its slot or by the socket,
 * with a descriptor unless that is -1.  Return false if that ended the
 * session.
 */
bool
ga_session_send(GaSession *session, GaReply *reply, int fd)
{
	const GaRequest *request = &ga_session_first(session)->request;

	reply->opcode = request->opcode;
	reply->slot = request->slot;
	reply->devices = ga_devices_working();
	reply->n_active = n_active;
	reply->put_ns = ga_now_ns();
	if ((ga_uses_slot(request->opcode) &&
		 ga_session_has_slot(session, request) &&
		 ga_packet_put(slot_reply(session, request), reply)) ||
		ga_packet_send(session->fd, reply, fd))
		return true;
	close_session(session);
	return false;
}

/* Does a request depend on no other one of its session? */
static bool
is_independent(const GaQueuedRequest *queued)
{
	return queued->request.opcode == GA_REDUCE_STORED ||
		   queued->request.opcode == GA_ELEM ||
		   queued->request.opcode == GA_WINDOW;
}

/*
 * May the next request begin?  Only those may be under way together that do not
 * depend on each other.
 */
static bool
may_begin(GaSession *session)
{
	return session->n_begun == 0 ||
		   (is_independent(ga_session_first(session)) &&
			is_independent(queued_request(session, session->n_begun)));
}

/* Begin with the requests whose turn it is. */
static void
begin_requests(GaSession *session)
{
	while (session->n_begun < session->n_requests && !session->is_closed &&
		   session->waits_for == GA_WAITS_FOR_NOTHING && may_begin(session))
		dispatch_request(session, queued_request(session, session->n_begun++));
}

/* Remove the first request, which has been replied to. */
void
ga_session_done(GaSession *session)
{
	session->n_begun--;
	session->first = (session->first + 1) % GA_SESSION_REQUESTS;
	if (session->n_requests-- == GA_SESSION_REQUESTS)
		poll_requests(session, true);
	n_active -= session->n_requests == 0;
}

/* Answer a request that has begun; send its reply when it is the first. */
void
ga_session_answer(GaSession *session, GaQueuedRequest *queued,
				  const GaReply *reply)
{
	GaQueuedRequest *first = ga_session_first(session);

	queued->reply = *reply;
	queued->is_answered = true;
	while (session->n_begun > 0 && first->is_answered &&
		   ga_session_send(session, &first->reply, -1))
	{
		ga_session_done(session);
		first = ga_session_first(session);
	}
}

/* Answer a request that was on the device, and begin with the next one. */
void
ga_session_complete(GaSession *session, GaQueuedRequest *queued,
					const GaReply *reply)
{
	ga_session_answer(session, queued, reply);
	begin_requests(session);
}

/* Send what is wrong with a request, and end the session. */
static void
reject(GaSession *session, const GaRequest *request, GaStatus status,
	   const char *call, const char *message)
{
	GaDeviceFailure failure;

	ga_device_failure(&failure, call, "%s", message);
	ga_log("a connection was closed: %s: %s; its session uses the CPU, and "
		   "connects again",
		   failure.call, failure.message);
	ga_packet_send_failure(session->fd, request, status, &failure);
	close_session(session);
}

/* Send what is wrong with a request of the queue, and end the session. */
void
ga_session_reject(GaSession *session, const GaQueuedRequest *queued,
				  GaStatus status, const char *call, const char *message)
{
	reject(session, &queued->request, status, call, message);
}

/* Return what is wrong with a request, given those before it, or NULL. */
static const char *
request_fault(GaSession *session, const GaRequest *request)
{
	uint32_t i;

	if (request->opcode < GA_HELLO || request->opcode > GA_RESET)
		return "no such operation";
	if (!ga_uses_slot(request->opcode))
		return NULL;
	if (request->slot >= GA_SLOTS)
		return "no such slot";
	if (request->device >= ga_devices_count())
		return "no such device";
	for (i = 0; i < session->n_requests; i++)
	{
		const GaRequest *other = &queued_request(session, i)->request;

		if (other->slot == request->slot && ga_uses_slot(other->opcode))
			return "the slot has a request already";
	}
	return NULL;
}

/* Queue a request, of a packet of n_bytes. */
static void
receive_request(GaSession *session, const GaRequest *request, size_t n_bytes)
{
	GaQueuedRequest *queued;
	const char *fault;

	if (n_bytes != sizeof(*request))
		fault = "a message of the wrong size";
	else if (!session->is_greeted && request->opcode != GA_HELLO)
		fault = "the first message is not GA_HELLO";
	else
		fault = request_fault(session, request);
	if (fault != NULL)
	{
		reject(session, request,
			   session->is_greeted ? GA_BAD_REQUEST : GA_BAD_VERSION, "request",
			   fault);
		return;
	}
	queued = queued_request(session, session->n_requests);
	queued->request = *request;
	queued->is_answered = false;
	n_active += session->n_requests == 0;
	if (++session->n_requests == GA_SESSION_REQUESTS)
		poll_requests(session, false);
	begin_requests(session);
}

/* Receive one packet, no more, so that no client keeps others waiting. */
static void
session_ready(GaSource *source, uint32_t events)
{
	GaSession *session = (GaSession *) source;
	GaRequest request = {0};
	ssize_t n;

	if (session->fd < 0)
		return;
	if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
	{
		end_session(session);
		return;
	}
	n = recv(session->fd, &request, sizeof(request), MSG_DONTWAIT | MSG_TRUNC);
	if (n > 0 && !session->is_closed)
		receive_request(session, &request, (size_t) n);
	else if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		end_session(session);
	else if (n == sizeof(request) && request.opcode == GA_RELEASE_LEASE)
		ga_staging_release(&session->lease);
}

/* Open a session on a new connection; close that if there is no memory. */
void
ga_session_open(int fd)
{
	GaSession *session = calloc(1, sizeof(*session));

	if (session != NULL)
	{
		TAILQ_INIT(&session->client.loads);
		TAILQ_INIT(&session->actives);
		session->source.ready = session_ready;
		session->fd = fd;
	}
	if (session == NULL ||
		ga_loop_add(&session->source, fd, EPOLLIN | EPOLLRDHUP) != 0)
	{
		ga_log_warning("a connection was closed: out of memory; its session "
					   "uses the CPU");
		close(fd);
		free(session);
		return;
	}
	TAILQ_INSERT_TAIL(&sessions, session, all);
	n_sessions++;
}

/* Tell a session whether others wait for the lease that it has. */
void
ga_session_want_lease(GaSession *session, bool is_wanted)
{
	if (session->lookups != NULL)
		((volatile GaLookupHead *) session->lookups->start)->lease_is_wanted =
			is_wanted;
}

/* Tell the sessions of a list that have a lease that others wait for it. */
static void
want_lease_of(const struct SessionList *list)
{
	GaSession *session;

	TAILQ_FOREACH(session, list, all)
	{
		if (session->lease.n_slots > 0)
			ga_session_want_lease(session, true);
	}
}

/* Tell all sessions, also those that are closed here and do not know it. */
void
ga_sessions_want_lease(void)
{
	want_lease_of(&sessions);
	want_lease_of(&closed_sessions);
}

/* At the end of the loop's turn: serve waiters, free ended sessions. */
void
ga_sessions_end_turn(void)
{
	GaSession *session;

	ga_sessions_serve();
	while ((session = TAILQ_FIRST(&ended_sessions)) != NULL)
	{
		TAILQ_REMOVE(&ended_sessions, session, all);
		free(session);
	}
}

/* Answer all requests of all sessions: the last device has failed. */
void
ga_sessions_fail(const GaDeviceFailure *failure)
{
	GaSession *session;

	TAILQ_FOREACH(session, &sessions, all)
	{
		uint32_t i;

		for (i = 0; i < session->n_requests; i++)
		{
			const GaRequest *request = &queued_request(session, i)->request;

			if (request->opcode != GA_RELEASE_LEASE &&
				request->opcode != GA_CANCEL_LOADS)
				ga_packet_send_failure(session->fd, request, GA_DEVICE_FAILED,
									   failure);
		}
		session->n_requests = session->n_begun = 0;
		ga_packet_drain(session->fd);
	}
}
