/*
 * emulated_queue.c
 *		The queues of the emulated device, and the faults they inject.
 *
 * A request is computed when it is submitted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/clock.h"
#include "device/device_check.h"
#include "emulated_elem.h"
#include "emulated_window.h"
#include "emulated_memory.h"
#include "emulated_queue.h"
#include "emulated_reduce.h"
#include "emulated_request.h"

/* The state of a queue's last request. */
typedef enum QueueState
{
	QUEUE_IDLE = 0,
	QUEUE_SUBMITTED, /* the next poll() returns GA_PENDING */
	QUEUE_FINISHED,	 /* the next poll() returns its status */
	QUEUE_HANGS
} QueueState;

struct GaDeviceQueue
{
	GaDevice *device;
	int event_fd;
	QueueState state;
	bool fails; /* the request has failed */
	bool measures;
};

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
static GaStatus
check_idle(GaDeviceQueue *queue, const char *call, GaDeviceFailure *failure)
{
	if (ga_emulated_has_failed(queue->device))
		return ga_emulated_failed(failure);
	if (queue->state == QUEUE_IDLE)
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
	GaStatus status = check_idle(queue, "emulated copy", failure);

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
	GaStatus status = check_idle(queue, "emulated zero", failure);

	if (status == GA_OK && n_bytes > 0)
		memset(ga_emulated_pointer(at), 0, n_bytes);
	return status;
}

/*
 * Count a launch, and inject its fault.  GA_OK if the request is to be
 * computed, GA_PENDING if it is accepted but not computed, GA_NO_MEMORY if it
 * is refused.
 */
static GaStatus
launch(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	GaDevice *device = queue->device;
	const GaDeviceFaults *faults = &device->options.faults;
	uint32_t n;

	pthread_mutex_lock(&device->lock);
	n = ++device->n_launches;
	pthread_mutex_unlock(&device->lock);
	if (n == faults->crash_launch)
		abort();
	while (n == faults->block_launch)
		pause();
	if (n == faults->refuse_launch)
	{
		ga_device_failure(failure, "emulated launch",
						  "launch %u: injected refusal", (unsigned) n);
		return GA_NO_MEMORY;
	}
	queue->fails = n == faults->fail_launch;
	queue->state = n == faults->hang_launch ? QUEUE_HANGS : QUEUE_SUBMITTED;
	return queue->fails || queue->state == QUEUE_HANGS ? GA_PENDING : GA_OK;
}

/* Return the status of a submission after launch(). */
static GaStatus
accepted(GaStatus status)
{
	return status == GA_PENDING ? GA_OK : status;
}

/* Return the time since start_ns, or -1 if it is not measured. */
static double
measured_ms(const GaDeviceQueue *queue, int64_t start_ns)
{
	return queue->measures ? ga_ms_since(start_ns) : -1;
}

/*
 * Inject the fault of wrong results, of a reduction or by position: n of them,
 * of so many bytes each.
 */
static void
spoil(const GaDeviceQueue *queue, int what, void *results, size_t size,
	  uint64_t n)
{
	char *result = results;
	uint64_t i;

	if ((queue->device->options.faults.wrong_bits >> what & 1) == 0)
		return;
	for (i = 0; i < n; i++, result += size)
		*(uint64_t *) (void *) result ^= 1;
}

GaStatus
ga_emulated_submit_sum(GaDeviceQueue *queue, GaSumRequest *request,
					   GaDeviceFailure *failure)
{
	GaStatus status = check_idle(queue, "emulated sum", failure);
	int64_t start_ns = ga_now_ns();

	if (status == GA_OK)
		status = ga_check_sum_request(request, failure);
	if (status == GA_OK)
		status = launch(queue, failure);
	if (status == GA_OK)
	{
		ga_emulated_sum(request);
		spoil(queue, GA_REDUCE_SUM, request->results, sizeof(GaPartialSum),
			  request->n_arrays);
		request->device_ms = measured_ms(queue, start_ns);
	}
	return accepted(status);
}

GaStatus
ga_emulated_submit_reduce(GaDeviceQueue *queue, GaReduceRequest *request,
						  GaDeviceFailure *failure)
{
	GaStatus status = check_idle(queue, "emulated reduce", failure);
	int64_t start_ns = ga_now_ns();

	if (status == GA_OK)
		status = ga_check_reduce_request(request, failure);
	if (status == GA_OK)
		status = launch(queue, failure);
	if (status == GA_OK)
	{
		ga_emulated_reduce(request);
		spoil(queue, request->reduction, request->results, sizeof(GaPartialSum),
			  request->n_results * ga_reduction_records(request->reduction));
		request->device_ms = measured_ms(queue, start_ns);
	}
	return accepted(status);
}

GaStatus
ga_emulated_submit_elem(GaDeviceQueue *queue, GaElemRequest *request,
						GaDeviceFailure *failure)
{
	GaStatus status = check_idle(queue, "emulated elem", failure);
	int64_t start_ns = ga_now_ns();

	if (status == GA_OK)
		status = ga_check_elem_request(request, failure);
	if (status == GA_OK)
		status = launch(queue, failure);
	if (status == GA_OK)
	{
		ga_emulated_elem(request);
		spoil(queue, ga_elem_reduction(request->form),
			  ga_emulated_pointer(request->out),
			  ga_elem_result_bytes(request->form), ga_elem_positions(request));
		request->device_ms = measured_ms(queue, start_ns);
	}
	return accepted(status);
}

GaStatus
ga_emulated_submit_window(GaDeviceQueue *queue, GaWindowRequest *request,
						  GaDeviceFailure *failure)
{
	GaStatus status = check_idle(queue, "emulated window", failure);
	int64_t start_ns = ga_now_ns();

	if (status == GA_OK)
		status = ga_check_window_request(request, failure);
	if (status == GA_OK)
		status = launch(queue, failure);
	if (status == GA_OK)
	{
		ga_emulated_window(request);
		spoil(queue, GA_WINDOW_VALUES, request->out, sizeof(uint64_t),
			  request->n);
		request->device_ms = measured_ms(queue, start_ns);
	}
	return accepted(status);
}

GaStatus
ga_emulated_submit_scan(GaDeviceQueue *queue, GaScanRequest *request,
						GaDeviceFailure *failure)
{
	GaStatus status = check_idle(queue, "emulated scan", failure);
	int64_t start_ns = ga_now_ns();

	if (status == GA_OK)
		status = ga_check_scan_request(request, failure);
	if (status == GA_OK)
		status = launch(queue, failure);
	if (status == GA_OK)
	{
		ga_emulated_scan(request);
		request->device_ms = measured_ms(queue, start_ns);
	}
	return accepted(status);
}

/* End the last request and return its status. */
static GaStatus
finish(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	bool fails = queue->state != QUEUE_IDLE && queue->fails;

	queue->state = QUEUE_IDLE;
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
	if (queue->state == QUEUE_HANGS)
		return GA_PENDING;
	if (queue->state == QUEUE_SUBMITTED)
	{
		queue->state = QUEUE_FINISHED;
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
	if (queue->event_fd < 0 || queue->state == QUEUE_HANGS)
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
		while (queue->state == QUEUE_HANGS)
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
