/*
 * test_devices.c
 *		Several devices, lookup slots of two sizes, and lookups that are under
 *		way together.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"
#include "stored.h"
#include "wire/route.h"

#define N_DEVICES 3
#define N_ARRAYS  60

static Daemon gpuaggd;
static Client client;
static ArraySet set;
static StoredArray *arrays;

static void
start(const char *device, const char *option)
{
	daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=64", device,
				 option, NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
}

static void
stop(void)
{
	client_close(&client);
	daemon_stop(&gpuaggd);
}

/* Have an array summed on a device; return the reply. */
static GaReply
sum_on(uint32_t device, const StoredArray *array)
{
	const GaStoredLookup lookup = stored_lookup(1);
	GaRequest request = stored_name(&client, array, 1, &lookup);

	request.device = device;
	return client_call(&client, &request);
}

/* Have an array resident on a device. */
static void
load_on(uint32_t device, const StoredArray *array)
{
	GaReply reply = sum_on(device, array);
	GaRequest request = stored_segment(&client, 1, array, 0, UINT32_MAX);

	tap_check(reply.status == GA_OK &&
				  stored_state(&client, 0) == GA_STORED_LOAD,
			  "status %d, state %u", reply.status, stored_state(&client, 0));
	request.device = device;
	tap_check(client_call(&client, &request).status == GA_OK, "not loaded");
	reply = sum_on(device, array);
	tap_check(stored_check(&client, &reply, array, 1) == 1, "not resident");
}

/* Return how many arrays a device has, as the view shows it. */
static uint64_t
count_on(uint32_t device)
{
	const GaRequest request = {.opcode = GA_CACHE};
	GaReply reply;
	uint64_t n = 0;
	uint64_t i;
	GaCacheRow *rows;
	int fd;

	client_send(&client, &request);
	tap_check(client_receive_file(&client, &reply, &fd), "no rows");
	rows = mmap(NULL, reply.u.cache.n_rows * sizeof(*rows) + 1, PROT_READ,
				MAP_PRIVATE, fd, 0);
	for (i = 0; i < reply.u.cache.n_rows; i++)
		n += rows[i].device == device ? rows[i].n_arrays : 0;
	munmap(rows, reply.u.cache.n_rows * sizeof(*rows) + 1);
	close(fd);
	return n;
}

/* Each array is on its device, and nowhere else; their memory adds up. */
static void
test_apart(void)
{
	const uint64_t all = (UINT64_C(1) << N_DEVICES) - 1;
	uint64_t n_on[N_DEVICES] = {0};
	uint64_t one_bytes;
	uint32_t i;

	tap_begin("arrays on several devices");
	start("--device=emulated", NULL);
	one_bytes = stored_stat(&client, false).cache_bytes;
	stop();
	start("--device=emulated:3", NULL);
	tap_check(stored_stat(&client, false).cache_bytes >= N_DEVICES * one_bytes,
			  "there is less memory");
	for (i = 0; i < N_ARRAYS; i++)
	{
		const uint32_t device = ga_route(&arrays[i].key, all);

		load_on(device, &arrays[i]);
		n_on[device]++;
	}
	for (i = 0; i < N_DEVICES; i++)
		tap_check(n_on[i] > 0 && count_on(i) == n_on[i],
				  "device %u has %llu, not %llu", i,
				  (unsigned long long) count_on(i),
				  (unsigned long long) n_on[i]);
	tap_check(stored_clear(&client, 0) == N_ARRAYS, "not all were removed");
	stop();
	tap_end();
}

static GaDeviceRow
describe(uint32_t i)
{
	const GaRequest request = {.opcode = GA_DEVICES};
	GaDeviceRow row = {.index = UINT32_MAX};
	GaReply reply;
	uint32_t j;

	client_send(&client, &request);
	for (j = 0; j < N_DEVICES; j++)
	{
		tap_check(client_receive(&client, &reply) && reply.status == GA_OK &&
					  reply.u.device.index == j,
				  "row %u", j);
		if (j == i)
			row = reply.u.device;
	}
	return row;
}

/* One device fails, in some way: the others go on, with what they have. */
static void
test_lost(const char *fault, const char *reason)
{
	char option[80];
	GaReply reply;

	tap_begin("a device of several: %s", fault);
	snprintf(option, sizeof(option), "--emulated-faults=%s", fault);
	daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=64",
				 "--request-timeout=1000", "--device=emulated:3", option, NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	load_on(1, &arrays[0]);
	reply =
		client_call(&client, &(GaRequest){.opcode = GA_DEVICES, .device = 0});
	tap_check(reply.devices == 7, "devices %llx",
			  (unsigned long long) reply.devices);
	(void) client_receive(&client, &reply);
	(void) client_receive(&client, &reply);

	load_on(2, &arrays[1]);
	reply = sum_on(0, &arrays[2]);
	if (reply.status == GA_OK)
	{
		/* it fails when it has something to do */
		GaRequest request = stored_segment(&client, 1, &arrays[2], 0, 10000);

		reply = client_call(&client, &request);
		if (reply.status == GA_OK)
			reply = sum_on(0, &arrays[2]);
		else
		{
			/* the slot is the lost device's */
			client_close(&client);
			stored_open(&client, &gpuaggd, STORED_DATABASE);
		}
	}
	tap_check(reply.status == GA_DEVICE_FAILED &&
				  strstr(reply.reason, reason) != NULL,
			  "status %d, %s", reply.status, reply.reason);
	tap_check(reply.devices == 6, "devices %llx",
			  (unsigned long long) reply.devices);

	reply = sum_on(0, &arrays[0]);
	tap_check(reply.status == GA_DEVICE_FAILED, "it is used again: %d",
			  reply.status);
	reply = sum_on(1, &arrays[0]);
	tap_check(stored_check(&client, &reply, &arrays[0], 1) == 1,
			  "the second one lost its array");
	reply = sum_on(2, &arrays[1]);
	tap_check(stored_check(&client, &reply, &arrays[1], 1) == 1,
			  "the third one lost its array");
	load_on(ga_route(&arrays[2].key, reply.devices), &arrays[2]);
	tap_check(strstr(describe(0).failure, reason) != NULL &&
				  describe(1).failure[0] == '\0' &&
				  describe(2).failure[0] == '\0',
			  "described as: %s", describe(0).failure);
	tap_check(daemon_said(&gpuaggd, "the others go on"), "no warning");
	tap_check(stored_clear(&client, 0) >= 3, "no arrays to remove");
	stop();
	tap_end();
}

/*
 * A device fails when it is asked how much memory it has: for a view, or since
 * nobody chose how much of it resident arrays may take.
 */
static void
test_lost_described(bool is_view)
{
	GaReply reply;

	tap_begin("a device that cannot be described%s",
			  is_view ? ", for a view" : "");
	daemon_start(&gpuaggd, "--staging-size=32",
				 is_view ? "--cache-size=64" : "--cache-size=-1",
				 "--device=emulated:3", "--emulated-faults=lose_describe=2",
				 NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	load_on(1, &arrays[0]);
	if (is_view)
		(void) describe(1);
	else
	{
		reply = sum_on(0, &arrays[1]);
		tap_check(reply.status == GA_DEVICE_FAILED ||
					  stored_state(&client, 0) == GA_STORED_STREAM,
				  "status %d, state %u", reply.status,
				  stored_state(&client, 0));
	}
	tap_check(daemon_said(&gpuaggd, "device 0 failed, and the others go on"),
			  "no warning");
	reply = sum_on(0, &arrays[1]);
	tap_check(reply.status == GA_DEVICE_FAILED &&
				  strstr(reply.reason, "injected failure") != NULL,
			  "it is used again: %d, %s", reply.status, reply.reason);
	tap_check(reply.devices == 6, "devices %llx",
			  (unsigned long long) reply.devices);
	reply = sum_on(1, &arrays[0]);
	tap_check(stored_check(&client, &reply, &arrays[0], 1) == 1,
			  "the second one lost its array");
	tap_check(strstr(describe(0).failure, "injected failure") != NULL,
			  "described as: %s", describe(0).failure);
	stop();
	tap_end();
}

/* A cache is no larger than its device, whatever the setting. */
static void
test_large_cache(void)
{
	uint64_t cache_bytes;

	tap_begin("more memory than a device has");
	daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=2147483647",
				 "--device=emulated:3", NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	cache_bytes = stored_stat(&client, false).cache_bytes;
	tap_check(cache_bytes > 0 && cache_bytes <= 3 * describe(0).memory_bytes,
			  "%llu bytes", (unsigned long long) cache_bytes);
	load_on(0, &arrays[0]);
	stop();
	tap_end();
}

/*
 * A device that was lost may still write to a slot: that is for no other
 * request, and its session connects again.  A session that waits for a request
 * to end on that device is answered, too.
 */
static void
test_slot(void)
{
	const GaStoredLookup lookup = stored_lookup(1);
	GaReply reply = {.status = -1};
	GaRequest request;
	Client waiting;
	uint32_t n_slots;

	tap_begin("a slot of a device that was lost");
	daemon_start(&gpuaggd, "--staging-size=8", "--request-timeout=1000",
				 "--device=emulated:2", "--emulated-faults=hang_launch=1",
				 NULL);
	client_open(&client, &gpuaggd);
	client_lease(&client, false);
	n_slots = client.n_slots;
	request = client_fill_one(&client, 0, 1);
	client_send(&client, &request);
	client_open(&waiting, &gpuaggd);
	tap_check(client_get_lookups(&waiting, false) == GA_OK, "no lookup slots");
	request = stored_name(&waiting, arrays, 1, &lookup);
	client_send(&waiting, &request);
	client_check_waits(&waiting);
	client_check_turned_away(&client, GA_DEVICE_FAILED, "no answer");
	tap_check(client_receive(&waiting, &reply) &&
				  reply.status == GA_DEVICE_FAILED,
			  "the session that waited: %d", reply.status);
	client_close(&waiting);

	client_open(&client, &gpuaggd);
	client_lease(&client, false);
	tap_check(client.n_slots == n_slots - 1, "%u slots of %u", client.n_slots,
			  n_slots);
	request = client_fill_one(&client, 0, 77);
	request.device = 1;
	client_send(&client, &request);
	tap_check(client_receive(&client, &reply) &&
				  client_is_one(&client, &reply, 77),
			  "the other device");
	stop();
	tap_end();
}

/* With the last one gpuaggd ends, after its answers. */
static void
test_all_lost(void)
{
	GaReply reply = {.status = -1};
	GaRequest request;
	int status;

	tap_begin("the only device");
	start("--device=emulated:1", "--emulated-faults=fail_launch=1");
	request = client_fill_one(&client, 0, 1);
	client_send(&client, &request);
	tap_check(client_receive(&client, &reply) &&
				  reply.status == GA_DEVICE_FAILED,
			  "status %d", reply.status);
	status = daemon_wait(&gpuaggd, 10000);
	tap_check(WIFEXITED(status), "status %x", status);
	client_close(&client);
	daemon_remove(&gpuaggd);
	tap_end();
}

/* Large lookup slots are few; small ones are for everybody. */
static void
test_lookup_slots(void)
{
	enum
	{
		N_CLIENTS = 100,
		MOST_LARGE = 32
	};
	static Client clients[N_CLIENTS];
	int n_large = 0;
	int i;

	tap_begin("lookup slots");
	daemon_start(&gpuaggd, "--staging-size=8", NULL);
	for (i = 0; i < N_CLIENTS; i++)
	{
		client_open(&clients[i], &gpuaggd);
		tap_check(client_get_lookups(&clients[i], false) == GA_OK &&
					  clients[i].shape.n_arrays == GA_LOOKUP_SMALL.n_arrays,
				  "no small ones");
	}
	for (i = 0; i < N_CLIENTS; i++)
		n_large += client_get_lookups(&clients[i], true) == GA_OK;
	tap_check(n_large == MOST_LARGE, "%d large ones", n_large);
	tap_check(clients[0].shape.n_arrays == GA_LOOKUP_LARGE.n_arrays &&
				  clients[N_CLIENTS - 1].shape.n_arrays ==
					  GA_LOOKUP_SMALL.n_arrays,
			  "not the first ones");
	/* one that is released is for others */
	client_close(&clients[0]);
	client_open(&clients[0], &gpuaggd);
	tap_check(client_get_lookups(&clients[N_CLIENTS - 1], true) == GA_OK,
			  "none after one was released");
	for (i = 0; i < N_CLIENTS; i++)
		client_close(&clients[i]);
	daemon_stop(&gpuaggd);
	tap_end();
}

/*
 * Lookups of one session are under way together, and answered in order; what
 * is no lookup waits for them.
 */
static void
test_together(void)
{
	const int n = 4;
	GaStoredLookup lookup = stored_lookup_next();
	GaRequest request;
	GaReply reply;
	double start_ms;
	int i;

	tap_begin("lookups under way together");
	start("--device=emulated", "--emulated-faults=slow_launch=1000");
	tap_check(stored_make_resident(&client, arrays, 1, &lookup) == 1,
			  "not resident");
	request = stored_name(&client, arrays, 1, &lookup);
	for (i = 1; i < n; i++)
		client_lookup(&client, CLIENT_LOOKUP + (uint32_t) i).refs[0] =
			client_lookup(&client, CLIENT_LOOKUP).refs[0];
	start_ms = now_ms();
	for (i = 0; i < n; i++)
	{
		request.slot = CLIENT_LOOKUP + (uint32_t) i;
		client_send(&client, &request);
	}
	request = client_fill_one(&client, 0, 77);
	client_send(&client, &request);
	for (i = 0; i < n; i++)
		tap_check(client_receive(&client, &reply) && reply.status == GA_OK &&
					  reply.slot == CLIENT_LOOKUP + (uint32_t) i,
				  "reply %d is about slot %u", i, reply.slot);
	tap_check(now_ms() - start_ms < 1000 * (n - 1), "%g ms for %d of 1 s",
			  now_ms() - start_ms, n);
	tap_check(client_receive(&client, &reply) &&
				  client_is_one(&client, &reply, 77),
			  "the sum behind them");
	tap_check(now_ms() - start_ms > 1990, "it did not wait: %g ms",
			  now_ms() - start_ms);
	stop();
	tap_end();
}

int
main(void)
{
	Rng rng = {7};
	int i;

	if (!daemon_is_emulated())
	{
		printf("1..0 # SKIP devices that fail as they are told are emulated\n");
		return 0;
	}
	array_set_init(&set, GA_float8);
	for (i = 0; i < N_ARRAYS; i++)
		array_set_add_random(&set, &rng, 1000 + (size_t) i, ARRAY_SET_PACKED,
							 ARRAY_SET_PACKED);
	arrays = stored_make_all(&set, STORED_FIRST);
	test_apart();
	test_lost("fail_launch=1", "injected failure");
	test_lost("hang_launch=1", "no answer from the device");
	test_lost("lose_allocation=1", "injected failure");
	test_lost_described(false);
	test_lost_described(true);
	test_large_cache();
	test_slot();
	test_all_lost();
	test_lookup_slots();
	test_together();
	return tap_done();
}
