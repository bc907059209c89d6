/*
 * loop.c
 *		The event loop of gpuaggd: sleep until something is ready.
 *
 * Owns the epoll descriptor.  main.c runs the loop and gives it the hooks;
 * each file that has a descriptor adds a source for it.  There is one thread,
 * so nothing needs a lock, and nothing that the loop calls may block.  The
 * source of a descriptor that was removed must stay until the end of the turn,
 * since an event of it may have been fetched already.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/epoll.h>

#include "device/clock.h"
#include "exit.h"
#include "loop.h"

#define EVENTS_PER_TURN 64

static int epoll_fd = -1;

void
ga_loop_open(void)
{
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_fd < 0)
		ga_exit_fatal(GA_EXIT_FAILED, "epoll_create1: %s", strerror(errno));
}

/* Add a descriptor.  Return 0, or -1 with errno. */
int
ga_loop_add(GaSource *source, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = source};

	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

/* Change which events of a descriptor its source is called for. */
void
ga_loop_change(GaSource *source, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = source};

	(void) epoll_ctl(epoll_fd, EPOLL_CTL_MOD, fd, &event);
}

/*
 * Remove a descriptor, before it is closed.  To close it is not enough while a
 * new child process has it, too, for a moment before it executes its program.
 */
void
ga_loop_remove(int fd)
{
	(void) epoll_ctl(epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

/*
 * Run for ever.  Three hooks are called in each turn: timeout_ms() returns the
 * milliseconds that the loop may sleep, -1 being for ever; is_polling(),
 * whether a device is polled, so that the processor must not be yielded; and
 * end_turn() is called after the sources that were ready.
 */
void
ga_loop_run(int (*timeout_ms)(int64_t now_ns), bool (*is_polling)(void),
			void (*end_turn)(void))
{
	struct epoll_event events[EVENTS_PER_TURN];

	for (;;)
	{
		int timeout = timeout_ms(ga_now_ns());
		int n = epoll_wait(epoll_fd, events, EVENTS_PER_TURN, timeout);
		int i;

		/* awake only in case that more requests come: let others run */
		if (n == 0 && timeout == 0 && !is_polling())
			sched_yield();

		for (i = 0; i < n; i++)
		{
			GaSource *source = events[i].data.ptr;

			source->ready(source, events[i].events);
		}
		end_turn();
	}
}
