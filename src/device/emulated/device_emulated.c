/*
 * device_emulated.c
 * 		The emulated device: it computes on the CPU, and injects faults.
 *
 * For tests, and for machines without a GPU.  Its memory is the process's own,
 * and an address is a pointer.  A thread of the device computes requests;
 * poll() returns GA_PENDING at least once, so that tests cover waiting.
 * emulated_queue.c has the queues, emulated_submit.c submissions and their
 * faults, emulated_thread.c the thread; emulated_request.c, emulated_reduce.c
 * and others compute, emulated_memory.c allocates, and emulated_zero.c
 * overwrites; the device itself is here.
 *
 * A mutex of the device protects what its queues share: its memory, the
 * counters of launches and allocations, and whether it has failed.  There is no
 * global state, so any number of devices may be open.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device_check.h"
#include "emulated_thread.h"
#include "emulated_zero.h"

/* Any number would do. */
#define N_DEVICES 64

static GaStatus
emulated_count(int *n_devices, GaDeviceFailure *failure)
{
	(void) failure;
	*n_devices = N_DEVICES;
	return GA_OK;
}

static GaStatus
emulated_open(const GaDeviceOptions *options, GaDevice **device,
			  GaDeviceFailure *failure)
{
	*device = NULL;
	if (options->ordinal < 0 || options->ordinal >= N_DEVICES)
	{
		ga_device_failure(failure, "emulated open",
						  "there is no device %d, only 0 to %d",
						  options->ordinal, N_DEVICES - 1);
		return GA_NO_DEVICE;
	}
	*device = calloc(1, sizeof(**device));
	if (*device == NULL)
	{
		ga_device_failure(failure, "emulated open", "out of memory");
		return GA_NO_MEMORY;
	}
	(*device)->options = *options;
	TAILQ_INIT(&(*device)->zeros);
	if (ga_emulated_thread_open(*device))
		return GA_OK;
	ga_device_failure(failure, "pthread_create", "%s", strerror(errno));
	free(*device);
	*device = NULL;
	return GA_NO_MEMORY;
}

static void
emulated_close(GaDevice *device)
{
	ga_emulated_thread_close(device);
	ga_emulated_memory_clear(&device->memory);
	free(device);
}

static GaStatus
emulated_describe(GaDevice *device, GaDeviceInfo *info,
				  GaDeviceFailure *failure)
{
	uint64_t page = (uint64_t) sysconf(_SC_PAGESIZE);
	uint64_t taken;

	pthread_mutex_lock(&device->lock);
	if (++device->n_descriptions == device->options.faults.lose_describe)
		device->has_failed = true;
	pthread_mutex_unlock(&device->lock);
	if (ga_emulated_has_failed(device))
		return ga_emulated_failed(failure);
	memset(info, 0, sizeof(*info));
	snprintf(info->name, sizeof(info->name), "emulated");
	snprintf(info->id, sizeof(info->id), "emulated:%d",
			 device->options.ordinal);
	info->n_multiprocessors = 1;
	info->memory_bytes = (uint64_t) sysconf(_SC_PHYS_PAGES) * page;
	info->budget_bytes = device->options.budget_bytes;
	pthread_mutex_lock(&device->lock);
	info->used_bytes = device->memory.used_bytes;
	pthread_mutex_unlock(&device->lock);
	taken = info->used_bytes +
			((uint64_t) device->options.faults.other_memory_mb << 20);
	info->free_bytes =
		info->memory_bytes > taken ? info->memory_bytes - taken : 0;
	return GA_OK;
}

static GaStatus
emulated_allocate(GaDevice *device, uint64_t n_bytes, GaDeviceAddress *address,
				  GaDeviceFailure *failure)
{
	const uint32_t lost = device->options.faults.lose_allocation;
	GaStatus status;

	*address = 0;
	pthread_mutex_lock(&device->lock);
	if (lost > 0 && device->memory.n_allocations + 1 == lost)
		device->has_failed = true;
	if (device->has_failed)
		status = ga_emulated_failed(failure);
	else
		status = ga_emulated_allocate(&device->memory, &device->options,
									  n_bytes, address, failure);
	pthread_mutex_unlock(&device->lock);
	return status;
}

static void
emulated_free(GaDevice *device, GaDeviceAddress address)
{
	(void) ga_emulated_zero_now(device, NULL);
	pthread_mutex_lock(&device->lock);
	ga_emulated_free(&device->memory, address);
	pthread_mutex_unlock(&device->lock);
}

/* Host memory needs no registration. */
static GaStatus
emulated_register_host(GaDevice *device, void *start, size_t n_bytes,
					   GaDeviceFailure *failure)
{
	(void) start;
	(void) n_bytes;
	return ga_emulated_has_failed(device) ? ga_emulated_failed(failure) : GA_OK;
}

static void
emulated_unregister_host(GaDevice *device, void *start)
{
	(void) device;
	(void) start;
}

const GaDeviceKind ga_device_emulated = {
	.name = "emulated",
	.count = emulated_count,
	.open = emulated_open,
	.close = emulated_close,
	.describe = emulated_describe,
	.allocate = emulated_allocate,
	.free = emulated_free,
	.register_host = emulated_register_host,
	.unregister_host = emulated_unregister_host,
	.queue_open = ga_emulated_queue_open,
	.queue_close = ga_emulated_queue_close,
	.copy_in = ga_emulated_copy_in,
	.copy_out = ga_emulated_copy_out,
	.zero = ga_emulated_zero,
	.sum = ga_emulated_submit_sum,
	.reduce = ga_emulated_submit_reduce,
	.elem = ga_emulated_submit_elem,
	.window = ga_emulated_submit_window,
	.scan = ga_emulated_submit_scan,
	.survey = ga_emulated_submit_survey,
	.pack = ga_emulated_submit_pack,
	.poll = ga_emulated_poll,
	.notify = ga_emulated_notify,
	.wait = ga_emulated_wait,
	.measure = ga_emulated_measure,
};
