/*
 * daemon_process.h
 *		gpuaggd as a process: to start it, hear it, signal it, bury it.
 */
#ifndef GA_DAEMON_PROCESS_H
#define GA_DAEMON_PROCESS_H

typedef struct GaDaemonProcess
{
	pid_t pid;	/* 0: there is none */
	int input;	/* our end of its stdin; -1: closed */
	int output; /* our end of its pipe; -1: closed */

	/* What was read of the pipe; buffer[first .. end) is still to be told. */
	int first;
	int end;
	bool cut; /* the rest of this line is dropped */
	char buffer[1024];
} GaDaemonProcess;

extern bool ga_daemon_start(GaDaemonProcess *daemon, char *const argv[],
							int lock);
extern char *ga_daemon_read_line(GaDaemonProcess *daemon);
extern void ga_daemon_signal(const GaDaemonProcess *daemon, int signal);
extern bool ga_daemon_ended(GaDaemonProcess *daemon, int *wait_status);
extern void ga_daemon_close(GaDaemonProcess *daemon);
extern bool ga_daemon_end_is_final(int wait_status);
extern void ga_daemon_describe_end(int wait_status, char *what, size_t size);

#endif /* GA_DAEMON_PROCESS_H */
