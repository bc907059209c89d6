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

#include "packed/mixed_tiles.cuh"
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

/* Elements of a packed array that a lane decodes at once, and a warp. */
template <typename T>
using PartItems = Items<T, kVectorsPerThread<T> / 2>;

template <typename T>
constexpr int kPart = kWarp *PartItems<T>::kCount;

/* Decode the part of a vector that is at a position, to a tile. */
template <typename T, int kTile>
static __device__ __forceinline__ void
decode_part(int4 *to, const Place<T, kTile> &place, int at)
{
	constexpr int kSize = Vector<T>::kSize;
	const uintptr_t address = reinterpret_cast<uintptr_t>(place.run.base + at);
	PartItems<T> items;

	decode_tile<true>(load_packed_header<T>(address),
					  ga_packed_number(address, sizeof(T)) / kWarp, items);
	if (at < place.run.first || place.run.end < at + kPart<T>)
		replace_outside(place.run, at, items, T(0));
#pragma unroll
	for (int k = 0; k < PartItems<T>::kCount / kSize; k++)
	{
		const int v = (at - place.at) / kSize + k * kWarp + lane_id();

		if (unsigned(v) < unsigned(kTile / kSize))
			to[permuted(v)] = *reinterpret_cast<const int4 *>(&items.vector[k]);
	}
}

/*
 * Decode a tile of a packed array: each warp decodes parts.  Tiles are handed
 * out in order, so some block comes to the tile that is gridDim.x further on in
 * about the time of a tile: its payloads are brought to the L2 cache, and the
 * headers of the one behind that.
 */
template <typename T, int kWorkers>
static __device__ __forceinline__ void
decode_array_tile(int4 *to, const ScanJob &job, uint32_t tile)
{
	constexpr int kSize = Vector<T>::kSize;
	constexpr int kTile = kWorkers * kScanItems;
	const Place<T, kTile> place(job, tile);
	const T *base = place.run.base;
	const int64_t end = place.run.end;
	const int64_t ahead = int64_t(gridDim.x) * kTile;
	const auto address_of = [base](int64_t at)
	{ return reinterpret_cast<uintptr_t>(base + at); };
	const auto number_of = [=](int64_t at)
	{ return int(ga_packed_number(address_of(at), sizeof(T))); };
	const int parts_end =
		int(end - 1) - number_of(end - 1) % kPart<T> + kPart<T>;

	/* what is behind the array's last part */
	for (int v = max((parts_end - place.at) / kSize, 0) + int(threadIdx.x);
		 v < kTile / kSize; v += kWorkers)
		to[permuted(v)] = int4{};
#pragma unroll 1
	for (int from = int(threadIdx.x) / kWarp * kPart<T> -
					number_of(place.at) % kPart<T>;
		 from < kTile; from += kWorkers / kWarp * kPart<T>)
	{
		const int64_t at = int64_t(place.at) + from;

		if (at >= end || at + kPart<T> <= place.run.first)
			continue;
		decode_part(to, place, int(at));
		if (at + ahead < end)
			prefetch_payload<T>(load_coding<T>(address_of(at + ahead)));
		if (at + 2 * ahead < end && lane_id() == 0)
			prefetch_l2(
				ga_packed_header(address_of(at + 2 * ahead), sizeof(T)));
	}
}

/* Begin to load a tile.  kIsPacked: the array is packed. */
template <typename T, int kWorkers, bool kIsPacked>
static __device__ __forceinline__ void
load_tile(int4 *to, const ScanJob &job, uint32_t tile)
{
	constexpr int kSize = Vector<T>::kSize;
	constexpr int kPerThread = kScanItems / kSize;
	const Place<T, kWorkers * kScanItems> place(job, tile);
	const T *from = place.run.base + place.at;

	if constexpr (kIsPacked)
		decode_array_tile<T, kWorkers>(to, job, tile);
	else if (place.is_whole())
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
