/*
 * test_faults.c
 *		The faults that the emulated device injects.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array_set.h"
#include "tap.h"

static const GaDeviceKind *kind;

/* A device that is told so, with an array in its memory. */
typedef struct Faulty
{
	Fixture fixture;
	GaDeviceArray array;
	GaPartialSum result;
	uint32_t n_parts;
	GaPartialSum moments[GA_MAX_RECORDS];
	GaSumRequest sum;
	GaReduceRequest reduction;
	GaScanRequest scan;
} Faulty;

static void
faulty_open(Faulty *faulty, GaDeviceFaults faults)
{
	static const int64_t x[4] = {1, 2, 3, 4};
	GaDeviceOptions options = {.faults = faults};
	GaDeviceAddress at;

	memset(faulty, 0, sizeof(*faulty));
	fixture_open_with(&faulty->fixture, &options);
	at = fixture_memory(&faulty->fixture, FIXTURE_IN, 256);
	fixture_copy_in(&faulty->fixture, at, x, sizeof(x));
	faulty->array = (GaDeviceArray){at, 4};
	faulty->sum = (GaSumRequest){.type = GA_int8,
								 .n_arrays = 1,
								 .arrays = &faulty->array,
								 .results = &faulty->result};
	faulty->n_parts = 1;
	faulty->reduction = (GaReduceRequest){.reduction = GA_REDUCE_MOMENTS,
										  .type = GA_int8,
										  .n_parts = 1,
										  .parts = &faulty->array,
										  .n_results = 1,
										  .n_parts_of = &faulty->n_parts,
										  .results = faulty->moments};
	faulty->scan =
		(GaScanRequest){.type = GA_int8, .in = at, .out = at + 64, .n = 4};
}

/* Submit the i-th request: sums, scans and reductions by turns. */
static GaStatus
submit_for(Faulty *faulty, int i, GaDeviceFailure *failure)
{
	if (i % 3 == 0)
		return kind->scan(faulty->fixture.queue, &faulty->scan, failure);
	if (i % 3 == 1)
		return kind->sum(faulty->fixture.queue, &faulty->sum, failure);
	return kind->reduce(faulty->fixture.queue, &faulty->reduction, failure);
}

static GaStatus
submit(Faulty *faulty, int i)
{
	return submit_for(faulty, i, NULL);
}

static void
test_fail_allocation(void)
{
	uint32_t n;

	tap_begin("the n-th allocation fails, and no other");
	for (n = 1; n < 5; n++)
	{
		GaDeviceOptions options = {.faults = {.fail_allocation = n}};
		GaDeviceFailure failure = {.call = ""};
		GaDeviceAddress at;
		GaDevice *device;
		uint32_t i;

		tap_check(kind->open(&options, &device, &failure) == GA_OK, "open");
		for (i = 1; i < 8; i++)
		{
			GaStatus status = kind->allocate(device, 100, &at, &failure);

			tap_check(status == (i == n ? GA_NO_MEMORY : GA_OK) &&
						  (at == 0) == (i == n),
					  "allocation %u: %d", (unsigned) i, status);
		}
		tap_check(strcmp(failure.call, "emulated allocate") == 0 &&
					  failure.message[0] != 0,
				  "no reason");
		kind->close(device);
	}
	tap_end();
}

static void
test_lose_allocation(void)
{
	const GaDeviceOptions options = {.faults = {.lose_allocation = 3}};
	GaDeviceFailure failure = {.call = ""};
	GaDeviceAddress at;
	GaDeviceInfo info;
	GaDevice *device;
	uint32_t i;

	tap_begin("the device fails at the n-th allocation");
	tap_check(kind->open(&options, &device, &failure) == GA_OK, "open");
	for (i = 1; i < 6; i++)
		tap_check(kind->allocate(device, 100, &at, &failure) ==
						  (i < 3 ? GA_OK : GA_DEVICE_FAILED) &&
					  (at == 0) == (i >= 3),
				  "allocation %u", (unsigned) i);
	tap_check(failure.message[0] != 0, "no reason");
	tap_check(kind->describe(device, &info, &failure) == GA_DEVICE_FAILED,
			  "it is described");
	kind->close(device);
	tap_end();
}

/* All but close is answered with the failure. */
static void
check_failed(Faulty *faulty)
{
	Fixture *fixture = &faulty->fixture;
	GaDeviceFailure failure = {.call = ""};
	GaDeviceInfo info;
	GaDeviceQueue *queue;
	GaDeviceAddress at;
	char byte = 0;
	bool all =
		kind->describe(fixture->device, &info, &failure) == GA_DEVICE_FAILED &&
		kind->allocate(fixture->device, 10, &at, NULL) == GA_DEVICE_FAILED &&
		kind->register_host(fixture->device, &byte, 1, NULL) ==
			GA_DEVICE_FAILED &&
		kind->queue_open(fixture->device, -1, &queue, NULL) ==
			GA_DEVICE_FAILED &&
		kind->copy_in(fixture->queue, faulty->array.data, &byte, 1, NULL) ==
			GA_DEVICE_FAILED &&
		kind->copy_out(fixture->queue, &byte, faulty->array.data, 1, NULL) ==
			GA_DEVICE_FAILED &&
		submit(faulty, 0) == GA_DEVICE_FAILED &&
		submit(faulty, 1) == GA_DEVICE_FAILED &&
		submit(faulty, 2) == GA_DEVICE_FAILED &&
		kind->poll(fixture->queue, NULL) == GA_DEVICE_FAILED &&
		kind->notify(fixture->queue, NULL) == GA_DEVICE_FAILED &&
		kind->wait(fixture->queue, NULL) == GA_DEVICE_FAILED;

	tap_check(all, "something works after a failure");
	tap_check(failure.call[0] != 0 && failure.message[0] != 0, "no reason");
}

static void
test_fail_launch(void)
{
	int n, i;

	tap_begin("the n-th request fails, and everything after it");
	for (n = 1; n < 7; n++)
	{
		GaDeviceFailure failure = {.call = ""};
		Faulty faulty;
		GaStatus status;

		faulty_open(&faulty, (GaDeviceFaults){.fail_launch = (uint32_t) n});
		for (i = 1; i < n; i++)
			tap_check(submit(&faulty, i) == GA_OK &&
						  kind->wait(faulty.fixture.queue, NULL) == GA_OK,
					  "request %d of %d", i, n);
		tap_check(submit(&faulty, n) == GA_OK, "the %d-th is not taken", n);
		if (n % 3 == 0)
			status = kind->wait(faulty.fixture.queue, &failure);
		else
		{
			while ((status = kind->poll(faulty.fixture.queue, &failure)) ==
				   GA_PENDING)
				;
		}
		tap_check(status == GA_DEVICE_FAILED && failure.message[0] != 0,
				  "request %d: %d", n, status);
		check_failed(&faulty);
		fixture_close(&faulty.fixture);
	}
	tap_end();
}

/* Others are as if nothing had been. */
static void
test_refuse_launch(void)
{
	GaDeviceFailure failure = {.call = ""};
	Faulty faulty;
	int n, i;

	tap_begin("the n-th request is refused, and no other");
	for (n = 1; n < 5; n++)
	{
		faulty_open(&faulty, (GaDeviceFaults){.refuse_launch = (uint32_t) n});
		for (i = 1; i < n; i++)
			tap_check(submit(&faulty, i) == GA_OK &&
						  kind->wait(faulty.fixture.queue, NULL) == GA_OK,
					  "request %d of %d", i, n);
		tap_check(submit_for(&faulty, n, &failure) == GA_NO_MEMORY &&
					  failure.message[0] != 0,
				  "request %d", n);
		for (i = n; i < 6; i++)
			tap_check(submit(&faulty, i) == GA_OK &&
						  kind->wait(faulty.fixture.queue, NULL) == GA_OK,
					  "request %d behind %d", i, n);
		fixture_close(&faulty.fixture);
	}
	tap_end();
}

static void
test_hang(void)
{
	Faulty faulty;
	struct pollfd event = {.events = POLLIN};
	int i;

	tap_begin("a request that is never finished");
	faulty_open(&faulty, (GaDeviceFaults){.hang_launch = 2});
	event.fd = faulty.fixture.event_fd;
	tap_check(submit(&faulty, 1) == GA_OK &&
				  kind->wait(faulty.fixture.queue, NULL) == GA_OK,
			  "the first one");
	tap_check(submit(&faulty, 2) == GA_OK, "the second one");
	for (i = 0; i < 1000; i++)
		tap_check(kind->poll(faulty.fixture.queue, NULL) == GA_PENDING,
				  "finished after %d polls", i);
	tap_check(kind->notify(faulty.fixture.queue, NULL) == GA_OK, "notify");
	tap_check(poll(&event, 1, 50) == 0, "an event");
	tap_check(submit(&faulty, 3) == GA_BAD_REQUEST, "another one");
	fixture_close(&faulty.fixture);
	tap_end();
}

/* Run one request after the other in another process; returns its status. */
static int
status_of_child(GaDeviceFaults faults, int n)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0)
	{
		const struct rlimit no_core = {0, 0};
		Faulty faulty;
		int i;

		setrlimit(RLIMIT_CORE, &no_core);
		signal(SIGABRT, SIG_DFL);
		alarm(1);
		faulty_open(&faulty, faults);
		for (i = 1; i <= n; i++)
		{
			if (submit(&faulty, i) != GA_OK ||
				kind->wait(faulty.fixture.queue, NULL) != GA_OK)
				_exit(1);
		}
		fixture_close(&faulty.fixture);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return status;
}

static void
test_crash(void)
{
	const GaDeviceFaults crash = {.crash_launch = 3};
	const GaDeviceFaults hang = {.hang_launch = 3};
	int status;

	tap_begin("a request that ends the process, or wait()");
	tap_check(status_of_child(crash, 2) == 0, "two requests");
	status = status_of_child(crash, 3);
	tap_check(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT,
			  "the third one: status %d", status);
	tap_check(status_of_child(hang, 2) == 0, "two requests");
	status = status_of_child(hang, 3);
	tap_check(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM,
			  "waiting for the third one: status %d", status);
	tap_end();
}

/* A request that is refused does not count, and devices count apart. */
static void
test_counting(void)
{
	Faulty a, b;
	GaSumRequest bad;
	GaReduceRequest bad_reduction;

	tap_begin("what counts as a request");
	faulty_open(&a, (GaDeviceFaults){.fail_launch = 2});
	faulty_open(&b, (GaDeviceFaults){0});
	bad = a.sum;
	bad.type = GA_N_ELEMENT_TYPES;
	tap_check(kind->sum(a.fixture.queue, &bad, NULL) == GA_BAD_REQUEST, "bad");
	bad_reduction = a.reduction;
	bad_reduction.reduction = GA_REDUCE_SUM;
	tap_check(kind->reduce(a.fixture.queue, &bad_reduction, NULL) ==
				  GA_BAD_REQUEST,
			  "a bad reduction");
	tap_check(submit(&b, 1) == GA_OK &&
				  kind->wait(b.fixture.queue, NULL) == GA_OK,
			  "another device");
	tap_check(submit(&a, 1) == GA_OK &&
				  kind->wait(a.fixture.queue, NULL) == GA_OK,
			  "the first one");
	tap_check(submit(&a, 2) == GA_OK &&
				  kind->wait(a.fixture.queue, NULL) == GA_DEVICE_FAILED,
			  "the second");
	tap_check(submit(&b, 2) == GA_OK &&
				  kind->wait(b.fixture.queue, NULL) == GA_OK,
			  "another device");
	fixture_close(&a.fixture);
	fixture_close(&b.fixture);
	tap_end();
}

int
main(void)
{
	if (!fixture_is_emulated())
	{
		printf("1..0 # SKIP a GPU does not fail on purpose\n");
		return 0;
	}
	kind = fixture_kind();
	test_fail_allocation();
	test_lose_allocation();
	test_fail_launch();
	test_refuse_launch();
	test_hang();
	test_crash();
	test_counting();
	return tap_done();
}
