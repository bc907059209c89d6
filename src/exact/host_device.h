/*
 * host_device.h
 *		GA_HOST_DEVICE, which marks functions that kernels call, too.
 *
 * Under nvcc such a function is compiled for the host and for the device; for
 * a C compiler the mark is empty.  kernels/exact_sum.cuh defines it as
 * __device__ alone before it includes anything.
 */
#ifndef GA_HOST_DEVICE_H
#define GA_HOST_DEVICE_H

#ifndef GA_HOST_DEVICE
#ifdef __CUDACC__
#define GA_HOST_DEVICE __host__ __device__
#else
#define GA_HOST_DEVICE
#endif
#endif

#endif /* GA_HOST_DEVICE_H */
