/*
 * emulated_thread.h
 *		The thread of the emulated device, which computes requests.
 */
#ifndef GA_EMULATED_THREAD_H
#define GA_EMULATED_THREAD_H

#include "emulated_queue.h"

extern bool ga_emulated_thread_open(GaDevice *device);
extern void ga_emulated_thread_close(GaDevice *device);
extern void ga_emulated_start(GaDeviceQueue *queue, const GaEmulatedWork *work,
							  GaQueueState state);
extern void ga_emulated_await(GaDeviceQueue *queue);
extern GaStatus ga_emulated_write_event(const GaDeviceQueue *queue,
										GaDeviceFailure *failure);

#endif /* GA_EMULATED_THREAD_H */
