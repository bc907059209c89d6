/*
 * client.c
 *		A session's connection to gpuaggd.
 *
 * Owns the socket.  client_open.c makes the connection when the first array is
 * to go to a device, and it is kept; so are its small lookup slots.  A lease of
 * staging memory is requested when there are data to move.  reply.c waits for
 * what gpuaggd says, client_lease.c asks for memory, and client_memory.c maps
 * what it grants.
 *
 * Nothing here is an error for the user: what cannot be had has a reason, and
 * the caller goes on with the CPU.  Only an interrupt throws.  A caller that
 * does not wait for its reply closes the connection, which cancels all
 * requests.
 */
#include "postgres.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "miscadmin.h"

#include "client.h"
#include "extension/boot_token.h"
#include "extension/clock.h"
#include "connect.h"
#include "reply.h"
#include "extension/settings.h"
#include "stored_key.h"
#include "wire/route.h"

/* How often to test whether gpuaggd answers, before there is a request. */
#define HUNG_TEST_US 2000

/* How long a session that could use the CPU waits for gpuaggd to answer. */
#define AUTO_MS 1000

bool ga_client_is_open = false;
uint64 ga_client_devices = 1;
int ga_client_fd = -1;

static bool is_broken; /* the last request could not be sent */
static char device_kind[sizeof(((GaDeviceRow *) 0)->kind)];
static char trouble[sizeof(((GaReply *) 0)->reason)];

/* Return what gpuaggd said last about a failure; may be empty. */
const char *
ga_client_trouble(void)
{
	return trouble;
}

/* Set that text; %m is as in ereport. */
void
ga_client_set_trouble(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(trouble, sizeof(trouble), format, args);
	va_end(args);
}

/* Return "cuda" or "emulated"; NULL before the first connection. */
const char *
ga_client_device_kind(void)
{
	return device_kind[0] ? device_kind : NULL;
}

/* Close the connection, which cancels all requests.  Never throws. */
void
ga_client_close(void)
{
	ga_client_unmap_all();
	ga_client_is_open = false;
	if (ga_client_fd >= 0)
		ga_disconnect(ga_client_fd);
	ga_client_fd = -1;
}

/*
 * Send a request.  False if the connection is gone; ga_client_receive may still
 * have what gpuaggd said before.  Never throws.
 */
bool
ga_client_send(const GaRequest *request)
{
	ssize_t n;

	is_broken = ga_client_fd < 0;
	if (is_broken)
		return false;
	if (ga_uses_slot(request->opcode))
		ga_client_slot_reply(request->slot)->state = GA_REPLY_AWAITED;
	do
		n = send(ga_client_fd, request, sizeof(*request),
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
	return ga_client_fd >= 0 && !is_broken &&
		   ga_reply_state(ga_client_slot_reply(slot)) == GA_REPLY_AWAITED;
}

/* Note which devices work. */
static void
note_devices(const GaReply *reply)
{
	if (reply->devices != 0)
		ga_client_devices = reply->devices;
}

uint32
ga_client_any_device(void)
{
	const GaStoredKey key = {.value_id = MyProcPid};

	return ga_route(&key, ga_client_devices);
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
	if (ga_client_fd < 0)
	{
		trouble[0] = '\0';
		return GA_REASON_GONE;
	}
	in_slot = ga_client_slot_reply(slot);
	if (ga_reply_state(in_slot) == GA_REPLY_HERE ||
		(waits && ga_reply_poll(in_slot)))
	{
		*reply = in_slot->reply;
		ga_reply_clean(reply);
		*is_there = true;
	}
	else if (waits)
	{
		reason = ga_reply_wait(ga_client_fd, reply, NULL, ga_request_timeout,
							   GA_WAIT_DEVICE);
		*is_there = reason == GA_NO_REASON;
	}
	else if (is_broken || ga_reply_state(in_slot) == GA_REPLY_BY_SOCKET)
		reason = ga_reply_receive(ga_client_fd, reply, NULL, is_there);
	if (reason == GA_NO_REASON && *is_there)
		note_devices(reply);
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
	{
		strlcpy(device_kind, reply.u.device.kind, sizeof(device_kind));
		note_devices(&reply);
	}
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

/* Return how long to wait for an answer that needs no device. */
long
ga_client_answer_ms(bool waits)
{
	return waits ? ga_request_timeout : Min(ga_request_timeout, AUTO_MS);
}

/*
 * Connect, without saying hello, as ga_connect has it.  Throws if the query is
 * cancelled.
 */
GaReason
ga_client_connect(bool waits)
{
	return ga_connect(waits, &ga_client_fd, trouble, sizeof(trouble));
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

	if (ga_client_fd >= 0 &&
		(recv(ga_client_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 ||
		 (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) ||
		 is_hung()))
		ga_client_close();
}
