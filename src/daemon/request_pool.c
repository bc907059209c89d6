/*
 * request_pool.c
 *		What requests are executed with, on each device.
 *
 * Owns the GaActiveRequests: for each device as many as were ever needed at a
 * time, up to a limit, and a list of those that are free.  They stay for the
 * program's life.  request.c takes one for each request, and puts it back.
 *
 * There are fewer of them than sessions, since each has a queue and may have
 * memory on the device; requests wait for one, some microseconds each.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device/device_check.h"
#include "memory_backoff.h"
#include "options.h"
#include "request_pool.h"

/* Of a device. */
typedef struct Pool
{
	SLIST_HEAD(, GaActiveRequest) free; /* used last is used first */
	uint32_t n_made;
	GaMemoryBackoff backoff; /* of queues that are opened */
} Pool;

static Pool pools[GA_MAX_DEVICES];
static uint32_t n_most_each; /* of each device */
static bool has_new; /* one was put back, or lost, since the last question */

/* Have n_most at a time on all devices, and some on each. */
void
ga_request_pool_open(uint32_t n_most)
{
	n_most_each = n_most / ga_devices_count() + 1;
}

/* Return the device memory that the requests of a device may take. */
uint64_t
ga_request_pool_bytes(void)
{
	return n_most_each * (uint64_t) (GA_SLOT_BYTES + GA_DEVICE_WORKSPACE_BYTES);
}

static Pool *
pool_of(const GaOpenDevice *device)
{
	return &pools[device - ga_devices_get(0)];
}

/* Make one, with nothing of the device.  NULL: no memory or descriptor. */
static GaActiveRequest *
make(const GaOpenDevice *device)
{
	GaActiveRequest *active = calloc(1, sizeof(*active));

	if (active == NULL)
		return NULL;
	active->device = device;
	active->polled.device = device->kind;
	active->polled.of = device->device;
	if (!ga_schedule_open(&active->polled))
	{
		free(active);
		return NULL;
	}
	return active;
}

/*
 * Allocate what is missing of the device.  What was allocated stays for the
 * next attempt.
 */
static GaStatus
allocate(GaActiveRequest *active, bool uses_memory, GaDeviceFailure *failure)
{
	const GaDeviceKind *functions = active->device->kind;
	GaDevice *device = active->device->device;
	GaStatus status = GA_OK;

	if (uses_memory && active->memory == 0)
		status = functions->allocate(device, GA_SLOT_BYTES, &active->memory,
									 failure);
	if (status == GA_OK && active->polled.queue == NULL)
		status = functions->queue_open(device, active->polled.event_fd,
									   &active->polled.queue, failure);
	return status;
}

/*
 * The same; evict as many resident arrays as it takes, once, if the device has
 * no memory for it.
 */
static GaStatus
complete(GaActiveRequest *active, bool uses_memory, GaDeviceFailure *failure)
{
	GaCache *cache = ga_cache_of(active->device);
	GaMemoryBackoff *backoff = &pool_of(active->device)->backoff;
	GaStatus status;

	if (active->polled.queue != NULL && (active->memory != 0 || !uses_memory))
		return GA_OK;
	if (ga_memory_backoff_holds(backoff, failure))
		return GA_NO_MEMORY;
	status = allocate(active, uses_memory, failure);
	if (status == GA_NO_MEMORY &&
		ga_extents_evict(&cache->extents, GA_SLOT_BYTES))
		status = allocate(active, uses_memory, failure);
	if (status == GA_DEVICE_FAILED)
		ga_devices_lose(active->device, failure);
	ga_memory_backoff_note(backoff, status, failure);
	return status;
}

/*
 * Take one with a queue of a device, and with memory there if the request uses
 * it.  GA_BUSY: as many are under way as may be.
 */
GaStatus
ga_request_pool_take(const GaOpenDevice *device, bool uses_memory,
					 GaActiveRequest **taken, GaDeviceFailure *failure)
{
	Pool *pool = pool_of(device);
	GaActiveRequest *active = SLIST_FIRST(&pool->free);
	GaStatus status;

	if (device->is_lost)
	{
		*failure = device->failure;
		return GA_DEVICE_FAILED;
	}
	if (active == NULL && pool->n_made == n_most_each)
		return GA_BUSY;
	if (active != NULL)
		SLIST_REMOVE_HEAD(&pool->free, next_free);
	else if ((active = make(device)) != NULL)
		pool->n_made++;
	if (active == NULL)
	{
		ga_device_failure(failure, "eventfd", "%s", strerror(errno));
		return GA_NO_MEMORY;
	}
	status = complete(active, uses_memory, failure);
	if (status == GA_OK)
		*taken = active;
	else
		ga_request_pool_put(active);
	return status;
}

/* Put one back whose request has ended.  Those of a lost device are no use. */
void
ga_request_pool_put(GaActiveRequest *active)
{
	SLIST_INSERT_HEAD(&pool_of(active->device)->free, active, next_free);
	has_new = true;
}

/*
 * One is not put back, since its device was lost: sessions that wait for one
 * learn so when they try again.
 */
void
ga_request_pool_lose(void)
{
	has_new = true;
}

/* Was one put back or lost since this was asked last? */
bool
ga_request_pool_has_new(void)
{
	const bool result = has_new;

	has_new = false;
	return result;
}
