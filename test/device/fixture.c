/*
 * fixture.c
 *		The device under test, open, with a queue and some memory.
 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "fixture.h"
#include "tap.h"

const GaDeviceKind *
fixture_kind(void)
{
	return &ga_device_cuda != NULL ? &ga_device_cuda : &ga_device_emulated;
}

bool
fixture_is_emulated(void)
{
	return strcmp(fixture_kind()->name, "emulated") == 0;
}

bool
fixture_is_quick(void)
{
	return !tap_is_long() && (fixture_is_emulated() || tap_is_divided());
}

bool
fixture_packs(void)
{
	return getenv("GPUAGG_TEST_PACKED") != NULL;
}

void
fixture_must(const Fixture *fixture, const char *what, GaStatus status,
			 const GaDeviceFailure *failure)
{
	if (status == GA_OK)
		return;
	printf("Bail out! %s, %s: status %d, %s: %s\n", fixture->kind->name, what,
		   status, failure->call, failure->message);
	exit(2);
}

void
fixture_open(Fixture *fixture)
{
	GaDeviceOptions options = {0};

	fixture_open_with(fixture, &options);
}

void
fixture_open_with(Fixture *fixture, const GaDeviceOptions *options)
{
	GaDeviceFailure failure = {.call = ""};
	GaStatus status;

	/* Keep what tests free, which would have to be cleared again. */
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, -1);
	memset(fixture, 0, sizeof(*fixture));
	fixture->kind = fixture_kind();
	status = fixture->kind->open(options, &fixture->device, &failure);
	if (status == GA_NO_DRIVER || status == GA_OLD_DRIVER ||
		status == GA_NO_DEVICE)
	{
		printf("1..0 # SKIP no device: %s: %s\n", failure.call,
			   failure.message);
		exit(0);
	}
	fixture_must(fixture, "open", status, &failure);
	fixture->event_fd = eventfd(0, EFD_CLOEXEC);
	fixture_must(fixture, "queue_open",
				 fixture->kind->queue_open(fixture->device, fixture->event_fd,
										   &fixture->queue, &failure),
				 &failure);
}

void
fixture_close(Fixture *fixture)
{
	fixture->kind->queue_close(fixture->queue);
	fixture->kind->close(fixture->device);
	close(fixture->event_fd);
}

GaDeviceAddress
fixture_memory(Fixture *fixture, FixtureMemory which, size_t n_bytes)
{
	GaDeviceFailure failure = {.call = ""};

	if (n_bytes > fixture->n_bytes[which] || fixture->memory[which] == 0)
	{
		if (fixture->memory[which] != 0)
			fixture->kind->free(fixture->device, fixture->memory[which]);
		fixture_must(fixture, "allocate",
					 fixture->kind->allocate(fixture->device, n_bytes + 1,
											 &fixture->memory[which], &failure),
					 &failure);
		fixture->n_bytes[which] = n_bytes;
	}
	return fixture->memory[which];
}

void
fixture_copy_in(Fixture *fixture, GaDeviceAddress to, const void *from,
				size_t n_bytes)
{
	GaDeviceFailure failure = {.call = ""};

	fixture_must(
		fixture, "copy_in",
		fixture->kind->copy_in(fixture->queue, to, from, n_bytes, &failure),
		&failure);
	fixture_must(fixture, "wait", fixture->kind->wait(fixture->queue, &failure),
				 &failure);
}

void
fixture_copy_out(Fixture *fixture, void *to, GaDeviceAddress from,
				 size_t n_bytes)
{
	GaDeviceFailure failure = {.call = ""};

	fixture_must(
		fixture, "copy_out",
		fixture->kind->copy_out(fixture->queue, to, from, n_bytes, &failure),
		&failure);
	fixture_must(fixture, "wait", fixture->kind->wait(fixture->queue, &failure),
				 &failure);
}

/* Sleep until the event_fd was written. */
static void
take_event(const Fixture *fixture)
{
	uint64_t count;

	while (read(fixture->event_fd, &count, sizeof(count)) < 0 && errno == EINTR)
		;
}

/*
 * Wait for what was submitted: by wait(), by asking all the time, or asleep
 * until it is worth asking.
 */
GaStatus
fixture_finish(Fixture *fixture, GaDeviceFailure *failure)
{
	int way = (int) (fixture->n_finished++ % 3);
	GaStatus status;

	if (way == 0)
		return fixture->kind->wait(fixture->queue, failure);
	while ((status = fixture->kind->poll(fixture->queue, failure)) ==
		   GA_PENDING)
	{
		if (way == 1)
			continue;
		status = fixture->kind->notify(fixture->queue, failure);
		if (status != GA_OK)
			break;
		take_event(fixture);
	}
	return status;
}

void
fixture_sum(Fixture *fixture, GaSumRequest *request)
{
	GaDeviceFailure failure = {.call = ""};

	fixture_must(fixture, "sum",
				 fixture->kind->sum(fixture->queue, request, &failure),
				 &failure);
	fixture_must(fixture, "a sum", fixture_finish(fixture, &failure), &failure);
}

void
fixture_reduce(Fixture *fixture, GaReduceRequest *request)
{
	GaDeviceFailure failure = {.call = ""};

	fixture_must(fixture, "reduce",
				 fixture->kind->reduce(fixture->queue, request, &failure),
				 &failure);
	fixture_must(fixture, "a reduction", fixture_finish(fixture, &failure),
				 &failure);
}

void
fixture_elem(Fixture *fixture, GaElemRequest *request)
{
	GaDeviceFailure failure = {.call = ""};

	fixture_must(fixture, "elem",
				 fixture->kind->elem(fixture->queue, request, &failure),
				 &failure);
	fixture_must(fixture, "sums by position", fixture_finish(fixture, &failure),
				 &failure);
}

void
fixture_window(Fixture *fixture, GaWindowRequest *request)
{
	GaDeviceFailure failure = {.call = ""};

	fixture_must(fixture, "window",
				 fixture->kind->window(fixture->queue, request, &failure),
				 &failure);
	fixture_must(fixture, "values of windows",
				 fixture_finish(fixture, &failure), &failure);
}

void
fixture_scan(Fixture *fixture, GaScanRequest *request)
{
	GaDeviceFailure failure = {.call = ""};

	fixture_must(fixture, "scan",
				 fixture->kind->scan(fixture->queue, request, &failure),
				 &failure);
	fixture_must(fixture, "a scan", fixture_finish(fixture, &failure),
				 &failure);
}

void
fixture_survey(Fixture *fixture, GaPackRequest *request)
{
	GaDeviceFailure failure = {.call = ""};

	fixture_must(fixture, "survey",
				 fixture->kind->survey(fixture->queue, request, &failure),
				 &failure);
	fixture_must(fixture, "a survey", fixture_finish(fixture, &failure),
				 &failure);
}

void
fixture_pack(Fixture *fixture, GaPackRequest *request)
{
	GaDeviceFailure failure = {.call = ""};

	fixture_must(fixture, "pack",
				 fixture->kind->pack(fixture->queue, request, &failure),
				 &failure);
	fixture_must(fixture, "packing", fixture_finish(fixture, &failure),
				 &failure);
}
