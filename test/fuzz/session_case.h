/*
 * session_case.h
 *		A test of a session's side, with a gpuaggd that answers as it is told.
 */
#ifndef SESSION_CASE_H
#define SESSION_CASE_H

#include "tap.h"
#include "extension/offload/client.h"
#include "hostile.h"
#include "server_stubs.h"

/* Begin a test with a connection to a gpuaggd that answers so. */
extern void session_begin(const char *name, HostileAnswer answer);

/* Other sessions want the lease of this one, from now on. */
extern void session_want_lease(void);

/* End the session, and the test; nothing of them is left. */
extern void session_end(void);

#endif /* SESSION_CASE_H */
