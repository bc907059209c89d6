/*
 * reduce_passes.cuh
 *		Pass after pass over what the blocks came to, until one sum is left.
 *
 * The blocks of a grid cannot wait for one another, and a block has at most
 * 1,024 threads.  So the first rungs launch their kernel again and again: a
 * block leaves one partial sum, and the next pass adds those up.  A launch
 * costs some microseconds; its end is the barrier for the whole device.
 */
#ifndef GA_REDUCE_PASSES_CUH
#define GA_REDUCE_PASSES_CUH

#include "rung.cuh"

/* Block b leaves the sum of its part of the n elements in out[b]. */
template <typename T>
using ReducePass = void (*)(const T *in, uint32_t n, T *out);

template <typename T>
static cudaError_t
reduce_passes(const RungRun &run, ReducePass<T> pass, uint32_t per_block)
{
	const T *from = (const T *) run.in;
	char *workspace = run.workspace;
	uint32_t n = run.n;
	uint32_t n_blocks;

	do
	{
		T *to = (T *) run.out;

		n_blocks = blocks_for(n, per_block);
		if (n_blocks > 1)
		{
			to = (T *) workspace;
			workspace += part_bytes(n_blocks, sizeof(T));
		}
		pass<<<n_blocks, kLadderThreads, 0, run.stream>>>(from, n, to);
		from = to;
		n = n_blocks;
	} while (n_blocks > 1);
	return cudaGetLastError();
}

/* Their workspace. */
template <uint32_t kPerBlock>
struct PassesWorkspace
{
	template <typename T>
	static cudaError_t
	workspace(const RungRun &run, size_t *n_bytes)
	{
		*n_bytes = levels_bytes(run.n, kPerBlock, sizeof(T));
		return cudaSuccess;
	}
};

#endif /* GA_REDUCE_PASSES_CUH */
