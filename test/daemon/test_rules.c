/*
 * test_rules.c
 *		A client that breaks a rule of the protocol receives the reason and
 *		loses its connection; other clients are not disturbed.
 */
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

static Daemon gpuaggd;
static Client witness;

/* The others go on. */
static void
check_witness(void)
{
	static int64_t n;

	tap_check(client_sum_one(&witness, n % GA_LEASE_SLOTS, n) == GA_OK,
			  "the others are disturbed");
	n++;
}

/* The client receives this reason, and no more; the others go on. */
static void
check_turned_away(Client *client, GaStatus status, const char *reason)
{
	client_check_turned_away(client, status, reason);
	check_witness();
}

static void
test_hello(void)
{
	GaRequest hello = client_hello_request();
	GaRequest bad;
	Client client;

	tap_begin("a greeting that is wrong");
	bad = hello;
	bad.u.hello.magic++;
	client_connect(&client, &gpuaggd);
	client_send(&client, &bad);
	check_turned_away(&client, GA_BAD_VERSION, "magic");
	bad = hello;
	bad.u.hello.version++;
	client_connect(&client, &gpuaggd);
	client_send(&client, &bad);
	check_turned_away(&client, GA_BAD_VERSION, "version");
	bad = hello;
	bad.u.hello.boot_token++;
	client_connect(&client, &gpuaggd);
	client_send(&client, &bad);
	check_turned_away(&client, GA_BAD_VERSION, "boot token");
	bad = (GaRequest){.opcode = GA_DEVICES};
	client_connect(&client, &gpuaggd);
	client_send(&client, &bad);
	check_turned_away(&client, GA_BAD_VERSION, "GA_HELLO");
	client_connect(&client, &gpuaggd);
	client_send_bytes(&client, &hello, sizeof(hello) - 8);
	check_turned_away(&client, GA_BAD_VERSION, "size");
	client_open(&client, &gpuaggd);
	client_send(&client, &hello);
	check_turned_away(&client, GA_BAD_REQUEST, "one before");
	tap_end();
}

/* With a lease, after some work. */
static void
open_with_lease(Client *client)
{
	client_open(client, &gpuaggd);
	tap_check(client_lease(client, true) == GA_OK, "no lease");
	tap_check(client_sum_one(client, 0, 1) == GA_OK, "no sum");
}

static void
test_messages(void)
{
	char bytes[8192] = {0};
	GaRequest request = {.opcode = GA_SUM};
	static const size_t sizes[] = {1,
								   4,
								   sizeof(GaRequest) - 1,
								   sizeof(GaRequest) + 1,
								   4096,
								   sizeof(bytes)};
	static const uint32_t operations[] = {0, GA_RESET + 1, 1000, UINT32_MAX};
	Client client;
	size_t i;

	tap_begin("messages that are none");
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
	{
		open_with_lease(&client);
		memcpy(bytes, &request, sizeof(request));
		client_send_bytes(&client, bytes, sizes[i]);
		check_turned_away(&client, GA_BAD_REQUEST, "size");
	}
	for (i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
	{
		open_with_lease(&client);
		request.opcode = operations[i];
		client_send(&client, &request);
		check_turned_away(&client, GA_BAD_REQUEST, "operation");
	}
	tap_end();
}

/* One request, of a session that has a lease. */
static void
check_request(const GaRequest *request, GaSlotArray array, const char *reason)
{
	Client client;

	open_with_lease(&client);
	client_slot(&client, 0)->arrays[0] = array;
	client_send(&client, request);
	check_turned_away(&client, GA_BAD_REQUEST, reason);
}

/* The request is answered with a failure, and the session goes on. */
static void
check_failed(const GaRequest *request, GaStatus status, const char *reason)
{
	Client client;
	GaReply reply;

	open_with_lease(&client);
	reply = client_call(&client, request);
	tap_check(reply.status == (int32_t) status &&
				  strstr(reply.reason, reason) != NULL,
			  "status %d, \"%s\", must be %d, \"%s\"", reply.status,
			  reply.reason, status, reason);
	tap_check(client_sum_one(&client, 0, 5) == GA_OK, "the session goes on");
	client_close(&client);
}

static void
test_sums(void)
{
	const GaRequest good = {.opcode = GA_SUM, .u.sum = {GA_int8, 1, 64}};
	const GaSlotArray array = {0, 8};
	GaRequest bad = good;

	tap_begin("sums that cannot be");
	bad.slot = GA_LEASE_SLOTS;
	check_request(&bad, array, "slot");
	bad.slot = GA_SLOTS;
	check_request(&bad, array, "slot");
	bad = good;
	bad.device = 1;
	check_request(&bad, array, "device");
	bad = good;
	bad.u.sum.type = GA_N_ELEMENT_TYPES;
	check_request(&bad, array, "type");
	bad.u.sum.type = UINT32_MAX;
	check_request(&bad, array, "type");
	bad = good;
	bad.u.sum.n_arrays = GA_SLOT_ARRAYS + 1;
	check_request(&bad, array, "arrays");
	bad.u.sum.n_arrays = UINT32_MAX;
	check_request(&bad, array, "arrays");
	bad = good;
	bad.u.sum.n_data_bytes = GA_SLOT_DATA_BYTES + 1;
	check_request(&bad, array, "bytes");
	bad.u.sum.n_data_bytes = UINT32_MAX;
	check_request(&bad, array, "bytes");
	check_request(&good, (GaSlotArray){4, 1}, "aligned");
	check_request(&good, (GaSlotArray){0, 9}, "beyond");
	check_request(&good, (GaSlotArray){64, 1}, "beyond");
	check_request(&good, (GaSlotArray){72, 1}, "beyond");
	check_request(&good, (GaSlotArray){8, UINT32_MAX}, "beyond");
	check_request(&good, (GaSlotArray){UINT32_MAX - 7, 2}, "beyond");
	check_request(&good, (GaSlotArray){8, (UINT32_MAX >> 3) + 1}, "beyond");
	tap_end();
}

static void
test_scans(void)
{
	const GaRequest good = {.opcode = GA_SCAN,
							.u.scan = {.type = GA_int4, .n = 8}};
	const GaSlotArray array = {0, 0};
	GaRequest bad = good;
	uint32_t n;

	tap_begin("running totals that cannot be");
	bad.slot = UINT32_MAX;
	check_request(&bad, array, "slot");
	bad = good;
	bad.u.scan.type = GA_N_ELEMENT_TYPES;
	check_request(&bad, array, "type");
	bad = good;
	bad.u.scan.n = GA_SLOT_DATA_BYTES / 12 + 1;
	check_request(&bad, array, "elements");
	bad.u.scan.n = UINT32_MAX;
	check_request(&bad, array, "elements");
	bad = good;
	bad.u.scan.is_int128 = 1;
	check_request(&bad, array, "128 bits");
	bad = good;
	bad.u.scan.continues = 1;
	check_failed(&bad, GA_BAD_STATE, "before it failed");
	bad = good;
	for (n = 1; n < 100; n += n < 30 ? 1 : 7)
	{
		bad.u.scan.n_prefix_bytes = n;
		check_request(&bad, array, "no sum");
	}
	bad.u.scan.n_prefix_bytes = UINT32_MAX;
	check_request(&bad, array, "no sum");
	bad.u.scan.type = GA_float8;
	check_request(&bad, array, "no sum");
	bad.u.scan.n_prefix_bytes = 43;
	check_request(&bad, array, "no sum");
	tap_end();
}

/* Requests that are wrong only because of what was before them. */
static void
test_order(void)
{
	GaRequest request = {.opcode = GA_SCAN,
						 .u.scan = {.type = GA_float4, .n = 1}};
	GaRequest give = {.opcode = GA_RELEASE_LEASE};
	Client client;

	tap_begin("requests out of order");
	client_open(&client, &gpuaggd);
	client_send(&client, &request);
	check_turned_away(&client, GA_BAD_REQUEST, "no lease");
	client_open(&client, &gpuaggd);
	client_send(&client, &give);
	check_turned_away(&client, GA_BAD_REQUEST, "no lease");
	open_with_lease(&client);
	client_release_lease(&client);
	client_send(&client, &request);
	check_turned_away(&client, GA_BAD_REQUEST, "no lease");

	open_with_lease(&client);
	(void) client_call(&client, &request);
	request.u.scan.type = GA_float8;
	request.u.scan.continues = 1;
	client_send(&client, &request);
	check_turned_away(&client, GA_BAD_REQUEST, "another type");

	open_with_lease(&client);
	request.u.scan.continues = 0;
	(void) client_call(&client, &request);
	request.u.scan.continues = 1;
	request.u.scan.n_prefix_bytes = 43;
	client_send(&client, &request);
	check_turned_away(&client, GA_BAD_REQUEST, "two sums");
	tap_end();
}

/* A slot has one request at a time: the second one comes while it waits. */
static void
test_slot_twice(void)
{
	GaRequest sum = {.opcode = GA_SUM, .slot = 2, .u.sum = {GA_int2, 0, 0}};
	Client client;
	Client others[4];
	int i;

	tap_begin("a slot that has a request already");
	for (i = 0; i < 4; i++)
	{
		client_open(&others[i], &gpuaggd);
		if (client_lease(&others[i], false) != GA_OK)
			break;
	}
	client_open(&client, &gpuaggd);
	client_send_lease(&client, true);
	client_send(&client, &sum);
	client_send(&client, &sum);
	check_turned_away(&client, GA_BAD_REQUEST, "already");
	for (; i >= 0; i--)
		client_close(&others[i]);
	tap_end();
}

/* A client that never reads loses its connection, and disturbs no other. */
static void
test_never_reads(void)
{
	const GaRequest devices = {.opcode = GA_DEVICES};
	Client client;
	struct pollfd end = {.events = POLLRDHUP};
	int n = 0;

	tap_begin("a client that never reads");
	client_open(&client, &gpuaggd);
	end.fd = client.fd;
	while (n < 100000 && poll(&end, 1, 0) == 0 &&
		   send(client.fd, &devices, sizeof(devices), MSG_NOSIGNAL) ==
			   sizeof(devices))
		n++;
	tap_check(n < 100000, "it could send %d requests", n);
	client_close(&client);
	check_witness();
	tap_end();
}

/* What is checked is what is used, whatever the slot says in between. */
static void
test_changing(void)
{
	GaRequest sum;
	Client client;
	GaReply reply;
	int i;

	tap_begin("a slot that changes while it is read");
	open_with_lease(&client);
	sum = client_fill_one(&client, 0, 1);
	for (i = 0; i < 2000; i++)
	{
		volatile GaSlotArray *array = client_slot(&client, 0)->arrays;

		client_send(&client, &sum);
		array->n = UINT32_MAX;
		array->at = 3;
		array->at = 0;
		array->n = 1;
		if (client_receive(&client, &reply) && reply.status == GA_OK)
			continue;
		tap_check(reply.status == GA_BAD_REQUEST, "status %d", reply.status);
		client_close(&client);
		open_with_lease(&client);
	}
	client_close(&client);
	check_witness();
	tap_end();
}

int
main(void)
{
	daemon_start(&gpuaggd, "--staging-size=24", NULL);
	client_open(&witness, &gpuaggd);
	client_lease(&witness, false);
	test_hello();
	test_messages();
	test_sums();
	test_scans();
	test_order();
	test_slot_twice();
	test_never_reads();
	test_changing();
	client_close(&witness);
	tap_begin("the end");
	daemon_stop(&gpuaggd);
	tap_end();
	return tap_done();
}
