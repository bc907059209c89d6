/*
 * common.cuh
 *		Definitions for all kernels: vectors of 16 bytes, warps, launches.
 *
 * Includes the C headers of the device's interface.  Functions for a "group" of
 * n lanes, a power of two up to the warp's 32, must be called by all lanes of
 * the warp.
 */
#ifndef GA_COMMON_CUH
#define GA_COMMON_CUH

#include <type_traits>

#include "cuda_compat.cuh"
#include "ptx.cuh"

#ifndef _Alignas
#define _Alignas alignas /* the headers are C */
#endif
extern "C"
{
#include "device/device_check.h"
}

constexpr int kWarp = 32;
constexpr unsigned kFullMask = 0xffffffffu;

/* Bytes of the widest load of a thread. */
constexpr int kVectorBytes = 16;

/* The elements of one load. */
template <typename T>
struct alignas(kVectorBytes) Vector
{
	static constexpr int kSize = kVectorBytes / sizeof(T);
	T item[kSize];
};

/*
 * Vectors of a tile for each thread, for elements of `size` bytes.  Small types
 * and float have fewer, since their items are widened, which takes registers.
 */
constexpr int
vectors_per_thread(size_t size, bool is_float)
{
	return size == 8 || (size == 4 && !is_float) ? 8 : 4;
}

template <typename T>
constexpr int kVectorsPerThread =
	vectors_per_thread(sizeof(T), std::is_floating_point<T>::value);

/* Elements of a tile for each thread. */
template <typename T>
constexpr int kItemsPerThread = kVectorsPerThread<T> *Vector<T>::kSize;

/* Load a vector that is read once. */
template <typename T>
static __device__ __forceinline__ Vector<T>
load_vector(const T *from)
{
	union
	{
		int4 raw;
		Vector<T> vector;
	} u;

	u.raw = load_once(from);
	return u.vector;
}

/*
 * An array as aligned vectors.  `base` is the array's address rounded down to a
 * multiple of a vector's size, or of another power of two.  Positions count
 * elements from there; the array has those from `first` up to `end`.  With at
 * most GA_DEVICE_MAX_ELEMENTS, the sum of two positions does not overflow.
 */
template <typename T>
struct VectorSpan
{
	const T *base;
	int first;
	int end;

	__device__ __forceinline__
	VectorSpan(const void *data, uint32_t n, uintptr_t align = kVectorBytes)
	{
		uintptr_t address = reinterpret_cast<uintptr_t>(data);
		uintptr_t down = address & ~(align - 1);

		base = reinterpret_cast<const T *>(down);
		first = int(address - down) / int(sizeof(T));
		end = first + int(n);
	}

	/* From the fields of another span. */
	__device__ __forceinline__
	VectorSpan(const T *base, int first, int end)
		: base(base), first(first), end(end)
	{
	}

	/* Is the whole vector at a position in the array? */
	__device__ __forceinline__ bool
	has(int at) const
	{
		return at >= first && at + Vector<T>::kSize <= end;
	}

	/* Is a vector at an end of the array only partly in it? */
	__device__ __forceinline__ bool
	has_edges() const
	{
		return first != 0 || end % Vector<T>::kSize != 0;
	}

	/* Load the vector at a position item by item. */
	__device__ __forceinline__ Vector<T>
	load_items(int at, T outside) const
	{
		Vector<T> v;

#pragma unroll
		for (int i = 0; i < Vector<T>::kSize; i++)
			v.item[i] =
				at + i >= first && at + i < end ? base[at + i] : outside;
		return v;
	}

	__device__ __forceinline__ Vector<T>
	load(int at) const
	{
		return has(at) ? load_vector(base + at) : load_items(at, T(0));
	}
};

/* A thread's elements of a tile, of kVectors vectors for each thread. */
template <typename T, int kVectors = kVectorsPerThread<T>>
struct Items
{
	static constexpr int kCount = kVectors * Vector<T>::kSize;

	Vector<T> vector[kVectors];

	/*
	 * Load the elements of thread `thread` of n_threads; the tile is at
	 * position `at`, and its vectors are distributed over the threads in turn.
	 * Items outside the array get the value `outside`.
	 */
	__device__ __forceinline__ void
	load(const VectorSpan<T> &run, int at, int thread, int n_threads,
		 T outside = T(0))
	{
		constexpr int kSize = Vector<T>::kSize;
		const int from = at + thread * kSize;

		if (at >= run.first && at + n_threads * kCount <= run.end)
		{
#pragma unroll
			for (int k = 0; k < kVectors; k++)
				vector[k] =
					load_vector(run.base + from + k * n_threads * kSize);
		}
		else
		{
#pragma unroll
			for (int k = 0; k < kVectors; k++)
			{
#pragma unroll
				for (int i = 0; i < kSize; i++)
					vector[k].item[i] = outside;
				if (run.has(from + k * n_threads * kSize))
					vector[k] =
						load_vector(run.base + from + k * n_threads * kSize);
			}
			if (run.has_edges())
				load_edges(run, from, n_threads * kSize, outside);
		}
	}

	/* Load the vectors that are partly in the array. */
	__device__ __forceinline__ void
	load_edges(const VectorSpan<T> &run, int from, int step, T outside)
	{
#pragma unroll
		for (int k = 0; k < kVectors; k++)
		{
			int at = from + k * step;

			if (at < run.end && !run.has(at))
				vector[k] = run.load_items(at, outside);
		}
	}

	__device__ __forceinline__ T
	item(int i) const
	{
		return vector[i / Vector<T>::kSize].item[i % Vector<T>::kSize];
	}
};

static __device__ __forceinline__ int
lane_id()
{
	return threadIdx.x % kWarp;
}

/*
 * Return the maximum over a group of n lanes, in all of them.  A whole warp
 * takes one instruction from compute capability 8.0 on.
 */
static __device__ __forceinline__ unsigned
group_max(unsigned x, int n)
{
#if __CUDA_ARCH__ >= 800
	if (n == kWarp)
		return __reduce_max_sync(kFullMask, x);
#endif
	for (int step = n / 2; step > 0; step /= 2)
		x = max(x, __shfl_xor_sync(kFullMask, x, step));
	return x;
}

/* Return the sum over a group of n lanes, in all of them, by shuffles. */
template <typename T>
static __device__ __forceinline__ T
shuffle_sum(T x, int n)
{
	for (int step = n / 2; step > 0; step /= 2)
		x += __shfl_xor_sync(kFullMask, x, step);
	return x;
}

/* Return the sum over a group of n lanes, in all of them. */
static __device__ __forceinline__ unsigned
group_sum(unsigned x, int n)
{
#if __CUDA_ARCH__ >= 800
	if (n == kWarp)
		return __reduce_add_sync(kFullMask, x);
#endif
	return shuffle_sum(x, n);
}

static __device__ __forceinline__ int64_t
group_sum(int64_t x, int n)
{
#if __CUDA_ARCH__ >= 800
	if (n == kWarp)
	{
		constexpr int kBits = 27; /* 32 of them need 32 */
		const unsigned mask = (1u << kBits) - 1;
		const int64_t low = __reduce_add_sync(kFullMask, unsigned(x) & mask);
		const int64_t middle =
			__reduce_add_sync(kFullMask, unsigned(x >> kBits) & mask);
		const int64_t high = __reduce_add_sync(kFullMask, int(x >> 2 * kBits));

		return (high << 2 * kBits) + (middle << kBits) + low;
	}
#endif
	return shuffle_sum(x, n);
}

#endif /* GA_COMMON_CUH */
