/*
 * reduce_grid_stride.cuh
 *		Reduction, rung grid-stride: one loop; an atomic addition a block.
 *
 * What it does: 256 blocks of 256 threads, however many elements there are.
 * Each thread adds up every 65,536th element in a register, so that the threads
 * of a warp always read neighbours; then comes the tree, once a block; and then
 * thread 0 adds the block's sum to the result with atomicAdd.  So one launch
 * is enough, and nearly all additions happen where they cost nothing.
 *
 * With managed memory, as tutorials have it, the same kernel reads elements
 * that the host and the device share by their address.  They are in the host's
 * memory when it starts, and come over page by page when a thread touches
 * them: the time is that of page faults and of the bus, not of the kernel.
 *
 * Its faults: one element of 4 or 8 bytes to the load leaves few bytes on their
 * way, and there is no saying that 256 blocks fill this device.  The atomic
 * additions come in any order: integers do not mind, but floats round
 * differently each time, so two runs need not give the same bits.  atomicAdd of
 * 64-bit integers exists for unsigned ones only, which is all the same in two's
 * complement.
 *
 * The next rung, reduce_shuffle.cuh, loads 16 bytes at once, fills the device,
 * has no barriers in its tree and no atomics.
 */
#ifndef GA_REDUCE_GRID_STRIDE_CUH
#define GA_REDUCE_GRID_STRIDE_CUH

#include "reduce_sequential.cuh"

constexpr int kGridStrideBlocks = 256;

template <typename T>
static __device__ void
add_atomically(T *to, T x)
{
	atomicAdd(to, x);
}

static __device__ void
add_atomically(int64_t *to, int64_t x)
{
	atomicAdd((unsigned long long *) to, (unsigned long long) x);
}

/*
 * Any grid of blocks of kLadderThreads; shared memory for an item each.  Thread
 * 0 of each block adds to *sum, which was 0.
 */
template <typename T>
static __global__ void
reduce_grid_stride(const T *in, uint32_t n, T *sum)
{
	__shared__ T sums[kLadderThreads];
	T mine = 0;

	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
		 i += gridDim.x * blockDim.x)
		mine += in[i];
	sums[threadIdx.x] = mine;
	__syncthreads();
	add_halves(sums);
	if (threadIdx.x == 0)
		add_atomically(sum, sums[0]);
}

struct ReduceGridStride : NoWorkspace
{
	template <typename T>
	static cudaError_t
	run(const RungRun &run)
	{
		cudaError_t error = cudaMemsetAsync(run.out, 0, sizeof(T), run.stream);

		if (error != cudaSuccess)
			return error;
		reduce_grid_stride<T>
			<<<kGridStrideBlocks, kLadderThreads, 0, run.stream>>>(
				(const T *) run.in, run.n, (T *) run.out);
		return cudaGetLastError();
	}
};

#endif /* GA_REDUCE_GRID_STRIDE_CUH */
