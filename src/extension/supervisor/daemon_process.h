/*
 * daemon_process.h
 *		The process of gpuaggd: start, signals, end.
 */
#ifndef GA_DAEMON_PROCESS_H
#define GA_DAEMON_PROCESS_H

#include "daemon_output.h"

typedef struct GaDaemonProcess
{
	pid_t pid; /* 0: there is none */
	int input; /* our end of its standard input; -1: closed */
	GaDaemonOutput output;

	/* While it is to end: when it is sent SIGKILL, and when it is given up for
	 * lost, by ga_clock_ms(); 0 if not set. */
	int64 kill_at;
	int64 lost_at;
} GaDaemonProcess;

extern void ga_daemon_init(GaDaemonProcess *daemon);
extern bool ga_daemon_start(GaDaemonProcess *daemon, char *const argv[],
							int lock);
extern void ga_daemon_stop(GaDaemonProcess *daemon);
extern void ga_daemon_end_hung(GaDaemonProcess *daemon);
extern void ga_daemon_stop_retry(GaDaemonProcess *daemon, bool may_be_lost);
extern int64 ga_daemon_stop_deadline(const GaDaemonProcess *daemon,
									 bool may_be_lost);
extern void ga_daemon_kill(GaDaemonProcess *daemon);
extern bool ga_daemon_wait(GaDaemonProcess *daemon, int *wait_status);
extern void ga_daemon_close(GaDaemonProcess *daemon);
extern bool ga_daemon_end_is_final(int wait_status);
extern bool ga_daemon_end_is_idle(int wait_status);
extern bool ga_daemon_end_is_orderly(int wait_status);
extern bool ga_daemon_end_is_absent(int wait_status);
extern void ga_daemon_describe_end(int wait_status, char *text, size_t size);

#endif /* GA_DAEMON_PROCESS_H */
