/*
 * main.c
 *		gpuaggd: the one process that uses the GPU.
 *
 * gpuagg's background worker starts it in the data directory, and it serves
 * the sessions of that server by the protocol of wire/protocol.h.  Its stderr
 * goes to the server's log; "READY" on a line of its own tells the worker that
 * it takes connections.
 *
 * It is no PostgreSQL process: it has no shared memory and no catalogs, so a
 * crash here damages neither.  A failed request or a client's mistake does not
 * end it, nor does a failed device as long as another one works; when the last
 * one fails it ends, and the worker starts a fresh one.
 *
 * This file alone knows all others: it opens them in order, and sets the hooks
 * by which the lower ones (loop, exit, cache, session) call the upper ones.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/cache/caches.h"
#include "clear.h"
#include "devices.h"
#include "dispatch.h"
#include "exit.h"
#include "idle.h"
#include "ladder_run.h"
#include "listener.h"
#include "loop.h"
#include "oid_clock.h"
#include "options.h"
#include "request_coalesce.h"
#include "request_pool.h"
#include "schedule.h"
#include "session.h"
#include "session_wait.h"
#include "staging.h"
#include "stats.h"

/* Return the shorter of two timeouts; -1 is for ever. */
static int
shorter(int a, int b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a < b ? a : b;
}

static int
loop_timeout_ms(int64_t now_ns)
{
	return shorter(
		shorter(ga_sessions_timeout_ms(now_ns), ga_clear_timeout_ms()),
		shorter(ga_schedule_timeout_ms(now_ns),
				shorter(ga_listener_timeout_ms(now_ns),
						ga_idle_timeout_ms(now_ns))));
}

/* Answer all requests on devices that have failed. */
static void
end_lost_devices(void)
{
	const GaOpenDevice *device;

	while ((device = ga_devices_next_lost()) != NULL)
		ga_schedule_fail(device->device, &device->failure);
}

/*
 * Submit what came in this turn, complete what the device has finished, and
 * let waiting sessions go on, whose requests are submitted at once, too.
 */
static void
loop_end_turn(void)
{
	ga_coalesce_flush();
	ga_schedule_poll();
	end_lost_devices();
	ga_clear_step();
	ga_listener_resume();
	ga_sessions_end_turn();
	ga_coalesce_flush();
	ga_idle_check();
}

static void
signal_ready(GaSource *source, uint32_t events)
{
	(void) source;
	(void) events;
	ga_exit_stopped();
}

/*
 * End at once, whatever the loop is doing.  By default the signal, which the
 * server sends to all of its processes for an immediate stop, would write a
 * core file.
 */
static void
quit(int signal_number)
{
	(void) signal_number;
	_exit(GA_EXIT_STOPPED);
}

/*
 * Have the loop receive the signals that end the program.  They are blocked
 * before the driver makes threads, which would receive them otherwise.
 */
static void
open_signals(void)
{
	static GaSource signals = {signal_ready};
	struct sigaction interrupt;
	sigset_t mask;
	int fd;

	(void) signal(SIGPIPE, SIG_IGN);
	(void) signal(SIGXFSZ, SIG_IGN); /* the call fails, and says why */
	(void) signal(SIGHUP, SIG_IGN);
	(void) signal(SIGQUIT, quit);
	sigemptyset(&mask);
	sigaddset(&mask, SIGTERM);
	/* signals that are blocked are not ignored */
	if (sigaction(SIGINT, NULL, &interrupt) == 0 &&
		interrupt.sa_handler != SIG_IGN)
		sigaddset(&mask, SIGINT);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0 || ga_loop_add(&signals, fd, EPOLLIN) != 0)
		ga_exit_fatal(GA_EXIT_FAILED, "signalfd: %s", strerror(errno));
}

/* Each session takes a descriptor, and there may be thousands. */
static void
raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void) setrlimit(RLIMIT_NOFILE, &limit);
}

static void
print_ready(void)
{
	static const char ready[] = "READY\n";
	ssize_t n = write(STDERR_FILENO, ready, sizeof(ready) - 1);

	(void) n;
}

int
main(int argc, char **argv)
{
	ga_options_parse(argc, argv);
	umask(077);
	raise_descriptor_limit();
	ga_exit_set_hooks(ga_sessions_fail, ga_listener_close);
	ga_loop_open();
	open_signals();
	ga_ladder_open();
	ga_devices_open();
	ga_staging_open(ga_options.staging_size_mb);
	ga_request_pool_open(ga_staging_n_slots() / GA_LEASE_SLOTS);
	ga_caches_open(ga_request_pool_bytes(), ga_sessions_retry);
	ga_stats_reset();
	ga_oid_clock_open();
	ga_sessions_open(ga_dispatch);
	ga_listener_open(ga_options.socket_path);
	ga_idle_used();
	print_ready();
	ga_loop_run(loop_timeout_ms, ga_schedule_is_busy, loop_end_turn);
}
