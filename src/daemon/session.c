/*
 * session.c
 *		Connections: their requests, their waits, and their end.
 *
 * Owns all sessions and the queues of waiting ones.  The loop calls it for
 * packets and at the end of each turn; dispatch.c and request.c answer
 * requests through it.  It begins requests by the function that main.c gave
 * it.
 *
 * A session's requests are answered in the order in which they came: the first
 * is under way, and the others are queued here or in the socket.  A client
 * that breaks a rule of the protocol receives the reason and loses the
 * connection.  Nothing may wait for a client: one that does not read its
 * replies loses its connection, too.
 *
 * A closed session stays in memory until the end of the loop's turn, since
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
#include "session.h"

/* How often sessions that wait for stored arrays try again in any case. */
#define RETRY_NS (250 * GA_NS_PER_MS)

TAILQ_HEAD(SessionList, GaSession);

static struct SessionList sessions = TAILQ_HEAD_INITIALIZER(sessions);
static struct SessionList closed_sessions =
	TAILQ_HEAD_INITIALIZER(closed_sessions);
static struct SessionList waiters[GA_N_WAITS]; /* by what they wait for */
static bool loads_ended; /* since those for stored arrays tried last */
static int64_t retry_ns; /* when they try again in any case */
static uint32_t n_sessions;
static void (*dispatch_request)(GaSession *session, const GaRequest *request);

/* Set the function that begins with a session's first request. */
void
ga_sessions_open(void (*dispatch)(GaSession *, const GaRequest *))
{
	int i;

	for (i = 0; i < GA_N_WAITS; i++)
		TAILQ_INIT(&waiters[i]);
	dispatch_request = dispatch;
}

uint32_t
ga_sessions_count(void)
{
	return n_sessions;
}

static void
end_wait(GaSession *session)
{
	if (session->waits_for != GA_WAITS_FOR_NOTHING)
		TAILQ_REMOVE(&waiters[session->waits_for], session, waiting);
	session->waits_for = GA_WAITS_FOR_NOTHING;
}

/* Release the session's lease, and cancel its loads. */
void
ga_session_release_lease(GaSession *session)
{
	ga_cache_cancel_loads(ga_cache_of(session->lease->device),
						  &session->client);
	ga_staging_release(session->lease);
	session->lease = NULL;
}

/* End a session; a request of it that is on the device goes on. */
static void
close_session(GaSession *session)
{
	if (session->is_closed)
		return;
	session->is_closed = true;
	ga_packet_drain(session->fd);
	ga_loop_remove(session->fd);
	close(session->fd);
	n_sessions--;
	TAILQ_REMOVE(&sessions, session, all);
	TAILQ_INSERT_TAIL(&closed_sessions, session, all);
	end_wait(session);
	if (session->on_close != NULL)
		session->on_close(session);
	if (session->lease != NULL)
		ga_session_release_lease(session);
}

/* Have the loop call the session for requests, or for its end only. */
static void
poll_requests(GaSession *session, bool wants_requests)
{
	ga_loop_change(&session->source, session->fd,
				   (wants_requests ? EPOLLIN : 0) | EPOLLRDHUP);
}

/* Put a reply into its slot.  Return false if the client does not poll it. */
static bool
put_reply(const GaSession *session, const GaReply *reply)
{
	return session->lease != NULL && ga_uses_slot(reply->opcode) &&
		   ga_packet_put(&ga_lease_slot(session->lease, reply->slot)->reply,
						 reply);
}

/*
 * Send the reply to a session's first request, to its slot or by the socket,
 * with a descriptor unless that is -1.  Return false if that ended the
 * session.
 */
bool
ga_session_send(GaSession *session, GaReply *reply, int fd)
{
	const GaRequest *request = &session->requests[session->first];

	reply->opcode = request->opcode;
	reply->slot = request->slot;
	if (put_reply(session, reply) || ga_packet_send(session->fd, reply, fd))
		return true;
	close_session(session);
	return false;
}

/* Begin with the requests whose turn it is. */
static void
run_requests(GaSession *session)
{
	while (session->n_requests > 0 && !session->is_closed &&
		   session->waits_for == GA_WAITS_FOR_NOTHING && !session->is_active)
		dispatch_request(session, &session->requests[session->first]);
}

/* Remove the first request, which has been answered. */
void
ga_session_done(GaSession *session)
{
	session->is_active = false;
	session->first = (session->first + 1) % GA_SESSION_REQUESTS;
	if (session->n_requests-- == GA_SESSION_REQUESTS)
		poll_requests(session, true);
}

/* Answer a request that was on the device, and begin with the next one. */
void
ga_session_complete(GaSession *session, GaReply *reply)
{
	if (!ga_session_send(session, reply, -1))
		return;
	ga_session_done(session);
	run_requests(session);
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

/* Send what is wrong with the first request, and end the session. */
void
ga_session_reject(GaSession *session, GaStatus status, const char *call,
				  const char *message)
{
	reject(session, &session->requests[session->first], status, call, message);
}

/* Return what is wrong with a request, given those before it, or NULL. */
static const char *
request_fault(const GaSession *session, const GaRequest *request)
{
	uint32_t i;

	if (request->opcode < GA_HELLO || request->opcode > GA_RESET)
		return "no such operation";
	if (!ga_uses_slot(request->opcode))
		return NULL;
	if (request->slot >= GA_LEASE_SLOTS)
		return "no such slot";
	for (i = 0; i < session->n_requests; i++)
	{
		const GaRequest *other =
			&session->requests[(session->first + i) % GA_SESSION_REQUESTS];

		if (other->slot == request->slot && ga_uses_slot(other->opcode))
			return "the slot has a request already";
	}
	return NULL;
}

/* Queue a request, of a packet of n_bytes. */
static void
receive_request(GaSession *session, const GaRequest *request, size_t n_bytes)
{
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
	session->requests[(session->first + session->n_requests) %
					  GA_SESSION_REQUESTS] = *request;
	if (++session->n_requests == GA_SESSION_REQUESTS)
		poll_requests(session, false);
	run_requests(session);
}

/* Receive one packet, no more, so that no client keeps others waiting. */
static void
session_ready(GaSource *source, uint32_t events)
{
	GaSession *session = (GaSession *) source;
	GaRequest request = {0};
	ssize_t n;

	if (session->is_closed)
		return;
	if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
	{
		close_session(session);
		return;
	}
	n = recv(session->fd, &request, sizeof(request), MSG_DONTWAIT | MSG_TRUNC);
	if (n > 0)
		receive_request(session, &request, (size_t) n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		close_session(session);
}

/* Open a session on a new connection; close that if there is no memory. */
void
ga_session_open(int fd)
{
	GaSession *session = calloc(1, sizeof(*session));

	if (session != NULL)
	{
		TAILQ_INIT(&session->client.loads);
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

/* Have the session's first request wait; it is dispatched again later. */
void
ga_session_wait(GaSession *session, GaWaitsFor what)
{
	session->waits_for = what;
	TAILQ_INSERT_TAIL(&waiters[what], session, waiting);
}

/* Does any session wait for a lease? */
bool
ga_sessions_wait_for_lease(void)
{
	return !TAILQ_EMPTY(&waiters[GA_WAITS_FOR_LEASE]);
}

/* The cache calls this when a load has ended or was cancelled. */
void
ga_sessions_retry(void)
{
	loads_ended = true;
}

/*
 * Dispatch the first request that waits for this; it may wait again.  Return
 * false if none waits.
 */
bool
ga_sessions_wake(GaWaitsFor what)
{
	GaSession *session = TAILQ_FIRST(&waiters[what]);

	if (session == NULL)
		return false;
	end_wait(session);
	run_requests(session);
	return true;
}

/* Give free leases to the sessions that wait for one. */
static void
serve_lease_waiters(void)
{
	GaSession *session;

	while ((session = TAILQ_FIRST(&waiters[GA_WAITS_FOR_LEASE])) != NULL &&
		   (session->lease = ga_staging_lease(session)) != NULL)
		(void) ga_sessions_wake(GA_WAITS_FOR_LEASE);
}

/*
 * Dispatch the requests that wait for stored arrays again, if a load has ended
 * or it is time; they may wait again.
 */
static void
serve_stored_waiters(void)
{
	struct SessionList *waiting = &waiters[GA_WAITS_FOR_STORED];
	struct SessionList list = TAILQ_HEAD_INITIALIZER(list);
	GaSession *session;

	if (TAILQ_EMPTY(waiting) || (!loads_ended && ga_now_ns() < retry_ns))
		return;
	loads_ended = false;
	retry_ns = ga_now_ns() + RETRY_NS;
	TAILQ_CONCAT(&list, waiting, waiting);
	while ((session = TAILQ_FIRST(&list)) != NULL)
	{
		TAILQ_REMOVE(&list, session, waiting);
		TAILQ_INSERT_HEAD(waiting, session, waiting);
		end_wait(session);
		run_requests(session);
	}
}

/* At the end of the loop's turn: serve waiters, free closed sessions. */
void
ga_sessions_end_turn(void)
{
	GaSession *session;

	serve_lease_waiters();
	serve_stored_waiters();
	while ((session = TAILQ_FIRST(&closed_sessions)) != NULL)
	{
		TAILQ_REMOVE(&closed_sessions, session, all);
		free(session);
	}
}

/* Return the milliseconds that the loop may sleep; -1 is for ever. */
int
ga_sessions_timeout_ms(int64_t now_ns)
{
	if (TAILQ_EMPTY(&waiters[GA_WAITS_FOR_STORED]))
		return -1;
	return loads_ended || now_ns >= retry_ns ?
			   0 :
			   (int) ((retry_ns - now_ns) / GA_NS_PER_MS) + 1;
}

/* Answer all requests of all sessions: the device has failed. */
void
ga_sessions_fail(const GaDeviceFailure *failure)
{
	GaSession *session;

	TAILQ_FOREACH(session, &sessions, all)
	{
		for (; session->n_requests > 0; session->n_requests--)
		{
			const GaRequest *request = &session->requests[session->first];

			if (request->opcode != GA_RELEASE_LEASE &&
				request->opcode != GA_CANCEL_LOADS)
				ga_packet_send_failure(session->fd, request, GA_DEVICE_FAILED,
									   failure);
			session->first = (session->first + 1) % GA_SESSION_REQUESTS;
		}
		ga_packet_drain(session->fd);
	}
}
