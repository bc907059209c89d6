/*
 * device_cuda.cu
 *		The CUDA device: opening it, and its queues.
 *
 * A queue is a stream.  Requests, which request_sum.cu, request_scan.cu and
 * ladder.cu plan and finish, are a function to call when it is empty.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <new>

#include "device_cuda.h"
#include "scan.h"
#include "sum.h"

static GaStatus
cuda_count(int *n_devices, GaDeviceFailure *failure)
{
	*n_devices = 0;
	CUDA_TRY(cudaGetDeviceCount(n_devices), failure);
	return GA_OK;
}

/* Is there code in this program that the device can run? */
static GaStatus
prepare(GaDevice *device, GaDeviceFailure *failure)
{
	int			shared_bytes;

	CUDA_TRY(cudaSetDevice(device->ordinal), failure);
	CUDA_TRY(cudaFree(nullptr), failure);
	CUDA_TRY(cudaDeviceGetAttribute(&device->n_multiprocessors,
									cudaDevAttrMultiProcessorCount,
									device->ordinal), failure);
	CUDA_TRY(cudaDeviceGetAttribute(&shared_bytes,
									cudaDevAttrMaxSharedMemoryPerBlockOptin,
									device->ordinal), failure);
	device->large_tiles = shared_bytes >= kLargeTileShared;
	device->n_lanes = shared_bytes >= 200 << 10 ? kMostLanes :
		shared_bytes >= 96 << 10 ? 2 : 1;
	CUDA_TRY(prepare_sums(device->n_multiprocessors, device->n_lanes,
						  &device->short_blocks, device->long_blocks),
			 failure);
	return GA_OK;
}

static GaStatus
cuda_open(const GaDeviceOptions *options, GaDevice **device,
		  GaDeviceFailure *failure)
{
	int			n_devices;
	GaStatus	status;

	*device = nullptr;
	TRY(cuda_count(&n_devices, failure));
	if (options->ordinal < 0 || options->ordinal >= n_devices)
	{
		ga_device_failure(failure, "cudaGetDeviceCount",
						  "there is no device %d", options->ordinal);
		return GA_NO_DEVICE;
	}
	*device = new (std::nothrow) GaDevice();
	if (*device == nullptr)
	{
		ga_device_failure(failure, "open", "out of memory");
		return GA_NO_MEMORY;
	}
	(*device)->ordinal = options->ordinal;
	(*device)->budget_bytes = options->budget_bytes;
	status = prepare(*device, failure);
	if (status != GA_OK)
	{
		delete *device;
		*device = nullptr;
	}
	return status;
}

static void
cuda_close(GaDevice *device)
{
	(void) use_device(device);
	for (const auto &allocation : device->allocations)
		(void) cudaFree(reinterpret_cast<void *>(allocation.first));
	delete device;
}

static GaStatus
cuda_describe(GaDevice *device, GaDeviceInfo *info, GaDeviceFailure *failure)
{
	cudaDeviceProp properties;
	size_t		free_bytes;
	size_t		all_bytes;

	memset(info, 0, sizeof(*info));
	CUDA_TRY(use_device(device), failure);
	CUDA_TRY(cudaGetDeviceProperties(&properties, device->ordinal), failure);
	CUDA_TRY(cudaMemGetInfo(&free_bytes, &all_bytes), failure);
	CUDA_TRY(cudaDriverGetVersion(&info->driver_version), failure);
	CUDA_TRY(cudaRuntimeGetVersion(&info->runtime_version), failure);
	CUDA_TRY(cudaDeviceGetPCIBusId(info->id, sizeof(info->id),
								   device->ordinal), failure);
	snprintf(info->name, sizeof(info->name), "%.*s",
			 int(sizeof(info->name)) - 1, properties.name);
	info->major = properties.major;
	info->minor = properties.minor;
	info->n_multiprocessors = device->n_multiprocessors;
	info->memory_bytes = all_bytes;
	info->free_bytes = free_bytes;
	info->budget_bytes = device->budget_bytes;

	std::lock_guard<std::mutex> guard(device->lock);

	info->used_bytes = device->used_bytes;
	return GA_OK;
}

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
	float		ms;

	if (!queue->is_measured ||
		cudaEventElapsedTime(&ms, queue->begin, queue->end) != cudaSuccess)
		return -1;
	return ms;
}

static void
cuda_queue_close(GaDeviceQueue *queue)
{
	(void) use_device(queue->device);
	if (queue->stream != nullptr)
	{
		(void) cudaStreamSynchronize(queue->stream);
		(void) cudaStreamDestroy(queue->stream);
	}
	end_rung(queue);
	if (queue->begin != nullptr)
		(void) cudaEventDestroy(queue->begin);
	if (queue->end != nullptr)
		(void) cudaEventDestroy(queue->end);
	(void) cudaFreeHost(queue->pinned.start);
	free_bytes(queue->device, GaDeviceAddress(queue->room.start));
	free_bytes(queue->device, GaDeviceAddress(queue->rows));
	delete queue;
}

static GaStatus
fill_queue(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	CUDA_TRY(use_device(queue->device), failure);
	CUDA_TRY(cudaStreamCreateWithFlags(&queue->stream, cudaStreamNonBlocking),
			 failure);
	CUDA_TRY(cudaEventCreate(&queue->begin), failure);
	CUDA_TRY(cudaEventCreate(&queue->end), failure);
	return GA_OK;
}

static GaStatus
cuda_queue_open(GaDevice *device, int event_fd, GaDeviceQueue **queue,
				GaDeviceFailure *failure)
{
	GaStatus	status;

	*queue = new (std::nothrow) GaDeviceQueue();
	if (*queue == nullptr)
	{
		ga_device_failure(failure, "queue_open", "out of memory");
		return GA_NO_MEMORY;
	}
	(*queue)->device = device;
	(*queue)->event_fd = event_fd;
	status = fill_queue(*queue, failure);
	if (status != GA_OK)
	{
		cuda_queue_close(*queue);
		*queue = nullptr;
	}
	return status;
}

/* A queue with a request in progress takes nothing. */
static GaStatus
check_idle(const GaDeviceQueue *queue, const char *call,
		   GaDeviceFailure *failure)
{
	if (queue->step == nullptr)
		return GA_OK;
	ga_device_failure(failure, call, "the queue has a request in progress");
	return GA_BAD_REQUEST;
}

static GaStatus
copy(GaDeviceQueue *queue, void *to, const void *from, size_t n_bytes,
	 const char *call, GaDeviceFailure *failure)
{
	TRY(check_idle(queue, call, failure));
	CUDA_TRY(use_device(queue->device), failure);
	CUDA_TRY(cudaMemcpyAsync(to, from, n_bytes, cudaMemcpyDefault,
							 queue->stream), failure);
	return GA_OK;
}

static GaStatus
cuda_copy_in(GaDeviceQueue *queue, GaDeviceAddress to, const void *from,
			 size_t n_bytes, GaDeviceFailure *failure)
{
	return copy(queue, reinterpret_cast<void *>(to), from, n_bytes, "copy_in",
				failure);
}

static GaStatus
cuda_copy_out(GaDeviceQueue *queue, void *to, GaDeviceAddress from,
			  size_t n_bytes, GaDeviceFailure *failure)
{
	return copy(queue, to, reinterpret_cast<void *>(from), n_bytes, "copy_out",
				failure);
}

static GaStatus
cuda_sum(GaDeviceQueue *queue, GaSumRequest *request,
		 GaDeviceFailure *failure)
{
	TRY(check_idle(queue, "sum", failure));
	TRY(ga_check_sum_request(request, failure));
	CUDA_TRY(use_device(queue->device), failure);
	return submit_sum(queue, request, failure);
}

static GaStatus
cuda_scan(GaDeviceQueue *queue, GaScanRequest *request,
		  GaDeviceFailure *failure)
{
	TRY(check_idle(queue, "scan", failure));
	TRY(ga_check_scan_request(request, failure));
	CUDA_TRY(use_device(queue->device), failure);
	return submit_scan(queue, request, failure);
}

static GaStatus
cuda_rung(GaDeviceQueue *queue, GaRungRequest *request,
		  GaDeviceFailure *failure)
{
	TRY(check_idle(queue, "rung", failure));
	TRY(ga_check_rung_request(&ga_device_cuda, request, failure));
	CUDA_TRY(use_device(queue->device), failure);
	return submit_rung(queue, request, failure);
}

/* The queue takes the next request. */
static void
end_request(GaDeviceQueue *queue)
{
	queue->step = nullptr;
	end_rung(queue);
}

/* The stream is empty: go on with the request, if there is one. */
static GaStatus
advance(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	GaStatus	status = GA_OK;

	if (queue->step != nullptr)
		status = queue->step(queue, failure);
	if (status != GA_PENDING)
		end_request(queue);
	return status;
}

static GaStatus
cuda_poll(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	cudaError_t error;
	GaStatus	status;

	CUDA_TRY(use_device(queue->device), failure);
	error = cudaStreamQuery(queue->stream);
	if (error == cudaErrorNotReady)
		return GA_PENDING;
	status = cuda_status(error, "cudaStreamQuery", failure);
	if (status != GA_OK)
	{
		end_request(queue);
		return status;
	}
	return advance(queue, failure);
}

static GaStatus
cuda_wait(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	GaStatus	status;

	CUDA_TRY(use_device(queue->device), failure);
	do
	{
		status = cuda_status(cudaStreamSynchronize(queue->stream),
							 "cudaStreamSynchronize", failure);
		if (status == GA_OK)
			status = advance(queue, failure);
		else
			end_request(queue);
	} while (status == GA_PENDING);
	return status;
}

/* On a thread of the driver's. */
static void CUDART_CB
write_event(void *data)
{
	const uint64_t one = 1;
	ssize_t		n = write(((GaDeviceQueue *) data)->event_fd, &one,
						  sizeof(one));

	(void) n;
}

static GaStatus
cuda_notify(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	if (queue->event_fd < 0)
		return GA_OK;
	CUDA_TRY(use_device(queue->device), failure);
	CUDA_TRY(cudaLaunchHostFunc(queue->stream, write_event, queue), failure);
	return GA_OK;
}

static void
cuda_measure(GaDeviceQueue *queue, bool on)
{
	queue->is_measured = on;
}

extern "C" const GaDeviceKind ga_device_cuda = {
	"cuda",
	cuda_count,
	cuda_open,
	cuda_close,
	cuda_describe,
	allocate_bytes,
	free_bytes,
	register_bytes,
	unregister_bytes,
	cuda_queue_open,
	cuda_queue_close,
	cuda_copy_in,
	cuda_copy_out,
	cuda_sum,
	cuda_scan,
	list_rungs,
	cuda_rung,
	cuda_poll,
	cuda_notify,
	cuda_wait,
	cuda_measure,
};
