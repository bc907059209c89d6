/*
 * daemon_status.h
 *		The state of gpuaggd, as the supervisor publishes it to sessions.
 */
#ifndef GA_DAEMON_STATUS_H
#define GA_DAEMON_STATUS_H

#include "datatype/timestamp.h"

#define GA_STATUS_PATH "pg_stat_tmp/gpuagg.status"

typedef enum GaDaemonState
{
	GA_DAEMON_NONE, /* not known: no supervisor so far */
	GA_DAEMON_STARTING,
	GA_DAEMON_UP,	   /* accepts sessions */
	GA_DAEMON_WAITING, /* between restarts */
	GA_DAEMON_FAILED,  /* not started again; the supervisor has exited */
	GA_DAEMON_STOPPED  /* told to stop; the supervisor has exited */
} GaDaemonState;

typedef struct GaDaemonStatus
{
	GaDaemonState state;
	int supervisor_pid; /* 0: has exited */
	int daemon_pid;		/* 0: does not run */
	int n_restarts;		/* after failures, by this supervisor */
	TimestampTz since;	/* when the state became what it is */
	char reason[256];	/* of WAITING, FAILED, STOPPED; or empty */
} GaDaemonStatus;

extern void ga_daemon_status_read(GaDaemonStatus *status);
extern void ga_daemon_status_write(const GaDaemonStatus *status);
extern const char *ga_daemon_state_name(GaDaemonState state);

#endif /* GA_DAEMON_STATUS_H */
