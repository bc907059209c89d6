/*
 * int_moments.cuh
 *		The sum and the sum of squares of integers: the reduction.
 *
 * The words of a result are the lower and upper half of the sum, 32 bits apart,
 * then four words of the sum of squares, 32 bits apart and without a sign.  An
 * array has less than 2^30 elements, so no word overflows: the largest is below
 * 3 * 2^62.
 */
#ifndef GA_INT_MOMENTS_CUH
#define GA_INT_MOMENTS_CUH

#include "array_source.cuh"
#include "mixed_source.cuh"
#include "reduce.cuh"
#include "wide_cells.cuh"

/* Words of the squares. */
constexpr int kSquareWords = 4;

/* Return the lower and the upper half of x. */
static __device__ __forceinline__ uint64_t
low_half(uint64_t x)
{
	return uint32_t(x);
}

static __device__ __forceinline__ uint64_t
high_half(uint64_t x)
{
	return x >> 32;
}

/* The sums of a thread. */
template <typename T>
struct IntSums
{
	int64_t sum[2];
	uint64_t squares[kSquareWords];

	__device__ __forceinline__ void
	add(T x)
	{
		const uint64_t square = uint64_t(int64_t(x) * x);

		sum[0] += x;
		squares[0] += low_half(square);
		if (sizeof(T) == 4)
			squares[1] += high_half(square);
	}
};

template <>
__device__ __forceinline__ void
IntSums<int64_t>::add(int64_t x)
{
	const uint64_t magnitude = x < 0 ? -uint64_t(x) : uint64_t(x);
	const uint64_t a = low_half(magnitude);
	const uint64_t b = high_half(magnitude);
	const uint64_t aa = a * a;
	const uint64_t ab = a * b;
	const uint64_t bb = b * b;

	sum[0] += low_half(x);
	sum[1] += x >> 32;
	squares[0] += low_half(aa);
	squares[1] += high_half(aa) + 2 * low_half(ab);
	squares[2] += 2 * high_half(ab) + low_half(bb);
	squares[3] += high_half(bb);
}

template <typename T, typename S = ArraySource<T>>
struct IntMoments
{
	using Source = S;
	using Mixed = IntMoments<T, MixedSource<T>>;
	static constexpr int kWords = 2 + kSquareWords;
	static constexpr int kRecords = 2;
	static constexpr bool kTakesVectors = false;
	static constexpr bool kHasRuns = false;

	IntSums<T> sums;

	static __device__ __forceinline__ T
	outside()
	{
		return 0;
	}

	__device__ __forceinline__ void
	init()
	{
		sums = {};
	}

	__device__ __forceinline__ void
	add(const Items<T> &items, unsigned long long *)
	{
#pragma unroll
		for (int i = 0; i < kItemsPerThread<T>; i++)
			sums.add(items.item(i));
	}

	__device__ __forceinline__ void
	flush(unsigned long long *words)
	{
#pragma unroll
		for (int i = 0; i < 2; i++)
			add_word(words + i, group_sum(sums.sum[i], kWarp));
#pragma unroll
		for (int i = 0; i < kSquareWords; i++)
			add_word(words + 2 + i, group_sum(int64_t(sums.squares[i]), kWarp));
		init();
	}

	static __device__ __forceinline__ void
	combine(unsigned long long *to, unsigned long long word)
	{
		atomicAdd(to, word);
	}

	static __device__ __forceinline__ void
	finish(const unsigned long long *words, GaPartialSum *records)
	{
		int64_t carry = 0;
		uint64_t square_carry = 0;
		uint32_t sum[kDigits];
		uint32_t squares[kDigits];

#pragma unroll
		for (int i = 0; i < kDigits; i++)
		{
			carry += i < 2 ? int64_t(words[i]) : 0;
			sum[i] = uint32_t(carry);
			carry >>= 32;
			/* the word and the carry may have 65 bits */
			const uint64_t word = i < kSquareWords ? words[2 + i] : 0;
			const uint64_t low = low_half(word) + low_half(square_carry);

			squares[i] = uint32_t(low);
			square_carry =
				high_half(word) + high_half(square_carry) + high_half(low);
		}
		if (lane_id() != 0)
			return;
		store_digits(records, sum);
		store_digits(records + 1, squares);
	}
};

#endif /* GA_INT_MOMENTS_CUH */
