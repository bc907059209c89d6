/*
 * test_queue.c
 *		A device's queues: one request at a time, polled or notified;
 *		several queues at once; measured time; the caller goes on.
 */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "array_set.h"
#include "device/clock.h"
#include "small_sum.h"
#include "tap.h"

#define EVENT_MS 10000 /* that an event may take at most */

static Fixture fixture;
static const GaDeviceKind *kind;

/* While a request is not answered, the queue takes nothing. */
static void
test_busy(void)
{
	GaDeviceAddress at = small_put(&fixture);
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
	tap_check(kind->zero(fixture.queue, at, 1, NULL) == GA_BAD_REQUEST,
			  "zeros");
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
	small_init(&small, small_put(&fixture), SMALL_MAX);
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
	GaDeviceAddress at = small_put(&fixture);
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
	small_init(&small, small_put(&fixture), 77);
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
	GaDeviceAddress at = small_put(&fixture);
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
	small_init(&small, small_put(&fixture), 1234);
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

/*
 * Submit a request, and wait for it; true if the submission took less than half
 * of the time that the device did.
 */
static bool
goes_on(GaSumRequest *request)
{
	GaDeviceFailure failure = {.call = ""};
	int64_t start_ns = ga_now_ns();
	double submit_ms;

	fixture_must(&fixture, "sum", kind->sum(fixture.queue, request, &failure),
				 &failure);
	submit_ms = ga_ms_since(start_ns);
	fixture_must(&fixture, "wait", kind->wait(fixture.queue, &failure),
				 &failure);
	return submit_ms < request->device_ms / 2;
}

/* The emulated device computes while its caller goes on, as a GPU does. */
static void
test_goes_on(void)
{
	enum
	{
		N = 100000,
		MOST_TRIES = 20
	};
	GaDeviceArray *arrays = calloc(N, sizeof(*arrays));
	GaPartialSum *results = calloc(N, sizeof(*results));
	Small small;
	int n_tries = 1;
	int i;

	tap_begin("the caller goes on");
	small_init(&small, small_put(&fixture), SMALL_MAX);
	for (i = 0; i < N; i++)
		arrays[i] = small.array;
	small.request.n_arrays = N;
	small.request.arrays = arrays;
	small.request.results = results;
	kind->measure(fixture.queue, true);
	/* other programs may have the processor */
	while (!goes_on(&small.request) && n_tries < MOST_TRIES)
		n_tries++;
	tap_check(n_tries < MOST_TRIES, "the device computes first");
	small.result = results[N - 1];
	small_check(&small);
	kind->measure(fixture.queue, false);
	free(arrays);
	free(results);
	tap_end();
}

int
main(void)
{
	fixture_open(&fixture);
	kind = fixture.kind;
	test_busy();
	test_poll();
	test_notify();
	test_no_eventfd();
	test_two_queues();
	test_measure();
	if (fixture_is_emulated())
		test_goes_on();
	fixture_close(&fixture);
	return tap_done();
}
