/*
 * reply.c
 *		Waiting for gpuaggd's replies, in slots and by the socket.
 *
 * Of client.c, which knows the connection.  Whoever waits looks for interrupts
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
 * A reply in a slot is looked for so long without sleep, since to be woken up
 * costs gpuaggd more than all else about a small request: with 32 sessions it
 * does twice as many.  First without a pause, then letting others go before.
 */
#define SELFISH_US 10
#define AWAKE_US   300

/* How often a slot is looked at before the clock is. */
#define LOOKS_PER_CLOCK 20

/* Take a reply if there is one, and a descriptor that comes with it. */
GaReason
ga_reply_take(int fd, GaReply *reply, int *descriptor, bool *is_there)
{
	union
	{
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
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

/* Sleep until there is something to read, an interrupt, or so many ms. */
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
 * Wait for a reply, for so many ms at most, and without sleep for so many us.
 * Throws if the query is cancelled.
 */
GaReason
ga_reply_wait(int fd, GaReply *reply, int *descriptor, long ms, int spin_us)
{
	int64 start = ga_clock_us();
	bool is_there;

	for (;;)
	{
		GaReason reason = ga_reply_take(fd, reply, descriptor, &is_there);
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
 * Look for a reply that is awaited in its slot, for as long as it makes no
 * sense to sleep.  False if it did not come; then the socket will tell.  Others
 * get the processor soon: they may be those that gpuaggd waits for, or gpuaggd.
 */
bool
ga_reply_look(GaSlotReply *room)
{
	int64 start = ga_clock_us();
	int i;

	while (ga_reply_state(room) == GA_REPLY_AWAITED)
	{
		int64 us = ga_clock_us() - start;

		CHECK_FOR_INTERRUPTS();
		if (us >= AWAKE_US)
			return !ga_reply_change(room, GA_REPLY_AWAITED, GA_REPLY_BY_SOCKET);
		if (us >= SELFISH_US)
			(void) sched_yield();
		for (i = 0;
			 i < LOOKS_PER_CLOCK && ga_reply_state(room) == GA_REPLY_AWAITED;
			 i++)
			pg_spin_delay();
	}
	return ga_reply_state(room) == GA_REPLY_HERE;
}
