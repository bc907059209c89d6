/*
 * hostile.c
 *		A gpuaggd that answers whatever it likes, in the session's process.
 *
 * Stands in for connect.c: a connection is a socket pair, of which this file
 * has the other end.  The linker has the session's send() come here, so that
 * gpuaggd has its turn behind each request.
 */
#include "postgres.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "extension/engine/session_counters.h"
#include "extension/offload/connect.h"
#include "extension/offload/spare_fd.h"
#include "hostile.h"
#include "server_stubs.h"

bool hostile_by_socket;
int hostile_n_descriptors;
size_t hostile_n_bytes;
size_t hostile_lease_bytes;
bool hostile_lease_is_sealed;
int hostile_late;
int hostile_n_requests[GA_RESET + 1];

Bytes hostile_script;
static HostileAnswer answer_by;
static int peer_fd = -1; /* this end of the connection */
static int session_fd = -1;
static GaRequest last;

/* Memory that it grants. */
typedef struct Memory
{
	int fd;
	char *start; /* or NULL */
	size_t n_bytes;
} Memory;

static Memory lease = {.fd = -1};
static Memory lookups = {.fd = -1};
static GaLookupShape shape;

/* Requests that are not answered yet, the first one first. */
static GaRequest late[GA_SLOTS];
static int n_late;

/* --- the connection */

static void
close_peer(void)
{
	if (peer_fd >= 0)
		close(peer_fd);
	peer_fd = -1;
}

int
ga_connect_if_up(void)
{
	int fds[2];

	close_peer();
	if (hostile_script.left == 0 && answer_by == NULL)
		return -1;
	must(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
					fds) == 0);
	peer_fd = fds[0];
	session_fd = fds[1];
	return fds[1];
}

void
ga_disconnect(int fd)
{
	must(fd == session_fd);
	close(fd);
	session_fd = -1;
	n_late = 0;
	close_peer();
}

GaReason
ga_connect(bool waits, int *fd, char *trouble, Size trouble_bytes)
{
	trouble[0] = '\0';
	*fd = ga_connect_if_up();
	return *fd < 0 ? GA_REASON_NO_DEVICE : GA_NO_REASON;
}

void
ga_connect_failed(GaReason reason)
{
}

/* It lies, but it lives, unless a test says otherwise. */
bool hostile_is_hung;

bool
ga_connect_is_hung(void)
{
	return hostile_is_hung;
}

/* --- memory */

static void
close_memory(Memory *memory)
{
	if (memory->start != NULL)
		(void) munmap(memory->start, memory->n_bytes);
	memory->start = NULL;
	if (memory->fd >= 0)
		close(memory->fd);
	memory->fd = -1;
}

/*
 * Make memory for `needed` bytes that is too short for them, or can become it,
 * if so told.
 */
static void
make_memory(Memory *memory, size_t n_bytes, size_t needed, bool is_sealed)
{
	close_memory(memory);
	memory->fd = memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	must(memory->fd >= 0 && ftruncate(memory->fd, (off_t) n_bytes) == 0);
	if (is_sealed)
		must(fcntl(memory->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
	if (n_bytes < needed)
		return;
	memory->n_bytes = n_bytes;
	memory->start =
		mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory->fd, 0);
	must(memory->start != MAP_FAILED);
}

GaSlot *
hostile_slot(uint32_t i)
{
	return lease.start == NULL ?
			   NULL :
			   (GaSlot *) (lease.start + (size_t) i * GA_SLOT_BYTES);
}

bool
hostile_lookup(uint32_t i, GaLookupSlot *slot)
{
	if (lookups.start == NULL)
		return false;
	*slot = ga_lookup_slot(lookups.start, shape, i % GA_LOOKUP_COUNT);
	return true;
}

/* Make lookup slots, without arrays where memory is to be too short. */
static void
make_lookups(bool is_large, GaReply *reply)
{
	size_t n_bytes;

	shape = is_large ? GA_LOOKUP_LARGE : GA_LOOKUP_SMALL;
	n_bytes = ga_lookup_bytes(shape);
	make_memory(&lookups, hostile_lease_bytes < GA_LEASE_BYTES ? 4096 : n_bytes,
				n_bytes, hostile_lease_is_sealed);
	reply->u.lookup_slots.n_arrays = shape.n_arrays;
	reply->u.lookup_slots.n_full = shape.n_full;
	reply->u.lookup_slots.keeps = 1;
}

static void
grant_lease(GaReply *reply)
{
	uint32_t i;

	make_memory(&lease, hostile_lease_bytes, GA_LEASE_BYTES,
				hostile_lease_is_sealed);
	reply->u.lease.n_slots = GA_LEASE_SLOTS;
	for (i = 0; i < GA_LEASE_SLOTS; i++)
		reply->u.lease.offsets[i] = (uint64_t) i * GA_SLOT_BYTES;
}

/* Return the descriptor that comes with the answer to the last request. */
static int
memory_fd(void)
{
	return last.opcode == GA_LOOKUP_SLOTS ? lookups.fd : lease.fd;
}

/* Does a descriptor come with the answer to the last request? */
static bool
has_memory(void)
{
	return last.opcode == GA_LEASE || last.opcode == GA_LOOKUP_SLOTS ||
		   last.opcode == GA_CACHE;
}

/* Return where the session looks for a reply, or NULL. */
static GaSlotReply *
slot_reply(uint32_t i)
{
	GaLookupSlot lookup;

	if (i >= GA_LEASE_SLOTS)
		return hostile_lookup(i - GA_LEASE_SLOTS, &lookup) ? lookup.reply :
															 NULL;
	return lease.start == NULL ? NULL : &hostile_slot(i)->reply;
}

/* --- honest answers */

/* Fill in what a gpuaggd without any array would say. */
static void
answer_honestly(const GaRequest *request, GaReply *reply)
{
	GaSlot *slot = hostile_slot(request->slot % GA_LEASE_SLOTS);
	GaLookupSlot lookup;
	uint32_t i;

	memset(reply, 0, sizeof(*reply));
	reply->devices = 1;
	reply->opcode = request->opcode;
	reply->slot = request->slot;
	switch (request->opcode)
	{
		case GA_HELLO:
		case GA_DEVICES:
			reply->u.device.n_devices = 1;
			strcpy(reply->u.device.kind, "emulated");
			break;
		case GA_LEASE:
			grant_lease(reply);
			break;
		case GA_LOOKUP_SLOTS:
			make_lookups(request->u.lookup_slots.is_large, reply);
			break;
		case GA_SUM:
			for (i = 0; i < request->u.sum.n_arrays && slot != NULL; i++)
				slot->sums[i] = (GaPartialSum){.limb = {1}, .first = 33};
			break;
		case GA_REDUCE_STORED:
			for (i = 0; i < request->u.stored.n_arrays &&
						hostile_lookup(request->slot - GA_LEASE_SLOTS, &lookup);
				 i++)
			{
				lookup.refs[i].state = request->u.stored.lookup.loads ?
										   GA_STORED_LOAD :
										   GA_STORED_RESIDENT;
				lookup.refs[i].n = lookup.refs[i].part.n;
			}
			break;
		case GA_ELEM:
			hostile_answer_elem(request, reply);
			break;
		case GA_WINDOW:
			hostile_answer_window(request);
			break;
		case GA_SCAN:
			reply->u.scan.n_totals = request->u.scan.n;
			break;
		case GA_CACHE:
			make_memory(&lease, hostile_lease_bytes, GA_LEASE_BYTES, true);
			reply->u.cache.n_rows = 3;
			break;
	}
}

/* Send a packet with so many descriptors. */
static void
send_packet(const GaReply *reply, size_t n_bytes, int n_descriptors)
{
	union
	{
		struct cmsghdr head;
		char bytes[CMSG_SPACE(8 * sizeof(int))];
	} control = {0};
	char packet[sizeof(*reply) + 64] = {0};
	struct iovec part = {packet, n_bytes};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	int i;

	memcpy(packet, reply, sizeof(*reply));
	if (n_descriptors > 0 && memory_fd() >= 0)
	{
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(n_descriptors * sizeof(int));
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(n_descriptors * sizeof(int));
		for (i = 0; i < n_descriptors; i++)
			((int *) CMSG_DATA(&control.head))[i] = memory_fd();
	}
	if (peer_fd >= 0)
		(void) sendmsg(peer_fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Put a reply into its slot, if the session looks for it there. */
static void
put_reply(const GaReply *reply, uint32_t i)
{
	GaSlotReply *to = slot_reply(i % GA_SLOTS);

	if (to == NULL)
		return;
	to->reply = *reply;
	to->state = GA_REPLY_HERE;
}

/* --- the script */

/*
 * Answer the last request, in a way that the script's next byte says.  Bits 4
 * and 5 are how often the right answer is spoiled before; bits 0 to 3 choose
 * one of the cases below.  From 9 on the answer goes where it belongs; the
 * memory of a lease is too small with 9, and can be resized with 10.
 */
static void
answer_by_script(void)
{
	const uint8_t how = take_byte(&hostile_script);
	GaReply reply;
	int n_spoiled = how / 16 % 4;

	hostile_lease_bytes = how % 16 == 9 ? 4096 : GA_LEASE_BYTES;
	hostile_lease_is_sealed = how % 16 != 10;
	answer_honestly(&last, &reply);
	while (n_spoiled-- > 0)
		hostile_spoil(&reply);
	switch (how % 16)
	{
		case 0: /* the connection ends */
			close_peer();
			break;
		case 1: /* no answer, and time passes */
			stubs_pass_ms(take_word(&hostile_script) % 100000);
			break;
		case 2: /* a packet of any length */
			send_packet(&reply,
						take_word(&hostile_script) % (sizeof(reply) + 64), 0);
			break;
		case 3:
		case 4: /* two or three descriptors */
			send_packet(&reply, sizeof(reply), how % 16 - 1);
			break;
		case 5: /* the answer twice */
			send_packet(&reply, sizeof(reply), has_memory());
			send_packet(&reply, sizeof(reply), 0);
			break;
		case 6: /* no answer */
			break;
		case 7: /* by the socket, without a descriptor */
			send_packet(&reply, sizeof(reply), 0);
			break;
		case 8: /* in any slot */
			put_reply(&reply, take_byte(&hostile_script));
			break;
		default:
			if (ga_uses_slot(last.opcode))
				put_reply(&reply, last.slot);
			else
				send_packet(&reply, sizeof(reply), has_memory());
			break;
	}
}

/* Answer as a test wants it. */
static void
answer_as_told(void)
{
	GaReply reply;

	answer_honestly(&last, &reply);
	answer_by(&last, &reply);
	if (ga_uses_slot(last.opcode) && !hostile_by_socket &&
		ga_reply_state(slot_reply(last.slot)) == GA_REPLY_AWAITED)
		put_reply(&reply, last.slot);
	else
		send_packet(&reply, hostile_n_bytes,
					hostile_n_descriptors > 0 ? hostile_n_descriptors :
												has_memory());
}

/* --- its turns */

/* Answer the requests that are late. */
static void
answer_late(void)
{
	const int n = n_late;
	int i;

	n_late = 0;
	for (i = 0; i < n; i++)
	{
		last = late[i];
		answer_as_told();
	}
}

/* Answer the last request, now or later. */
static void
answer(void)
{
	if (answer_by == NULL)
		answer_by_script();
	else if (hostile_late == 0 || !ga_uses_slot(last.opcode))
		answer_as_told();
	else
	{
		must(n_late < GA_SLOTS);
		late[n_late++] = last;
		if (n_late == hostile_late)
			answer_late();
	}
}

extern ssize_t __real_send(int fd, const void *bytes, size_t n, int flags);
extern ssize_t __wrap_send(int fd, const void *bytes, size_t n, int flags);

ssize_t
__wrap_send(int fd, const void *bytes, size_t n, int flags)
{
	ssize_t sent = __real_send(fd, bytes, n, flags);

	if (sent != sizeof(last) || peer_fd < 0)
		return sent;
	must(recv(peer_fd, &last, sizeof(last), 0) == sizeof(last));
	must(last.opcode <= GA_RESET);
	hostile_n_requests[last.opcode]++;
	if (last.opcode == GA_RELEASE_LEASE || last.opcode == GA_CANCEL_LOADS)
		return sent;
	answer();
	return sent;
}

void
hostile_is_awaited(int fd)
{
	must(fd == session_fd);
	if (n_late > 0)
		answer_late();
	else if (answer_by != NULL || hostile_script.left == 0)
		close_peer();
	else
		answer_by_script();
}

/* --- for whom has a session */

static int n_open; /* descriptors, before the session began */

static int
count_descriptors(void)
{
	int n = 0;
	int fd;

	for (fd = 0; fd < 64; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

void
hostile_begin(const Bytes *bytes)
{
	hostile_script = *bytes;
	answer_by = NULL;
	/* a session keeps this one for its life */
	(void) ga_spare_fd_reserve();
	n_open = count_descriptors();
}

void
hostile_answer_by(HostileAnswer answer)
{
	answer_by = answer;
	hostile_by_socket = false;
	hostile_n_descriptors = 0;
	hostile_n_bytes = sizeof(GaReply);
	hostile_lease_bytes = GA_LEASE_BYTES;
	hostile_lease_is_sealed = true;
	hostile_late = 0;
	hostile_is_hung = false;
	memset(hostile_n_requests, 0, sizeof(hostile_n_requests));
	memset(hostile_n_arrays, 0, sizeof(hostile_n_arrays));
	memset(hostile_n_elements, 0, sizeof(hostile_n_elements));
	hostile_script = (Bytes){NULL, 0};
	/* a session keeps this one for its life */
	(void) ga_spare_fd_reserve();
	n_open = count_descriptors();
}

void
hostile_end(void)
{
	must(session_fd < 0);
	close_peer();
	close_memory(&lease);
	close_memory(&lookups);
	must(count_descriptors() == n_open);
}
