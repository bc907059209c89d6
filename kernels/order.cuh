/*
 * order.cuh
 *		Elements as integers, keys, whose order is that of extremum.h.
 */
#ifndef GA_ORDER_CUH
#define GA_ORDER_CUH

#include "common.cuh"
extern "C"
{
#include "exact/extremum.h"
}

/* The key of an integer is the integer. */
template <typename T>
struct Order
{
	using Key =
		typename std::conditional<sizeof(T) == 8, int64_t, int32_t>::type;

	static __device__ __forceinline__ Key
	key(T x)
	{
		return x;
	}

	static __device__ __forceinline__ T
	least()
	{
		return std::is_same<T, int16_t>::value ? T(INT16_MIN) :
			   sizeof(T) == 4				   ? T(INT32_MIN) :
												 T(INT64_MIN);
	}

	static __device__ __forceinline__ T
	largest()
	{
		return T(~least());
	}

	/* Return the value of a key as a result has it. */
	static __device__ __forceinline__ uint64_t
	value(int64_t key)
	{
		return uint64_t(key);
	}
};

/*
 * Floats: the bits of positive ones have their order, and those of negative
 * ones the reverse of it, so all but the sign is inverted.  All NaN have the
 * largest key: as ga_element_key().
 */
template <>
struct Order<double>
{
	using Key = int64_t;

	static __device__ __forceinline__ Key
	key(double x)
	{
		const int64_t bits = __double_as_longlong(x);

		return x != x ? GA_FLOAT8_NAN_BITS : bits ^ ((bits >> 63) & INT64_MAX);
	}

	static __device__ __forceinline__ double
	least()
	{
		return -__longlong_as_double(0x7ff0000000000000);
	}

	static __device__ __forceinline__ double
	largest()
	{
		return GA_FLOAT8_NAN;
	}

	static __device__ __forceinline__ uint64_t
	value(int64_t key)
	{
		return uint64_t(ga_float8_of_key(key));
	}
};

template <>
struct Order<float>
{
	using Key = int32_t;

	static __device__ __forceinline__ Key
	key(float x)
	{
		const int32_t bits = __float_as_int(x);

		return x != x ? GA_FLOAT4_NAN_BITS : bits ^ ((bits >> 31) & INT32_MAX);
	}

	static __device__ __forceinline__ float
	least()
	{
		return -__int_as_float(0x7f800000);
	}

	static __device__ __forceinline__ float
	largest()
	{
		return float(GA_FLOAT8_NAN);
	}

	static __device__ __forceinline__ uint64_t
	value(int64_t key)
	{
		const double x = __int_as_float(ga_float4_of_key(int32_t(key)));

		return __double_as_longlong(key == GA_FLOAT4_NAN_BITS ? GA_FLOAT8_NAN :
																x);
	}
};

/*
 * The largest of a group of n lanes, in all of them, by shuffles; a whole warp.
 * None is NaN.
 */
template <typename X>
static __device__ __forceinline__ X
shuffle_max(X x, int n)
{
	for (int step = n / 2; step > 0; step /= 2)
	{
		const X other = __shfl_xor_sync(kFullMask, x, step);

		x = x > other ? x : other;
	}
	return x;
}

/* The largest key of a warp, in all lanes; a whole warp. */
static __device__ __forceinline__ int32_t
warp_max(int32_t x)
{
#if __CUDA_ARCH__ >= 800
	return __reduce_max_sync(kFullMask, x);
#else
	return shuffle_max(x, kWarp);
#endif
}

/* The same of integers and doubles of 64 bits, none of which is NaN. */
template <typename X>
static __device__ __forceinline__ X
warp_max(X x)
{
	return shuffle_max(x, kWarp);
}

#endif /* GA_ORDER_CUH */
