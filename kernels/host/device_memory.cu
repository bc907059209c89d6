/*
 * device_memory.cu
 *		Memory of the CUDA device and of the host, under the device's budget.
 */
#include <algorithm>

#include "device_cuda.h"

/* Host threads come and go: each call sets the device, if it is another. */
cudaError_t
use_device(const GaDevice *device)
{
	int now;

	if (cudaGetDevice(&now) == cudaSuccess && now == device->ordinal)
		return cudaSuccess;
	return cudaSetDevice(device->ordinal);
}

/* A call whose failure is of no consequence; nor is it the next call's. */
static void
ignore(cudaError_t error)
{
	if (error != cudaSuccess)
		(void) cudaGetLastError();
}

/* Take bytes of the budget, or give them back. */
static bool
take(GaDevice *device, uint64_t n_bytes)
{
	std::lock_guard<std::mutex> guard(device->lock);

	if (device->budget_bytes != 0 &&
		n_bytes > device->budget_bytes - device->used_bytes)
		return false;
	device->used_bytes += n_bytes;
	return true;
}

/* Memory of one kind or the other; free_bytes() frees both. */
static GaStatus
allocate(GaDevice *device, uint64_t n_bytes, bool is_managed,
		 GaDeviceAddress *address, GaDeviceFailure *failure)
{
	void *start = nullptr;
	GaStatus status;

	*address = 0;
	n_bytes = n_bytes ? n_bytes : 1;
	CUDA_TRY(use_device(device), failure);
	if (!take(device, n_bytes))
	{
		ga_device_failure(failure, "allocate", "over the budget");
		return GA_NO_MEMORY;
	}
	status = is_managed ? cuda_status(cudaMallocManaged(&start, n_bytes),
									  "cudaMallocManaged", failure) :
						  cuda_status(cudaMalloc(&start, n_bytes), "cudaMalloc",
									  failure);

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

GaStatus
allocate_bytes(GaDevice *device, uint64_t n_bytes, GaDeviceAddress *address,
			   GaDeviceFailure *failure)
{
	return allocate(device, n_bytes, false, address, failure);
}

/* Memory that the host and the device have by turns, page by page. */
GaStatus
allocate_managed(GaDevice *device, uint64_t n_bytes, GaDeviceAddress *address,
				 GaDeviceFailure *failure)
{
	return allocate(device, n_bytes, true, address, failure);
}

/*
 * Have its pages at the host.  Where the two cannot have pages by turns while
 * the device works, the driver moves them, and this does nothing.
 */
cudaError_t
move_to_host(const GaDevice *device, GaDeviceAddress address, size_t n_bytes,
			 cudaStream_t stream)
{
	const void *start = reinterpret_cast<const void *>(address);
	int by_turns;
	cudaError_t error = cudaDeviceGetAttribute(
		&by_turns, cudaDevAttrConcurrentManagedAccess, device->ordinal);

	if (error != cudaSuccess || !by_turns)
		return error;
#if CUDART_VERSION >= 13000 /* places have a type */
	return cudaMemPrefetchAsync(
		start, n_bytes, cudaMemLocation{cudaMemLocationTypeHost, 0}, 0, stream);
#else
	return cudaMemPrefetchAsync(start, n_bytes, cudaCpuDeviceId, stream);
#endif
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

/* At least so much pinned host memory; what was in it is lost. */
GaStatus
need_pinned(GaDeviceQueue *queue, size_t n_bytes, GaDeviceFailure *failure)
{
	if (n_bytes <= queue->pinned.n_bytes)
		return GA_OK;
	ignore(cudaFreeHost(queue->pinned.start));
	queue->pinned = Room{};
	n_bytes += n_bytes / 2;
	CUDA_TRY(cudaMallocHost(&queue->pinned.start, n_bytes), failure);
	queue->pinned.n_bytes = n_bytes;
	return GA_OK;
}

/* Give back the clean rooms. */
static void
free_clean_rooms(GaDeviceQueue *queue)
{
	free_bytes(queue->device, GaDeviceAddress(queue->clean.start[0]));
	queue->clean = CleanRooms{};
}

/*
 * Device memory for a queue.  The clean rooms go if there is no other: what was to
 * be done there is done, or is done elsewhere.
 */
GaStatus
allocate_room(GaDeviceQueue *queue, size_t n_bytes, GaDeviceAddress *address,
			  GaDeviceFailure *failure)
{
	GaStatus status = allocate_bytes(queue->device, n_bytes, address, failure);

	if (status != GA_NO_MEMORY || queue->clean.n_bytes == 0)
		return status;
	free_clean_rooms(queue);
	return allocate_bytes(queue->device, n_bytes, address, failure);
}

/* The same as need_pinned() of device memory. */
GaStatus
need_room(GaDeviceQueue *queue, size_t n_bytes, GaDeviceFailure *failure)
{
	GaDeviceAddress address;

	if (n_bytes <= queue->room.n_bytes)
		return GA_OK;
	free_bytes(queue->device, GaDeviceAddress(queue->room.start));
	queue->room = Room{};
	TRY(allocate_room(queue, n_bytes, &address, failure));
	queue->room.start = reinterpret_cast<char *>(address);
	queue->room.n_bytes = n_bytes;
	return GA_OK;
}

/* At least so much in each of the rooms that are clean by turns. */
GaStatus
need_clean_rooms(GaDeviceQueue *queue, size_t n_bytes, GaDeviceFailure *failure)
{
	constexpr size_t kLeast = 128 << 10;
	CleanRooms *clean = &queue->clean;
	GaDeviceAddress address;

	if (n_bytes <= clean->n_bytes)
		return GA_OK;
	free_clean_rooms(queue);
	n_bytes = std::max(kLeast, (n_bytes + 255) & ~size_t(255));
	TRY(allocate_bytes(queue->device, 2 * n_bytes, &address, failure));
	clean->start[0] = reinterpret_cast<char *>(address);
	CUDA_TRY(cudaMemsetAsync(clean->start[0], 0, 2 * n_bytes, queue->stream),
			 failure);
	clean->start[1] = clean->start[0] + n_bytes;
	clean->n_bytes = n_bytes;
	return GA_OK;
}

/* Give back all of a queue's device memory. */
void
free_rooms(GaDeviceQueue *queue)
{
	free_clean_rooms(queue);
	free_bytes(queue->device, GaDeviceAddress(queue->room.start));
	free_bytes(queue->device, GaDeviceAddress(queue->rows));
	queue->room = Room{};
	queue->rows = nullptr;
	queue->n_rows = 0;
}
