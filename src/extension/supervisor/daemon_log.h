/*
 * daemon_log.h
 *		What gpuaggd says, in the server's log.
 */
#ifndef GA_DAEMON_LOG_H
#define GA_DAEMON_LOG_H

typedef enum GaDaemonLine
{
	GA_LINE_LOG,
	GA_LINE_READY, /* it accepts sessions */
	GA_LINE_FATAL  /* why it is going to end */
} GaDaemonLine;

extern GaDaemonLine ga_daemon_log(char *line, const char **message);

#endif /* GA_DAEMON_LOG_H */
