/*
 * scan_blelloch.cuh
 *		Running totals, rung blelloch: the work-efficient scan.
 *
 * What it does: the items are the leaves of a tree.  The up-sweep is a
 * reduction in place, whose partial sums stay where they are made.  Then the
 * root is cleared, and the down-sweep goes back to the leaves: each node gives
 * to its left child what it has, which is all that comes before, and to its
 * right child that plus what the left one had.
 *
 *		items	a   b   c    d
 *		up		a  a+b  c   c+d
 *				a  a+b  c  a+..d
 *		clear	a  a+b  c    0
 *		down	a   0   c   a+b
 *				0   a  a+b a+b+c
 *
 * That is the exclusive total; the inclusive one is that plus the element,
 * which its thread still has.  A block has two elements a thread, so that half
 * of the threads are not idle from the beginning, and makes two additions for
 * each element, instead of nine.
 *
 * In both sweeps threads read and write items that are a power of two apart,
 * the bank conflicts of reduce_strided.cuh.  So there is a hole of one item
 * behind every 32: items 32 apart are in different banks, and so are, but for
 * two or three of them, those 64 and more apart.
 *
 * Its faults: 20 steps with a barrier each, most of them with few threads; and
 * what scan_blocks.cuh says.
 *
 * The next rung, scan_shuffle.cuh, has next to no barriers and no tree.
 *
 * Blelloch, "Prefix sums and their applications", 1990.
 */
#ifndef GA_SCAN_BLELLOCH_CUH
#define GA_SCAN_BLELLOCH_CUH

#include "scan_blocks.cuh"

constexpr int kBlellochThreads = 512;
constexpr int kBlellochElements = 2 * kBlellochThreads;

/* Where an item is in shared memory, and items and holes together. */
static constexpr __host__ __device__ unsigned
padded(unsigned i)
{
	return i + i / kWarp;
}

/* Sums in a tree over all items; a barrier has to be behind their writing. */
template <typename T>
static __device__ void
sweep_up(T *items)
{
	unsigned step = 1;

	for (unsigned n = kBlellochThreads; n > 0; n /= 2)
	{
		if (threadIdx.x < n)
		{
			const unsigned left = step * (2 * threadIdx.x + 1) - 1;

			items[padded(left + step)] += items[padded(left)];
		}
		step *= 2;
		__syncthreads();
	}
}

/* From the root, which was cleared, to the leaves. */
template <typename T>
static __device__ void
sweep_down(T *items)
{
	unsigned step = kBlellochThreads;

	for (unsigned n = 1; n <= kBlellochThreads; n *= 2)
	{
		if (threadIdx.x < n)
		{
			const unsigned left = step * (2 * threadIdx.x + 1) - 1;
			T of_left = items[padded(left)];

			items[padded(left)] = items[padded(left + step)];
			items[padded(left + step)] += of_left;
		}
		step /= 2;
		__syncthreads();
	}
}

/*
 * Blocks of kBlellochThreads, two elements a thread, a block's width apart;
 * shared memory for kBlellochElements items and the holes between them.
 * Thread 0 writes the block's sum.
 */
template <typename T>
static __global__ void
scan_blelloch(const T *in, uint32_t n, bool exclusive, T *out, T *sums)
{
	__shared__ T items[padded(kBlellochElements)];
	const uint32_t first = blockIdx.x * kBlellochElements;
	T mine[2];

	for (int k = 0; k < 2; k++)
	{
		const unsigned at = threadIdx.x + k * kBlellochThreads;

		mine[k] = first + at < n ? in[first + at] : T(0);
		items[padded(at)] = mine[k];
	}
	__syncthreads();
	sweep_up(items);
	if (threadIdx.x == 0)
	{
		T *root = &items[padded(kBlellochElements - 1)];

		if (sums != nullptr)
			sums[blockIdx.x] = *root;
		*root = 0;
	}
	__syncthreads();
	sweep_down(items);
	for (int k = 0; k < 2; k++)
	{
		const unsigned at = threadIdx.x + k * kBlellochThreads;
		const T before = items[padded(at)];

		if (first + at < n)
			out[first + at] = exclusive ? before : before + mine[k];
	}
}

struct ScanBlelloch : ScanByBlocks<kBlellochThreads, kBlellochElements>
{
	template <typename T>
	static cudaError_t
	run(const RungRun &run)
	{
		return run_pass<T>(run, scan_blelloch<T>);
	}
};

#endif /* GA_SCAN_BLELLOCH_CUH */
