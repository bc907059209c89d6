/*
 * supervisor_session.h
 *		The supervisor as the server sees it: a backend without a database.
 */
#ifndef GA_SUPERVISOR_SESSION_H
#define GA_SUPERVISOR_SESSION_H

extern void ga_supervisor_connect(void);
extern void ga_supervisor_serve(void);
extern void ga_supervisor_wait(int pipe, long ms);

#endif /* GA_SUPERVISOR_SESSION_H */
