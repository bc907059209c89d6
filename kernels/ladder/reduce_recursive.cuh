/*
 * reduce_recursive.cuh
 *		Reduction, rung recursive: passes in place, by the largest blocks.
 *
 * What it does: a block of 1,024 threads adds up 2,048 elements and leaves
 * their sum where the first of them was.  The next pass takes these sums, which
 * lie 2,048 elements apart, and the one after it those that lie 2,048 * 2,048
 * apart, until one is left: at most three passes for 2^28 elements, and no
 * memory besides the elements' own.
 *
 * Its faults: the elements are spoilt; to use them again, the caller has to
 * copy them first (here that is done before each run, and not timed).  The
 * second pass reads one element of each 16 kB, and memory hands out 32 bytes at
 * least.  And 1,024 threads are more to wait for at each barrier: a
 * multiprocessor has capacity for two such blocks, and while they are at their
 * trees nobody loads.
 *
 * The next rung, reduce_grid_stride.cuh, starts no more blocks than the device
 * can keep busy, and keeps them busy with loads.
 */
#ifndef GA_REDUCE_RECURSIVE_CUH
#define GA_REDUCE_RECURSIVE_CUH

#include "reduce_sequential.cuh"

constexpr int kRecursiveThreads = 1024;
constexpr uint32_t kRecursiveElements = 2 * kRecursiveThreads;

/*
 * Blocks of kRecursiveThreads; shared memory for an item each.  The n items lie
 * `apart` elements from one another; block b has kRecursiveElements of them,
 * and its thread 0 writes where the first is.  The last pass, of one block,
 * has another place to write to.
 */
template <typename T>
static __global__ void
reduce_recursive(const T *items, uint32_t n, uint64_t apart, T *to)
{
	__shared__ T sums[kRecursiveThreads];
	const uint32_t first = blockIdx.x * kRecursiveElements;
	const uint32_t i = first + threadIdx.x;
	T mine = i < n ? items[i * apart] : T(0);

	if (i + kRecursiveThreads < n)
		mine += items[(i + kRecursiveThreads) * apart];
	sums[threadIdx.x] = mine;
	__syncthreads();
	add_halves(sums);
	if (threadIdx.x == 0)
		to[first * apart] = sums[0];
}

struct ReduceRecursive : NoWorkspace
{
	template <typename T>
	static cudaError_t
	run(const RungRun &run)
	{
		T *items = (T *) run.in;
		uint64_t apart = 1;
		uint32_t n = run.n;

		while (n > kRecursiveElements)
		{
			const uint32_t n_blocks = blocks_for(n, kRecursiveElements);

			reduce_recursive<T><<<n_blocks, kRecursiveThreads, 0, run.stream>>>(
				items, n, apart, items);
			apart *= kRecursiveElements;
			n = n_blocks;
		}
		reduce_recursive<T><<<1, kRecursiveThreads, 0, run.stream>>>(
			items, n, apart, (T *) run.out);
		return cudaGetLastError();
	}
};

#endif /* GA_REDUCE_RECURSIVE_CUH */
