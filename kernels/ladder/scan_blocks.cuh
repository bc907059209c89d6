/*
 * scan_blocks.cuh
 *		Running totals of any length from a kernel that does one block's.
 *
 * Each block makes the totals of its own elements, and leaves the sum of all of
 * them.  The running totals of these sums, made the same way, are what came
 * before each block; a second kernel adds that to the block's totals.  With 512
 * elements a block, 2^28 elements take four levels of that.
 *
 * What this costs: totals are written, read again, and written again, so all
 * but the shortest arrays take twice the traffic that they need.
 */
#ifndef GA_SCAN_BLOCKS_CUH
#define GA_SCAN_BLOCKS_CUH

#include "rung.cuh"

/*
 * Block b makes the running totals of its part of the n elements, and leaves
 * the sum of it in sums[b], if sums is not NULL.  in and out may be the same.
 */
template <typename T>
using ScanPass = void (*)(const T *in, uint32_t n, bool exclusive, T *out,
						  T *sums);

/* Any blocks: block b adds before[b] to each of its totals. */
template <typename T>
static __global__ void
add_before(T *out, uint32_t n, uint32_t per_block, const T *before)
{
	const uint32_t first = blockIdx.x * per_block;

	for (uint32_t k = threadIdx.x; k < per_block && first + k < n;
		 k += blockDim.x)
		out[first + k] += before[blockIdx.x];
}

template <typename T>
struct ScanBlocks
{
	ScanPass<T> pass;
	uint32_t n_threads;
	uint32_t per_block;
	cudaStream_t stream;

	/* The workspace holds the sums of all levels: levels_bytes(). */
	void
	submit(const T *in, uint32_t n, bool exclusive, T *out,
		   char *workspace) const
	{
		const uint32_t n_blocks = blocks_for(n, per_block);
		T *sums = n_blocks > 1 ? (T *) workspace : nullptr;

		pass<<<n_blocks, n_threads, 0, stream>>>(in, n, exclusive, out, sums);
		if (n_blocks == 1)
			return;
		submit(sums, n_blocks, true, sums,
			   workspace + part_bytes(n_blocks, sizeof(T)));
		add_before<T>
			<<<n_blocks, kLadderThreads, 0, stream>>>(out, n, per_block, sums);
	}
};

/* A rung of it, but for the template run(). */
template <uint32_t kThreads, uint32_t kPerBlock>
struct ScanByBlocks
{
	template <typename T>
	static cudaError_t
	workspace(const RungRun &run, size_t *n_bytes)
	{
		*n_bytes = levels_bytes(run.n, kPerBlock, sizeof(T));
		return cudaSuccess;
	}

	template <typename T>
	static cudaError_t
	run_pass(const RungRun &run, ScanPass<T> pass)
	{
		const ScanBlocks<T> blocks = {pass, kThreads, kPerBlock, run.stream};

		blocks.submit((const T *) run.in, run.n, run.exclusive, (T *) run.out,
					  run.workspace);
		return cudaGetLastError();
	}
};

#endif /* GA_SCAN_BLOCKS_CUH */
