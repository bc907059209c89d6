/*
 * chunk.cuh
 *		A chunk of a long array: its tiles, and where its sum goes.
 */
#ifndef GA_CHUNK_CUH
#define GA_CHUNK_CUH

#include "sum.h"

/*
 * The tiles of a chunk: every n_chunks-th one, and an equal part of what is
 * then left of the array, which is a tile at most.
 */
template <typename T>
struct ChunkTiles
{
	static constexpr int kRow = kSumThreads * Vector<T>::kSize;
	static constexpr int kTile = kSumThreads * kItems<T>;

	Run<T>		run;			/* up to the chunk's end */
	int			step;
	int			first;			/* < 0 is none */
	int			whole_end;		/* where what is left begins */
	int			last;			/* the chunk's part of it; < 0 is none */
	int			last_rows;		/* that many vectors of each thread */
	int			inside_end;		/* tiles from here on are partly in the array */

	__device__ __forceinline__
	ChunkTiles(const LongArray &array, uint32_t chunk)
		: run(array.data, array.n)
	{
		const int	n = int(array.n_chunks);
		int			part;

		step = n * kTile;
		whole_end = run.end / step * step;
		part = (run.end - whole_end + n * kRow - 1) / (n * kRow) * kRow;
		last = whole_end + int(chunk) * part;
		if (last >= run.end)
			last = -1;
		else
			run.end = min(run.end, last + part);
		last_rows = (run.end - last + kRow - 1) / kRow;
		inside_end = last + last_rows * kRow <= run.end ?
			INT32_MAX : whole_end;
		first = whole_end > 0 ? int(chunk) * kTile : last;
	}

	/* How many come before the one at a position. */
	__device__ __forceinline__ int
	number(int at) const
	{
		return min(at, whole_end) / step;
	}

	/* Is all of that at a position in the array? */
	__device__ __forceinline__ bool
	is_inside(int at) const
	{
		return at < inside_end && (at > 0 || run.first == 0);
	}

	/* The one behind that at a position. */
	__device__ __forceinline__ int
	next(int at) const
	{
		if (at >= whole_end)
			return -1;
		return at + step < whole_end ? at + step : last;
	}
};

/*
 * What this thread and, by barriers, others of its block did in device memory
 * comes before what it does from now on.
 */
static __device__ __forceinline__ void
fence_device()
{
	asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

/*
 * Add a chunk's sum to its array's; the last one turns it into the result.  A
 * whole warp.
 */
template <bool kIsInt>
static __device__ __noinline__ void
merge_chunk(const SumJob<LongArray> &job, const LongArray &array,
			uint32_t chunk, WarpSum sum)
{
	const uint32_t n_rows = array.n_chunks >= kManyChunks ? kRows : 1;
	int64_t    *rows = job.rows + int64_t(array.first_row) * kRowSize;
	int64_t    *row = rows + chunk % n_rows * kRowSize;
	uint32_t	n_before = 0;

#pragma unroll
	for (int g = 0; g < kSlotsPerLane; g++)
	{
		if (sum.value[g] != 0)
			atomicAdd((unsigned long long *) row + lane_id() + g * kWarp,
					  (unsigned long long) sum.value[g]);
	}
	fence_device();
	__syncwarp();
	if (lane_id() == 0)
		n_before = atomicAdd((unsigned *) (rows + kRowChunks), 1);
	if (__shfl_sync(kAll, n_before, 0) != array.n_chunks - 1)
		return;

	fence_device();
	sum.clear();
#pragma unroll
	for (int r = 0; r < kRows; r++)
	{
#pragma unroll
		for (int g = 0; g < kSlotsPerLane; g++)
		{
			int			slot = lane_id() + g * kWarp;

			if (slot < kSlots && r < n_rows)
				sum.value[g] += __ldcg((long long *) rows + r * kRowSize +
									   slot);
		}
	}
	for (int i = lane_id(); i < int(n_rows) * kRowSize; i += kWarp)
		rows[i] = 0;
	put_result<kIsInt>(job.out, array.result, sum);
}

#endif							/* GA_CHUNK_CUH */
