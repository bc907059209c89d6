/*
 * chunk.cuh
 *		A chunk of a long array: each warp's pieces, and where its sum goes.
 */
#ifndef GA_CHUNK_CUH
#define GA_CHUNK_CUH

#include "find_array.cuh"
#include "sum.h"

/* Elements of a piece: what a warp adds at once. */
template <typename T>
constexpr int kPieceItems = kWarp *kItems<T>;

/*
 * The whole pieces of a warp, those that lie in the array with all their items:
 * every so many elements there is one, as long as it begins before an end.
 */
template <typename T>
struct WholePieces
{
	const T *base;
	int step;
	int end;

	/* This lane's items of the piece at a position. */
	__device__ __forceinline__ void
	load(int at, Items<T> &items) const
	{
#pragma unroll
		for (int k = 0; k < kVectors<T>; k++)
			items.vector[k] = load_vector(
				base + at + (k * kWarp + lane_id()) * Vector<T>::kSize);
	}
};

/*
 * All pieces of a warp.  The warps of all of an array's chunks have numbers,
 * and take whole pieces in turn.  What is left at the array's two ends are
 * edges, one for its first warp and one for its last.
 */
template <typename T>
struct WarpPieces
{
	Run<T> run;
	WholePieces<T> whole;
	int first; /* of those */
	int edge;  /* < 0 is none */

	__device__ __forceinline__
	WarpPieces(const LongArray &array, uint32_t chunk)
		: run(array.data, array.n)
	{
		constexpr int kPiece = kPieceItems<T>; /* a power of 2 */
		const int n_warps = int(array.n_chunks) * kSumWarps;
		const int number = int(chunk) * kSumWarps + int(threadIdx.x / kWarp);

		whole.base = run.base;
		whole.step = n_warps * kPiece;
		whole.end = run.end & -kPiece;
		first = number * kPiece;
		edge = -1;
		if (number == n_warps - 1 && whole.end < run.end)
			edge = whole.end;
		if (number == 0 && run.first > 0)
		{
			edge = 0;
			first = whole.step;
		}
	}

	/* The warp's pieces have numbers: whole ones from 0 on, the edge the last. */
	__device__ __forceinline__ int
	number(int at) const
	{
		return at == edge ? kMostPieces : (at - first) / whole.step;
	}

	__device__ __forceinline__ int
	position(int number) const
	{
		return number == kMostPieces ? edge : first + number * whole.step;
	}

	/* This lane's items of any piece; what is not in the array is zero. */
	__device__ __forceinline__ void
	load(int at, Items<T> &items) const
	{
		items.load(run, at, lane_id(), kWarp);
	}
};

/*
 * A chunk's array.  One that is alone is read where it came with the launch: a
 * pointer to that would lead through memory.
 */
template <bool kAlone>
static __device__ __forceinline__ LongArray
array_of(const LongJob<kAlone> &job, uint32_t chunk)
{
	if constexpr (kAlone)
		return job.few[0];

	const LongArray *arrays = job.arrays ? job.arrays : job.few;

	return arrays[find_array(job.n_arrays, chunk,
							 [arrays](uint32_t i)
							 { return arrays[i].first_chunk; })];
}

template <typename T, bool kAlone>
static __device__ __forceinline__ WarpPieces<T>
pieces_of(const LongJob<kAlone> &job, uint32_t chunk)
{
	const LongArray array = array_of<kAlone>(job, chunk);

	return WarpPieces<T>(array, chunk - array.first_chunk);
}

/* Chunks that added to a slot of a row, and all that they added. */
static __device__ __forceinline__ uint32_t
chunks_in(unsigned long long total)
{
	return uint32_t((total + (kOneChunk >> 1)) / kOneChunk);
}

static __device__ __forceinline__ unsigned long long
look_at(const unsigned long long *slot)
{
	unsigned long long total;

	asm volatile("ld.relaxed.gpu.u64 %0, [%1];"
				 : "=l"(total)
				 : "l"(slot)
				 : "memory");
	return total;
}

/*
 * Add a chunk's sum to its array's; the last one has the result.  A whole warp.
 *
 * Each slot of the array's row counts the chunks that came to it, so that
 * nobody has to wait until what was added before is there for all to see.
 * Who is the last at the first slot has, from the additions themselves, the
 * totals of all slots at which no other chunk came later; such a chunk has
 * added to the first slot, and will add to the others whatever happens.
 */
template <bool kIsInt>
static __device__ __forceinline__ void
merge_chunk(const SumTask &job, const LongArray &array, WarpSum sum)
{
	constexpr int kGroups = kIsInt ? 1 : kSlotsPerLane;
	const uint32_t n = array.n_chunks;
	const int lane = lane_id_anew();
	const uint64_t from = uint64_t(array.row) * kRowSize + lane;
	unsigned long long total[kGroups];

#pragma unroll
	for (int g = 0; g < kGroups; g++)
	{
		const unsigned long long more = sum.value[g] + kOneChunk;

		total[g] = n * kOneChunk;
		if (lane + g * kWarp < kSlots)
			total[g] = atomicAdd(job.rows + from + g * kWarp, more) + more;
	}
	if (__shfl_sync(kAll, chunks_in(total[0]), 0) != n)
		return;

#pragma unroll
	for (int g = 0; g < kGroups; g++)
	{
		while (chunks_in(total[g]) != n)
			total[g] = look_at(job.rows + from + g * kWarp);
		sum.value[g] = int64_t(total[g] - n * kOneChunk);
		if (lane + g * kWarp < kSlots)
		{
			job.rows[from + g * kWarp] = 0; /* for the next request */
			if (job.sums != nullptr)
				job.sums[from + g * kWarp] = sum.value[g];
		}
	}
	if (job.sums == nullptr)
		put_result<kIsInt>(job.out, array.result, sum);
}

#endif /* GA_CHUNK_CUH */
