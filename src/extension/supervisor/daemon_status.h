/*
 * daemon_status.h
 *		The state of gpuaggd, as the supervisor publishes it to sessions.
 */
#ifndef GA_DAEMON_STATUS_H
#define GA_DAEMON_STATUS_H

#include "datatype/timestamp.h"

#include "supervisor.h"

#define GA_STATUS_PATH GA_DIRECTORY_PATH "/gpuagg.status"

/* The reason of GA_DAEMON_OFF. */
#define GA_REASON_OFF "gpuagg.device is none"

typedef enum GaDaemonState
{
	GA_DAEMON_NONE, /* not known: no supervisor so far */
	GA_DAEMON_STARTING,
	GA_DAEMON_UP,	   /* accepts sessions */
	GA_DAEMON_HUNG,	   /* does not answer; ended soon, unless it does */
	GA_DAEMON_WAITING, /* between restarts */
	/* in these the supervisor has exited, or is about to */
	GA_DAEMON_ABSENT,  /* there is no driver or no device, as on most servers */
	GA_DAEMON_FAILED,  /* not started again */
	GA_DAEMON_STOPPED, /* told to stop */
	GA_DAEMON_OFF,	   /* gpuagg.device is none */
	GA_DAEMON_UNKNOWN  /* for views: there is no status that can be believed */
} GaDaemonState;

typedef struct GaDaemonStatus
{
	GaDaemonState state;
	int supervisor_pid; /* 0: has exited */
	int daemon_pid;		/* 0: does not run */
	int n_restarts;		/* after failures, by this supervisor */
	TimestampTz since;	/* when the state became what it is */

	/* Of a supervisor that gave up: the last reload that it knew, and when that
	 * was found to be still the last one. */
	TimestampTz reload;
	TimestampTz checked;
	char reason[256]; /* of HUNG, WAITING and those after it; or empty */
} GaDaemonStatus;

extern void ga_daemon_status_read(GaDaemonStatus *status);
extern void ga_daemon_status_show(GaDaemonStatus *status);
extern void ga_daemon_status_describe_mute(int pid, char *text, size_t size);
extern bool ga_daemon_status_is_final(const GaDaemonStatus *status);
extern bool ga_daemon_status_write(const GaDaemonStatus *status);
extern const char *ga_daemon_state_name(GaDaemonState state);
extern const char *ga_daemon_state_hint(GaDaemonState state);

#endif /* GA_DAEMON_STATUS_H */
