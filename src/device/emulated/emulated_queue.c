/*
 * emulated_queue.c
 *		The queues of the emulated device: copies, and waiting for requests.
 *
 * A request is computed when it is submitted (emulated_submit.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device_check.h"
#include "emulated_memory.h"
#include "emulated_queue.h"

GaStatus
ga_emulated_failed(GaDeviceFailure *failure)
{
	ga_device_failure(failure, "emulated launch", "injected failure");
	return GA_DEVICE_FAILED;
}

bool
ga_emulated_has_failed(GaDevice *device)
{
	bool result;

	pthread_mutex_lock(&device->lock);
	result = device->has_failed;
	pthread_mutex_unlock(&device->lock);
	return result;
}

GaStatus
ga_emulated_queue_open(GaDevice *device, int event_fd, GaDeviceQueue **queue,
					   GaDeviceFailure *failure)
{
	*queue = NULL;
	if (ga_emulated_has_failed(device))
		return ga_emulated_failed(failure);
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

void
ga_emulated_queue_close(GaDeviceQueue *queue)
{
	free(queue);
}

/* Return GA_OK if the queue accepts a copy or a request. */
GaStatus
ga_emulated_check_idle(GaDeviceQueue *queue, const char *call,
					   GaDeviceFailure *failure)
{
	if (ga_emulated_has_failed(queue->device))
		return ga_emulated_failed(failure);
	if (queue->state == GA_QUEUE_IDLE)
		return GA_OK;
	ga_device_failure(failure, call,
					  "the queue has a request that was not "
					  "answered yet");
	return GA_BAD_REQUEST;
}

static GaStatus
copy(GaDeviceQueue *queue, void *to, const void *from, size_t n_bytes,
	 GaDeviceFailure *failure)
{
	GaStatus status = ga_emulated_check_idle(queue, "emulated copy", failure);

	if (status == GA_OK && n_bytes > 0)
		memcpy(to, from, n_bytes);
	return status;
}

GaStatus
ga_emulated_copy_in(GaDeviceQueue *queue, GaDeviceAddress to, const void *from,
					size_t n_bytes, GaDeviceFailure *failure)
{
	return copy(queue, ga_emulated_pointer(to), from, n_bytes, failure);
}

GaStatus
ga_emulated_copy_out(GaDeviceQueue *queue, void *to, GaDeviceAddress from,
					 size_t n_bytes, GaDeviceFailure *failure)
{
	return copy(queue, to, ga_emulated_pointer(from), n_bytes, failure);
}

GaStatus
ga_emulated_zero(GaDeviceQueue *queue, GaDeviceAddress at, uint64_t n_bytes,
				 GaDeviceFailure *failure)
{
	GaStatus status = ga_emulated_check_idle(queue, "emulated zero", failure);

	if (status == GA_OK && n_bytes > 0)
		memset(ga_emulated_pointer(at), 0, n_bytes);
	return status;
}

/* End the last request and return its status. */
static GaStatus
finish(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	bool fails = queue->state != GA_QUEUE_IDLE && queue->fails;

	queue->state = GA_QUEUE_IDLE;
	if (!fails)
		return GA_OK;
	pthread_mutex_lock(&queue->device->lock);
	queue->device->has_failed = true;
	pthread_mutex_unlock(&queue->device->lock);
	return ga_emulated_failed(failure);
}

GaStatus
ga_emulated_poll(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	if (ga_emulated_has_failed(queue->device))
		return ga_emulated_failed(failure);
	if (queue->state == GA_QUEUE_HANGS)
		return GA_PENDING;
	if (queue->state == GA_QUEUE_SUBMITTED)
	{
		queue->state = GA_QUEUE_FINISHED;
		return GA_PENDING;
	}
	return finish(queue, failure);
}

GaStatus
ga_emulated_notify(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	const uint64_t one = 1;

	if (ga_emulated_has_failed(queue->device))
		return ga_emulated_failed(failure);
	if (queue->event_fd < 0 || queue->state == GA_QUEUE_HANGS)
		return GA_OK;
	while (write(queue->event_fd, &one, sizeof(one)) < 0)
	{
		/* a counter at its maximum wakes the reader, too */
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

GaStatus
ga_emulated_wait(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	GaStatus status;

	do
	{
		while (queue->state == GA_QUEUE_HANGS)
			pause();
		status = ga_emulated_poll(queue, failure);
	} while (status == GA_PENDING);
	return status;
}

void
ga_emulated_measure(GaDeviceQueue *queue, bool on)
{
	queue->measures = on;
}
