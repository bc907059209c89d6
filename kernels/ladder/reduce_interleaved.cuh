/*
 * reduce_interleaved.cuh
 *		Reduction, rung interleaved: every other thread adds; it diverges.
 *
 * What it does: each thread brings one element to shared memory.  Then
 * neighbours are added, then every second one of these sums, and so on:
 *
 *		step 1	0+1  .  2+3  .  4+5  .  6+7  .
 *		step 2	 0+..3   .   .   .   4+..7   .   .   .
 *		step 4	 0+......7   .   .   .   .   .   .   .
 *
 * and a thread works for the element whose number it has.  So after log2(256)
 * steps thread 0 has the block's sum.
 *
 * Its fault: in step 1 every second thread of a warp works, in step 2 every
 * fourth.  The 32 threads of a warp have one instruction at a time, so a warp
 * takes the time of an addition even when one of its threads adds; in the first
 * five steps that is every warp.  On top of that, % by a number that the
 * compiler does not know is a division, some twenty instructions.
 *
 * The next rung, reduce_strided.cuh, lets neighbouring threads work instead of
 * scattered ones.
 */
#ifndef GA_REDUCE_INTERLEAVED_CUH
#define GA_REDUCE_INTERLEAVED_CUH

#include "reduce_passes.cuh"

/*
 * Blocks of kLadderThreads, one element a thread; shared memory for one element
 * a thread.  Thread 0 of block b writes out[b].
 */
template <typename T>
static __global__ void
reduce_interleaved(const T *in, uint32_t n, T *out)
{
	__shared__ T sums[kLadderThreads];
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	sums[threadIdx.x] = i < n ? in[i] : T(0);
	__syncthreads();
	for (unsigned step = 1; step < blockDim.x; step *= 2)
	{
		if (threadIdx.x % (2 * step) == 0)
			sums[threadIdx.x] += sums[threadIdx.x + step];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = sums[0];
}

struct ReduceInterleaved : PassesWorkspace<kLadderThreads>
{
	template <typename T>
	static cudaError_t
	run(const RungRun &run)
	{
		return reduce_passes<T>(run, reduce_interleaved<T>, kLadderThreads);
	}
};

#endif /* GA_REDUCE_INTERLEAVED_CUH */
