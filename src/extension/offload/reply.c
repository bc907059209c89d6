/*
 * reply.c
 *		Waiting for gpuaggd's replies, in slots and by the socket.
 *
 * Called by client.c, which owns the connection.  Waiting looks for interrupts
 * all the time, and sleeps on socket and latch; only an interrupt throws.
 */
#include "postgres.h"

#include <errno.h>
#include <sched.h>
#include <sys/socket.h>

#include "miscadmin.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "storage/latch.h"

#include "extension/clock.h"
#include "reply.h"

/*
 * How long to poll a slot before sleeping, since to wake a session up costs
 * gpuaggd more than all else about a small request: with 32 sessions it does
 * twice as many.  The session yields the processor after the shorter time.
 */
#define YIELD_US 10
#define POLL_US	 300

/* How often to look at a slot before looking at the clock. */
#define LOOKS_PER_CLOCK 20

/* Return what the status of a reply means for the session. */
GaReason
ga_reply_reason(int32 status)
{
	switch (status)
	{
		case GA_OK:
			return GA_NO_REASON;
		case GA_NO_MEMORY:
			return GA_REASON_MEMORY;
		default:
			return GA_REASON_FAILED;
	}
}

/*
 * Receive a reply by the socket, if there is one, and the descriptor that comes
 * with it, or -1.  Never waits.
 */
GaReason
ga_reply_receive(int fd, GaReply *reply, int *descriptor, bool *is_there)
{
	union
	{
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = {reply, sizeof(*reply)};
	struct msghdr message = {.msg_iov = &part,
							 .msg_iovlen = 1,
							 .msg_control = &control,
							 .msg_controllen = sizeof(control)};
	struct cmsghdr *item;
	ssize_t n = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	*is_there = false;
	*descriptor = -1;
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return GA_NO_REASON;
	if (n != sizeof(*reply))
		return GA_REASON_GONE;
	item = CMSG_FIRSTHDR(&message);
	if (item != NULL && item->cmsg_level == SOL_SOCKET &&
		item->cmsg_type == SCM_RIGHTS)
		memcpy(descriptor, CMSG_DATA(item), sizeof(int));
	*is_there = true;
	return GA_NO_REASON;
}

/* Sleep until there is something to read, an interrupt, or for ms. */
static void
sleep_for_reply(int fd, long ms)
{
	int events = WaitLatchOrSocket(MyLatch,
								   WL_LATCH_SET | WL_SOCKET_READABLE |
									   WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
								   fd, ms, PG_WAIT_EXTENSION);

	if (events & WL_LATCH_SET)
		ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/*
 * Wait for a reply by the socket: spin_us without sleep, and ms at most.
 * Throws if the query is cancelled.
 */
GaReason
ga_reply_wait(int fd, GaReply *reply, int *descriptor, long ms, int spin_us)
{
	int64 start = ga_clock_us();
	bool is_there;

	for (;;)
	{
		GaReason reason = ga_reply_receive(fd, reply, descriptor, &is_there);
		int64 us;

		if (reason != GA_NO_REASON || is_there)
			return reason;
		us = ga_clock_us() - start;
		if (us / 1000 >= ms)
			return GA_REASON_TIMEOUT;
		if (us >= spin_us)
			sleep_for_reply(fd, ms - (long) (us / 1000));
		else
			CHECK_FOR_INTERRUPTS();
	}
}

/*
 * Poll a slot for the reply that is awaited there, for a while.  False if it
 * did not come; then it comes by the socket.  Yields the processor soon, since
 * gpuaggd may need it, or a session that gpuaggd waits for.  Throws if the
 * query is cancelled.
 */
bool
ga_reply_poll(GaSlotReply *in_slot)
{
	int64 start = ga_clock_us();
	int i;

	while (ga_reply_state(in_slot) == GA_REPLY_AWAITED)
	{
		int64 us = ga_clock_us() - start;

		CHECK_FOR_INTERRUPTS();
		if (us >= POLL_US)
			return !ga_reply_change(in_slot, GA_REPLY_AWAITED,
									GA_REPLY_BY_SOCKET);
		if (us >= YIELD_US)
			(void) sched_yield();
		for (i = 0;
			 i < LOOKS_PER_CLOCK && ga_reply_state(in_slot) == GA_REPLY_AWAITED;
			 i++)
			pg_spin_delay();
	}
	return ga_reply_state(in_slot) == GA_REPLY_HERE;
}
