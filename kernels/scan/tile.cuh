/*
 * tile.cuh
 *		The tile loader: a tile of an array on its way to shared memory, and
 *		its totals on their way back.
 *
 * In shared memory the vectors of a tile are permuted so that access thread by
 * thread and access vector by vector are both free of bank conflicts.  All
 * functions are for the kWorkers workers of a block (scan_tiles.cuh).
 */
#ifndef GA_TILE_CUH
#define GA_TILE_CUH

#include <cuda_pipeline.h>

#include "packed/mixed.cuh"
#include "scan.h"

/* Return the place in shared memory of vector i of a tile. */
static __device__ __forceinline__ int
permuted(int i)
{
	return i ^ (i >> 3 & 7);
}

/* The place of a tile of kTile elements among the vectors of its array. */
template <typename T, int kTile>
struct Place
{
	VectorSpan<T> run;
	int at; /* its first position */

	__device__ __forceinline__
	Place(const ScanJob &job, uint32_t tile)
		: run(job.in, job.n), at(int(tile) * kTile)
	{
	}

	__device__ __forceinline__ bool
	is_whole() const
	{
		return at >= run.first && at + kTile <= run.end;
	}
};

/* Begin to load a tile. */
template <typename T, int kWorkers>
static __device__ __forceinline__ void
load_tile(int4 *to, const ScanJob &job, uint32_t tile)
{
	constexpr int kSize = Vector<T>::kSize;
	constexpr int kPerThread = kScanItems / kSize;
	const Place<T, kWorkers * kScanItems> place(job, tile);
	const T *from = place.run.base + place.at;

	if (place.is_whole() && !is_packed(from))
	{
#pragma unroll
		for (int k = 0; k < kPerThread; k++)
		{
			int i = k * kWorkers + threadIdx.x;

			__pipeline_memcpy_async(to + permuted(i), from + i * kSize,
									kVectorBytes);
		}
	}
	else
	{
		for (int k = 0; k < kPerThread; k++)
		{
			int i = k * kWorkers + threadIdx.x;
			Vector<T> vector =
				load_mixed_vector(place.run, place.at + i * kSize);

			to[permuted(i)] = *reinterpret_cast<const int4 *>(&vector);
		}
	}
}

/*
 * Reads the items of a worker from shared memory, in order, perhaps more than
 * once.  It is a vector ahead, because totals may be stored in place of items,
 * so that the compiler cannot move the loads.
 */
template <typename T>
struct ItemReader
{
	static constexpr int kSize = Vector<T>::kSize;
	static constexpr int kPerThread = kScanItems / kSize;

	const int4 *from;
	Vector<T> vector;
	Vector<T> next;

	__device__ __forceinline__ void
	load(int i)
	{
		*reinterpret_cast<int4 *>(&next) =
			from[permuted(threadIdx.x * kPerThread + i)];
	}

	__device__ __forceinline__ T
	operator()(int i)
	{
		if (i == 0)
			load(0);
		if (i % kSize == 0)
		{
			vector = next;
			if (i / kSize + 1 < kPerThread)
				load(i / kSize + 1);
		}
		return vector.item[i % kSize];
	}
};

/* Write the totals of a tile from shared to device memory. */
template <typename T, typename Total, int kWorkers>
static __device__ __forceinline__ void
store_tile(const int4 *from, const ScanJob &job, uint32_t tile)
{
	constexpr int kTile = kWorkers * kScanItems;
	constexpr int kSize = Vector<Total>::kSize;
	constexpr int kPerThread = kScanItems / kSize;
	const Place<T, kTile> place(job, tile);
	char *to = (char *) job.out +
			   int64_t(place.at - place.run.first) * int64_t(sizeof(Total));

	if (place.is_whole() && (uintptr_t) to % kVectorBytes == 0)
	{
#pragma unroll
		for (int k = 0; k < kPerThread; k++)
		{
			int i = k * kWorkers + threadIdx.x;

			__stcs((int4 *) to + i, from[permuted(i)]);
		}
	}
	else
	{
		/* words of at most 8 bytes, in order */
		constexpr int kWord = sizeof(Total) < 8 ? sizeof(Total) : 8;
		constexpr int kWords = sizeof(Total) / kWord;
		using Word =
			typename std::conditional<kWord == 4, uint32_t, uint64_t>::type;
		const int begin = max(place.run.first - place.at, 0);
		const int end = min(place.run.end - place.at, kTile);

		for (int i = begin * kWords + threadIdx.x; i < end * kWords;
			 i += kWorkers)
		{
			int vector = i * kWord / kVectorBytes;
			int in_vector = i % (kVectorBytes / kWord);

			((Word *) to)[i] =
				((const Word *) (from + permuted(vector)))[in_vector];
		}
	}
}

#endif /* GA_TILE_CUH */
