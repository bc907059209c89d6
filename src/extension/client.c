/*
 * client.c
 *		A session's connection to gpuaggd.
 *
 * Made when the first work for a device comes up, and kept.  It has a socket,
 * and while there is work a window of staging memory.  Waiting is for the
 * socket and the latch, so that cancellation, timeouts and the end of the
 * server are answered at once.
 *
 * Nothing here is an error for the user: what cannot be had has a reason, and
 * the caller goes on with the CPU.  Only an interrupt throws.  Whoever waits
 * for an answer no longer closes the connection, which cancels the request.
 */
#include "postgres.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "access/htup_details.h"
#include "access/parallel.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "storage/s_lock.h"
#include "utils/syscache.h"

#include "client.h"
#include "clock.h"
#include "connect.h"
#include "settings.h"

/* A reply by the socket that is there within this time is not slept for. */
#define SPIN_US			50

/*
 * A reply in a slot is looked for so long without sleep, since to be woken up
 * costs gpuaggd more than all else about a small request: with 32 sessions it
 * does twice as many.  First without a pause, then letting others go before.
 */
#define SELFISH_US		10
#define AWAKE_US		300

/* How often a slot is looked at before the clock is. */
#define LOOKS_PER_CLOCK	20

/* How long a session that could use the CPU waits for gpuaggd to answer. */
#define AUTO_MS			1000

char	   *ga_client_window = NULL;

static int	client_fd = -1;
static bool is_broken;			/* the last request could not be sent */
static bool window_keeps;
static char device_kind[sizeof(((GaDeviceRow *) 0)->kind)];
static char trouble[sizeof(((GaReply *) 0)->reason)];

/* What gpuaggd said last about a failure; may be empty. */
const char *
ga_client_trouble(void)
{
	return trouble;
}

/* "cuda" or "emulated"; NULL before the first connection. */
const char *
ga_client_device_kind(void)
{
	return device_kind[0] ? device_kind : NULL;
}

static void
drop_window(void)
{
	if (ga_client_window != NULL)
		(void) munmap(ga_client_window, GA_WINDOW_BYTES);
	ga_client_window = NULL;
}

/* End the connection, and with it all requests under way.  Never throws. */
void
ga_client_close(void)
{
	drop_window();
	if (client_fd >= 0)
		ga_disconnect(client_fd);
	client_fd = -1;
}

/* False if the connection is gone. */
bool
ga_client_send(const GaRequest *request)
{
	ssize_t		n;

	if (ga_uses_slot(request->operation))
		ga_client_slot(request->slot)->reply.state = GA_REPLY_AWAITED;
	do
		n = send(client_fd, request, sizeof(*request),
				 MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	is_broken = n != sizeof(*request);
	return !is_broken;
}

/* Take a reply if there is one, and a descriptor that comes with it. */
static GaReason
take_reply(int fd, GaReply *reply, int *descriptor, bool *is_there)
{
	union
	{
		struct cmsghdr head;
		char		room[CMSG_SPACE(sizeof(int))];
	}			control;
	struct iovec part = {reply, sizeof(*reply)};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control)};
	struct cmsghdr *item;
	ssize_t		n = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

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
	int			events = WaitLatchOrSocket(MyLatch,
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
static GaReason
wait_for_reply(int fd, GaReply *reply, int *descriptor, long ms, int spin_us)
{
	int64		start = ga_clock_us();
	bool		is_there;

	for (;;)
	{
		GaReason	reason = take_reply(fd, reply, descriptor, &is_there);
		int64		us;

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

/* The same, of replies that come by the socket. */
GaReason
ga_client_wait(int fd, GaReply *reply, int *descriptor, long ms)
{
	return wait_for_reply(fd, reply, descriptor, ms, SPIN_US);
}

/*
 * Look for a reply that is awaited in its slot, for as long as it makes no
 * sense to sleep.  False if it did not come; then the socket will tell.  Others
 * get the processor soon: they may be those that gpuaggd waits for, or gpuaggd.
 */
static bool
look_for_reply(GaSlotReply *room)
{
	int64		start = ga_clock_us();
	int			i;

	while (ga_reply_state(room) == GA_REPLY_AWAITED)
	{
		int64		us = ga_clock_us() - start;

		CHECK_FOR_INTERRUPTS();
		if (us >= AWAKE_US)
			return !ga_reply_change(room, GA_REPLY_AWAITED,
									GA_REPLY_BY_SOCKET);
		if (us >= SELFISH_US)
			(void) sched_yield();
		for (i = 0; i < LOOKS_PER_CLOCK &&
			 ga_reply_state(room) == GA_REPLY_AWAITED; i++)
			pg_spin_delay();
	}
	return ga_reply_state(room) == GA_REPLY_HERE;
}

/*
 * The reply to what was sent about a slot.  If it waits, then for
 * gpuagg.request_timeout at most, and *is_there is true unless there is a
 * reason why not; then the connection is of no more use.
 */
GaReason
ga_client_receive(int slot, GaReply *reply, bool waits, bool *is_there)
{
	int			descriptor;
	GaReason	reason = GA_NO_REASON;
	GaSlotReply *room;

	*is_there = false;
	if (client_fd < 0)
	{
		trouble[0] = '\0';
		return GA_REASON_GONE;
	}
	room = &ga_client_slot(slot)->reply;
	if (ga_reply_state(room) == GA_REPLY_HERE ||
		(waits && look_for_reply(room)))
	{
		*reply = room->reply;
		*is_there = true;
	}
	else if (waits)
	{
		reason = wait_for_reply(client_fd, reply, &descriptor,
								ga_request_timeout, 0);
		*is_there = reason == GA_NO_REASON;
	}
	else if (is_broken || ga_reply_state(room) == GA_REPLY_BY_SOCKET)
		reason = take_reply(client_fd, reply, &descriptor, is_there);
	if (reason == GA_NO_REASON && *is_there && reply->status != GA_OK)
		strlcpy(trouble, reply->reason, sizeof(trouble));
	else if (reason != GA_NO_REASON)
		trouble[0] = '\0';
	return reason;
}

/*
 * Send a request on a connection that has nothing else under way, and wait
 * for its reply.  Throws if the query is cancelled; then the connection has
 * to be closed.
 */
GaReason
ga_client_ask(int fd, const GaRequest *request, GaReply *reply,
			  int *descriptor, long ms)
{
	if (send(fd, request, sizeof(*request), MSG_NOSIGNAL) != sizeof(*request))
		return GA_REASON_GONE;
	return ga_client_wait(fd, reply, descriptor, ms);
}

/*
 * The same on the session's connection, for as long as it takes.  With a reason
 * why there is no reply the connection is of no more use.
 */
GaReason
ga_client_call(const GaRequest *request, GaReply *reply)
{
	int			descriptor;

	return client_fd < 0 ? GA_REASON_GONE :
		ga_client_ask(client_fd, request, reply, &descriptor, INT_MAX);
}

/*
 * The raw xmin of this database's row: it tells it from one that had its OID
 * before.
 */
static TransactionId
database_xmin(void)
{
	HeapTuple	tuple = SearchSysCache1(DATABASEOID,
										ObjectIdGetDatum(MyDatabaseId));
	TransactionId xmin = InvalidTransactionId;

	if (HeapTupleIsValid(tuple))
	{
		xmin = HeapTupleHeaderGetRawXmin(tuple->t_data);
		ReleaseSysCache(tuple);
	}
	return xmin;
}

/* Begin to talk.  GA_NO_REASON if both ends know the other. */
GaReason
ga_client_greet(int fd, long ms)
{
	GaRequest	request = {.operation = GA_HELLO};
	GaReply		reply;
	int			descriptor;
	GaReason	reason;

	request.u.hello.magic = GA_PROTOCOL_MAGIC;
	request.u.hello.version = GA_PROTOCOL_VERSION;
	request.u.hello.boot_token = ga_boot_token();
	request.u.hello.database = MyDatabaseId;
	request.u.hello.database_xmin = database_xmin();
	reason = ga_client_ask(fd, &request, &reply, &descriptor, ms);
	if (reason == GA_NO_REASON && reply.status == GA_OK)
		strlcpy(device_kind, reply.u.device.kind, sizeof(device_kind));
	if (reason != GA_NO_REASON || reply.status == GA_OK)
		return reason;
	strlcpy(trouble, reply.reason, sizeof(trouble));
	return GA_REASON_VERSION;
}

/* Map a window that was given. */
static GaReason
map_window(int memfd, const GaReply *reply)
{
	void	   *start;

	if (memfd < 0)
		return GA_REASON_GONE;
	start = mmap(NULL, GA_WINDOW_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
				 memfd, (off_t) reply->u.window.offset);
	close(memfd);
	if (start == MAP_FAILED)
		return GA_REASON_STAGING;
	ga_client_window = start;
	window_keeps = reply->u.window.keeps != 0;
	return GA_NO_REASON;
}

/* How long to wait for an answer that needs no device. */
static long
patience_ms(bool waits)
{
	return waits ? ga_request_timeout : Min(ga_request_timeout, AUTO_MS);
}

/* Get a window; if all are taken, wait for one if that is wanted. */
static GaReason
open_window(bool waits)
{
	GaRequest	request = {.operation = GA_ASK_WINDOW};
	GaReply		reply;
	int			memfd;
	GaReason	reason;

	request.u.window.waits = waits;
	reason = ga_client_ask(client_fd, &request, &reply, &memfd, patience_ms(waits));
	if (reason == GA_REASON_TIMEOUT && waits)
		return GA_REASON_STAGING;
	if (reason != GA_NO_REASON)
		return reason;
	if (reply.status == GA_NO_ROOM)
		return GA_REASON_STAGING;
	if (reply.status != GA_OK)
		return GA_REASON_FAILED;
	return map_window(memfd, &reply);
}

/* A new connection, greeted.  What fails is remembered for a while. */
static GaReason
open_connection(bool waits)
{
	GaReason	reason = ga_connect(waits, &client_fd, trouble,
									sizeof(trouble));

	if (reason != GA_NO_REASON)
		return reason;
	reason = ga_client_greet(client_fd, patience_ms(waits));
	if (reason != GA_NO_REASON)
		ga_connect_failed(reason);
	return reason;
}

/*
 * Have a connection and a window.  If it waits, then for gpuaggd to start, and
 * for a window to become free; if not, a reason why not is remembered for a
 * while.  With a reason there is no connection.
 */
GaReason
ga_client_open(bool waits)
{
	volatile GaReason reason = GA_NO_REASON;

	if (ga_client_window != NULL)
		return GA_NO_REASON;
	PG_TRY();
	{
		if (client_fd < 0)
			reason = open_connection(waits);
		if (reason == GA_NO_REASON)
		{
			/* a leader keeps its window while it waits for its workers */
			reason = open_window(waits && !IsParallelWorker());
			if (reason != GA_NO_REASON)
				ga_connect_failed(reason);
		}
	}
	PG_CATCH();
	{
		ga_client_close();
		PG_RE_THROW();
	}
	PG_END_TRY();
	if (reason != GA_NO_REASON)
		ga_client_close();
	return reason;
}

/* No work for now: a window that others wait for goes back. */
void
ga_client_rest(void)
{
	GaRequest	request = {.operation = GA_GIVE_WINDOW};

	if (ga_client_window == NULL || window_keeps)
		return;
	drop_window();
	if (!ga_client_send(&request))
		ga_client_close();
}

/*
 * Nothing is under way: has gpuaggd ended meanwhile?  Then the connection does,
 * too, and the next one to need it makes another.
 */
void
ga_client_check(void)
{
	char		byte;

	if (client_fd >= 0 &&
		(recv(client_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 ||
		 (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)))
		ga_client_close();
}
