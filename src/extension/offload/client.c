/*
 * client.c
 *		A session's connection to gpuaggd.
 *
 * Owns the socket, and while the session uses the device a lease of staging
 * memory.  The connection is made when the first array is to go to a device,
 * and kept.  reply.c waits for what gpuaggd says.
 *
 * Nothing here is an error for the user: what cannot be had has a reason, and
 * the caller goes on with the CPU.  Only an interrupt throws.  A caller that
 * does not wait for its reply closes the connection, which cancels all
 * requests.
 */
#include "postgres.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "access/parallel.h"
#include "miscadmin.h"

#include "client.h"
#include "extension/boot_token.h"
#include "extension/clock.h"
#include "connect.h"
#include "reply.h"
#include "extension/engine/session_counters.h"
#include "extension/settings.h"
#include "stored_key.h"

/* How often to test whether gpuaggd answers, before there is a request. */
#define HUNG_TEST_US 2000

/* How long a session that could use the CPU waits for gpuaggd to answer. */
#define AUTO_MS 1000

char *ga_client_lease = NULL;

static int client_fd = -1;
static bool is_broken;		/* the last request could not be sent */
static bool may_keep_lease; /* at the end of a transaction */
static char device_kind[sizeof(((GaDeviceRow *) 0)->kind)];
static char trouble[sizeof(((GaReply *) 0)->reason)];

/* Return what gpuaggd said last about a failure; may be empty. */
const char *
ga_client_trouble(void)
{
	return trouble;
}

/* Return "cuda" or "emulated"; NULL before the first connection. */
const char *
ga_client_device_kind(void)
{
	return device_kind[0] ? device_kind : NULL;
}

static void
unmap_lease(void)
{
	if (ga_client_lease != NULL)
		(void) munmap(ga_client_lease, GA_LEASE_BYTES);
	ga_client_lease = NULL;
}

/* Close the connection, which cancels all requests.  Never throws. */
void
ga_client_close(void)
{
	unmap_lease();
	if (client_fd >= 0)
		ga_disconnect(client_fd);
	client_fd = -1;
}

/*
 * Send a request.  False if the connection is gone; ga_client_receive may still
 * have what gpuaggd said before.  Never throws.
 */
bool
ga_client_send(const GaRequest *request)
{
	ssize_t n;

	is_broken = client_fd < 0 ||
				(ga_uses_slot(request->opcode) && ga_client_lease == NULL);
	if (is_broken)
		return false;
	if (ga_uses_slot(request->opcode))
		ga_client_slot(request->slot)->reply.state = GA_REPLY_AWAITED;
	do
		n = send(client_fd, request, sizeof(*request),
				 MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	is_broken = n != sizeof(*request);
	return !is_broken;
}

/*
 * Wait for a reply by the socket, for ms at most.  *descriptor is -1, or one
 * that came with it, which is the caller's to close; NULL wants none.  Throws
 * if the query is cancelled.
 */
GaReason
ga_client_wait(int fd, GaReply *reply, int *descriptor, long ms)
{
	return ga_reply_wait(fd, reply, descriptor, ms, GA_WAIT_ANSWER);
}

/* Is there nothing to receive about a slot yet?  Costs no system call. */
bool
ga_client_is_awaiting(int slot)
{
	return client_fd >= 0 && !is_broken &&
		   ga_reply_state(&ga_client_slot(slot)->reply) == GA_REPLY_AWAITED;
}

/*
 * Receive the reply to what was sent about a slot; *is_there tells if there was
 * one.  If `waits`, wait for gpuagg.request_timeout at most, and there is one
 * unless there is a reason why not.  With a reason the connection is of no more
 * use.  Throws if the query is cancelled.
 */
GaReason
ga_client_receive(int slot, GaReply *reply, bool waits, bool *is_there)
{
	GaReason reason = GA_NO_REASON;
	GaSlotReply *in_slot;

	*is_there = false;
	if (client_fd < 0)
	{
		trouble[0] = '\0';
		return GA_REASON_GONE;
	}
	in_slot = &ga_client_slot(slot)->reply;
	if (ga_reply_state(in_slot) == GA_REPLY_HERE ||
		(waits && ga_reply_poll(in_slot)))
	{
		*reply = in_slot->reply;
		ga_reply_clean(reply);
		*is_there = true;
	}
	else if (waits)
	{
		reason = ga_reply_wait(client_fd, reply, NULL, ga_request_timeout,
							   GA_WAIT_DEVICE);
		*is_there = reason == GA_NO_REASON;
	}
	else if (is_broken || ga_reply_state(in_slot) == GA_REPLY_BY_SOCKET)
		reason = ga_reply_receive(client_fd, reply, NULL, is_there);
	if (reason == GA_NO_REASON && *is_there && reply->status != GA_OK)
		strlcpy(trouble, reply->reason, sizeof(trouble));
	else if (reason != GA_NO_REASON)
		trouble[0] = '\0';
	return reason;
}

/*
 * Send a request on a connection that has nothing else under way, and wait
 * for its reply; a descriptor comes with it as ga_client_wait has it.  Throws
 * if the query is cancelled; then the connection has to be closed.
 */
GaReason
ga_client_ask(int fd, const GaRequest *request, GaReply *reply, int *descriptor,
			  long ms)
{
	const bool is_sent =
		send(fd, request, sizeof(*request), MSG_NOSIGNAL) == sizeof(*request);
	GaReason reason;

	/* a gpuaggd that closed the connection may have told the reason before */
	reason = ga_client_wait(fd, reply, descriptor, is_sent ? ms : 0);
	if (reason != GA_NO_REASON)
		return is_sent ? reason : GA_REASON_GONE;
	if (reply->opcode == request->opcode)
		return reason;
	if (descriptor != NULL && *descriptor >= 0)
		close(*descriptor);
	if (descriptor != NULL)
		*descriptor = -1;
	return GA_REASON_GONE;
}

/*
 * Say hello on a new connection, and wait for the answer for ms at most.
 * GA_NO_REASON if both ends are of the same version and server start.  Throws
 * if the query is cancelled.
 */
GaReason
ga_client_greet(int fd, long ms)
{
	GaRequest request = {.opcode = GA_HELLO};
	GaReply reply = {0};
	GaReason reason;

	request.u.hello.magic = GA_PROTOCOL_MAGIC;
	request.u.hello.version = GA_PROTOCOL_VERSION;
	request.u.hello.boot_token = ga_boot_token();
	request.u.hello.database = MyDatabaseId;
	request.u.hello.database_hash = ga_stored_database_hash();
	reason = ga_client_ask(fd, &request, &reply, NULL, ms);
	if (reason == GA_NO_REASON && reply.status == GA_OK)
		strlcpy(device_kind, reply.u.device.kind, sizeof(device_kind));
	if (reason == GA_REASON_GONE && reply.opcode == GA_HELLO &&
		reply.status == GA_BAD_VERSION)
	{
		strlcpy(trouble, "Its replies are of another size.", sizeof(trouble));
		return GA_REASON_VERSION;
	}
	if (reason != GA_NO_REASON || reply.status == GA_OK)
		return reason;
	strlcpy(trouble, reply.reason, sizeof(trouble));
	return reply.status == GA_NO_CAPACITY ? GA_REASON_SESSIONS :
											GA_REASON_VERSION;
}

/* Is a lease in a file, now and as long as it is mapped? */
static bool
has_lease(int memfd, uint64 offset)
{
	const int seals = fcntl(memfd, F_GET_SEALS);
	struct stat file;

	return seals >= 0 && (seals & F_SEAL_SHRINK) != 0 &&
		   fstat(memfd, &file) == 0 && file.st_size >= GA_LEASE_BYTES &&
		   offset <= (uint64) file.st_size - GA_LEASE_BYTES;
}

/* Map the lease that a reply grants. */
static GaReason
map_lease(int memfd, const GaReply *reply)
{
	void *start;

	if (memfd == GA_DESCRIPTOR_LOST)
		return GA_REASON_DESCRIPTORS;
	if (memfd < 0 || !has_lease(memfd, reply->u.lease.offset))
		return GA_REASON_GONE;
	start = mmap(NULL, GA_LEASE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
				 memfd, (off_t) reply->u.lease.offset);
	if (start == MAP_FAILED)
	{
		snprintf(trouble, sizeof(trouble), "mmap: %m");
		return GA_REASON_STAGING;
	}
	ga_client_lease = start;
	may_keep_lease = reply->u.lease.keeps != 0;
	return GA_NO_REASON;
}

/* Return how long to wait for an answer that needs no device. */
static long
answer_ms(bool waits)
{
	return waits ? ga_request_timeout : Min(ga_request_timeout, AUTO_MS);
}

/* Get a lease; if all are taken, wait for one if `waits`. */
static GaReason
open_lease(bool waits)
{
	const int64 start_us = ga_clock_us();
	GaRequest request = {.opcode = GA_LEASE};
	GaReply reply;
	int memfd;
	GaReason reason;

	request.u.lease.waits = waits;
	reason =
		ga_client_ask(client_fd, &request, &reply, &memfd, answer_ms(waits));
	ga_session_count_waiting(start_us);
	if (reason == GA_REASON_TIMEOUT && waits)
		return GA_REASON_STAGING;
	if (reason != GA_NO_REASON)
		return reason;
	if (reply.status == GA_OK)
		reason = map_lease(memfd, &reply);
	else
		reason = reply.status == GA_NO_CAPACITY ? GA_REASON_STAGING :
												  GA_REASON_FAILED;
	if (memfd >= 0)
		close(memfd);
	return reason;
}

/* Connect and say hello.  A failure is remembered for a while. */
static GaReason
open_connection(bool waits)
{
	GaReason reason = ga_connect(waits, &client_fd, trouble, sizeof(trouble));
	int64 start_us;

	if (reason != GA_NO_REASON)
		return reason;
	start_us = ga_clock_us();
	reason = ga_client_greet(client_fd, answer_ms(waits));
	ga_session_count_waiting(start_us);
	if (reason != GA_NO_REASON)
		ga_connect_failed(reason);
	return reason;
}

/*
 * Have a connection and a lease.  If `waits`, wait for gpuaggd to start, and
 * for a lease to become free; if not, a reason why not is remembered for a
 * while.  With a reason there is no connection.  Throws if the query is
 * cancelled.
 */
GaReason
ga_client_open(bool waits)
{
	volatile GaReason reason = GA_NO_REASON;

	if (ga_client_lease != NULL)
		return GA_NO_REASON;
	PG_TRY();
	{
		if (client_fd < 0)
			reason = open_connection(waits);
		if (reason == GA_NO_REASON)
		{
			/* a leader keeps its lease while it waits for its workers */
			reason = open_lease(waits && !IsParallelWorker());
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

/*
 * Release the lease, with nothing under way, unless it may be kept until there
 * is something again.  Never throws.
 */
void
ga_client_release_lease(void)
{
	GaRequest request = {.opcode = GA_RELEASE_LEASE};

	if (ga_client_lease == NULL || may_keep_lease)
		return;
	unmap_lease();
	if (!ga_client_send(&request))
		ga_client_close();
}

/* Does gpuaggd not answer?  It is tested now and then. */
static bool
is_hung(void)
{
	static int64 tested_at = -HUNG_TEST_US;
	int64 now = ga_clock_us();

	if (now - tested_at < HUNG_TEST_US)
		return false;
	tested_at = now;
	return ga_connect_is_hung();
}

/*
 * With nothing under way, close the connection if gpuaggd has ended meanwhile,
 * or does not answer; ga_client_open makes another one when it can.
 */
void
ga_client_check(void)
{
	char byte;

	if (client_fd >= 0 &&
		(recv(client_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 ||
		 (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) ||
		 is_hung()))
		ga_client_close();
}
