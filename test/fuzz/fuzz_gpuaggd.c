/*
 * fuzz_gpuaggd.c
 *		What hostile sessions send to gpuaggd and write to its memory.
 *
 * gpuaggd is in this process, with the emulated device (gpuaggd_turn.c).  An
 * input is a list of actions of a few clients.  Whatever they do, gpuaggd goes
 * on, and when they have gone nothing is left of them.
 */
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bytes.h"
#include "daemon/session.h"
#include "gpuaggd_turn.h"
#include "wire/slot.h"

#define MAX_TURNS 20000

typedef struct Client
{
	int fd;			  /* -1: closed */
	uint32_t n_slots; /* of the lease */
	GaSlot *slots[GA_LEASE_SLOTS];
	char *lookups;
	GaRequest last; /* that was sent */
} Client;

static Client clients[3] = {{.fd = -1}, {.fd = -1}, {.fd = -1}};

/* --- clients */

static void
close_client(Client *client)
{
	while (client->n_slots > 0)
		munmap(client->slots[--client->n_slots], GA_SLOT_BYTES);
	if (client->lookups != NULL)
		munmap(client->lookups, ga_lookup_bytes(GA_LOOKUP_SMALL));
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

static void *
map(int fd, uint64_t offset, size_t n_bytes)
{
	void *start = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
					   (off_t) offset);

	must(start != MAP_FAILED);
	return start;
}

/* Map the memory that a reply grants, if it does. */
static void
take_memory(Client *client, const GaReply *reply, int fd)
{
	if (reply->opcode == GA_LEASE && reply->status == GA_OK)
	{
		must(reply->u.lease.n_slots <= GA_LEASE_SLOTS);
		for (; client->n_slots < reply->u.lease.n_slots; client->n_slots++)
			client->slots[client->n_slots] =
				map(fd, reply->u.lease.offsets[client->n_slots], GA_SLOT_BYTES);
	}
	if (reply->opcode == GA_LOOKUP_SLOTS && reply->status == GA_OK &&
		client->lookups == NULL)
		client->lookups = map(fd, reply->u.lookup_slots.offset,
							  ga_lookup_bytes(GA_LOOKUP_SMALL));
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
	take_memory(client, reply, fd);
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
	request.u.hello.boot_token = GPUAGGD_BOOT_TOKEN;
	request.u.hello.database = database;
	send_request(client, &request);
	gpuaggd_turn();
	must(receive(client, &reply) && reply.status == GA_OK);
	request = (GaRequest){.opcode = GA_LOOKUP_SLOTS};
	send_request(client, &request);
	gpuaggd_turn();
	(void) receive(client, &reply);
	request.opcode = GA_LEASE;
	request.u.lease.n_slots = database % 5 + 1 > 4 ? 4 : database % 5 + 1;
	request.u.lease.wait_ms = database % 2 * 1000;
	send_request(client, &request);
	gpuaggd_turn();
	(void) receive(client, &reply);
}

/* --- actions */

static GaSlot *
slot_of(const Client *client, uint32_t i)
{
	return client->slots[i % client->n_slots];
}

static GaLookupSlot
lookup_of(const Client *client, uint32_t i)
{
	return ga_lookup_slot(client->lookups, GA_LOOKUP_SMALL,
						  i % GA_LOOKUP_COUNT);
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
	GaRequest request = {.opcode = GA_REDUCE_STORED,
						 .slot = GA_LEASE_SLOTS +
								 take_byte(bytes) % GA_LOOKUP_COUNT};
	const uint8_t what = take_byte(bytes);
	const uint32_t n = what % 8;
	GaStoredRef *refs = lookup_of(client, request.slot - GA_LEASE_SLOTS).refs;
	uint8_t waits;
	uint32_t i;

	for (i = 0; i < n; i++)
	{
		const uint8_t which = take_byte(bytes);
		const uint8_t how = take_byte(bytes);

		refs[i] = (GaStoredRef){
			.key = key_of(which % 16), .xmin = how % 4, .is_settled = 1};
		/* some parts, which the array has or has not */
		if (how / 4 % 4 == 1)
			refs[i].part = (GaStoredPart){which / 16 * how, how * how + 1};
	}
	request.u.stored.type = take_byte(bytes) % GA_N_ELEMENT_TYPES;
	request.u.stored.reduction = what / 8 % GA_N_ALL_REDUCTIONS;
	request.u.stored.n_arrays = n;
	request.u.stored.lookup.statement_id = take_byte(bytes);
	waits = take_byte(bytes);
	request.u.stored.lookup.waits = waits % 4 == 1;
	request.u.stored.lines = waits / 4 % 2;
	request.u.stored.lookup.loads = waits / 8 % 8 == 1 ? GA_LOADS_LATER :
									waits / 8 % 8 == 2 ? GA_LOADS_NOTHING :
														 GA_LOADS_NOW;
	request.u.stored.lookup.sample.taken_ms = 1000;
	request.u.stored.lookup.sample.next_oid = 5000 + take_word(bytes) % 9000;
	send_request(client, &request);
}

/* Load what the last request named, of one type, in one segment each. */
static void
load_arrays(Client *client, Bytes *bytes)
{
	GaRequest request = {.opcode = GA_LOAD,
						 .slot = take_byte(bytes) % client->n_slots};
	const GaStoredRef *refs =
		lookup_of(client, client->last.slot - GA_LEASE_SLOTS).refs;
	GaSlot *slot = slot_of(client, request.slot);
	uint32_t n = 0;
	uint32_t i;

	if (client->last.opcode != GA_REDUCE_STORED)
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
	const GaLookupSlot lookup = lookup_of(client, where / 8);
	void *const parts[] = {slot->arrays, slot->segments,	 slot->full,
						   &slot->reply, ga_slot_data(slot), lookup.refs,
						   lookup.reply, slot->sums};
	uint32_t *to = parts[where % 8];
	const uint32_t at = take_word(bytes) % (where % 8 == 6 ? 100 : 512);

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
	const bool has_slots = client->n_slots > 0 && client->lookups != NULL;
	char packet[sizeof(GaRequest) + 8] = {0};
	GaReply reply;

	switch (what)
	{
		case 0:
			close_client(client);
			break;
		case 1:
			if (has_slots)
				name_arrays(client, bytes);
			break;
		case 2:
			if (has_slots)
				load_arrays(client, bytes);
			break;
		case 3:
		case 4:
			if (has_slots)
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
			gpuaggd_passed_ns += INT64_C(100000000) * (take_byte(bytes) % 20);
			break;
		default:
			gpuaggd_turn();
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
	while (ga_sessions_count() > 0 || gpuaggd_is_busy())
	{
		must(n++ < MAX_TURNS);
		gpuaggd_turn();
	}
	open_client(&clients[0], 9);
	must(clients[0].n_slots > 0 && clients[0].lookups != NULL);
	send_request(&clients[0], &clear);
	for (n = 0; !receive(&clients[0], &reply); n++)
	{
		must(n < MAX_TURNS);
		gpuaggd_turn();
	}
	send_request(&clients[0], &stat);
	gpuaggd_turn();
	must(receive(&clients[0], &reply) && reply.u.stat.n_resident == 0);
	send_request(&clients[0], &devices);
	gpuaggd_turn();
	must(receive(&clients[0], &reply) && reply.u.device.n_leases == 1);
	close_client(&clients[0]);
	gpuaggd_turn();
	gpuaggd_turn();
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
			gpuaggd_turn();
	}
	check_end();
	return 0;
}
