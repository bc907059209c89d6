/*
 * reduce_strided.cuh
 *		Reduction, rung strided: the threads that add stand together.
 *
 * What it does: in each step thread t works for element 2 * step * t, as long
 * as there is one.  So the threads that work are the first ones, whole warps
 * of them, and the other warps skip the addition: no divergence before fewer
 * than 32 threads are left, and no division.
 *
 * Its fault: shared memory is 32 banks of 4 bytes, word w in bank w % 32, and a
 * bank answers one word at a time.  The threads of a warp now read words that
 * are 2 * step apart:
 *
 *		step 1	words 0 2 4 ... 62: banks 0 2 4 ... 30, each of them twice
 *		step 2	words 0 4 8 ...: every fourth bank, each of them four times
 *		step 16	words 0 32 64 ...: bank 0 for all of them
 *
 * These are bank conflicts: an access takes as many turns as the busiest bank
 * has words to give.  (Elements of 8 bytes take two banks, half a warp at a
 * time; it is the same with them.)
 *
 * The next rung, reduce_sequential.cuh, has the words lie side by side.
 */
#ifndef GA_REDUCE_STRIDED_CUH
#define GA_REDUCE_STRIDED_CUH

#include "reduce_passes.cuh"

/*
 * Blocks of kLadderThreads, one element a thread; shared memory for one element
 * a thread.  Thread 0 of block b writes out[b].
 */
template <typename T>
static __global__ void
reduce_strided(const T *in, uint32_t n, T *out)
{
	__shared__ T sums[kLadderThreads];
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	sums[threadIdx.x] = i < n ? in[i] : T(0);
	__syncthreads();
	for (unsigned step = 1; step < blockDim.x; step *= 2)
	{
		const unsigned at = 2 * step * threadIdx.x;

		if (at < blockDim.x)
			sums[at] += sums[at + step];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = sums[0];
}

struct ReduceStrided : PassesWorkspace<kLadderThreads>
{
	template <typename T>
	static cudaError_t
	run(const RungRun &run)
	{
		return reduce_passes<T>(run, reduce_strided<T>, kLadderThreads);
	}
};

#endif /* GA_REDUCE_STRIDED_CUH */
