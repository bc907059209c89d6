/*
 * fuzz_gpuaggd.c
 *		What hostile sessions send to gpuaggd and write to its memory.
 *
 * gpuaggd is in this process, with the emulated device; main.c is its own, and
 * its loop comes back here after each turn.  An input is a list of actions of
 * a few clients.  Whatever they do, gpuaggd goes on, and when they have gone
 * nothing is left of them.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "bytes.h"
#include "daemon/log.h"
#include "daemon/session.h"
#include "wire/slot.h"

#define BOOT_TOKEN 77
#define MAX_TURNS  20000

typedef struct Client
{
	int fd; /* -1: closed */
	char *lease;
	GaRequest last; /* that was sent */
} Client;

static Client clients[3];

/* --- gpuaggd, a turn at a time */

static jmp_buf after_turn;
static int64_t passed_ns; /* by what the input says */
static void (*end_turn)(void);
static bool (*is_polling)(void);

extern int gpuaggd_main(int argc, char **argv);
extern void __real_ga_loop_run(int (*timeout_ms)(int64_t now_ns),
							   bool (*is_polling)(void), void (*end_turn)(void))
	__attribute__((noreturn));
extern void __wrap_ga_loop_run(int (*timeout_ms)(int64_t now_ns),
							   bool (*is_polling)(void), void (*end_turn)(void))
	__attribute__((noreturn));
extern void __wrap__exit(int status) __attribute__((noreturn));
extern int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
extern GaStatus __wrap_ga_ladder_start(GaSession *session,
									   const GaLadderCall *call,
									   GaDeviceFailure *failure);
extern void __wrap_ga_log(const char *format, ...);
extern void __wrap_ga_log_warning(const char *format, ...);

void
__wrap_ga_loop_run(int (*timeout_ms)(int64_t now_ns), bool (*polling)(void),
				   void (*end)(void))
{
	(void) timeout_ms;
	end_turn = end;
	is_polling = polling;
	longjmp(after_turn, 1);
}

static int
sleep_never(int64_t now_ns)
{
	(void) now_ns;
	return 0;
}

static void
end_turn_here(void)
{
	end_turn();
	longjmp(after_turn, 1);
}

static void
turn(void)
{
	if (setjmp(after_turn) == 0)
		__real_ga_loop_run(sleep_never, is_polling, end_turn_here);
}

/* No client may end gpuaggd. */
void
__wrap__exit(int status)
{
	(void) status;
	abort();
}

int
__wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	(void) clock;
	passed_ns += 1000;
	now->tv_sec = 1000 + passed_ns / 1000000000;
	now->tv_nsec = passed_ns % 1000000000;
	return 0;
}

/* Programs are not started. */
GaStatus
__wrap_ga_ladder_start(GaSession *session, const GaLadderCall *call,
					   GaDeviceFailure *failure)
{
	(void) session;
	(void) failure;
	return call->repeats % 2 ? GA_NO_MEMORY : GA_NO_CAPACITY;
}

/* Lines of the log are made, but not written. */
#define DEFINE_LOG(name)                             \
	void name(const char *format, ...)               \
	{                                                \
		char text[2000];                             \
		va_list args;                                \
                                                     \
		va_start(args, format);                      \
		vsnprintf(text, sizeof(text), format, args); \
		va_end(args);                                \
	}

DEFINE_LOG(__wrap_ga_log)
DEFINE_LOG(__wrap_ga_log_warning)

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static char *arguments[] = {"gpuaggd",
								"--socket=fuzz.sock",
								"--boot-token=77",
								"--device=emulated",
								"--cache-size=3",
								"--staging-size=16",
								"--request-timeout=100000000",
								NULL};
	sigset_t none;
	int i;

	(void) argc;
	(void) argv;
	if (setjmp(after_turn) == 0)
		gpuaggd_main(sizeof(arguments) / sizeof(arguments[0]) - 1, arguments);
	unlink("fuzz.sock");
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (i = 0; i < 3; i++)
		clients[i].fd = -1;
	return 0;
}

/* --- clients */

static void
close_client(Client *client)
{
	if (client->lease != NULL)
		munmap(client->lease, GA_LEASE_BYTES);
	if (client->fd >= 0)
		close(client->fd);
	*client = (Client){.fd = -1};
}

static void
send_request(Client *client, const GaRequest *request)
{
	client->last = *request;
	(void) send(client->fd, request, sizeof(*request),
				MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Map a lease, if it is one. */
static void
take_lease(Client *client, const GaReply *reply, int fd)
{
	if (reply->opcode == GA_LEASE && reply->status == GA_OK &&
		client->lease == NULL)
	{
		client->lease = mmap(NULL, GA_LEASE_BYTES, PROT_READ | PROT_WRITE,
							 MAP_SHARED, fd, (off_t) reply->u.lease.offset);
		must(client->lease != MAP_FAILED);
	}
	if (fd >= 0)
		close(fd);
}

/* Receive a reply.  False if there is none. */
static bool
receive(Client *client, GaReply *reply)
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
	int fd = -1;

	if (client->fd < 0 ||
		recvmsg(client->fd, &message, MSG_DONTWAIT) != sizeof(*reply))
		return false;
	if (CMSG_FIRSTHDR(&message) != NULL)
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	must(memchr(reply->reason, '\0', sizeof(reply->reason)) != NULL);
	take_lease(client, reply, fd);
	return true;
}

static void
open_client(Client *client, uint32_t database)
{
	GaRequest request = {.opcode = GA_HELLO};
	GaReply reply;
	int fds[2];

	close_client(client);
	must(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fds) == 0);
	client->fd = fds[0];
	ga_session_open(fds[1]);
	request.u.hello.magic = GA_PROTOCOL_MAGIC;
	request.u.hello.version = GA_PROTOCOL_VERSION;
	request.u.hello.boot_token = BOOT_TOKEN;
	request.u.hello.database = database;
	send_request(client, &request);
	turn();
	must(receive(client, &reply) && reply.status == GA_OK);
	request.opcode = GA_LEASE;
	request.u.lease.waits = database % 2;
	send_request(client, &request);
	turn();
	(void) receive(client, &reply);
}

/* --- actions */

static GaSlot *
slot_of(const Client *client, uint32_t i)
{
	return (GaSlot *) (client->lease +
					   (size_t) (i % GA_LEASE_SLOTS) * GA_SLOT_BYTES);
}

static GaStoredKey
key_of(uint32_t i)
{
	const uint32_t n_bytes = i % 5 == 0 ? 400000 : 8 * (i % 300);

	return (GaStoredKey){7, 1000 + i, 24 + n_bytes, n_bytes};
}

/* Name a few stored arrays, as a session does. */
static void
name_arrays(Client *client, Bytes *bytes)
{
	GaRequest request = {.opcode = GA_SUM_STORED, .slot = take_byte(bytes) % 4};
	const uint32_t n = take_byte(bytes) % 8;
	GaStoredRef *refs = ga_slot_stored(slot_of(client, request.slot));
	uint32_t i;

	for (i = 0; i < n; i++)
		refs[i] = (GaStoredRef){.key = key_of(take_byte(bytes) % 16),
								.xmin = take_byte(bytes) % 4,
								.is_settled = 1};
	request.u.stored.type = take_byte(bytes) % GA_N_ELEMENT_TYPES;
	request.u.stored.n_arrays = n;
	request.u.stored.lookup.statement_id = take_byte(bytes);
	request.u.stored.lookup.loads = 1;
	request.u.stored.lookup.waits = take_byte(bytes) % 4 == 1;
	request.u.stored.lookup.sample.taken_ms = 1000;
	request.u.stored.lookup.sample.next_oid = 5000 + take_word(bytes) % 9000;
	send_request(client, &request);
}

/* Load what the last request named, of one type, in one segment each. */
static void
load_arrays(Client *client, Bytes *bytes)
{
	GaRequest request = {.opcode = GA_LOAD, .slot = take_byte(bytes) % 4};
	const GaStoredRef *refs =
		ga_slot_stored(slot_of(client, client->last.slot));
	GaSlot *slot = slot_of(client, request.slot);
	uint32_t n = 0;
	uint32_t i;

	if (client->last.opcode != GA_SUM_STORED)
		return;
	request.u.load.type = client->last.u.stored.type % GA_N_ELEMENT_TYPES;
	request.u.load.n_data_bytes = GA_SLOT_DATA_BYTES;
	for (i = 0; i < client->last.u.stored.n_arrays % 8; i++)
	{
		const uint32_t size = (uint32_t) ga_element_size(request.u.load.type);
		const uint32_t n_all = (refs[i].key.raw_bytes % 500000) / size;

		if (refs[i].state == GA_STORED_LOAD)
			slot->segments[n++] = (GaLoadSegment){.key = refs[i].key,
												  .xmin = 700,
												  .n = n_all,
												  .n_all = n_all,
												  .is_settled = 1};
	}
	request.u.load.n_segments = n;
	send_request(client, &request);
}

/* Write words to a slot: to one of its parts. */
static void
write_slot(Client *client, Bytes *bytes)
{
	const uint8_t where = take_byte(bytes);
	GaSlot *slot = slot_of(client, where / 8);
	void *const parts[] = {slot->arrays,
						   slot->segments,
						   slot->full,
						   &slot->reply,
						   ga_slot_data(slot),
						   ga_slot_stored_full(slot),
						   ga_slot_data(slot) + 400,
						   slot->sums};
	uint32_t *to = parts[where % 8];
	const uint32_t at = take_word(bytes) % 512;

	take_words(bytes, to + at, take_byte(bytes) % 32);
}

/* Send a request of which only the opcode is likely to be right. */
static void
send_any(Client *client, Bytes *bytes)
{
	GaRequest request = {0};

	request.opcode = take_byte(bytes) % (GA_RESET + 2);
	request.slot = take_word(bytes);
	take_words(bytes, (uint32_t *) &request.u,
			   take_byte(bytes) % (sizeof(request.u) / sizeof(uint32_t) + 1));
	send_request(client, &request);
}

/* Send the last request again, with a few words changed. */
static void
send_again(Client *client, Bytes *bytes)
{
	GaRequest request = client->last;
	const uint32_t at = take_byte(bytes) % (sizeof(request) / 4 - 4);

	take_words(bytes, (uint32_t *) &request + at, take_byte(bytes) % 4);
	send_request(client, &request);
}

static void
act(Client *client, uint8_t what, Bytes *bytes)
{
	const bool has_lease = client->lease != NULL;
	char packet[sizeof(GaRequest) + 8] = {0};
	GaReply reply;

	switch (what)
	{
		case 0:
			close_client(client);
			break;
		case 1:
			if (has_lease)
				name_arrays(client, bytes);
			break;
		case 2:
			if (has_lease)
				load_arrays(client, bytes);
			break;
		case 3:
		case 4:
			if (has_lease)
				write_slot(client, bytes);
			break;
		case 5:
		case 6:
			send_any(client, bytes);
			break;
		case 7:
			send_again(client, bytes);
			break;
		case 8:
			while (receive(client, &reply))
				;
			break;
		case 9:
			(void) send(client->fd, packet,
						take_byte(bytes) % sizeof(packet) + 1,
						MSG_NOSIGNAL | MSG_DONTWAIT);
			break;
		case 10:
			passed_ns += INT64_C(100000000) * (take_byte(bytes) % 20);
			break;
		default:
			turn();
			break;
	}
}

/* --- */

/* When nobody is there any more, nothing is left of them. */
static void
check_end(void)
{
	const GaRequest clear = {.opcode = GA_CLEAR};
	const GaRequest stat = {.opcode = GA_STAT};
	const GaRequest devices = {.opcode = GA_DEVICES};
	GaReply reply;
	int n = 0;
	int i;

	for (i = 0; i < 3; i++)
		close_client(&clients[i]);
	while (ga_sessions_count() > 0 || is_polling())
	{
		must(n++ < MAX_TURNS);
		turn();
	}
	open_client(&clients[0], 9);
	must(clients[0].lease != NULL);
	send_request(&clients[0], &clear);
	for (n = 0; !receive(&clients[0], &reply); n++)
	{
		must(n < MAX_TURNS);
		turn();
	}
	send_request(&clients[0], &stat);
	turn();
	must(receive(&clients[0], &reply) && reply.u.stat.n_resident == 0);
	send_request(&clients[0], &devices);
	turn();
	must(receive(&clients[0], &reply) && reply.u.device.n_leases == 1);
	close_client(&clients[0]);
	turn();
	turn();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
	Bytes bytes = {data, n_bytes};

	while (bytes.left > 0)
	{
		const uint8_t what = take_byte(&bytes);
		Client *client = &clients[what / 16 % 3];

		if (client->fd < 0)
			open_client(client, what / 64);
		act(client, what % 16, &bytes);
		if (what < 128)
			turn();
	}
	check_end();
	return 0;
}
