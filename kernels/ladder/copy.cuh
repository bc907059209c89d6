/*
 * copy.cuh
 *		The yardstick of both ladders: the elements, copied on the device.
 *
 * No kernel that reads all elements, or reads and writes them, gets them
 * through memory faster than this does.
 */
#ifndef GA_COPY_CUH
#define GA_COPY_CUH

#include "rung.cuh"

struct Copy : NoWorkspace
{
	template <typename T>
	static cudaError_t
	run(const RungRun &run)
	{
		return cudaMemcpyAsync(run.out, run.in, run.n * sizeof(T),
							   cudaMemcpyDeviceToDevice, run.stream);
	}
};

#endif /* GA_COPY_CUH */
