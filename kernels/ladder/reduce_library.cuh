/*
 * reduce_library.cuh
 *		Reduction, yardsticks: Thrust and CUB.
 *
 * CUB is the library of kernels that Thrust's algorithms are made of; both come
 * with the toolkit.  CUB's caller provides the memory and the stream, and finds
 * the sum on the device.  thrust::reduce returns it, so it has to wait for the
 * device, and that is in its time.
 */
#ifndef GA_REDUCE_LIBRARY_CUH
#define GA_REDUCE_LIBRARY_CUH

#include <string.h>

#include <cub/device/device_reduce.cuh>
#include <thrust/reduce.h>

#include "library.cuh"

struct ReduceCub
{
	template <typename T>
	static cudaError_t
	workspace(const RungRun &run, size_t *n_bytes)
	{
		return cub::DeviceReduce::Sum(nullptr, *n_bytes, (const T *) nullptr,
									  (T *) nullptr, int(run.n));
	}

	template <typename T>
	static cudaError_t
	run(const RungRun &run)
	{
		size_t n_bytes = run.workspace_bytes;

		return cub::DeviceReduce::Sum(run.workspace, n_bytes,
									  (const T *) run.in, (T *) run.out,
									  int(run.n), run.stream);
	}
};

struct ReduceThrust
{
	template <typename T>
	static cudaError_t
	workspace(const RungRun &run, size_t *n_bytes)
	{
		cudaError_t error = ReduceCub::workspace<T>(run, n_bytes);

		*n_bytes = 2 * *n_bytes + kThrustSlack;
		return error;
	}

	template <typename T>
	static cudaError_t
	run(const RungRun &run)
	{
		const T *in = (const T *) run.in;

		return with_thrust(run,
						   [&](auto policy)
						   {
							   T sum =
								   thrust::reduce(policy, in, in + run.n, T(0));

							   memcpy(run.answer, &sum, sizeof(sum));
						   });
	}
};

#endif /* GA_REDUCE_LIBRARY_CUH */
