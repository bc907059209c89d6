/*
 * thread_sum.cuh
 *		The sum of a thread, for each element type.
 *
 * ThreadSum<T> has add(); add_group(), the sum over a group of lanes; limbs(),
 * the sum as an integer in units of first_cell().  Floats may refuse items;
 * integers never do.
 */
#ifndef GA_THREAD_SUM_CUH
#define GA_THREAD_SUM_CUH

#include "levels.cuh"
#include "sum.h"

template <typename T>
struct ThreadSum;

/*
 * Integers of up to 32 bits: 64 bits hold the sum of 2^31 of them, which is
 * more than an array has, so that all totals of a block may be added.
 */
template <typename T>
struct SmallIntSum
{
	static constexpr bool kIsInt = true;
	int64_t total;

	__device__ __forceinline__ void
	clear()
	{
		total = 0;
	}

	__device__ __forceinline__ void
	add_group(int n)
	{
		total = group_sum(total, n);
	}

	/* Add an item, or take it away. */
	template <bool kAdds = true>
	__device__ __forceinline__ void
	add_item(T x)
	{
		total += kAdds ? int64_t(x) : -int64_t(x);
	}

	/* Add another sum. */
	__device__ __forceinline__ void
	add(const SmallIntSum &other)
	{
		total += other.total;
	}

	__device__ __forceinline__ Limbs
	limbs() const
	{
		Limbs result = {};

		result.add_shifted(total, 0);
		return result;
	}

	__device__ __forceinline__ int
	first_cell() const
	{
		return 0;
	}
};

template <>
struct ThreadSum<int32_t> : SmallIntSum<int32_t>
{
	using SmallIntSum::add;

	__device__ __forceinline__ void
	add(const Vector<int32_t> &vector)
	{
#pragma unroll
		for (int i = 0; i < vector.kSize; i++)
			total += vector.item[i];
	}
};

/* The eight items of a vector are summed in 32 bits. */
template <>
struct ThreadSum<int16_t> : SmallIntSum<int16_t>
{
	using SmallIntSum::add;

	__device__ __forceinline__ void
	add(const Vector<int16_t> &vector)
	{
		int sum = 0;

#pragma unroll
		for (int i = 0; i < vector.kSize; i++)
			sum += vector.item[i];
		total += sum;
	}
};

/* Two halves, which 2^30 items, as many as arrays have, cannot overflow. */
template <>
struct ThreadSum<int64_t>
{
	static constexpr bool kIsInt = true;
	int64_t low;
	int64_t high;

	__device__ __forceinline__ void
	clear()
	{
		low = high = 0;
	}

	__device__ __forceinline__ void
	add(const Vector<int64_t> &vector)
	{
#pragma unroll
		for (int i = 0; i < vector.kSize; i++)
		{
			low += uint32_t(vector.item[i]);
			high += vector.item[i] >> 32;
		}
	}

	__device__ __forceinline__ void
	add(const ThreadSum &other)
	{
		low += other.low;
		high += other.high;
	}

	template <bool kAdds = true>
	__device__ __forceinline__ void
	add_item(int64_t x)
	{
		low += kAdds ? int64_t(uint32_t(x)) : -int64_t(uint32_t(x));
		high += kAdds ? x >> 32 : -(x >> 32);
	}

	__device__ __forceinline__ void
	add_group(int n)
	{
		low = group_sum(low, n);
		high = group_sum(high, n);
	}

	__device__ __forceinline__ Limbs
	limbs() const
	{
		Limbs result = {};

		result.add_shifted(low, 0);
		result.add_shifted(high, 32);
		return result;
	}

	__device__ __forceinline__ int
	first_cell() const
	{
		return 0;
	}
};

template <typename T>
struct FloatSum : LevelSum<T>
{
	static constexpr bool kIsInt = false;
};

template <>
struct ThreadSum<float> : FloatSum<float>
{
};

template <>
struct ThreadSum<double> : FloatSum<double>
{
};

static_assert(total_spacing(GA_float4) == Level<float>::kSpacing &&
				  total_spacing(GA_float8) == Level<double>::kSpacing,
			  "as the host adds them");

/* Return a warp's sum for the host; for floats without the tail. */
template <typename T>
static __device__ __forceinline__ WarpResult
warp_result(const SmallIntSum<T> &sum)
{
	return WarpResult{
		{flagged_word(sum.total), flagged_word(0), flagged_word(0)},
		tail_word(0, 0)};
}

static __device__ __forceinline__ WarpResult
warp_result(const ThreadSum<int64_t> &sum)
{
	return WarpResult{
		{flagged_word(sum.low), flagged_word(sum.high), flagged_word(0)},
		tail_word(0, 0)};
}

template <typename T>
static __device__ __forceinline__ WarpResult
warp_result(const LevelSum<T> &sum)
{
	WarpResult result = {};

#pragma unroll
	for (int k = 0; k < 3; k++)
		result.total[k] =
			flagged_word(k < sum.kCount ? sum.total[sum.kCount - 1 - k] : 0);
	return result;
}

#endif /* GA_THREAD_SUM_CUH */
