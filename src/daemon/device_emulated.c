/*
 * device_emulated.c
 *		A device that is none: it computes on the CPU, and fails when told to.
 *
 * For tests, and for machines without a GPU.  Its memory is the process's
 * own, and an address is a pointer.  A request is computed when it is
 * submitted; yet poll() is GA_PENDING at least once, so that callers learn to
 * wait.  emulated_request.c and emulated_grid.c compute and emulated_memory.c
 * allocates; the queues and their faults are here.
 *
 * A mutex of the device guards all that queues share: its memory, the
 * counters that the faults go by, and whether it has failed.
 * Nothing is global, so any number of devices may be open.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "device_check.h"
#include "emulated_memory.h"
#include "emulated_request.h"

struct GaDevice
{
	GaDeviceOptions options;
	pthread_mutex_t lock;		/* guards what follows */
	GaEmulatedMemory memory;
	uint32_t	n_launches;
	bool		has_failed;
};

/* Where a queue stands with the request that it took last. */
typedef enum QueueState
{
	QUEUE_IDLE = 0,
	QUEUE_SUBMITTED,			/* the next poll() is GA_PENDING */
	QUEUE_FINISHED,				/* the next one has the answer */
	QUEUE_HANGS
} QueueState;

struct GaDeviceQueue
{
	GaDevice   *device;
	int			event_fd;
	QueueState	state;
	bool		fails;			/* the answer is that it failed */
	bool		measures;
};

/* What is wrong with a launch, and with everything after it. */
static GaStatus
failed(GaDeviceFailure *failure)
{
	ga_device_failure(failure, "emulated launch", "it was told to fail");
	return GA_DEVICE_FAILED;
}

static bool
has_failed(GaDevice *device)
{
	bool		result;

	pthread_mutex_lock(&device->lock);
	result = device->has_failed;
	pthread_mutex_unlock(&device->lock);
	return result;
}

static GaStatus
emulated_count(int *n_devices, GaDeviceFailure *failure)
{
	(void) failure;
	*n_devices = 1;
	return GA_OK;
}

static GaStatus
emulated_open(const GaDeviceOptions *options, GaDevice **device,
			  GaDeviceFailure *failure)
{
	*device = NULL;
	if (options->ordinal != 0)
	{
		ga_device_failure(failure, "emulated open", "there is no device %d, "
						  "only device 0", options->ordinal);
		return GA_NO_DEVICE;
	}
	*device = calloc(1, sizeof(**device));
	if (*device == NULL)
	{
		ga_device_failure(failure, "emulated open", "out of memory");
		return GA_NO_MEMORY;
	}
	(*device)->options = *options;
	pthread_mutex_init(&(*device)->lock, NULL);
	return GA_OK;
}

static void
emulated_close(GaDevice *device)
{
	ga_emulated_memory_clear(&device->memory);
	pthread_mutex_destroy(&device->lock);
	free(device);
}

static GaStatus
emulated_describe(GaDevice *device, GaDeviceInfo *info,
				  GaDeviceFailure *failure)
{
	uint64_t	page = (uint64_t) sysconf(_SC_PAGESIZE);

	if (has_failed(device))
		return failed(failure);
	memset(info, 0, sizeof(*info));
	snprintf(info->name, sizeof(info->name), "emulated");
	snprintf(info->id, sizeof(info->id), "emulated:%d",
			 device->options.ordinal);
	info->n_multiprocessors = 1;
	info->memory_bytes = (uint64_t) sysconf(_SC_PHYS_PAGES) * page;
	info->free_bytes = (uint64_t) sysconf(_SC_AVPHYS_PAGES) * page;
	info->budget_bytes = device->options.budget_bytes;
	pthread_mutex_lock(&device->lock);
	info->used_bytes = device->memory.used_bytes;
	pthread_mutex_unlock(&device->lock);
	return GA_OK;
}

static GaStatus
emulated_allocate(GaDevice *device, uint64_t n_bytes,
				  GaDeviceAddress *address, GaDeviceFailure *failure)
{
	GaStatus	status;

	*address = 0;
	if (has_failed(device))
		return failed(failure);
	pthread_mutex_lock(&device->lock);
	status = ga_emulated_allocate(&device->memory, &device->options, n_bytes,
								  address, failure);
	pthread_mutex_unlock(&device->lock);
	return status;
}

static void
emulated_free(GaDevice *device, GaDeviceAddress address)
{
	pthread_mutex_lock(&device->lock);
	ga_emulated_free(&device->memory, address);
	pthread_mutex_unlock(&device->lock);
}

/* All memory is the host's, and stays as it is. */
static GaStatus
emulated_register_host(GaDevice *device, void *start, size_t n_bytes,
					   GaDeviceFailure *failure)
{
	(void) start;
	(void) n_bytes;
	return has_failed(device) ? failed(failure) : GA_OK;
}

static void
emulated_unregister_host(GaDevice *device, void *start)
{
	(void) device;
	(void) start;
}

static GaStatus
emulated_queue_open(GaDevice *device, int event_fd, GaDeviceQueue **queue,
					GaDeviceFailure *failure)
{
	*queue = NULL;
	if (has_failed(device))
		return failed(failure);
	*queue = calloc(1, sizeof(**queue));
	if (*queue == NULL)
	{
		ga_device_failure(failure, "emulated queue_open", "out of memory");
		return GA_NO_MEMORY;
	}
	(*queue)->device = device;
	(*queue)->event_fd = event_fd;
	return GA_OK;
}

static void
emulated_queue_close(GaDeviceQueue *queue)
{
	free(queue);
}

/* May this queue take a copy or a request? */
static GaStatus
check_idle(GaDeviceQueue *queue, const char *call, GaDeviceFailure *failure)
{
	if (has_failed(queue->device))
		return failed(failure);
	if (queue->state == QUEUE_IDLE)
		return GA_OK;
	ga_device_failure(failure, call, "the queue has a request that was not "
					  "answered yet");
	return GA_BAD_REQUEST;
}

static GaStatus
emulated_copy(GaDeviceQueue *queue, void *to, const void *from,
			  size_t n_bytes, GaDeviceFailure *failure)
{
	GaStatus	status = check_idle(queue, "emulated copy", failure);

	if (status == GA_OK && n_bytes > 0)
		memcpy(to, from, n_bytes);
	return status;
}

static GaStatus
emulated_copy_in(GaDeviceQueue *queue, GaDeviceAddress to, const void *from,
				 size_t n_bytes, GaDeviceFailure *failure)
{
	return emulated_copy(queue, ga_emulated_pointer(to), from, n_bytes,
						 failure);
}

static GaStatus
emulated_copy_out(GaDeviceQueue *queue, void *to, GaDeviceAddress from,
				  size_t n_bytes, GaDeviceFailure *failure)
{
	return emulated_copy(queue, to, ga_emulated_pointer(from), n_bytes,
						 failure);
}

/*
 * Count a launch, and do what it is told to do.  GA_OK if it is to be
 * computed, GA_PENDING if it only seems to be, GA_NO_MEMORY.
 */
static GaStatus
launch(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	GaDevice   *device = queue->device;
	const GaDeviceFaults *faults = &device->options.faults;
	uint32_t	n;

	pthread_mutex_lock(&device->lock);
	n = ++device->n_launches;
	pthread_mutex_unlock(&device->lock);
	if (n == faults->crash_launch)
		abort();
	if (n == faults->refuse_launch)
	{
		ga_device_failure(failure, "emulated launch", "launch %u was told to "
						  "be refused", (unsigned) n);
		return GA_NO_MEMORY;
	}
	queue->fails = n == faults->fail_launch;
	queue->state = n == faults->hang_launch ? QUEUE_HANGS : QUEUE_SUBMITTED;
	return queue->fails || queue->state == QUEUE_HANGS ? GA_PENDING : GA_OK;
}

static double
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static GaStatus
emulated_sum(GaDeviceQueue *queue, GaSumRequest *request,
			 GaDeviceFailure *failure)
{
	GaStatus	status = check_idle(queue, "emulated sum", failure);
	double		start = now_ms();

	if (status == GA_OK)
		status = ga_check_sum_request(request, failure);
	if (status == GA_OK)
		status = launch(queue, failure);
	if (status != GA_OK)
		return status == GA_PENDING ? GA_OK : status;
	ga_emulated_sum(request);
	request->device_ms = queue->measures ? now_ms() - start : -1;
	return GA_OK;
}

static GaStatus
emulated_scan(GaDeviceQueue *queue, GaScanRequest *request,
			  GaDeviceFailure *failure)
{
	GaStatus	status = check_idle(queue, "emulated scan", failure);
	double		start = now_ms();

	if (status == GA_OK)
		status = ga_check_scan_request(request, failure);
	if (status == GA_OK)
		status = launch(queue, failure);
	if (status != GA_OK)
		return status == GA_PENDING ? GA_OK : status;
	ga_emulated_scan(request);
	request->device_ms = queue->measures ? now_ms() - start : -1;
	return GA_OK;
}

/* There are none yet. */
static uint32_t
emulated_rungs(GaLadder ladder, const GaRung **rungs)
{
	(void) ladder;
	*rungs = NULL;
	return 0;
}

static GaStatus
emulated_rung(GaDeviceQueue *queue, GaRungRequest *request,
			  GaDeviceFailure *failure)
{
	GaStatus	status = check_idle(queue, "emulated rung", failure);

	return status != GA_OK ? status :
		ga_check_rung_request(&ga_device_emulated, request, failure);
}

/* The answer to what was submitted; the queue may take more. */
static GaStatus
finish(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	bool		fails = queue->state != QUEUE_IDLE && queue->fails;

	queue->state = QUEUE_IDLE;
	if (!fails)
		return GA_OK;
	pthread_mutex_lock(&queue->device->lock);
	queue->device->has_failed = true;
	pthread_mutex_unlock(&queue->device->lock);
	return failed(failure);
}

static GaStatus
emulated_poll(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	if (has_failed(queue->device))
		return failed(failure);
	if (queue->state == QUEUE_HANGS)
		return GA_PENDING;
	if (queue->state == QUEUE_SUBMITTED)
	{
		queue->state = QUEUE_FINISHED;
		return GA_PENDING;
	}
	return finish(queue, failure);
}

static GaStatus
emulated_notify(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	const uint64_t one = 1;

	if (has_failed(queue->device))
		return failed(failure);
	if (queue->event_fd < 0 || queue->state == QUEUE_HANGS)
		return GA_OK;
	while (write(queue->event_fd, &one, sizeof(one)) < 0)
	{
		/* a counter that is full wakes its reader as well */
		if (errno == EAGAIN)
			break;
		if (errno != EINTR)
		{
			ga_device_failure(failure, "write", "%s", strerror(errno));
			return GA_DEVICE_FAILED;
		}
	}
	return GA_OK;
}

static GaStatus
emulated_wait(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	if (has_failed(queue->device))
		return failed(failure);
	while (queue->state == QUEUE_HANGS)
		pause();
	return finish(queue, failure);
}

static void
emulated_measure(GaDeviceQueue *queue, bool on)
{
	queue->measures = on;
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
	.queue_open = emulated_queue_open,
	.queue_close = emulated_queue_close,
	.copy_in = emulated_copy_in,
	.copy_out = emulated_copy_out,
	.sum = emulated_sum,
	.scan = emulated_scan,
	.rungs = emulated_rungs,
	.rung = emulated_rung,
	.poll = emulated_poll,
	.notify = emulated_notify,
	.wait = emulated_wait,
	.measure = emulated_measure,
};
