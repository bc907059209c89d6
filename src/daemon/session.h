/*
 * session.h
 *		A connection, and its requests.
 */
#ifndef GA_SESSION_H
#define GA_SESSION_H

#include <sys/queue.h>

#include "daemon/cache/cache.h"
#include "lookup_memory.h"
#include "loop.h"
#include "memory_backoff.h"
#include "packet.h"
#include "scan_prefix.h"
#include "staging.h"

/* Requests in a session's queue; more than that wait in the socket. */
#define GA_SESSION_REQUESTS 16

typedef enum GaWaitsFor
{
	GA_WAITS_FOR_NOTHING = 0,
	GA_WAITS_FOR_LEASE,
	GA_WAITS_FOR_STORED,  /* an array that another session loads */
	GA_WAITS_FOR_REQUEST, /* as many requests are executed as may be */
	GA_WAITS_FOR_LADDER,  /* another session's ladder runs */
	GA_N_WAITS
} GaWaitsFor;

/* A request in the queue, which keeps its place until it is replied to. */
typedef struct GaQueuedRequest
{
	GaRequest request;
	bool is_answered; /* the reply is here; those before it come first */
	GaReply reply;
} GaQueuedRequest;

struct GaActiveRequest;

typedef struct GaSession
{
	GaSource source;
	int fd;
	bool is_greeted;
	bool is_closed;
	GaWaitsFor waits_for; /* the request behind those that have begun */
	int64_t wait_end_ns;  /* of a wait for a lease; 0: it has not waited */
	GaLease lease;
	GaLookupMemory *lookups; /* or NULL */
	GaMemoryBackoff backoff; /* of its requests */
	/* Called when the session is closed while a ladder runs; or NULL. */
	void (*on_close)(struct GaSession *session);
	GaScanPrefix prefix;
	GaCacheClient client; /* its database, and what it loads */

	/* The queue of requests is a ring; the first ones of it have begun. */
	uint32_t first;
	uint32_t n_requests;
	uint32_t n_begun;
	GaQueuedRequest requests[GA_SESSION_REQUESTS];
	TAILQ_HEAD(, GaActiveRequest) actives; /* those that are executed */

	/* Of the last request of each slot: the entry behind its own, or 0. */
	uint32_t ahead_ends[GA_SLOTS];

	TAILQ_ENTRY(GaSession) all;
	TAILQ_ENTRY(GaSession) waiting;
} GaSession;

extern void ga_sessions_open(void (*dispatch)(GaSession *, GaQueuedRequest *));
extern void ga_session_open(int fd);
extern bool ga_session_has_slot(const GaSession *session,
								const GaRequest *request);
extern void ga_session_want_lease(GaSession *session, bool is_wanted);
extern void ga_sessions_want_lease(void);
extern bool ga_session_send(GaSession *session, GaReply *reply, int fd);
extern void ga_session_done(GaSession *session);
extern void ga_session_answer(GaSession *session, GaQueuedRequest *queued,
							  const GaReply *reply);
extern void ga_session_complete(GaSession *session, GaQueuedRequest *queued,
								const GaReply *reply);
extern void ga_session_reject(GaSession *session, const GaQueuedRequest *queued,
							  GaStatus status, const char *call,
							  const char *message);
extern void ga_sessions_end_turn(void);
extern void ga_sessions_fail(const GaDeviceFailure *failure);
extern uint32_t ga_sessions_count(void);

/* Return the first request of the queue, which has begun. */
static inline GaQueuedRequest *
ga_session_first(GaSession *session)
{
	return &session->requests[session->first];
}

#endif /* GA_SESSION_H */
