/*
 * measure.cu
 *		The time that a request takes on the device.
 *
 * Between two events in the queue's stream, if requests are measured at all.
 */
#include "device_cuda.h"

GaStatus
begin_measuring(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	if (queue->is_measured)
		CUDA_TRY(cudaEventRecord(queue->begin, queue->stream), failure);
	return GA_OK;
}

GaStatus
end_measuring(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	if (queue->is_measured)
		CUDA_TRY(cudaEventRecord(queue->end, queue->stream), failure);
	return GA_OK;
}

double
measured_ms(GaDeviceQueue *queue)
{
	float ms;

	if (!queue->is_measured)
		return -1;
	if (cudaEventElapsedTime(&ms, queue->begin, queue->end) == cudaSuccess)
		return ms;
	(void) cudaGetLastError(); /* no later call may return it */
	return -1;
}
