/*
 * daemon_output.h
 *		The output of gpuaggd: lines from a pipe, for the server's log.
 */
#ifndef GA_DAEMON_OUTPUT_H
#define GA_DAEMON_OUTPUT_H

typedef enum GaDaemonLine
{
	GA_LINE_LOG,
	GA_LINE_READY, /* gpuaggd accepts sessions */
	GA_LINE_FATAL  /* why gpuaggd is going to end */
} GaDaemonLine;

typedef struct GaDaemonOutput
{
	int pipe; /* our end; -1: closed */

	/* buffer[first .. end) was read, and is not yet part of a line */
	int first;
	int end;
	bool is_cut; /* the rest of this line is left out */
	char buffer[1024];
} GaDaemonOutput;

extern void ga_daemon_output_open(GaDaemonOutput *output, int pipe);
extern char *ga_daemon_output_read(GaDaemonOutput *output, bool is_running);
extern void ga_daemon_output_close(GaDaemonOutput *output);
extern GaDaemonLine ga_daemon_output_log(char *line, const char **message);

#endif /* GA_DAEMON_OUTPUT_H */
