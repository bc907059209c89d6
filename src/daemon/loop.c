/*
 * loop.c
 *		The one loop of gpuaggd: sleep until there is something to do.
 *
 * There is one thread, so that nothing needs a lock; whatever it calls must
 * not block.  Descriptors that are closed leave the loop by themselves, but
 * their source must stay until the turn of the loop is over.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/epoll.h>

#include "device/clock.h"
#include "exit.h"
#include "listener.h"
#include "loop.h"
#include "schedule.h"
#include "session.h"
#include "request_coalesce.h"

#define EVENTS_PER_TURN 64

static int epoll_fd = -1;

void
ga_loop_open(void)
{
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_fd < 0)
		ga_exit_fatal(GA_EXIT_NO_STAGING, "epoll_create1: %s", strerror(errno));
}

/* Returns 0, or -1 with errno. */
int
ga_loop_add(GaSource *source, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = source};

	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

void
ga_loop_change(GaSource *source, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = source};

	(void) epoll_ctl(epoll_fd, EPOLL_CTL_MOD, fd, &event);
}

/* The shorter of two times to sleep; -1 is for ever. */
static int
shorter(int a, int b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a < b ? a : b;
}

/* Milliseconds to sleep at most; -1 is until something is ready. */
static int
timeout_ms(void)
{
	int64_t now = ga_now_ns();

	return shorter(
		ga_sessions_timeout_ms(now),
		shorter(ga_schedule_timeout_ms(now), ga_listener_timeout_ms(now)));
}

void
ga_loop_run(void)
{
	struct epoll_event events[EVENTS_PER_TURN];

	for (;;)
	{
		int timeout = timeout_ms();
		int n = epoll_wait(epoll_fd, events, EVENTS_PER_TURN, timeout);
		int i;

		/* awake only in case that more comes: let others have the time */
		if (n == 0 && timeout == 0 && !ga_schedule_is_busy())
			sched_yield();

		for (i = 0; i < n; i++)
		{
			GaSource *source = events[i].data.ptr;

			source->ready(source, events[i].events);
		}
		ga_coalesce_flush();
		ga_schedule_poll();
		ga_listener_resume();
		ga_sessions_settle();
		ga_coalesce_flush();
	}
}
