/*
 * kernels_queue.cu
 *		What `make bench-kernels` has to know of a queue of ours.
 */
#include "host/device_cuda.h"
#include "kernels_gpu.h"

cudaStream_t
bench_stream_of(struct GaDeviceQueue *queue)
{
	return queue->stream;
}
