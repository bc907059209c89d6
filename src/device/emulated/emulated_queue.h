/*
 * emulated_queue.h
 *		The emulated device and the functions of its queues.
 */
#ifndef GA_EMULATED_QUEUE_H
#define GA_EMULATED_QUEUE_H

#include <pthread.h>

#include "emulated_memory.h"

struct GaDevice
{
	GaDeviceOptions options;
	pthread_mutex_t lock; /* protects the fields below */
	GaEmulatedMemory memory;
	uint32_t n_launches;
	bool has_failed;
};

/* The state of a queue's last request. */
typedef enum GaQueueState
{
	GA_QUEUE_IDLE = 0,
	GA_QUEUE_SUBMITTED, /* the next poll() returns GA_PENDING */
	GA_QUEUE_FINISHED,	/* the next poll() returns its status */
	GA_QUEUE_HANGS
} GaQueueState;

struct GaDeviceQueue
{
	GaDevice *device;
	int event_fd;
	GaQueueState state;
	uint32_t launch; /* its number */
	bool fails;		 /* the request has failed */
	bool measures;
};

/* Set the failure of a launch that failed; returns GA_DEVICE_FAILED. */
extern GaStatus ga_emulated_failed(GaDeviceFailure *failure);
extern bool ga_emulated_has_failed(GaDevice *device);
extern GaStatus ga_emulated_check_idle(GaDeviceQueue *queue, const char *call,
									   GaDeviceFailure *failure);

/* See device.h. */
extern GaStatus ga_emulated_queue_open(GaDevice *device, int event_fd,
									   GaDeviceQueue **queue,
									   GaDeviceFailure *failure);
extern void ga_emulated_queue_close(GaDeviceQueue *queue);
extern GaStatus ga_emulated_copy_in(GaDeviceQueue *queue, GaDeviceAddress to,
									const void *from, size_t n_bytes,
									GaDeviceFailure *failure);
extern GaStatus ga_emulated_copy_out(GaDeviceQueue *queue, void *to,
									 GaDeviceAddress from, size_t n_bytes,
									 GaDeviceFailure *failure);
extern GaStatus ga_emulated_zero(GaDeviceQueue *queue, GaDeviceAddress at,
								 uint64_t n_bytes, GaDeviceFailure *failure);
extern GaStatus ga_emulated_submit_sum(GaDeviceQueue *queue,
									   GaSumRequest *request,
									   GaDeviceFailure *failure);
extern GaStatus ga_emulated_submit_reduce(GaDeviceQueue *queue,
										  GaReduceRequest *request,
										  GaDeviceFailure *failure);
extern GaStatus ga_emulated_submit_window(GaDeviceQueue *queue,
										  GaWindowRequest *request,
										  GaDeviceFailure *failure);
extern GaStatus ga_emulated_submit_elem(GaDeviceQueue *queue,
										GaElemRequest *request,
										GaDeviceFailure *failure);
extern GaStatus ga_emulated_submit_scan(GaDeviceQueue *queue,
										GaScanRequest *request,
										GaDeviceFailure *failure);
extern GaStatus ga_emulated_submit_survey(GaDeviceQueue *queue,
										  GaPackRequest *request,
										  GaDeviceFailure *failure);
extern GaStatus ga_emulated_submit_pack(GaDeviceQueue *queue,
										GaPackRequest *request,
										GaDeviceFailure *failure);
extern GaStatus ga_emulated_poll(GaDeviceQueue *queue,
								 GaDeviceFailure *failure);
extern GaStatus ga_emulated_notify(GaDeviceQueue *queue,
								   GaDeviceFailure *failure);
extern GaStatus ga_emulated_wait(GaDeviceQueue *queue,
								 GaDeviceFailure *failure);
extern void ga_emulated_measure(GaDeviceQueue *queue, bool on);

#endif /* GA_EMULATED_QUEUE_H */
