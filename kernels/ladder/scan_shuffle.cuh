/*
 * scan_shuffle.cuh
 *		Running totals, rung shuffle: reduce, scan the totals, add.
 *
 * What it does: three launches.  The first adds up each tile, of 16 kB, and
 * writes nothing but its sum.  The second, of one block, makes the running
 * totals of these sums.  The third reads the elements again, makes the totals
 * of each tile beginning with what came before it, and writes them: memory is
 * read twice and written once, where scan_blocks.cuh reads twice and writes
 * twice.
 *
 * Within a tile a warp has four vectors of 16 bytes a thread.  The running
 * totals of the threads' sums are made by shuffles: in each of five steps a
 * thread takes the value of the thread 1, 2, 4, 8, 16 below it.  That is the
 * way of Hillis and Steele, with too many additions, but 32 of them are one
 * instruction.  The sums of the warps go through shared memory, with one
 * barrier; each warp adds up those before it.
 *
 * What is left: the second reading.  Libraries (scan_library.cuh) and the
 * shipping kernel do without it: a tile looks back at what those before it have
 * published while all are at work.  And floats are rounded at each of these
 * additions, in an order that is not that of the elements; so a total can be
 * less than the one before it though nothing was negative.
 */
#ifndef GA_SCAN_SHUFFLE_CUH
#define GA_SCAN_SHUFFLE_CUH

#include "reduce_shuffle.cuh"

constexpr int kTileVectors = 4; /* of a thread */
constexpr int kTileWarps = kLadderThreads / kWarp;

template <typename T>
constexpr int kTileElements = kLadderThreads *kTileVectors *Vector<T>::kSize;

/* The total over the lanes up to this one. */
template <typename T>
static __device__ T
warp_totals(T x)
{
	for (int step = 1; step < kWarp; step *= 2)
	{
		const T other = __shfl_up_sync(kFullMask, x, step);

		if (lane_id() >= step)
			x += other;
	}
	return x;
}

/* A thread's part of a tile: vectors 512 bytes apart, a warp's side by side. */
template <typename T>
struct TilePart
{
	static constexpr int kSize = Vector<T>::kSize;

	Vector<T> vector[kTileVectors];
	int first; /* position of the first one */

	/* A tile that is not full is filled up with zeros. */
	__device__
	TilePart(const VectorSpan<T> &run, int tile)
	{
		first =
			tile * kTileElements<T> +
			(threadIdx.x / kWarp * kTileVectors * kWarp + lane_id()) * kSize;
#pragma unroll
		for (int k = 0; k < kTileVectors; k++)
			vector[k] = run.load(position(k));
	}

	__device__ int
	position(int k) const
	{
		return first + k * kWarp * kSize;
	}

	__device__ T
	sum(int k) const
	{
		T all = vector[k].item[0];

		for (int i = 1; i < kSize; i++)
			all += vector[k].item[i];
		return all;
	}

	/* Make vector k running totals, from what came before it on, and write. */
	__device__ void
	write_totals(int k, T before, bool exclusive, T *out, int n)
	{
		for (int i = 0; i < kSize; i++)
		{
			const T total = before + vector[k].item[i];

			vector[k].item[i] = exclusive ? before : total;
			before = total;
		}
		if (position(k) + kSize <= n)
			*reinterpret_cast<Vector<T> *>(out + position(k)) = vector[k];
		else
		{
			for (int i = 0; i < kSize && position(k) + i < n; i++)
				out[position(k) + i] = vector[k].item[i];
		}
	}
};

/*
 * The running totals of a tile, beginning with what came before it; returns
 * that and the tile's sum, in all threads.  All of a block of kLadderThreads
 * have to come here; shared memory for an item a warp.
 */
template <typename T>
static __device__ T
scan_tile(const VectorSpan<T> &run, int tile, T before, bool exclusive, T *out)
{
	__shared__ T sums[kTileWarps];
	const int warp = threadIdx.x / kWarp;
	TilePart<T> part(run, tile);
	T in_warp[kTileVectors]; /* before each vector */
	T of_warp = 0;
	T start = before;

#pragma unroll
	for (int k = 0; k < kTileVectors; k++)
	{
		const T totals = warp_totals(part.sum(k));
		const T below = __shfl_up_sync(kFullMask, totals, 1);

		in_warp[k] = of_warp + (lane_id() > 0 ? below : T(0));
		of_warp += __shfl_sync(kFullMask, totals, kWarp - 1);
	}
	if (lane_id() == 0)
		sums[warp] = of_warp;
	__syncthreads();
	for (int w = 0; w < kTileWarps; w++)
	{
		if (w < warp)
			start += sums[w];
		before += sums[w];
	}
	__syncthreads(); /* sums may be written again */
#pragma unroll
	for (int k = 0; k < kTileVectors; k++)
		part.write_totals(k, start + in_warp[k], exclusive, out, run.end);
	return before;
}

/* A block of kLadderThreads for each tile; thread 0 writes its sum. */
template <typename T>
static __global__ void
scan_sum_tiles(const T *in, uint32_t n, T *sums)
{
	const TilePart<T> part(VectorSpan<T>(in, n), blockIdx.x);
	T all = 0;

#pragma unroll
	for (int k = 0; k < kTileVectors; k++)
		all += part.sum(k);
	all = block_sum(all);
	if (threadIdx.x == 0)
		sums[blockIdx.x] = all;
}

/* One block: what came before each of n tiles, from their sums. */
template <typename T>
static __global__ void
scan_sums(const T *sums, uint32_t n, T *before)
{
	const VectorSpan<T> run(sums, n);
	T so_far = 0;

	for (int tile = 0; tile * kTileElements<T> < run.end; tile++)
		so_far = scan_tile(run, tile, so_far, true, before);
}

/* A block for each tile: its totals. */
template <typename T>
static __global__ void
scan_tiles_after(const T *in, uint32_t n, bool exclusive, const T *before,
				 T *out)
{
	(void) scan_tile(VectorSpan<T>(in, n), blockIdx.x, before[blockIdx.x],
					 exclusive, out);
}

struct ScanShuffle
{
	/* The tiles' sums, and what came before each of them. */
	template <typename T>
	static cudaError_t
	workspace(const RungRun &run, size_t *n_bytes)
	{
		*n_bytes =
			2 * part_bytes(blocks_for(run.n, kTileElements<T>), sizeof(T));
		return cudaSuccess;
	}

	template <typename T>
	static cudaError_t
	run(const RungRun &run)
	{
		const uint32_t n_tiles = blocks_for(run.n, kTileElements<T>);
		const T *in = (const T *) run.in;
		T *sums = (T *) run.workspace;
		T *before = (T *) (run.workspace + part_bytes(n_tiles, sizeof(T)));

		scan_sum_tiles<T>
			<<<n_tiles, kLadderThreads, 0, run.stream>>>(in, run.n, sums);
		scan_sums<T>
			<<<1, kLadderThreads, 0, run.stream>>>(sums, n_tiles, before);
		scan_tiles_after<T><<<n_tiles, kLadderThreads, 0, run.stream>>>(
			in, run.n, run.exclusive, before, (T *) run.out);
		return cudaGetLastError();
	}
};

#endif /* GA_SCAN_SHUFFLE_CUH */
