/*
 * device_error.cu
 *		CUDA errors as status, call and message.
 */
#include <stdio.h>
#include <string.h>

#include "device_cuda.h"

/* Set a failure's message, and the call's name without its arguments. */
static void
name_call(GaDeviceFailure *failure, const char *call, const char *what)
{
	size_t n = strcspn(call, "(");

	if (failure == nullptr)
		return;
	n = n < sizeof(failure->call) ? n : sizeof(failure->call) - 1;
	memcpy(failure->call, call, n);
	failure->call[n] = 0;
	snprintf(failure->message, sizeof(failure->message), "%s", what);
}

/*
 * Set the failure of a call that found the driver too old.  The runtime says
 * so, too, if there is none: then the driver's version is 0.
 */
static GaStatus
fail_without_driver(const char *call, GaDeviceFailure *failure)
{
	char what[sizeof(failure->message)];
	int has = 0;
	int needs = 0;

	if (cudaDriverGetVersion(&has) != cudaSuccess || has == 0)
	{
		name_call(failure, call, "no NVIDIA driver was found");
		return GA_NO_DRIVER;
	}
	(void) cudaRuntimeGetVersion(&needs);
	snprintf(what, sizeof(what),
			 "the NVIDIA driver is too old: it is for CUDA %d.%d, and gpuagg "
			 "was built with CUDA %d.%d",
			 has / 1000, has % 1000 / 10, needs / 1000, needs % 1000 / 10);
	name_call(failure, call, what);
	return GA_OLD_DRIVER;
}

GaStatus
cuda_status(cudaError_t error, const char *call, GaDeviceFailure *failure)
{
	char what[sizeof(failure->message)];

	if (error == cudaSuccess)
		return GA_OK;
	if (error == cudaErrorNoDevice)
		snprintf(what, sizeof(what), "no GPU was found");
	else
		snprintf(what, sizeof(what), "%s (%d)", cudaGetErrorString(error),
				 int(error));
	name_call(failure, call, what);
	(void) cudaGetLastError();
	switch (error)
	{
		case cudaErrorMemoryAllocation:
			return GA_NO_MEMORY;
		case cudaErrorInsufficientDriver:
			return fail_without_driver(call, failure);
		case cudaErrorSystemDriverMismatch:
		case cudaErrorCallRequiresNewerDriver:
		case cudaErrorCompatNotSupportedOnDevice:
			return GA_OLD_DRIVER;
		case cudaErrorNoDevice:
		case cudaErrorInvalidDevice:
		case cudaErrorDevicesUnavailable:
		case cudaErrorNoKernelImageForDevice:
		case cudaErrorUnsupportedPtxVersion:
			return GA_NO_DEVICE;
		default:
			return GA_DEVICE_FAILED;
	}
}
