/*
 * daemon.h
 *		A gpuaggd to test, in a directory of its own.
 *
 * GA_GPUAGGD in the environment is the program, and GA_GPUAGGD_DEVICE what to
 * say for --device, so that the same tests can run on a GPU.
 */
#ifndef DAEMON_H
#define DAEMON_H

#include <stdbool.h>
#include <sys/types.h>

#define BOOT_TOKEN UINT64_C(0xfedcba9876543210)

typedef struct Daemon
{
	pid_t pid;
	char directory[64];
	char socket_path[96];
	char log_path[96];
} Daemon;

/* Start it with more options, up to a NULL, and wait until it is ready. */
extern void daemon_start(Daemon *daemon, ...) __attribute__((sentinel));

/* Start gpuaggd with these options alone; it may end instead of serving. */
extern void daemon_launch(Daemon *daemon, char **argv);
extern bool daemon_is_ready(Daemon *daemon);

/* The status as waitpid() has it; -1 if it is not over in time. */
extern int daemon_wait(Daemon *daemon, int timeout_ms);

/* Ask it to end, which is to be checked; and remove its directory. */
extern void daemon_stop(Daemon *daemon);
extern void daemon_remove(Daemon *daemon);

/* Is it in the log? */
extern bool daemon_said(const Daemon *daemon, const char *text);

/* Its open descriptors, once their number has stayed the same for 100 ms. */
extern int daemon_count_fds(const Daemon *daemon);

extern bool daemon_is_emulated(void);
extern double now_ms(void);

/*
 * The time, less that in which gpuaggd or this program was ready to run and had
 * no processor: how long something took does not depend on other programs.
 * Threads that wait at the same time count each.
 */
extern double daemon_now_ms(const Daemon *daemon);
extern void sleep_ms(int ms);

/* Let it open n more descriptors, and no others. */
extern void daemon_limit_fds(const Daemon *daemon, unsigned n);

#endif /* DAEMON_H */
