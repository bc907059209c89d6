/*
 * scan_library.cuh
 *		Running totals, yardsticks: Thrust and CUB.
 *
 * Both read the elements once and write the totals once: a tile looks back at
 * what the tiles before it have published.  How far it has to look depends on
 * how far they are, and with that the order of the additions: totals of floats
 * may differ from run to run.
 */
#ifndef GA_SCAN_LIBRARY_CUH
#define GA_SCAN_LIBRARY_CUH

#include <cub/device/device_scan.cuh>
#include <thrust/scan.h>

#include "library.cuh"

struct ScanCub
{
	template <typename T>
	static cudaError_t
	scan(const RungRun &run, void *workspace, size_t *n_bytes)
	{
		const T *in = (const T *) run.in;
		T *out = (T *) run.out;

		return run.exclusive ?
				   cub::DeviceScan::ExclusiveSum(workspace, *n_bytes, in, out,
												 int(run.n), run.stream) :
				   cub::DeviceScan::InclusiveSum(workspace, *n_bytes, in, out,
												 int(run.n), run.stream);
	}

	template <typename T>
	static cudaError_t
	workspace(const RungRun &run, size_t *n_bytes)
	{
		return scan<T>(run, nullptr, n_bytes);
	}

	template <typename T>
	static cudaError_t
	run(const RungRun &run)
	{
		size_t n_bytes = run.workspace_bytes;

		return scan<T>(run, run.workspace, &n_bytes);
	}
};

struct ScanThrust
{
	template <typename T>
	static cudaError_t
	workspace(const RungRun &run, size_t *n_bytes)
	{
		cudaError_t error = ScanCub::workspace<T>(run, n_bytes);

		*n_bytes = 2 * *n_bytes + kThrustSlack;
		return error;
	}

	template <typename T>
	static cudaError_t
	run(const RungRun &run)
	{
		const T *in = (const T *) run.in;
		T *out = (T *) run.out;

		return with_thrust(
			run,
			[&](auto policy)
			{
				if (run.exclusive)
					thrust::exclusive_scan(policy, in, in + run.n, out);
				else
					thrust::inclusive_scan(policy, in, in + run.n, out);
			});
	}
};

#endif /* GA_SCAN_LIBRARY_CUH */
