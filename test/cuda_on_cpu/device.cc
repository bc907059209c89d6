/*
 * device.cc
 *		The device of cuda_runtime.h: what it is, its memory, its kernels.
 *
 * It has few multiprocessors, so that a grid of one array has several shares
 * and not too many threads.  Memory holds garbage when it is allocated.
 *
 * There is a second device, an old one, whose kernels would be other code: it
 * can be opened and has memory, but launches nothing.
 */
#include <stdio.h>
#include <stdlib.h>

#include <map>

#include "runtime.h"

constexpr int kDevices = 2;
constexpr int kMultiprocessors = 3;
constexpr int kThreads = 2048;				/* of a multiprocessor */
constexpr size_t kDefaultShared = 48 << 10; /* without being asked for */
constexpr size_t kMemoryBytes = size_t(4) << 30;

std::recursive_mutex cpu_runtime_lock;

static thread_local cudaError_t last_error;
static thread_local int current; /* device */
static std::map<void *, size_t> device_memory;
static std::map<void *, size_t> registered;
static size_t used_bytes;
static std::map<const void *, size_t> shared_of_kernels[kDevices];

/* Return the compute capability of a device, times 100. */
static int
arch_of(int device)
{
	return device == 0 ? __CUDA_ARCH__ : 750;
}

/* Return the shared memory of a multiprocessor. */
static size_t
shared_bytes_of(int device)
{
	return arch_of(device) >= 900 ? 228 << 10 : 64 << 10;
}

/* Return how much of that a block does not have. */
static size_t
reserved_shared(int device)
{
	return arch_of(device) >= 900 ? 1 << 10 : 0;
}

cudaError_t
cpu_set_error(cudaError_t error)
{
	if (error != cudaSuccess && error != cudaErrorNotReady)
		last_error = error;
	return error;
}

cudaError_t
cudaGetLastError(void)
{
	const cudaError_t error = last_error;

	last_error = cudaSuccess;
	return error;
}

const char *
cudaGetErrorString(cudaError_t error)
{
	switch (error)
	{
		case cudaErrorInvalidValue:
			return "invalid argument";
		case cudaErrorMemoryAllocation:
			return "out of memory";
		case cudaErrorInvalidConfiguration:
			return "invalid configuration argument";
		case cudaErrorHostMemoryAlreadyRegistered:
			return "part or all of the requested memory range is already "
				   "mapped";
		default:
			return "an error of CUDA on the CPU";
	}
}

cudaError_t
cudaDriverGetVersion(int *version)
{
	*version = CUDART_VERSION;
	return cudaSuccess;
}

cudaError_t
cudaRuntimeGetVersion(int *version)
{
	*version = CUDART_VERSION;
	return cudaSuccess;
}

cudaError_t
cudaGetDeviceCount(int *n)
{
	*n = kDevices;
	return cudaSuccess;
}

cudaError_t
cudaGetDevice(int *device)
{
	*device = current;
	return cudaSuccess;
}

cudaError_t
cudaSetDevice(int device)
{
	if (device < 0 || device >= kDevices)
		return cpu_set_error(cudaErrorInvalidDevice);
	current = device;
	return cudaSuccess;
}

cudaError_t
cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
	const int arch = arch_of(device);

	snprintf(properties->name, sizeof(properties->name),
			 "kernels on the CPU, for %d.%d, seed %lu", arch / 100,
			 arch / 10 % 10, cpu_seed());
	properties->major = arch / 100;
	properties->minor = arch / 10 % 10;
	return cudaSuccess;
}

cudaError_t
cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
	*value = attribute == cudaDevAttrMultiProcessorCount ?
				 kMultiprocessors :
				 int(shared_bytes_of(device) - reserved_shared(device));
	return cudaSuccess;
}

cudaError_t
cudaDeviceGetPCIBusId(char *id, int n_bytes, int device)
{
	snprintf(id, size_t(n_bytes), "0000:%02x:00.0", unsigned(device));
	return cudaSuccess;
}

cudaError_t
cudaMemGetInfo(size_t *free_bytes, size_t *all_bytes)
{
	RUNTIME_LOCK();

	*free_bytes = kMemoryBytes - used_bytes;
	*all_bytes = kMemoryBytes;
	return cudaSuccess;
}

/* Allocate exactly so many bytes: the address sanitizer sees their end. */
static void *
allocate(size_t n_bytes)
{
	void *memory = nullptr;

	if (posix_memalign(&memory, 512, n_bytes) != 0)
		return nullptr;
	memset(memory, 0xa5, n_bytes);
	return memory;
}

cudaError_t
cpu_malloc(void **memory, size_t n_bytes)
{
	RUNTIME_LOCK();

	*memory = nullptr;
	if (n_bytes <= kMemoryBytes - used_bytes)
		*memory = allocate(n_bytes);
	if (*memory == nullptr)
		return cpu_set_error(cudaErrorMemoryAllocation);
	device_memory[*memory] = n_bytes;
	used_bytes += n_bytes;
	return cudaSuccess;
}

cudaError_t
cudaFree(void *memory)
{
	RUNTIME_LOCK();

	if (memory == nullptr)
		return cudaSuccess;
	cpu_synchronize();
	auto found = device_memory.find(memory);

	if (found == device_memory.end())
		return cpu_set_error(cudaErrorInvalidValue);
	used_bytes -= found->second;
	device_memory.erase(found);
	free(memory);
	return cudaSuccess;
}

cudaError_t
cpu_malloc_host(void **memory, size_t n_bytes)
{
	*memory = allocate(n_bytes);
	return cpu_set_error(*memory != nullptr ? cudaSuccess :
											  cudaErrorMemoryAllocation);
}

cudaError_t
cudaFreeHost(void *memory)
{
	RUNTIME_LOCK();

	cpu_synchronize();
	free(memory);
	return cudaSuccess;
}

cudaError_t
cudaHostRegister(void *start, size_t n_bytes, unsigned)
{
	RUNTIME_LOCK();

	if (start == nullptr || n_bytes == 0)
		return cpu_set_error(cudaErrorInvalidValue);
	if (!registered.insert({start, n_bytes}).second)
		return cpu_set_error(cudaErrorHostMemoryAlreadyRegistered);
	return cudaSuccess;
}

cudaError_t
cudaHostUnregister(void *start)
{
	RUNTIME_LOCK();

	cpu_synchronize();
	return cpu_set_error(registered.erase(start) != 0 ?
							 cudaSuccess :
							 cudaErrorHostMemoryNotRegistered);
}

cudaError_t
cudaMemPrefetchAsync(const void *, size_t, cudaMemLocation, unsigned,
					 cudaStream_t)
{
	return cudaSuccess;
}

cudaError_t
cpu_func_attributes(cudaFuncAttributes *attributes, const void *)
{
	attributes->ptxVersion = arch_of(current) / 10;
	return cudaSuccess;
}

cudaError_t
cpu_func_set_shared(const void *kernel, int n_bytes)
{
	RUNTIME_LOCK();

	if (n_bytes < 0 ||
		size_t(n_bytes) > shared_bytes_of(current) - reserved_shared(current))
		return cpu_set_error(cudaErrorInvalidValue);
	shared_of_kernels[current][kernel] = size_t(n_bytes);
	return cudaSuccess;
}

/* As far as threads and shared memory are concerned; registers are not. */
cudaError_t
cpu_func_occupancy(int *n_blocks, const void *, int n_threads,
				   size_t shared_bytes)
{
	const size_t taken =
		std::max(shared_bytes + reserved_shared(current), size_t(1));

	*n_blocks = int(std::min(size_t(kThreads / n_threads),
							 shared_bytes_of(current) / taken));
	return cudaSuccess;
}

cudaError_t
cpu_check_launch(const void *kernel, CpuGrid *grid)
{
	RUNTIME_LOCK();
	const auto &of_kernels = shared_of_kernels[current];
	const auto found = of_kernels.find(kernel);
	const size_t allowed =
		std::max(kDefaultShared, found != of_kernels.end() ? found->second : 0);
	int n_blocks;

	if (current != 0)
		return cudaErrorNoKernelImageForDevice;

	if (grid->grid.x == 0 || grid->grid.y != 1 || grid->grid.z != 1 ||
		grid->block.x == 0 || grid->block.x > kCpuMaxThreads ||
		grid->block.y != 1 || grid->block.z != 1)
		return cudaErrorInvalidConfiguration;
	if (grid->shared_bytes > allowed)
		return cudaErrorInvalidValue;
	(void) cpu_func_occupancy(&n_blocks, kernel, int(grid->block.x),
							  grid->shared_bytes);
	grid->max_resident = unsigned(n_blocks * kMultiprocessors);
	return cudaSuccess;
}
