/*
 * queue_cuda.h
 *		The queue functions of device.h for the CUDA device.
 */
#ifndef GA_QUEUE_CUDA_H
#define GA_QUEUE_CUDA_H

#include "device_cuda.h"

extern GaStatus cuda_queue_open(GaDevice *device, int event_fd,
								GaDeviceQueue **queue,
								GaDeviceFailure *failure);
extern void cuda_queue_close(GaDeviceQueue *queue);
extern GaStatus cuda_copy_in(GaDeviceQueue *queue, GaDeviceAddress to,
							 const void *from, size_t n_bytes,
							 GaDeviceFailure *failure);
extern GaStatus cuda_copy_out(GaDeviceQueue *queue, void *to,
							  GaDeviceAddress from, size_t n_bytes,
							  GaDeviceFailure *failure);
extern GaStatus cuda_zero(GaDeviceQueue *queue, GaDeviceAddress at,
						  uint64_t n_bytes, GaDeviceFailure *failure);
extern GaStatus cuda_sum(GaDeviceQueue *queue, GaSumRequest *request,
						 GaDeviceFailure *failure);
extern GaStatus cuda_reduce(GaDeviceQueue *queue, GaReduceRequest *request,
							GaDeviceFailure *failure);
extern GaStatus cuda_elem(GaDeviceQueue *queue, GaElemRequest *request,
						  GaDeviceFailure *failure);
extern GaStatus cuda_window(GaDeviceQueue *queue, GaWindowRequest *request,
							GaDeviceFailure *failure);
extern GaStatus cuda_scan(GaDeviceQueue *queue, GaScanRequest *request,
						  GaDeviceFailure *failure);
extern GaStatus cuda_survey(GaDeviceQueue *queue, GaPackRequest *request,
							GaDeviceFailure *failure);
extern GaStatus cuda_pack(GaDeviceQueue *queue, GaPackRequest *request,
						  GaDeviceFailure *failure);
extern GaStatus cuda_poll(GaDeviceQueue *queue, GaDeviceFailure *failure);
extern GaStatus cuda_wait(GaDeviceQueue *queue, GaDeviceFailure *failure);
extern GaStatus cuda_notify(GaDeviceQueue *queue, GaDeviceFailure *failure);
extern void cuda_measure(GaDeviceQueue *queue, bool on);

#endif /* GA_QUEUE_CUDA_H */
