/*
 * device_cuda.cu
 *		The CUDA device: its functions for device.h; opening and closing.
 */
#include <stdio.h>
#include <string.h>

#include <new>

#include "device_cuda.h"
#include "queue_cuda.h"
#include "scan/scan.h"
#include "reduce/reduce.h"
#include "sum/sum.h"

static GaStatus
cuda_count(int *n_devices, GaDeviceFailure *failure)
{
	*n_devices = 0;
	CUDA_TRY(cudaGetDeviceCount(n_devices), failure);
	return GA_OK;
}

/*
 * Make a context, query the device, and configure the kernels.  GA_NO_DEVICE if
 * this program has no code for the device.
 */
static GaStatus
prepare(GaDevice *device, GaDeviceFailure *failure)
{
	int shared_bytes;

	CUDA_TRY(cudaSetDevice(device->ordinal), failure);
	CUDA_TRY(cudaFree(nullptr), failure);
	CUDA_TRY(cudaDeviceGetAttribute(&device->n_multiprocessors,
									cudaDevAttrMultiProcessorCount,
									device->ordinal),
			 failure);
	CUDA_TRY(cudaDeviceGetAttribute(&shared_bytes,
									cudaDevAttrMaxSharedMemoryPerBlockOptin,
									device->ordinal),
			 failure);
	device->large_tiles = shared_bytes >= kLargeTileShared;
	device->n_lane_sums = shared_bytes >= 200 << 10 ? kMaxLaneSums :
						  shared_bytes >= 96 << 10	? 2 :
													  1;
	CUDA_TRY(prepare_sums(device->n_multiprocessors, device->n_lane_sums,
						  &device->short_blocks, device->long_blocks),
			 failure);
	CUDA_TRY(prepare_packed_sums(device->n_multiprocessors,
								 device->packed_blocks, &device->has_rings),
			 failure);
	CUDA_TRY(prepare_reductions(device->has_rings), failure);
	return GA_OK;
}

/*
 * Describe what does not change: the driver needs milliseconds for it, and
 * describe is asked whenever the cache grows.
 */
static GaStatus
describe_once(GaDevice *device, GaDeviceFailure *failure)
{
	GaDeviceInfo *info = &device->info;
	cudaDeviceProp properties;

	CUDA_TRY(cudaGetDeviceProperties(&properties, device->ordinal), failure);
	CUDA_TRY(cudaDriverGetVersion(&info->driver_version), failure);
	CUDA_TRY(cudaRuntimeGetVersion(&info->runtime_version), failure);
	CUDA_TRY(cudaDeviceGetPCIBusId(info->id, sizeof(info->id), device->ordinal),
			 failure);
	snprintf(info->name, sizeof(info->name), "%.*s",
			 int(sizeof(info->name)) - 1, properties.name);
	info->major = properties.major;
	info->minor = properties.minor;
	info->n_multiprocessors = device->n_multiprocessors;
	info->budget_bytes = device->budget_bytes;
	return GA_OK;
}

static GaStatus
cuda_open(const GaDeviceOptions *options, GaDevice **device,
		  GaDeviceFailure *failure)
{
	int n_devices;
	GaStatus status;

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
	if (status == GA_OK)
		status = describe_once(*device, failure);
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
	size_t free_bytes;
	size_t all_bytes;

	memset(info, 0, sizeof(*info));
	CUDA_TRY(use_device(device), failure);
	CUDA_TRY(cudaMemGetInfo(&free_bytes, &all_bytes), failure);
	*info = device->info;
	info->memory_bytes = all_bytes;
	info->free_bytes = free_bytes;

	std::lock_guard<std::mutex> guard(device->lock);

	info->used_bytes = device->used_bytes;
	return GA_OK;
}

extern "C" const GaDeviceKind ga_device_cuda = {
	"cuda",			  cuda_count,	   cuda_open,		 cuda_close,
	cuda_describe,	  allocate_bytes,  free_bytes,		 register_bytes,
	unregister_bytes, cuda_queue_open, cuda_queue_close, cuda_copy_in,
	cuda_copy_out,	  cuda_zero,	   cuda_sum,		 cuda_reduce,
	cuda_elem,		  cuda_window,	   cuda_scan,		 cuda_survey,
	cuda_pack,		  cuda_poll,	   cuda_notify,		 cuda_wait,
	cuda_measure,
};
