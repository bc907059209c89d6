/*
 * cuda_runtime.h
 *		CUDA's runtime on the CPU, for the kernels of kernels/ and their host
 *		code: what they use of it, and no more.
 *
 * The names, and the numbers of errors, are CUDA's.  Kernels run thread by
 * thread (threads.h), memory of the device is memory of the host, and streams
 * are lists of what is to be done, which is done when it is waited for.
 */
#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <algorithm>

#include "threads.h"

#define CUDART_VERSION 13000
#define CUDART_CB

#define __host__
#define __device__
#define __constant__
#define __global__
#define __forceinline__ inline
#define __noinline__	/* libraries use it within attributes */
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(n) alignas(n)

struct alignas(16) int4
{
	int x, y, z, w;
};

enum cudaError_t
{
	cudaSuccess = 0,
	cudaErrorInvalidValue = 1,
	cudaErrorMemoryAllocation = 2,
	cudaErrorInvalidConfiguration = 9,
	cudaErrorInsufficientDriver = 35,
	cudaErrorDevicesUnavailable = 46,
	cudaErrorNoDevice = 100,
	cudaErrorInvalidDevice = 101,
	cudaErrorNoKernelImageForDevice = 209,
	cudaErrorUnsupportedPtxVersion = 222,
	cudaErrorNotReady = 600,
	cudaErrorLaunchOutOfResources = 701,
	cudaErrorHostMemoryAlreadyRegistered = 712,
	cudaErrorHostMemoryNotRegistered = 713,
	cudaErrorSystemDriverMismatch = 803,
	cudaErrorCompatNotSupportedOnDevice = 804,
	cudaErrorCallRequiresNewerDriver = 36
};

enum cudaMemcpyKind
{
	cudaMemcpyHostToHost,
	cudaMemcpyHostToDevice,
	cudaMemcpyDeviceToHost,
	cudaMemcpyDeviceToDevice,
	cudaMemcpyDefault
};

enum cudaDeviceAttr
{
	cudaDevAttrMultiProcessorCount,
	cudaDevAttrMaxSharedMemoryPerBlockOptin
};

enum cudaFuncAttribute
{
	cudaFuncAttributeMaxDynamicSharedMemorySize
};

enum cudaLaunchAttributeID
{
	cudaLaunchAttributeProgrammaticStreamSerialization
};

enum cudaMemLocationType
{
	cudaMemLocationTypeHost
};

constexpr unsigned cudaStreamNonBlocking = 1;
constexpr unsigned cudaHostRegisterPortable = 1;

typedef struct CpuStream *cudaStream_t;
typedef struct CpuEvent *cudaEvent_t;

struct cudaDeviceProp
{
	char name[256];
	int major;
	int minor;
};

struct cudaFuncAttributes
{
	int ptxVersion;
};

struct cudaMemLocation
{
	cudaMemLocationType type;
	int id;
};

struct cudaLaunchAttribute
{
	cudaLaunchAttributeID id;
	struct
	{
		int programmaticStreamSerializationAllowed;
	} val;
};

struct cudaLaunchConfig_t
{
	dim3 gridDim;
	dim3 blockDim;
	size_t dynamicSmemBytes;
	cudaStream_t stream;
	cudaLaunchAttribute *attrs;
	unsigned numAttrs;
};

extern cudaError_t cudaGetLastError(void);
extern const char *cudaGetErrorString(cudaError_t error);

extern cudaError_t cudaDriverGetVersion(int *version);
extern cudaError_t cudaRuntimeGetVersion(int *version);
extern cudaError_t cudaGetDeviceCount(int *n);
extern cudaError_t cudaGetDevice(int *device);
extern cudaError_t cudaSetDevice(int device);
extern cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties,
										   int device);
extern cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute,
										  int device);
extern cudaError_t cudaDeviceGetPCIBusId(char *id, int n_bytes, int device);

extern cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *all_bytes);
extern cudaError_t cpu_malloc(void **memory, size_t n_bytes);
extern cudaError_t cpu_malloc_host(void **memory, size_t n_bytes);
extern cudaError_t cudaFree(void *memory);
extern cudaError_t cudaFreeHost(void *memory);
extern cudaError_t cudaHostRegister(void *start, size_t n_bytes,
									unsigned flags);
extern cudaError_t cudaHostUnregister(void *start);
extern cudaError_t cudaMemPrefetchAsync(const void *memory, size_t n_bytes,
										cudaMemLocation location,
										unsigned flags, cudaStream_t stream);

extern cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream,
											 unsigned flags);
extern cudaError_t cudaStreamDestroy(cudaStream_t stream);
extern cudaError_t cudaStreamQuery(cudaStream_t stream);
extern cudaError_t cudaStreamSynchronize(cudaStream_t stream);
extern cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n_bytes,
								   cudaMemcpyKind kind, cudaStream_t stream);
extern cudaError_t cudaMemsetAsync(void *to, int byte, size_t n_bytes,
								   cudaStream_t stream);
extern cudaError_t cudaLaunchHostFunc(cudaStream_t stream,
									  void (*function)(void *), void *data);
extern cudaError_t cudaEventCreate(cudaEvent_t *event);
extern cudaError_t cudaEventDestroy(cudaEvent_t event);
extern cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
extern cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin,
										cudaEvent_t end);

/* Of a kernel, by its address. */
extern cudaError_t cpu_func_attributes(cudaFuncAttributes *attributes,
									   const void *kernel);
extern cudaError_t cpu_func_set_shared(const void *kernel, int n_bytes);
extern cudaError_t cpu_func_occupancy(int *n_blocks, const void *kernel,
									  int n_threads, size_t shared_bytes);

/* Submit a grid to a stream, if the kernel may have so much shared memory. */
extern cudaError_t cpu_launch(const void *kernel, const CpuGrid &grid,
							  cudaStream_t stream);

#include "launch.h"
#include "device_code.h"

#endif /* CUDA_RUNTIME_H */
