/*
 * test_stored_clear.c
 *		GA_CLEAR: nothing is left of removed arrays, and others are served
 *		meanwhile.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"
#include "stored.h"

/* Elements of arrays that are to leave nothing; each is found by its bytes. */
#define SECRET	INT64_C(0x5ec2e75a11de4000)
#define N_SMALL 1000
#define N_LARGE 50000

#define SLOW_MS 2000

static Daemon gpuaggd;
static Client client;
static Client other;
static uint64_t statement_id;
static uint32_t next_id = STORED_FIRST;

/* An array of n elements from a number on. */
static StoredArray
make_array(ArraySet *set, int64_t from, size_t n, uint32_t relation)
{
	int64_t *x = malloc(n * sizeof(*x));
	StoredArray array;
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = from + (int64_t) i;
	array_set_init(set, GA_int8);
	array_set_add_ints(set, "numbers", x, n);
	free(x);
	array = stored_make(set, 0, next_id++);
	array.key.relation = relation;
	return array;
}

static void
make_resident(Client *who, const StoredArray *array)
{
	const GaStoredLookup lookup = stored_lookup(++statement_id);

	tap_check(stored_make_resident(who, array, 1, &lookup) == 1,
			  "not resident");
}

/* The same on a slow device: its sum is not asked for. */
static void
load(Client *who, const StoredArray *array)
{
	stored_check_load(who, array);
	stored_load(who, array, 1);
}

static bool
is_resident(Client *who, const StoredArray *array)
{
	GaStoredLookup lookup = stored_lookup(statement_id);

	lookup.loads = 0;
	return stored_request_one(who, array, &lookup) == GA_STORED_RESIDENT;
}

/* Overwrite what the client's slots have. */
static void
wipe_slots(const Client *who)
{
	uint32_t i;

	for (i = 0; i < GA_LEASE_SLOTS; i++)
		memset(client_data(who, i), 0, GA_SLOT_DATA_BYTES);
}

/* Count what looks like an element of the secret in some memory. */
static uint64_t
count_elements(const char *bytes, size_t n_bytes)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i + sizeof(int64_t) <= n_bytes; i += sizeof(int64_t))
	{
		int64_t x;

		memcpy(&x, bytes + i, sizeof(x));
		n += x >= SECRET && x < SECRET + N_LARGE;
	}
	return n;
}

/*
 * Count the elements of the secret in all memory of gpuaggd, except the stack:
 * there compilers keep some elements that were added last.
 */
static uint64_t
count_secret(void)
{
	static char buffer[1 << 20];
	unsigned long long from, to;
	char line[512];
	char path[64];
	char mode[8];
	uint64_t n = 0;
	FILE *maps;
	int memory;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int) gpuaggd.pid);
	maps = fopen(path, "r");
	snprintf(path, sizeof(path), "/proc/%d/mem", (int) gpuaggd.pid);
	memory = open(path, O_RDONLY);
	tap_check(maps != NULL && memory >= 0, "%s cannot be read", path);
	while (maps != NULL && fgets(line, sizeof(line), maps) != NULL)
	{
		/* a sanitizer's shadow is larger */
		if (sscanf(line, "%llx-%llx %7s", &from, &to, mode) != 3 ||
			mode[0] != 'r' || mode[1] != 'w' || to - from > UINT64_C(1) << 32 ||
			strstr(line, "[stack]") != NULL)
			continue;
		for (; from < to; from += sizeof(buffer))
		{
			size_t most =
				to - from < sizeof(buffer) ? to - from : sizeof(buffer);
			ssize_t got = pread(memory, buffer, most, (off_t) from);

			if (got > 0)
				n += count_elements(buffer, (size_t) got);
		}
	}
	if (maps != NULL)
		fclose(maps);
	if (memory >= 0)
		close(memory);
	return n;
}

/*
 * The secret lies between others in a page, in pages of its own, and in pages
 * from which it was evicted.  Others stay, and so does their slab.
 */
static void
test_overwritten(void)
{
	const uint32_t relation = STORED_RELATION + 1;
	ArraySet sets[6];
	StoredArray before = make_array(&sets[0], 1, N_SMALL, STORED_RELATION);
	StoredArray small = make_array(&sets[1], SECRET, N_SMALL, relation);
	StoredArray after = make_array(&sets[2], 5, N_SMALL, STORED_RELATION);
	StoredArray large = make_array(&sets[3], SECRET, N_LARGE, relation);
	StoredArray pages = make_array(&sets[4], 9, N_LARGE, STORED_RELATION);
	StoredArray replaced = make_array(&sets[5], SECRET, N_LARGE, relation);
	uint64_t n;
	int i;

	tap_begin("the memory of removed arrays is overwritten");
	make_resident(&client, &before);
	make_resident(&client, &small);
	make_resident(&client, &after);
	make_resident(&client, &large);
	make_resident(&client, &pages);
	make_resident(&client, &replaced);
	wipe_slots(&client);
	n = count_secret();
	tap_check(n >= N_SMALL + 2 * N_LARGE, "%llu elements before",
			  (unsigned long long) n);
	tap_check(stored_clear(&client, relation) == 3, "not three are removed");
	n = count_secret();
	tap_check(n == 0, "%llu elements are left", (unsigned long long) n);
	tap_check(is_resident(&client, &before) && is_resident(&client, &after) &&
				  is_resident(&client, &pages),
			  "others are gone");
	stored_check_empty(&client);
	for (i = 0; i < 6; i++)
		array_set_free(&sets[i]);
	tap_end();
}

/* What was evicted is overwritten as well, by a removal of anything. */
static void
test_evicted(void)
{
	const uint32_t n_others = 8;
	ArraySet secret_set;
	ArraySet sets[8];
	StoredArray secret = make_array(&secret_set, SECRET, N_LARGE, 777);
	StoredArray array;
	uint64_t n;
	uint32_t i;

	tap_begin("the memory of evicted arrays is overwritten");
	make_resident(&client, &secret);
	for (i = 0; i < n_others || is_resident(&client, &secret); i++)
	{
		/* larger ones, which need other pages, too */
		array = make_array(&sets[i % n_others], 3, 700000, STORED_RELATION);
		make_resident(&client, &array);
		if (i >= n_others - 1)
			array_set_free(&sets[(i + 1) % n_others]);
	}
	wipe_slots(&client);
	tap_check(is_resident(&client, &array), "the last one is evicted");
	tap_check(stored_clear(&client, 778) == 0, "there are some");
	n = count_secret();
	tap_check(n == 0, "%llu elements are left in free memory",
			  (unsigned long long) n);
	stored_check_empty(&client);
	array_set_free(&secret_set);
	tap_end();
}

/* Start a removal, and return the reply that ends it. */
static GaReply
clear(uint32_t relation)
{
	const GaRequest request = {.opcode = GA_CLEAR, .u.clear = {relation}};
	GaReply reply;

	client_send(&client, &request);
	do
		tap_check(client_receive(&client, &reply), "no reply");
	while (reply.status == GA_PENDING);
	return reply;
}

/* Remove again what was removed: the memory is overwritten then. */
static void
clear_rest(uint32_t relation)
{
	const GaReply reply = clear(relation);
	const uint64_t n_left = count_secret();

	tap_check(reply.status == GA_OK && reply.u.cache.n_rows == 0,
			  "status %d, %llu removed again", reply.status,
			  (unsigned long long) reply.u.cache.n_rows);
	tap_check(n_left == 0, "%llu elements are left",
			  (unsigned long long) n_left);
}

/*
 * The device refuses to overwrite some memory, after it has begun with other
 * memory.  The session receives why.  Arrays that take that memory next are
 * right, and the next removal overwrites the rest.
 */
static void
test_refused(uint32_t n)
{
	const uint32_t relation = 777;
	ArraySet sets[6];
	StoredArray before = make_array(&sets[0], 1, N_SMALL, STORED_RELATION);
	StoredArray small = make_array(&sets[1], SECRET, N_SMALL, relation);
	StoredArray large = make_array(&sets[2], SECRET, N_LARGE, relation);
	StoredArray between = make_array(&sets[3], 5, N_LARGE, STORED_RELATION);
	StoredArray last = make_array(&sets[4], SECRET, N_LARGE, relation);
	StoredArray next = make_array(&sets[5], 7, N_LARGE, STORED_RELATION);
	GaReply reply;
	int i;

	tap_begin("overwriting is refused, number %u", n);
	make_resident(&client, &before);
	make_resident(&client, &small);
	make_resident(&client, &large);
	make_resident(&client, &between);
	make_resident(&client, &last);
	reply = clear(relation);
	tap_check(reply.status == GA_NO_MEMORY &&
				  strstr(reply.reason, "emulated zero") != NULL &&
				  reply.u.cache.n_rows == 3,
			  "status %d, %llu removed: %s", reply.status,
			  (unsigned long long) reply.u.cache.n_rows, reply.reason);
	make_resident(&client, &next);
	wipe_slots(&client);
	clear_rest(relation);
	stored_check_resident(&client, &before);
	stored_check_resident(&client, &between);
	stored_check_resident(&client, &next);
	for (i = 0; i < 6; i++)
		array_set_free(&sets[i]);
	tap_end();
}

/*
 * Without a descriptor there is no queue to overwrite memory with, and the
 * arrays are removed.  The next removal overwrites it: the memory is kept until
 * then, also if no other array is in it.
 */
static void
test_no_descriptor(bool has_other)
{
	ArraySet sets[2];
	StoredArray kept = make_array(&sets[0], 1, N_SMALL, STORED_RELATION);
	StoredArray secret = make_array(&sets[1], SECRET, N_LARGE, 777);
	GaReply reply;

	tap_begin("a removal finds no descriptor, %s",
			  has_other ? "and there is another array" : "and nothing is left");
	if (has_other)
		make_resident(&client, &kept);
	make_resident(&client, &secret);
	wipe_slots(&client);
	daemon_limit_fds(&gpuaggd, 0);
	reply = clear(777);
	tap_check(reply.status == GA_NO_MEMORY &&
				  strstr(reply.reason, "no descriptor") != NULL &&
				  reply.u.cache.n_rows == 1,
			  "status %d, %llu removed: %s", reply.status,
			  (unsigned long long) reply.u.cache.n_rows, reply.reason);
	tap_check(!has_other || is_resident(&client, &kept), "another one is gone");
	tap_check(count_secret() > 0, "the memory was released as it is");
	daemon_limit_fds(&gpuaggd, 10);
	clear_rest(777);
	if (has_other)
		stored_check_resident(&client, &kept);
	array_set_free(&sets[0]);
	array_set_free(&sets[1]);
	tap_end();
}

/*
 * The first of two devices hangs, while it overwrites memory and has another
 * request.  It is lost, and all are answered: both requests with the failure,
 * the removal as one that has ended.
 */
static void
test_lost(void)
{
	const GaRequest request = {.opcode = GA_CLEAR, .u.clear = {777}};
	ArraySet set;
	StoredArray array = make_array(&set, 1, N_LARGE, 777);
	GaRequest sum;
	GaReply reply = {.status = -1};
	Client third;

	tap_begin("a device is lost while its memory is overwritten");
	load(&client, &array);
	stored_open(&third, &gpuaggd, STORED_DATABASE);
	sum = client_fill_one(&client, 0, 1);
	client_send(&client, &sum);
	/* the others are held back until long after this one took too long */
	sleep_ms(1000);
	sum = client_fill_one(&other, 0, 1);
	client_send(&other, &sum);
	client_send(&third, &request);
	client_check_turned_away(&client, GA_DEVICE_FAILED, "no answer");
	client_check_turned_away(&other, GA_DEVICE_FAILED, "no answer");
	while (client_receive(&third, &reply) && reply.status == GA_PENDING)
		;
	tap_check(reply.status == GA_OK && reply.u.cache.n_rows == 1 &&
				  reply.devices == 2,
			  "status %d, %llu removed, devices %llx", reply.status,
			  (unsigned long long) reply.u.cache.n_rows,
			  (unsigned long long) reply.devices);
	sum = client_fill_one(&third, 0, 77);
	sum.device = 1;
	client_send(&third, &sum);
	tap_check(client_receive(&third, &reply) &&
				  client_is_one(&third, &reply, 77),
			  "the other device");
	client_close(&third);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	stored_open(&other, &gpuaggd, STORED_DATABASE);
	array_set_free(&set);
	tap_end();
}

/*
 * A request uses an array that is removed: its sum is right, and the removal
 * waits for it, saying so.  Meanwhile resident arrays are served, others are
 * not loaded.
 */
static void
test_in_use(void)
{
	const GaRequest clear = {.opcode = GA_CLEAR, .u.clear = {777}};
	ArraySet sets[3];
	StoredArray used = make_array(&sets[0], SECRET, N_SMALL, 777);
	StoredArray resident = make_array(&sets[1], 5, N_SMALL, STORED_RELATION);
	StoredArray missing = make_array(&sets[2], 7, N_SMALL, STORED_RELATION);
	const GaStoredLookup lookup = stored_lookup(++statement_id);
	Client third;
	GaRequest request;
	GaReply reply;
	uint32_t n_told = 0;
	uint64_t n_left;
	int i;

	tap_begin("a removal waits for requests that use an array");
	load(&client, &used);
	load(&client, &resident);
	stored_open(&third, &gpuaggd, STORED_DATABASE);
	request = stored_name(&client, &used, 1, &lookup);
	client_send(&client, &request);
	sleep_ms(30);
	client_send(&third, &clear);
	tap_check(client_receive(&third, &reply) && reply.status == GA_PENDING &&
				  reply.u.cache.n_rows == 1,
			  "status %d, %llu removed", reply.status,
			  (unsigned long long) reply.u.cache.n_rows);
	tap_check(stored_request_one(&other, &missing, &lookup) == GA_STORED_STREAM,
			  "the missing one: %u", stored_state(&other, 0));
	wipe_slots(&client);
	n_left = count_secret();
	tap_check(n_left >= N_SMALL || client_has_reply(&client, 0),
			  "%llu elements are left in use", (unsigned long long) n_left);
	do
		n_told++;
	while (client_receive(&third, &reply) && reply.status == GA_PENDING);
	tap_check(reply.status == GA_OK && reply.u.cache.n_rows == 1,
			  "status %d, %llu removed", reply.status,
			  (unsigned long long) reply.u.cache.n_rows);
	tap_check(n_told >= 2, "heard of it %u times", n_told);
	tap_check(client_has_reply(&client, 0), "it did not wait");
	tap_check(client_receive(&client, &reply), "no sum");
	tap_check(stored_check(&client, &reply, &used, 1) == 1, "no sum");
	tap_check(is_resident(&other, &resident), "another one is gone");
	stored_check_load(&other, &missing);
	tap_check(count_secret() == 0, "some is left");
	client_close(&third);
	stored_check_empty(&client);
	for (i = 0; i < 3; i++)
		array_set_free(&sets[i]);
	tap_end();
}

/* Removals of several sessions, one of which does not wait for its end. */
static void
test_sessions(void)
{
	const GaRequest clear = {.opcode = GA_CLEAR};
	ArraySet set;
	StoredArray used = make_array(&set, 1, N_SMALL, STORED_RELATION);
	const GaStoredLookup lookup = stored_lookup(++statement_id);
	Client clients[3];
	GaRequest request;
	GaReply reply;
	int i;

	tap_begin("removals of several sessions");
	load(&client, &used);
	request = stored_name(&client, &used, 1, &lookup);
	client_send(&client, &request);
	sleep_ms(30);
	for (i = 0; i < 3; i++)
	{
		client_open(&clients[i], &gpuaggd);
		client_send(&clients[i], &clear);
		sleep_ms(10);
	}
	client_close(&clients[0]);
	for (i = 1; i < 3; i++)
	{
		do
			tap_check(client_receive(&clients[i], &reply), "no reply");
		while (reply.status == GA_PENDING);
		tap_check(reply.status == GA_OK && reply.u.cache.n_rows == 0,
				  "session %d: status %d, %llu removed", i, reply.status,
				  (unsigned long long) reply.u.cache.n_rows);
		client_close(&clients[i]);
	}
	tap_check(client_receive(&client, &reply) &&
				  stored_check(&client, &reply, &used, 1) == 1,
			  "no sum");
	stored_check_empty(&client);
	array_set_free(&set);
	tap_end();
}

/* Load many small arrays. */
static void
load_many(const ArraySet *set, uint32_t n)
{
	const GaStoredLookup lookup = stored_lookup(++statement_id);
	StoredArray *arrays = malloc(GA_SLOT_ARRAYS * sizeof(*arrays));
	uint32_t i;

	for (; n > 0; n -= i)
	{
		for (i = 0; i < GA_SLOT_ARRAYS && i < n; i++)
			arrays[i] = stored_make(set, 0, next_id++);
		(void) stored_request(&client, arrays, i, &lookup);
		stored_load(&client, arrays, i);
	}
	free(arrays);
}

/*
 * Remove many arrays while another session's requests are answered.  Return
 * how many were, and the longest time of one, without that in which it had no
 * processor.
 */
static uint32_t
remove_many(const ArraySet *set, double *longest_ms)
{
	const GaRequest clear = {.opcode = GA_CLEAR};
	const uint32_t n = 500000;
	uint32_t n_served = 0;
	GaReply reply = {.status = -1};

	load_many(set, n);
	*longest_ms = 0;
	client_send(&client, &clear);
	while (!client_has_reply(&client, 0))
	{
		double ms = -daemon_now_ms(&gpuaggd);

		tap_check(client_sum_one(&other, 0, 4) == GA_OK, "not served");
		ms += daemon_now_ms(&gpuaggd);
		n_served++;
		if (ms > *longest_ms)
			*longest_ms = ms;
	}
	while (client_receive(&client, &reply) && reply.status == GA_PENDING)
		;
	tap_check(reply.status == GA_OK && reply.u.cache.n_rows == n,
			  "status %d, %llu removed", reply.status,
			  (unsigned long long) reply.u.cache.n_rows);
	return n_served;
}

static void
test_many(void)
{
	static const int64_t ints[] = {1, 2, 3, 4};
	double longest_ms = 0;
	uint32_t n_served = 0;
	ArraySet set;
	int i;

	tap_begin("others are served while many arrays are removed");
	array_set_init(&set, GA_int4);
	array_set_add_ints(&set, "ints", ints, 4);
	for (i = 0; i < 10 && (n_served < 5 || longest_ms > 61); i++)
		n_served = remove_many(&set, &longest_ms);
	tap_check(n_served >= 5 && longest_ms <= 61,
			  "%u requests were served, the longest took %.1f ms", n_served,
			  longest_ms);
	tap_note("%u requests were served, the longest took %.1f ms", n_served,
			 longest_ms);
	array_set_free(&set);
	tap_end();
}

/*
 * Packed elements could not be recognized, and the emulated device has copies
 * of them.
 */
static void
start(const char *cache_size, const char *faults)
{
	daemon_start(&gpuaggd, "--staging-size=24", "--cache-packing=off",
				 cache_size, faults, NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	stored_open(&other, &gpuaggd, STORED_DATABASE);
}

static void
stop(void)
{
	client_close(&client);
	client_close(&other);
	daemon_stop(&gpuaggd);
}

int
main(void)
{
	char slow[64];
	char faults[64];
	uint32_t n;

	start("--cache-size=48", NULL);
	if (daemon_is_emulated())
	{
		test_overwritten();
		test_evicted();
	}
	stop();
	snprintf(slow, sizeof(slow), "--emulated-faults=slow_launch=%d", SLOW_MS);
	if (daemon_is_emulated())
	{
		start("--cache-size=48", slow);
		test_in_use();
		test_sessions();
		stop();
	}
	/* a hole behind an array, and pages on both sides of another one */
	for (n = 1; n <= 3 && daemon_is_emulated(); n++)
	{
		snprintf(faults, sizeof(faults),
				 "--emulated-faults=slow_launch=100,refuse_zero=%u", n);
		/* a slab for all of them, so that none is released */
		start("--cache-size=128", faults);
		test_refused(n);
		stop();
	}
	if (daemon_is_emulated())
	{
		for (n = 0; n < 2; n++)
		{
			start("--cache-size=128", NULL);
			test_no_descriptor(n == 0);
			stop();
		}
		daemon_start(&gpuaggd, "--staging-size=24", "--cache-packing=off",
					 "--device=emulated:2", "--request-timeout=2000",
					 "--emulated-faults=hang_launch=1,slow_launch=1800", NULL);
		stored_open(&client, &gpuaggd, STORED_DATABASE);
		stored_open(&other, &gpuaggd, STORED_DATABASE);
		test_lost();
		stop();
	}
	start("--cache-size=2048", NULL);
	test_many();
	stop();
	return tap_done();
}
