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

GaStatus
cuda_status(cudaError_t error, const char *call, GaDeviceFailure *failure)
{
	char what[sizeof(failure->message)];

	if (error == cudaSuccess)
		return GA_OK;
	snprintf(what, sizeof(what), "%s (%d)", cudaGetErrorString(error),
			 int(error));
	name_call(failure, call, what);
	(void) cudaGetLastError();
	switch (error)
	{
		case cudaErrorMemoryAllocation:
			return GA_NO_MEMORY;
		case cudaErrorInsufficientDriver:
		case cudaErrorSystemDriverMismatch:
		case cudaErrorCallRequiresNewerDriver:
		case cudaErrorCompatNotSupportedOnDevice:
			return GA_NO_DRIVER;
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
