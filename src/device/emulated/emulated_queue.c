/*
 * emulated_queue.c
 *		The queues of the emulated device: copies, and waiting for requests.
 *
 * emulated_submit.c submits them.  The device's lock protects the state of a
 * queue, and whether its event_fd is to be written.  While it is submitted, the
 * device's thread has its work; all else is its caller's.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device_check.h"
#include "emulated_memory.h"
#include "emulated_queue.h"
#include "emulated_thread.h"
#include "emulated_zero.h"

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
	ga_emulated_await(queue);
	(void) ga_emulated_zero_now(queue->device, queue);
	free(queue);
}

static GaQueueState
state_of(GaDeviceQueue *queue)
{
	GaQueueState result;

	pthread_mutex_lock(&queue->device->lock);
	result = queue->state;
	pthread_mutex_unlock(&queue->device->lock);
	return result;
}

/* Return GA_OK if the queue accepts a copy or a request. */
GaStatus
ga_emulated_check_idle(GaDeviceQueue *queue, const char *call,
					   GaDeviceFailure *failure)
{
	if (ga_emulated_has_failed(queue->device))
		return ga_emulated_failed(failure);
	if (state_of(queue) == GA_QUEUE_IDLE)
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

	(void) ga_emulated_zero_now(queue->device, queue);
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

/*
 * Return what poll() finds, of a queue that had memory to overwrite or not; the
 * caller holds the device's lock.
 */
static GaStatus
look(GaDeviceQueue *queue, bool had_zeros, GaDeviceFailure *failure)
{
	bool was_polled = queue->was_polled;

	queue->was_polled = true;
	/* also of a device that has failed: the thread writes to the request */
	if (queue->state == GA_QUEUE_SUBMITTED)
		return GA_PENDING;
	if (queue->device->has_failed)
		return ga_emulated_failed(failure);
	if (queue->state == GA_QUEUE_IDLE)
		return had_zeros ? GA_PENDING : GA_OK;
	if (queue->state == GA_QUEUE_HANGS || !was_polled)
		return GA_PENDING;
	queue->state = GA_QUEUE_IDLE;
	if (queue->result == GA_DEVICE_FAILED)
	{
		queue->device->has_failed = true;
		return ga_emulated_failed(failure);
	}
	if (queue->result == GA_NO_MEMORY)
		ga_device_failure(failure, "emulated launch", "out of memory");
	return queue->result;
}

GaStatus
ga_emulated_poll(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	const bool had_zeros = ga_emulated_zero_now(queue->device, queue);
	GaStatus status;

	pthread_mutex_lock(&queue->device->lock);
	status = look(queue, had_zeros, failure);
	pthread_mutex_unlock(&queue->device->lock);
	/* a caller that polls all the time may have the thread's processor */
	if (status == GA_PENDING)
		sched_yield();
	return status;
}

GaStatus
ga_emulated_notify(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	GaStatus status = GA_OK;

	pthread_mutex_lock(&queue->device->lock);
	if (queue->state == GA_QUEUE_SUBMITTED)
		queue->is_notified = true;
	else if (queue->device->has_failed)
		status = ga_emulated_failed(failure);
	else if (queue->state != GA_QUEUE_HANGS)
		status = ga_emulated_write_event(queue, failure);
	pthread_mutex_unlock(&queue->device->lock);
	return status;
}

GaStatus
ga_emulated_wait(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	GaStatus status;

	do
	{
		while (state_of(queue) == GA_QUEUE_HANGS)
			pause();
		ga_emulated_await(queue);
		status = ga_emulated_poll(queue, failure);
	} while (status == GA_PENDING);
	return status;
}

void
ga_emulated_measure(GaDeviceQueue *queue, bool on)
{
	queue->measures = on;
}
