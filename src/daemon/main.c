/*
 * main.c
 *		gpuaggd: the one process that talks to the GPU.
 *
 * It is started by gpuagg's background worker, in the data directory, and
 * serves the sessions of that server: see protocol.h.  What it says on stderr
 * goes to the server's log; "READY" on a line of its own is for the worker.
 *
 * Not PostgreSQL: no shared memory, no catalogs, nothing that a crash here
 * could take with it.  It does not end for a request that failed, nor for a
 * client; when the device fails it does, and a fresh one is started.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/cache/cache.h"
#include "stats.h"
#include "devices.h"
#include "exit.h"
#include "listener.h"
#include "loop.h"
#include "oid_clock.h"
#include "options.h"
#include "staging.h"

static void
signal_ready(GaSource *source, uint32_t events)
{
	(void) source;
	(void) events;
	ga_exit_stopped();
}

/*
 * The loop hears of the signals that ask for the end.  They are blocked before
 * the driver makes threads, which would take them otherwise.
 */
static void
open_signals(void)
{
	static GaSource signals = {signal_ready};
	sigset_t mask;
	int fd;

	(void) signal(SIGPIPE, SIG_IGN);
	(void) signal(SIGHUP, SIG_IGN);
	sigemptyset(&mask);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGINT);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0 || ga_loop_add(&signals, fd, EPOLLIN) != 0)
		ga_exit_fatal(GA_EXIT_NO_STAGING, "signalfd: %s", strerror(errno));
}

/* A descriptor for each session, and there may be thousands. */
static void
raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void) setrlimit(RLIMIT_NOFILE, &limit);
}

static void
say_ready(void)
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
	raise_limit();
	ga_loop_open();
	open_signals();
	ga_devices_open();
	ga_staging_open(ga_options.staging_mb);
	ga_caches_open(ga_staging_n_leases());
	ga_stats_reset();
	ga_oid_clock_open();
	ga_listener_open(ga_options.socket_path);
	say_ready();
	ga_loop_run();
}
