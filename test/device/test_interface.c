/*
 * test_interface.c
 *		A device's memory, copies, queues and notifications, and the rules
 *		that a request has to keep.
 */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "array_set.h"
#include "tap.h"

#define MIB		 (1 << 20)
#define BUDGET	 (64 * (uint64_t) MIB)
#define EVENT_MS 10000 /* that an event may take at most */

static Fixture fixture;
static const GaDeviceKind *kind;

static void
test_describe(void)
{
	GaDeviceInfo info;
	GaDeviceFailure failure = {.call = ""};
	GaDeviceOptions options = {0};
	GaDevice *device;
	int n = 0;

	tap_begin("how many devices there are, and which");
	fixture_must(&fixture, "count", kind->count(&n, &failure), &failure);
	tap_check(n >= 1, "%d devices", n);
	fixture_must(&fixture, "describe",
				 kind->describe(fixture.device, &info, &failure), &failure);
	tap_check(info.name[0] != 0 && info.id[0] != 0, "no name");
	tap_check(info.n_multiprocessors > 0 && info.memory_bytes > 0 &&
				  info.free_bytes <= info.memory_bytes,
			  "sizes of nothing");
	tap_check(info.budget_bytes == 0, "a budget");
	tap_note("%s, %s, %.1f GiB", info.name, info.id,
			 info.memory_bytes / (double) (1 << 30));
	for (options.ordinal = -1; options.ordinal <= n; options.ordinal += n + 1)
	{
		failure.message[0] = 0;
		tap_check(kind->open(&options, &device, &failure) == GA_NO_DEVICE,
				  "device %d of %d opens", options.ordinal, n);
		tap_check(failure.call[0] != 0 && failure.message[0] != 0, "no reason");
	}
	tap_end();
}

static uint64_t
used_bytes(GaDevice *device)
{
	GaDeviceInfo info;
	GaDeviceFailure failure = {.call = ""};

	fixture_must(&fixture, "describe", kind->describe(device, &info, &failure),
				 &failure);
	tap_check(info.budget_bytes == BUDGET, "the budget is %llu",
			  (unsigned long long) info.budget_bytes);
	return info.used_bytes;
}

/* All that fits can be had, and again after it was given back. */
static void
test_budget(void)
{
	GaDeviceOptions options = {.budget_bytes = BUDGET};
	GaDeviceFailure failure = {.call = ""};
	GaDeviceAddress a, b;
	Fixture small;
	uint64_t before;
	int i;

	tap_begin("the budget");
	fixture_open_with(&small, &options);
	before = used_bytes(small.device);
	tap_check(kind->allocate(small.device, BUDGET + 1, &a, &failure) ==
				  GA_NO_MEMORY,
			  "more than the budget");
	tap_check(failure.call[0] != 0 && failure.message[0] != 0, "no reason");
	tap_check(kind->allocate(small.device, UINT64_MAX, &a, NULL) ==
				  GA_NO_MEMORY,
			  "all there ever will be");
	for (i = 0; i < 3; i++)
	{
		fixture_must(&small, "allocate",
					 kind->allocate(small.device, BUDGET / 2, &a, &failure),
					 &failure);
		tap_check(used_bytes(small.device) >= before + BUDGET / 2,
				  "half of it is not used");
		tap_check(kind->allocate(small.device, BUDGET / 2 + 1, &b, &failure) ==
					  GA_NO_MEMORY,
				  "more than half is free");
		kind->free(small.device, a);
		tap_check(used_bytes(small.device) == before,
				  "%llu bytes used, %llu before",
				  (unsigned long long) used_bytes(small.device),
				  (unsigned long long) before);
	}
	fixture_close(&small);
	tap_end();
}

/* Nothing overlaps, all is aligned; what is not freed goes with the device. */
static void
test_allocate(Rng *rng)
{
	enum
	{
		N = 64
	};
	GaDeviceAddress at[N];
	uint64_t n_bytes[N];
	GaDeviceFailure failure = {.call = ""};
	Fixture own;
	int i, j;

	tap_begin("memory");
	fixture_open(&own);
	for (i = 0; i < N; i++)
	{
		n_bytes[i] = rng_below(rng, 10000) + 1;
		fixture_must(&own, "allocate",
					 kind->allocate(own.device, n_bytes[i], &at[i], &failure),
					 &failure);
		tap_check(at[i] != 0 && at[i] % 256 == 0, "an address is %llx",
				  (unsigned long long) at[i]);
		for (j = 0; j < i; j++)
			tap_check(at[j] + n_bytes[j] <= at[i] ||
						  at[i] + n_bytes[i] <= at[j],
					  "two overlap");
	}
	for (i = 0; i < N; i += 3)
		kind->free(own.device, at[i]);
	kind->free(own.device, 0);
	fixture_close(&own);
	tap_end();
}

/* Bytes that go there come back, by any offset, and nothing beside them. */
static void
copy_both_ways(Rng *rng, char *host, char *back, size_t size)
{
	GaDeviceAddress at = fixture_memory(&fixture, FIXTURE_IN, size);
	int i;
	size_t k;

	for (i = 0; i < 100; i++)
	{
		size_t offset = rng_below(rng, 40);
		size_t from = rng_below(rng, 40);
		size_t n = rng_below(rng, (size - 40) >> rng_below(rng, 16));

		for (k = 0; k < n; k++)
			host[from + k] = (char) (rng->state * (k | 1) >> 20);
		memset(back, 0x5a, size);
		fixture_copy_in(&fixture, at + offset, host + from, n);
		fixture_copy_out(&fixture, back + from, at + offset, n);
		tap_check(memcmp(host + from, back + from, n) == 0,
				  "%zu bytes from offset %zu differ", n, offset);
		for (k = 0; k < 40; k++)
			tap_check((k >= from || back[k] == 0x5a) &&
						  back[from + n + k] == 0x5a,
					  "written beside them");
	}
}

static void
test_copies(Rng *rng)
{
	size_t size = MIB;
	char *host = malloc(size + 80);
	char *back = malloc(size + 80);
	GaDeviceFailure failure = {.call = ""};
	char *map = mmap(NULL, 4 * size, PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	tap_begin("copies there and back");
	copy_both_ways(rng, host, back, size);
	fixture_must(&fixture, "register_host",
				 kind->register_host(fixture.device, map, 4 * size, &failure),
				 &failure);
	copy_both_ways(rng, map, map + 2 * size, size);
	copy_both_ways(rng, map, back, size);
	kind->unregister_host(fixture.device, map);
	munmap(map, 4 * size);
	free(host);
	free(back);
	tap_end();
}

/* A sum of a few integers, 1 to n. */
typedef struct Small
{
	GaDeviceArray array;
	GaPartialSum result;
	GaSumRequest request;
	GaDeviceQueue *queue;
	int64_t n;
} Small;

#define SMALL_MAX 2000

static GaDeviceAddress
put_small(void)
{
	GaDeviceAddress at = fixture_memory(&fixture, FIXTURE_IN, SMALL_MAX * 8);
	int64_t x[SMALL_MAX];
	int i;

	for (i = 0; i < SMALL_MAX; i++)
		x[i] = i + 1;
	fixture_copy_in(&fixture, at, x, sizeof(x));
	return at;
}

static void
small_init(Small *small, GaDeviceAddress at, int64_t n)
{
	memset(small, 0, sizeof(*small));
	small->n = n;
	small->array.data = at;
	small->array.n = (uint64_t) n;
	small->request.type = GA_int8;
	small->request.n_arrays = 1;
	small->request.arrays = &small->array;
	small->request.results = &small->result;
}

static void
small_check(const Small *small)
{
	GaIntSum sum = {0};

	ga_partial_merge_int(&sum, small->n, &small->result);
	tap_check(ga_int_sum_total(&sum) == small->n * (small->n + 1) / 2,
			  "the sum of 1 to %lld is %lld", (long long) small->n,
			  (long long) sum.low);
}

/* Each is refused with a reason, known or not, and harms nothing. */
static void
refuse_sum(GaSumRequest request, const char *what)
{
	GaDeviceFailure failure = {.call = ""};

	tap_check(kind->sum(fixture.queue, &request, &failure) == GA_BAD_REQUEST,
			  "sums of %s", what);
	tap_check(failure.call[0] != 0 && failure.message[0] != 0,
			  "sums of %s: no reason", what);
	tap_check(kind->sum(fixture.queue, &request, NULL) == GA_BAD_REQUEST,
			  "sums of %s, no failure wanted", what);
}

static void
refuse_scan(GaScanRequest request, const char *what)
{
	GaDeviceFailure failure = {.call = ""};

	tap_check(kind->scan(fixture.queue, &request, &failure) == GA_BAD_REQUEST,
			  "scans of %s", what);
	tap_check(failure.call[0] != 0 && failure.message[0] != 0,
			  "scans of %s: no reason", what);
	tap_check(kind->scan(fixture.queue, &request, NULL) == GA_BAD_REQUEST,
			  "scans of %s, no failure wanted", what);
}

static void
test_bad_sums(void)
{
	GaDeviceAddress at = put_small();
	Small good;
	GaSumRequest bad;
	GaDeviceArray array[2];
	GaPartialSum results[2];
	int type;

	tap_begin("bad requests for sums");
	small_init(&good, at, 10);
	bad = good.request;
	bad.type = GA_N_ELEMENT_TYPES;
	refuse_sum(bad, "no type");
	bad = good.request;
	bad.n_arrays = GA_DEVICE_MAX_ARRAYS + 1;
	refuse_sum(bad, "too many arrays");
	bad = good.request;
	bad.n_arrays = 2;
	bad.arrays = array;
	bad.results = results;
	array[0] = good.array;
	array[1] = (GaDeviceArray){at, (uint64_t) GA_DEVICE_MAX_ELEMENTS + 1};
	refuse_sum(bad, "too many elements");
	array[1] = (GaDeviceArray){0, 1};
	refuse_sum(bad, "no address");
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
	{
		bad.type = (GaElementType) type;
		array[1] = (GaDeviceArray){at + ga_element_size(bad.type) / 2, 1};
		refuse_sum(bad, "elements that are not aligned");
	}
	fixture_sum(&fixture, &good.request);
	small_check(&good);
	tap_end();
}

static void
test_bad_scans(void)
{
	GaDeviceAddress in = put_small();
	GaDeviceAddress out = fixture_memory(&fixture, FIXTURE_OUT, SMALL_MAX * 16);
	const GaScanRequest good = {.type = GA_int8, .in = in, .out = out, .n = 10};
	GaScanRequest bad;
	int64_t totals[10];

	tap_begin("bad requests for running totals");
	bad = good;
	bad.type = GA_N_ELEMENT_TYPES;
	refuse_scan(bad, "no type");
	bad = good;
	bad.totals = GA_TOTALS_INT128;
	for (bad.type = GA_int2; bad.type < GA_N_ELEMENT_TYPES; bad.type++)
	{
		if (bad.type != GA_int8)
			refuse_scan(bad, "int128 totals of other types");
	}
	bad = good;
	bad.n = (uint64_t) GA_DEVICE_MAX_ELEMENTS + 1;
	refuse_scan(bad, "too many elements");
	bad = good;
	bad.in = 0;
	refuse_scan(bad, "no input");
	bad = good;
	bad.out = 0;
	refuse_scan(bad, "no output");
	bad = good;
	bad.in = in + 4;
	refuse_scan(bad, "input that is not aligned");
	bad = good;
	bad.out = out + 4;
	refuse_scan(bad, "output that is not aligned");
	bad.totals = GA_TOTALS_INT128;
	refuse_scan(bad, "int128 output that is not aligned");
	bad = good;
	bad.out = in + 72;
	refuse_scan(bad, "output over input");

	bad = (GaScanRequest){.type = GA_int8};
	fixture_scan(&fixture, &bad);
	tap_check(bad.n_totals == 0 && bad.sum.limb[0] == 0, "no elements");
	bad = good;
	fixture_scan(&fixture, &bad);
	fixture_copy_out(&fixture, totals, out, sizeof(totals));
	tap_check(totals[0] == 1 && totals[9] == 55 && bad.n_totals == 10,
			  "a good one after bad ones");
	tap_end();
}

/* While a request is not answered, the queue takes nothing. */
static void
test_busy(void)
{
	GaDeviceAddress at = put_small();
	GaDeviceFailure failure = {.call = ""};
	Small a, b;
	char byte = 0;

	tap_begin("one request at a time");
	small_init(&a, at, 100);
	small_init(&b, at, 50);
	fixture_must(&fixture, "sum",
				 kind->sum(fixture.queue, &a.request, &failure), &failure);
	tap_check(kind->sum(fixture.queue, &b.request, &failure) == GA_BAD_REQUEST,
			  "a second request");
	tap_check(failure.message[0] != 0, "no reason");
	tap_check(kind->copy_in(fixture.queue, at, &byte, 1, NULL) ==
				  GA_BAD_REQUEST,
			  "a copy to the device");
	tap_check(kind->copy_out(fixture.queue, &byte, at, 1, NULL) ==
				  GA_BAD_REQUEST,
			  "a copy from the device");
	fixture_must(&fixture, "wait", kind->wait(fixture.queue, &failure),
				 &failure);
	small_check(&a);
	fixture_sum(&fixture, &b.request);
	small_check(&b);
	tap_check(kind->poll(fixture.queue, &failure) == GA_OK, "an idle queue");
	tap_check(kind->wait(fixture.queue, &failure) == GA_OK, "an idle queue");
	tap_end();
}

static void
test_poll(void)
{
	Small small;
	GaDeviceFailure failure = {.call = ""};
	long n_pending = 0;
	GaStatus status;
	int i;

	tap_begin("polling");
	small_init(&small, put_small(), SMALL_MAX);
	for (i = 0; i < 100; i++)
	{
		fixture_must(&fixture, "sum",
					 kind->sum(fixture.queue, &small.request, &failure),
					 &failure);
		while ((status = kind->poll(fixture.queue, &failure)) == GA_PENDING)
			n_pending++;
		tap_check(status == GA_OK, "status %d", status);
		small_check(&small);
		tap_check(kind->poll(fixture.queue, &failure) == GA_OK, "once more");
	}
	tap_check(!fixture_is_emulated() || n_pending >= 100, "never pending");
	tap_note("%ld times pending in 100 requests", n_pending);
	tap_end();
}

/* Take the count of an event that comes within this time; 0 if none does. */
static uint64_t
event_within(int event_fd, int ms)
{
	struct pollfd wanted = {event_fd, POLLIN, 0};
	uint64_t count = 0;

	if (poll(&wanted, 1, ms) == 1 &&
		read(event_fd, &count, sizeof(count)) != sizeof(count))
		return 0;
	return count;
}

static void
test_notify(void)
{
	GaDeviceAddress at = put_small();
	GaDeviceFailure failure = {.call = ""};
	Small small;
	GaStatus status;
	int64_t first = 0;
	int i;

	tap_begin("notifications");
	small_init(&small, at, 500);
	for (i = 0; i < 50; i++)
	{
		fixture_must(&fixture, "sum",
					 kind->sum(fixture.queue, &small.request, &failure),
					 &failure);
		tap_check(event_within(fixture.event_fd, 0) == 0, "an event too many");
		do
		{
			fixture_must(&fixture, "notify",
						 kind->notify(fixture.queue, &failure), &failure);
			tap_check(event_within(fixture.event_fd, EVENT_MS) == 1,
					  "no event");
			status = kind->poll(fixture.queue, &failure);
		} while (status == GA_PENDING && !tap_is_failing());
		tap_check(status == GA_OK, "status %d", status);
		small_check(&small);
	}
	tap_check(event_within(fixture.event_fd, 20) == 0, "an event too many");
	fixture_must(&fixture, "copy_out",
				 kind->copy_out(fixture.queue, &first, at, 8, &failure),
				 &failure);
	fixture_must(&fixture, "notify", kind->notify(fixture.queue, &failure),
				 &failure);
	tap_check(event_within(fixture.event_fd, EVENT_MS) == 1,
			  "none after a copy");
	fixture_must(&fixture, "wait", kind->wait(fixture.queue, &failure),
				 &failure);
	tap_check(first == 1, "the copy");
	tap_end();
}

/* A queue without an eventfd. */
static void
test_no_eventfd(void)
{
	GaDeviceFailure failure = {.call = ""};
	GaDeviceQueue *queue;
	Small small;

	tap_begin("a queue without an eventfd");
	small_init(&small, put_small(), 77);
	fixture_must(&fixture, "queue_open",
				 kind->queue_open(fixture.device, -1, &queue, &failure),
				 &failure);
	fixture_must(&fixture, "sum", kind->sum(queue, &small.request, &failure),
				 &failure);
	tap_check(kind->notify(queue, &failure) == GA_OK, "notify");
	fixture_must(&fixture, "wait", kind->wait(queue, &failure), &failure);
	small_check(&small);

	/* one that is closed with a request under way */
	fixture_must(&fixture, "sum", kind->sum(queue, &small.request, &failure),
				 &failure);
	kind->queue_close(queue);
	tap_end();
}

/* Many sums on a queue of one's own. */
static void *
sum_often(void *arg)
{
	Small *small = arg;
	int i;

	for (i = 0; i < 300; i++)
	{
		memset(&small->result, 0xa5, sizeof(small->result));
		if (kind->sum(small->queue, &small->request, NULL) != GA_OK ||
			kind->wait(small->queue, NULL) != GA_OK)
			return "failed";
	}
	return NULL;
}

/* Two queues: by turns in one thread, and each in a thread of its own. */
static void
test_two_queues(void)
{
	GaDeviceAddress at = put_small();
	GaDeviceFailure failure = {.call = ""};
	Small small[2];
	pthread_t thread[2];
	void *answer;
	int i;

	tap_begin("two queues at once");
	for (i = 0; i < 2; i++)
	{
		small_init(&small[i], at, 1000 + i);
		fixture_must(
			&fixture, "queue_open",
			kind->queue_open(fixture.device, -1, &small[i].queue, &failure),
			&failure);
	}
	for (i = 0; i < 2; i++)
		fixture_must(&fixture, "sum",
					 kind->sum(small[i].queue, &small[i].request, &failure),
					 &failure);
	for (i = 1; i >= 0; i--)
	{
		fixture_must(&fixture, "wait", kind->wait(small[i].queue, &failure),
					 &failure);
		small_check(&small[i]);
	}
	for (i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, sum_often, &small[i]);
	for (i = 0; i < 2; i++)
	{
		pthread_join(thread[i], &answer);
		tap_check(answer == NULL, "a thread failed");
		small_check(&small[i]);
		kind->queue_close(small[i].queue);
	}
	tap_end();
}

static void
test_measure(void)
{
	GaDeviceFailure failure = {.call = ""};
	Small small;

	tap_begin("measured time");
	small_init(&small, put_small(), 1234);
	fixture_sum(&fixture, &small.request);
	tap_check(small.request.device_ms < 0, "measured without being asked");
	kind->measure(fixture.queue, true);
	fixture_must(&fixture, "sum",
				 kind->sum(fixture.queue, &small.request, &failure), &failure);
	fixture_must(&fixture, "wait", kind->wait(fixture.queue, &failure),
				 &failure);
	tap_check(small.request.device_ms >= 0 && small.request.device_ms < 10000,
			  "%g ms", small.request.device_ms);
	kind->measure(fixture.queue, false);
	fixture_sum(&fixture, &small.request);
	tap_check(small.request.device_ms < 0, "measured without being asked");
	small_check(&small);
	tap_end();
}

int
main(void)
{
	Rng rng = {51};

	fixture_open(&fixture);
	kind = fixture.kind;
	test_describe();
	test_budget();
	test_allocate(&rng);
	test_copies(&rng);
	test_bad_sums();
	test_bad_scans();
	test_busy();
	test_poll();
	test_notify();
	test_no_eventfd();
	test_two_queues();
	test_measure();
	fixture_close(&fixture);
	return tap_done();
}
