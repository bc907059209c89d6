/*
 * session.h
 *		A connection, and its requests.
 */
#ifndef GA_SESSION_H
#define GA_SESSION_H

#include <sys/queue.h>

#include "scan_prefix.h"
#include "device/device.h"
#include "loop.h"
#include "wire/protocol.h"
#include "staging.h"

/* Requests that wait for their turn; more than that wait in the socket. */
#define GA_SESSION_REQUESTS 8

typedef enum GaWaitsFor
{
	GA_WAITS_FOR_NOTHING = 0,
	GA_WAITS_FOR_LEASE,
	GA_WAITS_FOR_STORED /* that another session loads */
} GaWaitsFor;

typedef struct GaSession
{
	GaSource source;
	int fd;
	bool is_greeted;
	bool is_closed;
	GaWaitsFor waits_for; /* its first request */
	bool is_working;	  /* ... is on the device */
	GaLease *window;	  /* or NULL */
	GaScanPrefix carry;
	uint32_t database; /* whose values it asks for */
	uint32_t database_xmin;
	TAILQ_HEAD(, GaEntry) loads; /* values that it is loading */
	int64_t load_ns;			 /* when it was last heard of them */
	uint32_t first;				 /* of the requests, which go round */
	uint32_t n_requests;
	GaRequest requests[GA_SESSION_REQUESTS];
	TAILQ_ENTRY(GaSession) all;
	TAILQ_ENTRY(GaSession) waiting;
} GaSession;

extern void ga_session_open(int fd);
extern bool ga_session_send(GaSession *session, GaReply *reply, int fd);
extern void ga_session_answer(GaSession *session, GaReply *reply);
extern void ga_session_done(GaSession *session);
extern void ga_session_reject(GaSession *session, GaStatus status,
							  const char *call, const char *message);
extern void ga_session_explain(GaReply *reply, const GaDeviceFailure *failure);
extern void ga_session_wait(GaSession *session, GaWaitsFor what);
extern void ga_session_release_lease(GaSession *session);
extern bool ga_sessions_wait(void);
extern void ga_sessions_retry(void);
extern int ga_sessions_timeout_ms(int64_t now_ns);
extern void ga_sessions_settle(void);
extern void ga_sessions_fail(GaStatus status, const GaDeviceFailure *failure);
extern uint32_t ga_sessions_count(void);

/* operation.c */
extern void ga_dispatch(GaSession *session, const GaRequest *request);
extern void ga_dispatch_lease(GaSession *session, GaLease *window);

#endif /* GA_SESSION_H */
