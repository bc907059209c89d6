/*
 * emulated_queue.h
 *		The emulated device and the functions of its queues.
 */
#ifndef GA_EMULATED_QUEUE_H
#define GA_EMULATED_QUEUE_H

#include <pthread.h>
#include <sys/queue.h>

#include "emulated_memory.h"

struct GaDevice
{
	GaDeviceOptions options;
	pthread_t thread;	  /* computes requests (emulated_thread.c) */
	pthread_mutex_t lock; /* protects the fields below, and those of queues */
	pthread_cond_t changed;
	TAILQ_HEAD(, GaDeviceQueue) submitted; /* queues, the oldest first */
	bool is_closing;
	TAILQ_HEAD(, GaEmulatedZero) zeros; /* to be done (emulated_zero.c) */
	GaEmulatedMemory memory;
	uint32_t n_launches;
	uint32_t n_descriptions;
	uint32_t n_zeros;
	bool has_failed;
};

/* The state of a queue's last request. */
typedef enum GaQueueState
{
	GA_QUEUE_IDLE = 0,
	GA_QUEUE_SUBMITTED, /* the device's thread has it, or will */
	GA_QUEUE_FINISHED,
	GA_QUEUE_HANGS
} GaQueueState;

/* What the device's thread does for a request. */
typedef struct GaEmulatedWork
{
	/* Returns false if there is no memory. */
	bool (*compute)(GaDeviceQueue *queue, void *request);
	void *request;
	double *device_ms;
} GaEmulatedWork;

struct GaDeviceQueue
{
	TAILQ_ENTRY(GaDeviceQueue) next; /* if it is submitted */
	GaDevice *device;
	int event_fd;
	GaQueueState state;
	GaEmulatedWork work;
	uint32_t launch;  /* its number */
	GaStatus result;  /* GA_DEVICE_FAILED: the request fails with the device */
	bool was_polled;  /* since the submission */
	bool is_notified; /* the event_fd is to be written at its end */
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
