/*
 * session.c
 *		Connections: their requests in, replies out, and their end.
 *
 * A session's requests are answered in the order in which they came: the first
 * of them is under way, and the others wait, here or in the socket.  Who
 * breaks a rule of the protocol is told so, and loses the connection.  Nothing
 * waits for a client: one that does not read its replies loses it, too.
 *
 * A closed session stays in memory until the loop's turn is over, for events
 * of it may still be on the way.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/cache/cache.h"
#include "device/clock.h"
#include "log.h"
#include "session.h"

/* Messages that are thrown away so that the last reply can be read. */
#define MAX_DRAINED 64

/* How often those who wait for values look whether that is worth it. */
#define RETRY_NS (250 * GA_NS_PER_MS)

TAILQ_HEAD(SessionList, GaSession);

static struct SessionList sessions = TAILQ_HEAD_INITIALIZER(sessions);
static struct SessionList closed_sessions =
	TAILQ_HEAD_INITIALIZER(closed_sessions);
static struct SessionList waiting_sessions =
	TAILQ_HEAD_INITIALIZER(waiting_sessions);
static struct SessionList value_sessions =
	TAILQ_HEAD_INITIALIZER(value_sessions);
static bool values_changed; /* since they were looked at */
static int64_t retry_ns;	/* when to look at them again in any case */
static uint32_t n_sessions;

uint32_t
ga_sessions_count(void)
{
	return n_sessions;
}

/*
 * Bytes that are unread at the end would make it an error for the client,
 * before it could read what it was told.
 */
static void
drain(int fd)
{
	GaRequest request;
	int i;

	for (i = 0; i < MAX_DRAINED; i++)
	{
		if (recv(fd, &request, sizeof(request), MSG_DONTWAIT) <= 0)
			break;
	}
}

/* Those that wait for the same. */
static struct SessionList *
waiting_list(GaWaitsFor what)
{
	return what == GA_WAITS_FOR_LEASE ? &waiting_sessions : &value_sessions;
}

static void
end_wait(GaSession *session)
{
	if (session->waits_for != GA_WAITS_FOR_NOTHING)
		TAILQ_REMOVE(waiting_list(session->waits_for), session, waiting);
	session->waits_for = GA_WAITS_FOR_NOTHING;
}

/* It has no more use for its window, and loads nothing any more. */
void
ga_session_release_lease(GaSession *session)
{
	ga_cache_cancel_loads(ga_cache_of(session->window->device), session);
	ga_staging_release(session->window);
	session->window = NULL;
}

/* The end of a session; a request of it that is on the device goes on. */
static void
close_session(GaSession *session)
{
	if (session->is_closed)
		return;
	session->is_closed = true;
	drain(session->fd);
	close(session->fd);
	n_sessions--;
	TAILQ_REMOVE(&sessions, session, all);
	TAILQ_INSERT_TAIL(&closed_sessions, session, all);
	end_wait(session);
	if (session->window != NULL)
		ga_session_release_lease(session);
}

/* Ask for more requests, or only for the end. */
static void
listen_to(GaSession *session, bool wants_requests)
{
	ga_loop_change(&session->source, session->fd,
				   (wants_requests ? EPOLLIN : 0) | EPOLLRDHUP);
}

/* Fill in the reason: "cudaMalloc: out of memory (2)". */
void
ga_session_explain(GaReply *reply, const GaDeviceFailure *failure)
{
	size_t n = strlen(failure->call);

	if (n > 0)
		n = (size_t) snprintf(reply->reason, sizeof(reply->reason),
							  "%s: ", failure->call);
	snprintf(reply->reason + n, sizeof(reply->reason) - n, "%.*s",
			 (int) (sizeof(reply->reason) - n - 1), failure->message);
}

static bool
send_message(int fd, const GaReply *reply, int passed_fd)
{
	union
	{
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec bytes = {(void *) reply, sizeof(*reply)};
	struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};

	if (passed_fd >= 0)
	{
		memset(&control, 0, sizeof(control));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &passed_fd, sizeof(int));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	return sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof(*reply);
}

/* Put a reply into its slot.  False if it is not awaited there. */
static bool
put_reply(const GaSession *session, const GaReply *reply)
{
	GaSlotReply *room;

	if (session->window == NULL || !ga_uses_slot(reply->opcode))
		return false;
	room = &ga_lease_slot(session->window, reply->slot)->reply;
	/* no more than somebody will look at: it goes to another processor */
	memcpy(&room->reply, reply,
		   reply->status == GA_OK ?
			   offsetof(GaReply, u) + sizeof(reply->u.scan) :
			   sizeof(*reply));
	return ga_reply_change(room, GA_REPLY_AWAITED, GA_REPLY_HERE);
}

/*
 * Give a reply to a session's first request, in its slot or by the socket,
 * which takes a descriptor, too, if it is not -1.  False if that ended the
 * session.
 */
bool
ga_session_send(GaSession *session, GaReply *reply, int fd)
{
	const GaRequest *request = &session->requests[session->first];

	reply->opcode = request->opcode;
	reply->slot = request->slot;
	if (put_reply(session, reply) || send_message(session->fd, reply, fd))
		return true;
	close_session(session);
	return false;
}

/* Begin with the requests whose turn it is. */
static void
run_requests(GaSession *session)
{
	while (session->n_requests > 0 && !session->is_closed &&
		   session->waits_for == GA_WAITS_FOR_NOTHING && !session->is_working)
		ga_dispatch(session, &session->requests[session->first]);
}

/* The first request has been answered. */
void
ga_session_done(GaSession *session)
{
	session->is_working = false;
	session->first = (session->first + 1) % GA_SESSION_REQUESTS;
	if (session->n_requests-- == GA_SESSION_REQUESTS)
		listen_to(session, true);
}

/* Answer a request that was on the device, and go on with the next. */
void
ga_session_answer(GaSession *session, GaReply *reply)
{
	if (!ga_session_send(session, reply, -1))
		return;
	ga_session_done(session);
	run_requests(session);
}

/* Tell what is wrong with a request; that ends the session. */
static void
reject(GaSession *session, const GaRequest *request, GaStatus status,
	   const char *call, const char *message)
{
	GaReply reply = {
		.opcode = request->opcode, .slot = request->slot, .status = status};
	GaDeviceFailure failure;

	snprintf(failure.call, sizeof(failure.call), "%s", call);
	snprintf(failure.message, sizeof(failure.message), "%s", message);
	ga_session_explain(&reply, &failure);
	ga_log("a connection was closed: %s", reply.reason);
	(void) send_message(session->fd, &reply, -1);
	close_session(session);
}

/* The same for the first request. */
void
ga_session_reject(GaSession *session, GaStatus status, const char *call,
				  const char *message)
{
	reject(session, &session->requests[session->first], status, call, message);
}

/* What is wrong with a message, by itself and after those before it. */
static const char *
message_fault(const GaSession *session, const GaRequest *request)
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

/* A message of so many bytes came. */
static void
take_message(GaSession *session, const GaRequest *request, size_t n_bytes)
{
	const char *fault;

	if (n_bytes != sizeof(*request))
		fault = "a message of the wrong size";
	else if (!session->is_greeted && request->opcode != GA_HELLO)
		fault = "the first message is not GA_HELLO";
	else
		fault = message_fault(session, request);
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
		listen_to(session, false);
	run_requests(session);
}

/* One message is read at a time, so that no client keeps others waiting. */
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
		take_message(session, &request, (size_t) n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		close_session(session);
}

/* A new connection, which is closed if there is no memory for it. */
void
ga_session_open(int fd)
{
	GaSession *session = calloc(1, sizeof(*session));

	if (session != NULL)
	{
		TAILQ_INIT(&session->loads);
		session->source.ready = session_ready;
		session->fd = fd;
	}
	if (session == NULL ||
		ga_loop_add(&session->source, fd, EPOLLIN | EPOLLRDHUP) != 0)
	{
		ga_log_warning("a connection was closed: out of memory");
		close(fd);
		free(session);
		return;
	}
	TAILQ_INSERT_TAIL(&sessions, session, all);
	n_sessions++;
}

/* Its first request waits, and will be tried again. */
void
ga_session_wait(GaSession *session, GaWaitsFor what)
{
	session->waits_for = what;
	TAILQ_INSERT_TAIL(waiting_list(what), session, waiting);
}

/* A value was loaded, or is not going to be. */
void
ga_sessions_retry(void)
{
	values_changed = true;
}

/* Try all that wait for values again; they may wait again. */
static void
retry_values(void)
{
	struct SessionList list = TAILQ_HEAD_INITIALIZER(list);
	GaSession *session;

	values_changed = false;
	retry_ns = ga_now_ns() + RETRY_NS;
	TAILQ_CONCAT(&list, &value_sessions, waiting);
	while ((session = TAILQ_FIRST(&list)) != NULL)
	{
		TAILQ_REMOVE(&list, session, waiting);
		TAILQ_INSERT_HEAD(&value_sessions, session, waiting);
		end_wait(session);
		run_requests(session);
	}
}

/* Does any session wait for a window? */
bool
ga_sessions_wait(void)
{
	return !TAILQ_EMPTY(&waiting_sessions);
}

/*
 * At the end of the loop's turn: give windows that are free, and values that
 * are loaded, to those who wait, and forget those who are gone.
 */
void
ga_sessions_settle(void)
{
	GaSession *session;
	GaLease *window;

	while ((session = TAILQ_FIRST(&waiting_sessions)) != NULL &&
		   (window = ga_staging_lease(session)) != NULL)
	{
		end_wait(session);
		ga_dispatch_lease(session, window);
		run_requests(session);
	}
	if (!TAILQ_EMPTY(&value_sessions) &&
		(values_changed || ga_now_ns() >= retry_ns))
		retry_values();
	while ((session = TAILQ_FIRST(&closed_sessions)) != NULL)
	{
		TAILQ_REMOVE(&closed_sessions, session, all);
		free(session);
	}
}

/* How long the loop may sleep; -1 is for ever. */
int
ga_sessions_timeout_ms(int64_t now_ns)
{
	if (TAILQ_EMPTY(&value_sessions))
		return -1;
	return values_changed || now_ns >= retry_ns ?
			   0 :
			   (int) ((retry_ns - now_ns) / GA_NS_PER_MS) + 1;
}

/* Answer all requests of all sessions with a failure. */
void
ga_sessions_fail(GaStatus status, const GaDeviceFailure *failure)
{
	GaReply reply = {.status = status};
	GaSession *session;

	ga_session_explain(&reply, failure);
	TAILQ_FOREACH(session, &sessions, all)
	{
		for (; session->n_requests > 0; session->n_requests--)
		{
			const GaRequest *request = &session->requests[session->first];

			reply.opcode = request->opcode;
			reply.slot = request->slot;
			if (request->opcode != GA_RELEASE_LEASE &&
				request->opcode != GA_CANCEL_LOADS)
				(void) send_message(session->fd, &reply, -1);
			session->first = (session->first + 1) % GA_SESSION_REQUESTS;
		}
		drain(session->fd);
	}
}
