/*
 * tile.cuh
 *		A tile of an array, its way to shared memory, and that of its totals
 *		back.
 *
 * In shared memory the vectors of a tile are permuted such that both ways of
 * access, thread by thread and vector by vector, are free of bank conflicts.
 */
#ifndef GA_TILE_CUH
#define GA_TILE_CUH

#include <cuda_pipeline.h>

#include "scan.h"

/* A tile, and where it is in its array. */
struct Tile
{
	DeviceScan array;
	ScanStart start;
	uint32_t index; /* among all tiles */
	bool is_any;	/* otherwise there was no tile left */

	__device__ __forceinline__ uint32_t
	own() const
	{
		return index - array.first_tile;
	}
};

/* Where vector i of a tile lies. */
static __device__ __forceinline__ int
permuted(int i)
{
	return i ^ (i >> 3 & 7);
}

/* A tile's place among its array's vectors; it has kTile elements. */
template <typename T, int kTile>
struct Place
{
	VectorSpan<T> run;
	int at; /* its first position */

	__device__ __forceinline__
	Place(const Tile &tile)
		: run(tile.array.in, tile.array.n), at(int(tile.own()) * kTile)
	{
	}

	__device__ __forceinline__ bool
	is_whole() const
	{
		return at >= run.first && at + kTile <= run.end;
	}
};

/* Begin to load a tile; workers. */
template <typename T, int kWorkers>
static __device__ __forceinline__ void
load_tile(int4 *to, const Tile &tile)
{
	constexpr int kSize = Vector<T>::kSize;
	constexpr int kPerThread = kScanItems / kSize;
	const Place<T, kWorkers * kScanItems> place(tile);
	const T *from = place.run.base + place.at;

	if (place.is_whole())
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
			Vector<T> vector = place.run.load(place.at + i * kSize);

			to[permuted(i)] = *reinterpret_cast<const int4 *>(&vector);
		}
	}
}

/*
 * Reads a worker's items of a tile from shared memory, in order, and perhaps
 * again from the first one on.  It is a vector ahead: totals may be stored in
 * place of items, and the compiler cannot know which ones it may load before.
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

/* Write totals from shared to device memory, those that are in the array. */
template <typename T, typename Total, int kWorkers>
static __device__ __forceinline__ void
store_tile(const int4 *from, const Tile &tile)
{
	constexpr int kTile = kWorkers * kScanItems;
	constexpr int kSize = Vector<Total>::kSize;
	constexpr int kPerThread = kScanItems / kSize;
	const Place<T, kTile> place(tile);
	char *to = (char *) tile.array.out +
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
