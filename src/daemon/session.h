/*
 * session.h
 *		A connection, and its requests.
 */
#ifndef GA_SESSION_H
#define GA_SESSION_H

#include <sys/queue.h>

#include "daemon/cache/cache.h"
#include "loop.h"
#include "packet.h"
#include "scan_prefix.h"
#include "staging.h"

/* Requests in a session's queue; more than that wait in the socket. */
#define GA_SESSION_REQUESTS 8

typedef enum GaWaitsFor
{
	GA_WAITS_FOR_NOTHING = 0,
	GA_WAITS_FOR_LEASE,
	GA_WAITS_FOR_STORED, /* an array that another session loads */
	GA_WAITS_FOR_LADDER, /* another session's ladder runs */
	GA_N_WAITS
} GaWaitsFor;

typedef struct GaSession
{
	GaSource source;
	int fd;
	bool is_greeted;
	bool is_closed;
	GaWaitsFor waits_for; /* its first request */
	bool is_active;		  /* its first request is being executed */
	GaLease *lease;		  /* or NULL */
	/* Called when the session is closed while a ladder runs; or NULL. */
	void (*on_close)(struct GaSession *session);
	GaScanPrefix prefix;
	GaCacheClient client; /* its database, and what it loads */
	uint32_t first;		  /* index into requests, which is a ring */
	uint32_t n_requests;
	GaRequest requests[GA_SESSION_REQUESTS];
	TAILQ_ENTRY(GaSession) all;
	TAILQ_ENTRY(GaSession) waiting;
} GaSession;

extern void ga_sessions_open(void (*dispatch)(GaSession *, const GaRequest *));
extern void ga_session_open(int fd);
extern bool ga_session_send(GaSession *session, GaReply *reply, int fd);
extern void ga_session_done(GaSession *session);
extern void ga_session_complete(GaSession *session, GaReply *reply);
extern void ga_session_reject(GaSession *session, GaStatus status,
							  const char *call, const char *message);
extern void ga_session_wait(GaSession *session, GaWaitsFor what);
extern void ga_session_release_lease(GaSession *session);
extern bool ga_sessions_wait_for_lease(void);
extern bool ga_sessions_wake(GaWaitsFor what);
extern void ga_sessions_retry(void);
extern int ga_sessions_timeout_ms(int64_t now_ns);
extern void ga_sessions_end_turn(void);
extern void ga_sessions_fail(const GaDeviceFailure *failure);
extern uint32_t ga_sessions_count(void);

#endif /* GA_SESSION_H */
