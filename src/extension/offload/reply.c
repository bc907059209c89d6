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
#include <unistd.h>

#include "miscadmin.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "storage/latch.h"

#include "extension/clock.h"
#include "connect.h"
#include "reply.h"
#include "spare_fd.h"

/*
 * How long to poll a slot before sleeping, since to wake a session up costs
 * gpuaggd more than all else about a small request: with 32 sessions it does
 * twice as many.  The session yields the processor after the shorter time.
 */
#define YIELD_US 10
#define POLL_US	 1000

/* How long to wait for a reply by the socket alone before sleeping. */
#define SPIN_US 50

/*
 * Where many sessions wait, polling would take the processor from gpuaggd.  So
 * where there are more than this for each processor, they sleep for half of the
 * time that answers took last, then look now and then, for so long.
 */
#define CROWD_PER_PROCESSOR 2
#define CROWD_POLL_US		20000
#define CROWD_NAP_US		20

/*
 * A yield of more than LONG_YIELD_US means that another process kept the
 * processor for a time slice, and the next yields may take as long.  A process
 * that sleeps gets the processor back sooner, so for BUSY_US after such a yield
 * the session naps, as in a crowd.
 */
#define LONG_YIELD_US 500
#define BUSY_US		  200000

/* How often to look at a slot before looking at the clock. */
#define LOOKS_PER_CLOCK 20

/* How long to sleep before looking whether gpuaggd still answers. */
#define SLEEP_MS 100

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

/* Make a text that gpuaggd wrote end within its bytes, in plain ASCII. */
static void
clean_text(char *text, Size n_bytes)
{
	Size i;

	for (i = 0; i < n_bytes - 1 && text[i] != '\0'; i++)
	{
		if (text[i] < ' ' || text[i] > '~')
			text[i] = '?';
	}
	text[i] = '\0';
}

/* Make a bool of a byte that gpuaggd wrote. */
static void
clean_bool(bool *value)
{
	unsigned char byte;

	memcpy(&byte, value, 1);
	*value = byte != 0;
}

/*
 * Make what a reply says safe to read, as its opcode has it: the caller must
 * check that opcode, and numbers against its own.
 */
void
ga_reply_clean(GaReply *reply)
{
	GaDeviceRow *device = &reply->u.device;
	GaRung *rung = &reply->u.ladder.row.rung;

	clean_text(reply->reason, sizeof(reply->reason));
	if (reply->opcode == GA_HELLO || reply->opcode == GA_DEVICES)
	{
		clean_text(device->name, sizeof(device->name));
		clean_text(device->id, sizeof(device->id));
		clean_text(device->kind, sizeof(device->kind));
		clean_text(device->failure, sizeof(device->failure));
	}
	else if (reply->opcode == GA_LADDER)
	{
		clean_text(rung->name, sizeof(rung->name));
		clean_text(rung->title, sizeof(rung->title));
		clean_bool(&rung->is_exact);
		clean_bool(&rung->is_step);
		clean_bool(&rung->is_managed);
	}
}

/* Return the descriptor that came with a message, or -1. */
static int
take_descriptor(struct msghdr *message)
{
	struct cmsghdr *item = CMSG_FIRSTHDR(message);
	int descriptor = -1;

	if (item != NULL && item->cmsg_level == SOL_SOCKET &&
		item->cmsg_type == SCM_RIGHTS &&
		item->cmsg_len >= CMSG_LEN(sizeof(int)))
		memcpy(&descriptor, CMSG_DATA(item), sizeof(int));
	return descriptor;
}

/*
 * Receive a reply by the socket, if there is one, and the descriptor that comes
 * with it, or -1, or GA_DESCRIPTOR_LOST; it is closed if the caller wants none
 * (NULL).  Never waits.
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
	/* with space for one descriptor, and none behind it */
	struct msghdr message = {.msg_iov = &part,
							 .msg_iovlen = 1,
							 .msg_control = &control,
							 .msg_controllen = CMSG_LEN(sizeof(int))};
	ssize_t n = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	int passed;

	/*
	 * The last replies of a gpuaggd that closed the connection come next: after
	 * an error if it left requests unread; after an end if it sent and closed
	 * between the two times that the kernel looks in one recvmsg.
	 */
	if (n == 0 || (n < 0 && errno == ECONNRESET))
		n = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	*is_there = false;
	if (descriptor != NULL)
		*descriptor = -1;
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return GA_NO_REASON;
	passed = n < 0 ? -1 : take_descriptor(&message);
	if (passed < 0 && n >= 0 && (message.msg_flags & MSG_CTRUNC) != 0)
		passed = GA_DESCRIPTOR_LOST;
	*is_there = n == sizeof(*reply) && (message.msg_flags & MSG_TRUNC) == 0;
	if (*is_there && descriptor != NULL)
		*descriptor = passed;
	else if (passed >= 0)
		close(passed);
	if (!*is_there)
		return GA_REASON_GONE;
	ga_reply_clean(reply);
	return GA_NO_REASON;
}

/* Sleep until there is something to read, an interrupt, or for ms. */
static void
sleep_for_reply(int fd, long ms, GaWaitEvent event)
{
	int events;

	ga_spare_fd_release();
	events = WaitLatchOrSocket(MyLatch,
							   WL_LATCH_SET | WL_SOCKET_READABLE | WL_TIMEOUT |
								   WL_EXIT_ON_PM_DEATH,
							   fd, ms, ga_wait_event(event));
	(void) ga_spare_fd_reserve();
	if (events & WL_LATCH_SET)
		ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/*
 * Wait for a reply by the socket, for ms at most, and no longer once gpuaggd is
 * known not to answer anybody; it sleeps at once, unless the event is
 * GA_WAIT_ANSWER.  Throws if the query is cancelled.
 */
GaReason
ga_reply_wait(int fd, GaReply *reply, int *descriptor, long ms,
			  GaWaitEvent event)
{
	const int spin_us = event == GA_WAIT_ANSWER ? SPIN_US : 0;
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
		if (us < spin_us)
			CHECK_FOR_INTERRUPTS();
		else if (ga_connect_is_hung())
			return GA_REASON_HUNG;
		else
			sleep_for_reply(fd, Min(ms - (long) (us / 1000), SLEEP_MS), event);
	}
}

/* What the last replies in slots say: sessions with requests, and waits. */
static uint32 n_active;
static int64 usual_us; /* until a reply came, from when it was waited for */

static int64 busy_until_us; /* BUSY_US after the last long yield */

/* Is it better to nap than to poll? */
static bool
should_nap(int64 now_us)
{
	static long n_processors = 0;

	if (n_processors == 0)
		n_processors = Max(sysconf(_SC_NPROCESSORS_ONLN), 1);
	return n_active > CROWD_PER_PROCESSOR * n_processors ||
		   now_us < busy_until_us;
}

/* Yield the processor, and note if that takes long. */
static void
yield(int64 now_us)
{
	int64 end_us;

	(void) sched_yield();
	end_us = ga_clock_us();
	if (end_us - now_us > LONG_YIELD_US)
		busy_until_us = end_us + BUSY_US;
}

/* Learn from a reply that was waited for since start_us. */
static void
learn(const GaReply *reply, int64 start_us)
{
	const int64 us = reply->put_ns / 1000 - start_us;

	n_active = reply->n_active;
	usual_us += (Min(Max(us, 0), CROWD_POLL_US) - usual_us) / 4;
}

/* Sleep, until a signal comes at the latest. */
static void
nap(int64 us)
{
	const struct timespec time = {.tv_nsec = us * 1000};

	(void) nanosleep(&time, NULL);
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
	const int64 start = ga_clock_us();
	const bool naps = should_nap(start);
	int i;

	if (naps && ga_reply_state(in_slot) == GA_REPLY_AWAITED)
		nap(usual_us / 2);
	while (ga_reply_state(in_slot) == GA_REPLY_AWAITED)
	{
		int64 us = ga_clock_us() - start;

		CHECK_FOR_INTERRUPTS();
		if (us >= (naps ? CROWD_POLL_US : POLL_US))
			return !ga_reply_change(in_slot, GA_REPLY_AWAITED,
									GA_REPLY_BY_SOCKET);
		if (naps)
			nap(Max(usual_us / 16, CROWD_NAP_US));
		else if (us >= YIELD_US)
			yield(start + us);
		for (i = 0;
			 i < LOOKS_PER_CLOCK && ga_reply_state(in_slot) == GA_REPLY_AWAITED;
			 i++)
			pg_spin_delay();
	}
	if (ga_reply_state(in_slot) != GA_REPLY_HERE)
		return false;
	learn(&in_slot->reply, start);
	return true;
}
