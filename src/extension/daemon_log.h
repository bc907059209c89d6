/*
 * daemon_log.h
 *		What gpuaggd says, in the server's log.
 */
#ifndef GA_DAEMON_LOG_H
#define GA_DAEMON_LOG_H

typedef enum GaDaemonSaid
{
	GA_SAID_SOMETHING,
	GA_SAID_READY,				/* it accepts sessions */
	GA_SAID_FATAL				/* why it is going to end */
} GaDaemonSaid;

extern GaDaemonSaid ga_daemon_log(char *line, const char **message);

#endif							/* GA_DAEMON_LOG_H */
