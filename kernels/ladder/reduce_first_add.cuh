/*
 * reduce_first_add.cuh
 *		Reduction, rung first-add: the first addition during the load.
 *
 * What it does: each thread reads two elements, a block's width apart, and puts
 * their sum into shared memory.  So half as many blocks do the same work, each
 * thread has at least one addition, and two loads are on their way at once.
 *
 * Its fault: two elements are still few.  A block lives for two loads and then
 * goes through eight barriers with ever fewer threads; the cost of starting it,
 * and of the tree, is borne by 512 elements.  And each pass is a launch.
 *
 * The next rung, reduce_recursive.cuh, makes the blocks as large as they can
 * be, which means fewer passes; the one after that, reduce_grid_stride.cuh,
 * gives a thread as many elements as there are.
 */
#ifndef GA_REDUCE_FIRST_ADD_CUH
#define GA_REDUCE_FIRST_ADD_CUH

#include "reduce_sequential.cuh"

/*
 * Blocks of kLadderThreads, two elements a thread; shared memory for one sum a
 * thread.  Thread 0 of block b writes out[b].
 */
template <typename T>
static __global__ void
reduce_first_add(const T *in, uint32_t n, T *out)
{
	__shared__ T sums[kLadderThreads];
	const uint32_t i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
	T mine = i < n ? in[i] : T(0);

	if (i + blockDim.x < n)
		mine += in[i + blockDim.x];
	sums[threadIdx.x] = mine;
	__syncthreads();
	add_halves(sums);
	if (threadIdx.x == 0)
		out[blockIdx.x] = sums[0];
}

struct ReduceFirstAdd : PassesWorkspace<2 * kLadderThreads>
{
	template <typename T>
	static cudaError_t
	run(const RungRun &run)
	{
		return reduce_passes<T>(run, reduce_first_add<T>, 2 * kLadderThreads);
	}
};

#endif /* GA_REDUCE_FIRST_ADD_CUH */
