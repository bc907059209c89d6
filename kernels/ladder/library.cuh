/*
 * library.cuh
 *		What it takes to have CUB and Thrust in a rung: memory of its own.
 */
#ifndef GA_LIBRARY_CUH
#define GA_LIBRARY_CUH

#include <new>

#include <thrust/execution_policy.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>

#include "rung.cuh"

/* Thrust asks for what CUB would, and a little more. */
constexpr size_t kThrustSlack = 64 << 10;

/* Gives Thrust the workspace of a run, from its start with each run. */
struct WorkspaceAllocator
{
	using value_type = char;

	char *next;
	char *end;

	explicit WorkspaceAllocator(const RungRun &run)
		: next(run.workspace), end(run.workspace + run.workspace_bytes)
	{
	}

	char *
	allocate(std::ptrdiff_t n)
	{
		char *start = next;

		if (part_bytes(n, 1) > size_t(end - next))
			throw std::bad_alloc();
		next += part_bytes(n, 1);
		return start;
	}

	void
	deallocate(char *, size_t)
	{
	}
};

/*
 * Let Thrust do something on the run's stream; it waits for no more than it
 * has to.  What it throws is an error of CUDA's again.
 */
template <typename Work>
static cudaError_t
with_thrust(const RungRun &run, Work work)
{
	WorkspaceAllocator workspace(run);

	try
	{
		work(thrust::cuda::par_nosync(workspace).on(run.stream));
	}
	catch (const std::bad_alloc &)
	{
		return cudaErrorMemoryAllocation;
	}
	catch (const thrust::system_error &error)
	{
		return cudaError_t(error.code().value());
	}
	return cudaGetLastError();
}

#endif /* GA_LIBRARY_CUH */
