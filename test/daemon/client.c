/*
 * client.c
 *		A client of gpuaggd, as a backend would be one.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "client.h"
#include "exact/exact_sum_io.h"
#include "tap.h"

static void
bail_out(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(2);
}

void
client_connect(Client *client, const Daemon *daemon)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	memset(client, 0, sizeof(*client));
	snprintf(address.sun_path, sizeof(address.sun_path), "%s",
			 daemon->socket_path);
	client->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (client->fd < 0 ||
		connect(client->fd, (struct sockaddr *) &address, sizeof(address)) != 0)
		bail_out("connect");
}

GaRequest
client_hello_request(void)
{
	return (GaRequest){
		.opcode = GA_HELLO,
		.u.hello = {GA_PROTOCOL_MAGIC, GA_PROTOCOL_VERSION, BOOT_TOKEN}};
}

void
client_open(Client *client, const Daemon *daemon)
{
	GaRequest hello = client_hello_request();
	GaReply reply;

	client_connect(client, daemon);
	reply = client_call(client, &hello);
	tap_check(reply.status == GA_OK, "hello: %d, %s", reply.status,
			  reply.reason);
	tap_check(reply.u.device.n_devices > 0 &&
				  strcmp(reply.u.device.kind,
						 daemon_is_emulated() ? "emulated" : "cuda") == 0,
			  "device %s", reply.u.device.kind);
}

static void
unmap_lease(Client *client)
{
	while (client->n_slots > 0)
		munmap(client->slots[--client->n_slots], GA_SLOT_BYTES);
}

static void
unmap_lookups(Client *client)
{
	if (client->lookups != NULL)
		munmap(client->lookups, ga_lookup_bytes(client->shape));
	client->lookups = NULL;
}

void
client_close(Client *client)
{
	unmap_lease(client);
	unmap_lookups(client);
	close(client->fd);
	client->fd = -1;
}

void
client_send_bytes(Client *client, const void *bytes, size_t n)
{
	ssize_t sent = send(client->fd, bytes, n, MSG_NOSIGNAL);

	tap_check(sent == (ssize_t) n || errno == EPIPE || errno == ECONNRESET,
			  "send: %s", strerror(errno));
}

void
client_send(Client *client, const GaRequest *request)
{
	client_send_bytes(client, request, sizeof(*request));
}

bool
client_has_reply(Client *client, int timeout_ms)
{
	struct pollfd event = {.fd = client->fd, .events = POLLIN};

	return poll(&event, 1, timeout_ms) > 0;
}

void
client_check_waits(Client *client)
{
	tap_check(!client_has_reply(client, 5), "it does not wait");
}

bool
client_receive_file(Client *client, GaReply *reply, int *fd)
{
	union
	{
		struct cmsghdr header;
		char buffer[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec bytes = {reply, sizeof(*reply)};
	struct msghdr message = {.msg_iov = &bytes,
							 .msg_iovlen = 1,
							 .msg_control = &control,
							 .msg_controllen = sizeof(control)};
	struct cmsghdr *header;
	ssize_t n;

	if (!client_has_reply(client, CLIENT_WAIT_MS))
		bail_out("no reply in time");
	*fd = -1;
	n = recvmsg(client->fd, &message, MSG_CMSG_CLOEXEC);
	if (n <= 0)
		return false;
	tap_check(n == sizeof(*reply), "a reply of %zd bytes", n);
	header = CMSG_FIRSTHDR(&message);
	if (header != NULL && header->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(header), sizeof(*fd));
	return true;
}

bool
client_receive(Client *client, GaReply *reply)
{
	int fd;
	bool is_there = client_receive_file(client, reply, &fd);

	if (fd >= 0)
		close(fd);
	return is_there;
}

/* Has the daemon closed the connection?  Waits for it. */
bool
client_is_closed(Client *client)
{
	GaReply reply;

	return !client_receive(client, &reply);
}

void
client_check_turned_away(Client *client, GaStatus status, const char *reason)
{
	GaReply reply;

	tap_check(client_receive(client, &reply) && reply.status == (int) status &&
				  strstr(reply.reason, reason) != NULL,
			  "status %d, reason \"%s\", must be %d, \"%s\"", reply.status,
			  reply.reason, status, reason);
	tap_check(client_is_closed(client), "%s: not closed", reason);
	client_close(client);
}

GaReply
client_call(Client *client, const GaRequest *request)
{
	GaReply reply = {.status = -1};

	client_send(client, request);
	/* a removal tells in between how far it is */
	do
	{
		if (!client_receive(client, &reply))
		{
			tap_check(false, "no reply to %u", (unsigned) request->opcode);
			return reply;
		}
	} while (reply.opcode == GA_CLEAR && reply.status == GA_PENDING);
	tap_check(reply.opcode == request->opcode && reply.slot == request->slot,
			  "a reply to %u, %u instead of %u, "
			  "%u",
			  (unsigned) reply.opcode, (unsigned) reply.slot,
			  (unsigned) request->opcode, (unsigned) request->slot);
	tap_check((reply.status == GA_OK) == (reply.reason[0] == '\0'),
			  "status %d, reason %s", reply.status, reply.reason);
	return reply;
}

/* Map a part of a file. */
static void *
map(int fd, uint64_t offset, size_t n_bytes)
{
	void *start = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
					   (off_t) offset);

	if (start == MAP_FAILED)
		bail_out("mmap");
	return start;
}

void
client_send_lease(Client *client, bool waits)
{
	GaRequest request = {
		.opcode = GA_LEASE,
		.u.lease = {GA_LEASE_SLOTS, waits ? CLIENT_WAIT_MS : 0}};

	client_send(client, &request);
}

/* The reply to what was asked for. */
GaStatus
client_receive_lease(Client *client)
{
	GaReply reply;
	int fd;

	if (!client_receive_file(client, &reply, &fd))
	{
		tap_check(false, "no reply about a lease");
		return GA_BAD_STATE;
	}
	tap_check(reply.opcode == GA_LEASE && (reply.status == GA_OK) == (fd >= 0),
			  "operation %u, status %d, descriptor %d", (unsigned) reply.opcode,
			  reply.status, fd);
	if (reply.status != GA_OK)
		return (GaStatus) reply.status;
	unmap_lease(client);
	client->keeps = reply.u.lease.keeps;
	tap_check(reply.u.lease.n_slots > 0 &&
				  reply.u.lease.n_slots <= GA_LEASE_SLOTS,
			  "%u slots", reply.u.lease.n_slots);
	for (; client->n_slots < reply.u.lease.n_slots; client->n_slots++)
	{
		client->offsets[client->n_slots] =
			reply.u.lease.offsets[client->n_slots];
		client->slots[client->n_slots] =
			map(fd, client->offsets[client->n_slots], GA_SLOT_BYTES);
	}
	close(fd);
	return GA_OK;
}

GaStatus
client_get_lookups(Client *client, bool is_large)
{
	const GaRequest request = {.opcode = GA_LOOKUP_SLOTS,
							   .u.lookup_slots.is_large = is_large};
	GaReply reply;
	int fd;

	client_send(client, &request);
	if (!client_receive_file(client, &reply, &fd))
	{
		tap_check(false, "no reply about lookup slots");
		return GA_BAD_STATE;
	}
	tap_check(reply.opcode == GA_LOOKUP_SLOTS &&
				  (reply.status == GA_OK) == (fd >= 0),
			  "operation %u, status %d, descriptor %d", (unsigned) reply.opcode,
			  reply.status, fd);
	if (reply.status != GA_OK)
		return (GaStatus) reply.status;
	unmap_lookups(client);
	client->shape = (GaLookupShape){reply.u.lookup_slots.n_arrays,
									reply.u.lookup_slots.n_full};
	client->lookups =
		map(fd, reply.u.lookup_slots.offset, ga_lookup_bytes(client->shape));
	close(fd);
	return GA_OK;
}

GaLookupSlot
client_lookup(const Client *client, uint32_t slot)
{
	return ga_lookup_slot(client->lookups, client->shape,
						  slot - GA_LEASE_SLOTS);
}

GaStatus
client_lease(Client *client, bool waits)
{
	client_send_lease(client, waits);
	return client_receive_lease(client);
}

void
client_release_lease(Client *client)
{
	GaRequest request = {.opcode = GA_RELEASE_LEASE};

	unmap_lease(client);
	client_send(client, &request);
}

GaSlot *
client_slot(const Client *client, uint32_t slot)
{
	return client->slots[slot];
}

char *
client_data(const Client *client, uint32_t slot)
{
	return ga_slot_data(client->slots[slot]);
}

uint32_t
client_fill(Client *client, uint32_t slot, const ArraySet *set, uint32_t first,
			GaRequest *request)
{
	const size_t size = ga_element_size(set->type);
	GaSlot *to = client_slot(client, slot);
	char *data = client_data(client, slot);
	uint32_t at = 0;
	uint32_t i;

	for (i = 0; first + i < set->n_arrays && i < GA_SLOT_ARRAYS; i++)
	{
		const ArraySetMember *array = &set->arrays[first + i];

		if (array->n * size > GA_SLOT_DATA_BYTES - at)
			break;
		to->arrays[i] = (GaSlotArray){at, (uint32_t) array->n};
		memcpy(data + at, set->image + array->at, array->n * size);
		at += (uint32_t) (array->n * size);
	}
	memset(to->sums, 0xa5, sizeof(to->sums));
	*request = (GaRequest){
		.opcode = GA_SUM, .slot = slot, .u.sum = {set->type, i, at}};
	return i;
}

GaRequest
client_fill_one(Client *client, uint32_t slot, int64_t x)
{
	GaSlot *to = client_slot(client, slot);

	to->arrays[0] = (GaSlotArray){0, 1};
	memcpy(client_data(client, slot), &x, sizeof(x));
	memset(&to->sums[0], 0xa5, sizeof(to->sums[0]));
	return (GaRequest){
		.opcode = GA_SUM, .slot = slot, .u.sum = {GA_int8, 1, sizeof(x)}};
}

uint32_t
client_put_prefix(Client *client, uint32_t slot, const ArraySet *set, size_t n)
{
	uint8_t *to = (uint8_t *) client_slot(client, slot)->full;
	const void *data = array_set_elements(set, 0);
	GaFullSum full;
	GaIntSum sum = {0};

	if (ga_element_is_float(set->type))
	{
		elements_sum_float(set->type, ga_full_sum_init(&full), data, n);
		return ga_exact_sum_serialize(ga_full_sum(&full), to);
	}
	elements_sum_int(set->type, &sum, data, n);
	sum.n = (int64_t) n;
	return ga_int_sum_serialize(&sum, to);
}

/* Is this the answer to it? */
bool
client_is_one(const Client *client, const GaReply *reply, int64_t x)
{
	return reply->opcode == GA_SUM && reply->status == GA_OK &&
		   client_slot(client, reply->slot)->sums[0].kind ==
			   GA_PARTIAL_COMPACT &&
		   client_slot(client, reply->slot)->sums[0].limb[0] == (uint64_t) x;
}

GaStatus
client_sum_one(Client *client, uint32_t slot, int64_t x)
{
	GaRequest request = client_fill_one(client, slot, x);
	GaReply reply = client_call(client, &request);

	if (reply.status == GA_OK)
		tap_check(client_is_one(client, &reply, x), "a wrong sum");
	return (GaStatus) reply.status;
}
