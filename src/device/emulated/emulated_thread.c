/*
 * emulated_thread.c
 *		The thread of the emulated device, which computes requests.
 *
 * It takes them one after another, in the order of their submissions, as a GPU
 * does that each of them fills.  So gpuaggd goes on while the device computes.
 * The thread handles no signals but those of its own errors: others are the
 * program's.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "device/clock.h"
#include "device/device_check.h"
#include "emulated_thread.h"

/* Compute a queue's request; the caller does not hold the device's lock. */
static void
compute(GaDeviceQueue *queue)
{
	const GaEmulatedWork *work = &queue->work;
	int64_t start_ns = ga_now_ns();

	if (!work->compute(queue, work->request))
		queue->result = GA_NO_MEMORY;
	*work->device_ms = queue->measures ? ga_ms_since(start_ns) : -1;
}

static void *
run(void *argument)
{
	GaDevice *device = argument;
	GaDeviceFailure failure;
	GaDeviceQueue *queue;

	pthread_mutex_lock(&device->lock);
	while (!device->is_closing)
	{
		queue = TAILQ_FIRST(&device->submitted);
		if (queue == NULL)
		{
			pthread_cond_wait(&device->changed, &device->lock);
			continue;
		}
		pthread_mutex_unlock(&device->lock);
		compute(queue);
		pthread_mutex_lock(&device->lock);
		TAILQ_REMOVE(&device->submitted, queue, next);
		queue->state = GA_QUEUE_FINISHED;
		/* a loop that is not woken up polls after a while */
		if (queue->is_notified)
			(void) ga_emulated_write_event(queue, &failure);
		pthread_cond_broadcast(&device->changed);
	}
	pthread_mutex_unlock(&device->lock);
	return NULL;
}

/* Start the thread; false, with errno, if that is not possible. */
bool
ga_emulated_thread_open(GaDevice *device)
{
	static const int errors[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
	sigset_t others;
	sigset_t before;
	size_t i;
	int error;

	TAILQ_INIT(&device->submitted);
	pthread_mutex_init(&device->lock, NULL);
	pthread_cond_init(&device->changed, NULL);
	sigfillset(&others);
	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		sigdelset(&others, errors[i]);
	pthread_sigmask(SIG_SETMASK, &others, &before);
	error = pthread_create(&device->thread, NULL, run, device);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return error == 0;
}

/* End the thread of a device without queues. */
void
ga_emulated_thread_close(GaDevice *device)
{
	pthread_mutex_lock(&device->lock);
	device->is_closing = true;
	pthread_cond_broadcast(&device->changed);
	pthread_mutex_unlock(&device->lock);
	pthread_join(device->thread, NULL);
	pthread_cond_destroy(&device->changed);
	pthread_mutex_destroy(&device->lock);
}

/*
 * Begin a queue's request: GA_QUEUE_SUBMITTED has the thread compute it, other
 * states are those of requests that are not computed.
 */
void
ga_emulated_start(GaDeviceQueue *queue, const GaEmulatedWork *work,
				  GaQueueState state)
{
	GaDevice *device = queue->device;

	queue->work = *work;
	queue->was_polled = false;
	pthread_mutex_lock(&device->lock);
	queue->is_notified = false;
	queue->state = state;
	if (state == GA_QUEUE_SUBMITTED)
	{
		TAILQ_INSERT_TAIL(&device->submitted, queue, next);
		pthread_cond_broadcast(&device->changed);
	}
	pthread_mutex_unlock(&device->lock);
}

/* Wait until the thread has no request of a queue. */
void
ga_emulated_await(GaDeviceQueue *queue)
{
	GaDevice *device = queue->device;

	pthread_mutex_lock(&device->lock);
	while (queue->state == GA_QUEUE_SUBMITTED)
		pthread_cond_wait(&device->changed, &device->lock);
	pthread_mutex_unlock(&device->lock);
}

/* Add 1 to a queue's event_fd, if it has one. */
GaStatus
ga_emulated_write_event(const GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	const uint64_t one = 1;

	while (queue->event_fd >= 0 &&
		   write(queue->event_fd, &one, sizeof(one)) < 0)
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
