/*
 * emulated_zero.c
 *		Overwriting of the emulated device's memory, as late as a GPU may.
 *
 * What a queue is to overwrite is kept until it is polled, copies, has another
 * request or is closed, or until memory is freed, which waits for all that the
 * device does.  So who uses that memory before finds zeros in it later.  The
 * device's lock protects what is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "device/device_check.h"
#include "emulated_memory.h"
#include "emulated_zero.h"

#define CALL "emulated zero"

typedef struct GaEmulatedZero
{
	TAILQ_ENTRY(GaEmulatedZero) next;
	const GaDeviceQueue *queue;
	GaDeviceAddress at;
	uint64_t n_bytes;
} GaEmulatedZero;

/* Count a call; true if the fault refuses it. */
static bool
is_refused(GaDevice *device)
{
	bool result;

	pthread_mutex_lock(&device->lock);
	result = ++device->n_zeros == device->options.faults.refuse_zero;
	pthread_mutex_unlock(&device->lock);
	return result;
}

GaStatus
ga_emulated_zero(GaDeviceQueue *queue, GaDeviceAddress at, uint64_t n_bytes,
				 GaDeviceFailure *failure)
{
	GaDevice *device = queue->device;
	GaStatus status = ga_emulated_check_idle(queue, CALL, failure);
	GaEmulatedZero *zero;

	if (status != GA_OK)
		return status;
	zero = is_refused(device) ? NULL : malloc(sizeof(*zero));
	if (zero == NULL)
	{
		ga_device_failure(failure, CALL, "out of memory");
		return GA_NO_MEMORY;
	}
	*zero = (GaEmulatedZero){.queue = queue, .at = at, .n_bytes = n_bytes};
	pthread_mutex_lock(&device->lock);
	TAILQ_INSERT_TAIL(&device->zeros, zero, next);
	pthread_mutex_unlock(&device->lock);
	return GA_OK;
}

/*
 * Overwrite what a queue was to, or (NULL) what all were to.  Return false if
 * there was nothing.
 */
bool
ga_emulated_zero_now(GaDevice *device, const GaDeviceQueue *queue)
{
	GaEmulatedZero *zero;
	GaEmulatedZero *next;
	bool found = false;

	pthread_mutex_lock(&device->lock);
	for (zero = TAILQ_FIRST(&device->zeros); zero != NULL; zero = next)
	{
		next = TAILQ_NEXT(zero, next);
		if (queue != NULL && zero->queue != queue)
			continue;
		memset(ga_emulated_pointer(zero->at), 0, zero->n_bytes);
		TAILQ_REMOVE(&device->zeros, zero, next);
		free(zero);
		found = true;
	}
	pthread_mutex_unlock(&device->lock);
	return found;
}
