/*
 * session_wait.h
 *		Sessions whose next request cannot begin yet.
 */
#ifndef GA_SESSION_WAIT_H
#define GA_SESSION_WAIT_H

#include "session.h"

extern void ga_session_waits_open(void (*begin)(GaSession *session));
extern void ga_session_wait(GaSession *session, GaWaitsFor what);
extern void ga_session_end_wait(GaSession *session);
extern bool ga_sessions_wait(GaWaitsFor what);
extern bool ga_sessions_wake(GaWaitsFor what);
extern void ga_sessions_retry(void);
extern void ga_sessions_serve(void);
extern int ga_sessions_timeout_ms(int64_t now_ns);

#endif /* GA_SESSION_WAIT_H */
