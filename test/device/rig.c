/*
 * rig.c
 *		The device under test, open, with a queue and some memory.
 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "rig.h"
#include "tap.h"

const GaDeviceKind *
rig_kind(void)
{
	return &ga_device_cuda != NULL ? &ga_device_cuda : &ga_device_emulated;
}

bool
rig_is_emulated(void)
{
	return strcmp(rig_kind()->name, "emulated") == 0;
}

bool
rig_is_quick(void)
{
	return !tap_is_long() && rig_is_emulated();
}

void
rig_must(const Rig *rig, const char *what, GaStatus status,
		 const GaDeviceFailure *failure)
{
	if (status == GA_OK)
		return;
	printf("Bail out! %s, %s: status %d, %s: %s\n", rig->kind->name, what,
		   status, failure->call, failure->message);
	exit(2);
}

void
rig_open(Rig *rig)
{
	GaDeviceOptions options = {0};

	rig_open_with(rig, &options);
}

void
rig_open_with(Rig *rig, const GaDeviceOptions *options)
{
	GaDeviceFailure failure = {.call = ""};
	GaStatus status;

	/* Keep what tests free, which would have to be cleared again. */
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, -1);
	memset(rig, 0, sizeof(*rig));
	rig->kind = rig_kind();
	status = rig->kind->open(options, &rig->device, &failure);
	if (status == GA_NO_DRIVER || status == GA_NO_DEVICE)
	{
		printf("1..0 # SKIP no device: %s: %s\n", failure.call,
			   failure.message);
		exit(0);
	}
	rig_must(rig, "open", status, &failure);
	rig->event_fd = eventfd(0, EFD_CLOEXEC);
	rig_must(rig, "queue_open",
			 rig->kind->queue_open(rig->device, rig->event_fd, &rig->queue,
								   &failure),
			 &failure);
}

void
rig_close(Rig *rig)
{
	rig->kind->queue_close(rig->queue);
	rig->kind->close(rig->device);
	close(rig->event_fd);
}

GaDeviceAddress
rig_memory(Rig *rig, RigMemory which, size_t n_bytes)
{
	GaDeviceFailure failure = {.call = ""};

	if (n_bytes > rig->n_bytes[which] || rig->memory[which] == 0)
	{
		if (rig->memory[which] != 0)
			rig->kind->free(rig->device, rig->memory[which]);
		rig_must(rig, "allocate",
				 rig->kind->allocate(rig->device, n_bytes + 1,
									 &rig->memory[which], &failure),
				 &failure);
		rig->n_bytes[which] = n_bytes;
	}
	return rig->memory[which];
}

void
rig_copy_in(Rig *rig, GaDeviceAddress to, const void *from, size_t n_bytes)
{
	GaDeviceFailure failure = {.call = ""};

	rig_must(rig, "copy_in",
			 rig->kind->copy_in(rig->queue, to, from, n_bytes, &failure),
			 &failure);
	rig_must(rig, "wait", rig->kind->wait(rig->queue, &failure), &failure);
}

void
rig_copy_out(Rig *rig, void *to, GaDeviceAddress from, size_t n_bytes)
{
	GaDeviceFailure failure = {.call = ""};

	rig_must(rig, "copy_out",
			 rig->kind->copy_out(rig->queue, to, from, n_bytes, &failure),
			 &failure);
	rig_must(rig, "wait", rig->kind->wait(rig->queue, &failure), &failure);
}

/* Sleep until the event_fd was written. */
static void
take_event(const Rig *rig)
{
	uint64_t count;

	while (read(rig->event_fd, &count, sizeof(count)) < 0 && errno == EINTR)
		;
}

/*
 * Wait for what was submitted: by wait(), by asking all the time, or asleep
 * until it is worth asking.
 */
GaStatus
rig_finish(Rig *rig, GaDeviceFailure *failure)
{
	int way = (int) (rig->n_finished++ % 3);
	GaStatus status;

	if (way == 0)
		return rig->kind->wait(rig->queue, failure);
	while ((status = rig->kind->poll(rig->queue, failure)) == GA_PENDING)
	{
		if (way == 1)
			continue;
		status = rig->kind->notify(rig->queue, failure);
		if (status != GA_OK)
			break;
		take_event(rig);
	}
	return status;
}

void
rig_sum(Rig *rig, GaSumRequest *request)
{
	GaDeviceFailure failure = {.call = ""};

	rig_must(rig, "sum", rig->kind->sum(rig->queue, request, &failure),
			 &failure);
	rig_must(rig, "a sum", rig_finish(rig, &failure), &failure);
}

void
rig_scan(Rig *rig, GaScanRequest *request)
{
	GaDeviceFailure failure = {.call = ""};

	rig_must(rig, "scan", rig->kind->scan(rig->queue, request, &failure),
			 &failure);
	rig_must(rig, "a scan", rig_finish(rig, &failure), &failure);
}
