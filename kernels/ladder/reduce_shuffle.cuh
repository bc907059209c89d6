/*
 * reduce_shuffle.cuh
 *		Reduction, rung shuffle: warp shuffles and loads of 16 bytes.
 *
 * What it does: a thread loads vectors of 16 bytes, four of them at a time, so
 * that a multiprocessor of 2,048 threads has 128 kB on their way, more than it
 * takes to keep memory busy.  Each item of a vector has a sum of its own, so
 * that additions need not wait for one another.  Then the threads of a warp
 * add up what they have from register to register, without shared memory and
 * without barriers; one word of shared memory for each warp and one barrier do
 * the rest.  The grid fills the device once.  What its blocks came to, at most
 * some thousand sums, is added up by a second launch of one block.
 *
 * So the order of the additions depends on n and the device alone, and a run
 * gives the same bits as the one before; but each addition of floats still
 * rounds, and on another device the order is another.
 *
 * What is left: this reads memory about as fast as it can be read.  Libraries
 * (reduce_library.cuh) do no other; they are tuned for each device.  The
 * shipping kernel has to be as fast, and yet round once only.
 */
#ifndef GA_REDUCE_SHUFFLE_CUH
#define GA_REDUCE_SHUFFLE_CUH

#include "rung.cuh"

/* Vectors that a thread loads at a time. */
constexpr int kLoads = 4;

/*
 * The sum of what the threads of a block have, in all threads of warp 0.  All
 * of the block have to come here, once in a kernel.
 */
template <typename T>
static __device__ T
block_sum(T mine)
{
	__shared__ T sums[kWarp];
	const int n_warps = blockDim.x / kWarp;

	mine = shuffle_sum(mine, kWarp);
	if (lane_id() == 0)
		sums[threadIdx.x / kWarp] = mine;
	__syncthreads();
	if (threadIdx.x / kWarp != 0)
		return mine;
	return shuffle_sum(lane_id() < n_warps ? sums[lane_id()] : T(0), kWarp);
}

/* A sum for each item of a vector. */
template <typename T>
struct ItemSums
{
	T sum[Vector<T>::kSize];

	__device__
	ItemSums()
	{
		for (int i = 0; i < Vector<T>::kSize; i++)
			sum[i] = 0;
	}

	__device__ void
	add(const Vector<T> &vector)
	{
		for (int i = 0; i < Vector<T>::kSize; i++)
			sum[i] += vector.item[i];
	}

	__device__ T
	total() const
	{
		T all = sum[0];

		for (int i = 1; i < Vector<T>::kSize; i++)
			all += sum[i];
		return all;
	}
};

/*
 * Any grid of blocks of kLadderThreads; shared memory for an item a warp.
 * Thread 0 of block b writes out[b].
 */
template <typename T>
static __global__ void
reduce_shuffle(const T *in, uint32_t n, T *out)
{
	constexpr int kSize = Vector<T>::kSize;
	const VectorSpan<T> run(in, n);
	const int step = gridDim.x * blockDim.x * kSize;
	int at = (blockIdx.x * blockDim.x + threadIdx.x) * kSize;
	ItemSums<T> sums;
	T all;

	for (; at + (kLoads - 1) * step + kSize <= run.end; at += kLoads * step)
	{
		Vector<T> vector[kLoads];

#pragma unroll
		for (int k = 0; k < kLoads; k++)
			vector[k] = load_vector(run.base + at + k * step);
#pragma unroll
		for (int k = 0; k < kLoads; k++)
			sums.add(vector[k]);
	}
	for (; at < run.end; at += step)
		sums.add(run.load(at));
	all = block_sum(sums.total());
	if (threadIdx.x == 0)
		out[blockIdx.x] = all;
}

struct ReduceShuffle
{
	/* No more than fill the device, and none without a vector a thread. */
	template <typename T>
	static uint32_t
	count_blocks(const RungRun &run)
	{
		const uint32_t most = run.n_threads / kLadderThreads;
		const uint32_t n = blocks_for(run.n, kLadderThreads * Vector<T>::kSize);

		return n < most ? n : most;
	}

	template <typename T>
	static cudaError_t
	workspace(const RungRun &run, size_t *n_bytes)
	{
		*n_bytes = part_bytes(count_blocks<T>(run), sizeof(T));
		return cudaSuccess;
	}

	template <typename T>
	static cudaError_t
	run(const RungRun &run)
	{
		const uint32_t n_blocks = count_blocks<T>(run);
		T *sums = (T *) (n_blocks > 1 ? run.workspace : run.out);

		reduce_shuffle<T><<<n_blocks, kLadderThreads, 0, run.stream>>>(
			(const T *) run.in, run.n, sums);
		if (n_blocks > 1)
			reduce_shuffle<T><<<1, kLadderThreads, 0, run.stream>>>(
				sums, n_blocks, (T *) run.out);
		return cudaGetLastError();
	}
};

#endif /* GA_REDUCE_SHUFFLE_CUH */
