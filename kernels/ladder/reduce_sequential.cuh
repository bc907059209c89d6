/*
 * reduce_sequential.cuh
 *		Reduction, rung sequential: threads read words that lie side by side.
 *
 * What it does: instead of neighbours, it adds the second half to the first,
 * and halves what is left:
 *
 *		step 4	0+4  1+5  2+6  3+7  .  .  .  .
 *		step 2	0+4+2+6  1+5+3+7  .  .
 *		step 1	all  .
 *
 * Thread t reads words t and t + step, so a warp's words are side by side, in
 * 32 banks: no conflicts.  And the threads that work are still the first ones.
 * (This takes that a + b + c may be added in any order: integers do not mind,
 * floats round otherwise.)
 *
 * Its fault: half of the threads never add anything; all that they do is to
 * carry an element from memory to shared memory, and then they wait at the
 * barriers.
 *
 * The next rung, reduce_first_add.cuh, gives them an addition on the way.
 */
#ifndef GA_REDUCE_SEQUENTIAL_CUH
#define GA_REDUCE_SEQUENTIAL_CUH

#include "reduce_passes.cuh"

/*
 * The sum of what a block has in shared memory, one item a thread, in
 * sums[0]; thread 0 may read it.  Threads are a power of two, and all of them
 * have to come here, with a barrier behind their writing.
 */
template <typename T>
static __device__ void
add_halves(T *sums)
{
	for (unsigned step = blockDim.x / 2; step > 0; step /= 2)
	{
		if (threadIdx.x < step)
			sums[threadIdx.x] += sums[threadIdx.x + step];
		__syncthreads();
	}
}

/*
 * Blocks of kLadderThreads, one element a thread; shared memory for one element
 * a thread.  Thread 0 of block b writes out[b].
 */
template <typename T>
static __global__ void
reduce_sequential(const T *in, uint32_t n, T *out)
{
	__shared__ T sums[kLadderThreads];
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	sums[threadIdx.x] = i < n ? in[i] : T(0);
	__syncthreads();
	add_halves(sums);
	if (threadIdx.x == 0)
		out[blockIdx.x] = sums[0];
}

struct ReduceSequential : PassesWorkspace<kLadderThreads>
{
	template <typename T>
	static cudaError_t
	run(const RungRun &run)
	{
		return reduce_passes<T>(run, reduce_sequential<T>, kLadderThreads);
	}
};

#endif /* GA_REDUCE_SEQUENTIAL_CUH */
