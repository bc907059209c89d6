/*
 * device_memory.cu
 *		Memory of the CUDA device and of the host, within the device's budget.
 *
 * The device's mutex protects its budget and the list of its allocations; the
 * buffers of a queue belong to the queue's thread.
 */
#include <algorithm>

#include "device_cuda.h"

/* Make the device current in this thread. */
cudaError_t
use_device(const GaDevice *device)
{
	int now;

	if (cudaGetDevice(&now) == cudaSuccess && now == device->ordinal)
		return cudaSuccess;
	return cudaSetDevice(device->ordinal);
}

/* Ignore the error of a call, so that no later call returns it. */
static void
ignore(cudaError_t error)
{
	if (error != cudaSuccess)
		(void) cudaGetLastError();
}

/* Reserve bytes of the budget; false if it is exceeded. */
static bool
reserve_budget(GaDevice *device, uint64_t n_bytes)
{
	std::lock_guard<std::mutex> guard(device->lock);

	if (device->budget_bytes != 0 &&
		n_bytes > device->budget_bytes - device->used_bytes)
		return false;
	device->used_bytes += n_bytes;
	return true;
}

GaStatus
allocate_bytes(GaDevice *device, uint64_t n_bytes, GaDeviceAddress *address,
			   GaDeviceFailure *failure)
{
	void *start = nullptr;
	GaStatus status;

	*address = 0;
	n_bytes = n_bytes ? n_bytes : 1;
	CUDA_TRY(use_device(device), failure);
	if (!reserve_budget(device, n_bytes))
	{
		ga_device_failure(failure, "allocate", "over the budget");
		return GA_NO_MEMORY;
	}
	status = cuda_status(cudaMalloc(&start, n_bytes), "cudaMalloc", failure);

	std::lock_guard<std::mutex> guard(device->lock);

	if (status != GA_OK)
	{
		device->used_bytes -= n_bytes;
		return status;
	}
	*address = reinterpret_cast<GaDeviceAddress>(start);
	device->allocations[*address] = n_bytes;
	return GA_OK;
}

void
free_bytes(GaDevice *device, GaDeviceAddress address)
{
	std::lock_guard<std::mutex> guard(device->lock);
	auto found = device->allocations.find(address);

	if (found == device->allocations.end())
		return;
	(void) use_device(device);
	ignore(cudaFree(reinterpret_cast<void *>(address)));
	device->used_bytes -= found->second;
	device->allocations.erase(found);
}

GaStatus
register_bytes(GaDevice *device, void *start, size_t n_bytes,
			   GaDeviceFailure *failure)
{
	CUDA_TRY(use_device(device), failure);
	CUDA_TRY(cudaHostRegister(start, n_bytes, cudaHostRegisterPortable),
			 failure);
	return GA_OK;
}

void
unregister_bytes(GaDevice *device, void *start)
{
	(void) use_device(device);
	ignore(cudaHostUnregister(start));
}

/* Grow the pinned buffer to n_bytes at least; its contents are lost. */
GaStatus
reserve_pinned(GaDeviceQueue *queue, size_t n_bytes, GaDeviceFailure *failure)
{
	if (n_bytes <= queue->pinned.n_bytes)
		return GA_OK;
	ignore(cudaFreeHost(queue->pinned.start));
	queue->pinned = Buffer{};
	n_bytes += n_bytes / 2;
	CUDA_TRY(cudaMallocHost(&queue->pinned.start, n_bytes), failure);
	queue->pinned.n_bytes = n_bytes;
	return GA_OK;
}

/* Free the zeroed buffers. */
void
free_zeroed(GaDeviceQueue *queue)
{
	free_bytes(queue->device, GaDeviceAddress(queue->zeroed.start[0]));
	queue->zeroed = ZeroedBuffers{};
}

static void
free_accumulators(GaDeviceQueue *queue)
{
	free_bytes(queue->device, GaDeviceAddress(queue->accumulators));
	queue->accumulators = nullptr;
	queue->n_accumulators = 0;
}

/*
 * Allocate device memory for a queue.  The zeroed buffers are freed if memory
 * is short: no request in progress uses them.
 */
GaStatus
allocate_workspace(GaDeviceQueue *queue, size_t n_bytes,
				   GaDeviceAddress *address, GaDeviceFailure *failure)
{
	GaStatus status = allocate_bytes(queue->device, n_bytes, address, failure);

	if (status != GA_NO_MEMORY || queue->zeroed.n_bytes == 0)
		return status;
	free_zeroed(queue);
	return allocate_bytes(queue->device, n_bytes, address, failure);
}

/* Grow the workspace to n_bytes at least; its contents are lost. */
GaStatus
reserve_workspace(GaDeviceQueue *queue, size_t n_bytes,
				  GaDeviceFailure *failure)
{
	GaDeviceAddress address;

	if (n_bytes <= queue->workspace.n_bytes)
		return GA_OK;
	free_bytes(queue->device, GaDeviceAddress(queue->workspace.start));
	queue->workspace = Buffer{};
	TRY(allocate_workspace(queue, n_bytes, &address, failure));
	queue->workspace.start = reinterpret_cast<char *>(address);
	queue->workspace.n_bytes = n_bytes;
	return GA_OK;
}

/* Grow each of the zeroed buffers to n_bytes at least. */
GaStatus
reserve_zeroed(GaDeviceQueue *queue, size_t n_bytes, GaDeviceFailure *failure)
{
	constexpr size_t kLeast = 128 << 10;
	ZeroedBuffers *zeroed = &queue->zeroed;
	GaDeviceAddress address;

	if (n_bytes <= zeroed->n_bytes)
		return GA_OK;
	free_zeroed(queue);
	n_bytes = std::max(kLeast, (n_bytes + 255) & ~size_t(255));
	TRY(allocate_bytes(queue->device, 2 * n_bytes, &address, failure));
	zeroed->start[0] = reinterpret_cast<char *>(address);
	CUDA_TRY(cudaMemsetAsync(zeroed->start[0], 0, 2 * n_bytes, queue->stream),
			 failure);
	zeroed->start[1] = zeroed->start[0] + n_bytes;
	zeroed->n_bytes = n_bytes;
	return GA_OK;
}

/* Grow the accumulators to this number of words at least; all are zero. */
GaStatus
reserve_accumulators(GaDeviceQueue *queue, size_t n_words,
					 GaDeviceFailure *failure)
{
	constexpr size_t kLeast = 1024; /* so that they rarely have to grow */
	const size_t n_bytes = std::max(kLeast, n_words) * sizeof(uint64_t);
	GaDeviceAddress address;

	if (n_words <= queue->n_accumulators)
		return GA_OK;
	free_accumulators(queue);
	TRY(allocate_workspace(queue, n_bytes, &address, failure));
	queue->accumulators = reinterpret_cast<unsigned long long *>(address);
	CUDA_TRY(cudaMemsetAsync(queue->accumulators, 0, n_bytes, queue->stream),
			 failure);
	queue->n_accumulators = n_bytes / sizeof(uint64_t);
	return GA_OK;
}

/* Free all device memory of a queue. */
void
free_buffers(GaDeviceQueue *queue)
{
	free_zeroed(queue);
	free_accumulators(queue);
	free_bytes(queue->device, GaDeviceAddress(queue->workspace.start));
	queue->workspace = Buffer{};
}
