/*
 * kernels_cub.cu
 *		CUB's sums, extrema and running totals, as its users would call them.
 *
 * Sizes are of int, for which CUB has its fastest code.  Integers are added in
 * 64 bits, as ours are in more.  Sums read int4 through a transform, which
 * leaves CUB its vector loads; running totals through an iterator, which
 * leaves it its own operator and what it is tuned for.
 *
 * CUB of CUDA 12.4 and older has no transform in a sum.  There is nothing to
 * compare with then: only `kernels --ours` runs.
 */
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "kernels_gpu.h"

#if CUB_VERSION <= 200302

cudaError_t
bench_cub_sum(void *, size_t *, GaElementType, const void *, void *, size_t,
			  cudaStream_t)
{
	return cudaErrorNotSupported;
}

cudaError_t
bench_cub_extremum(void *, size_t *, bool, GaElementType, const void *, void *,
				   size_t, cudaStream_t)
{
	return cudaErrorNotSupported;
}

cudaError_t
bench_cub_scan(void *, size_t *, GaElementType, bool, const void *, void *,
			   size_t, cudaStream_t)
{
	return cudaErrorNotSupported;
}

#else

struct Widen
{
	__host__ __device__ long long
	operator()(int32_t x) const
	{
		return x;
	}
};

/* Reads From as To. */
template <typename From, typename To>
struct WideningIterator
{
	using iterator_category = cuda::std::random_access_iterator_tag;
	using value_type = To;
	using difference_type = ptrdiff_t;
	using pointer = const To *;
	using reference = To;

	const From *at;

	__host__ __device__ To
	operator*() const
	{
		return *at;
	}

	__host__ __device__ To
	operator[](difference_type i) const
	{
		return at[i];
	}

	__host__ __device__ WideningIterator
	operator+(difference_type i) const
	{
		return WideningIterator{at + i};
	}

	__host__ __device__ WideningIterator &
	operator+=(difference_type i)
	{
		at += i;
		return *this;
	}

	__host__ __device__ WideningIterator &
	operator++()
	{
		++at;
		return *this;
	}

	__host__ __device__ difference_type
	operator-(const WideningIterator &other) const
	{
		return at - other.at;
	}

	__host__ __device__ bool
	operator==(const WideningIterator &other) const
	{
		return at == other.at;
	}

	__host__ __device__ bool
	operator!=(const WideningIterator &other) const
	{
		return at != other.at;
	}
};

template <typename T>
static cudaError_t
sum(void *temp, size_t *temp_bytes, const void *in, void *out, size_t n,
	cudaStream_t stream)
{
	return cub::DeviceReduce::Sum(temp, *temp_bytes, (const T *) in, (T *) out,
								  (int) n, stream);
}

static cudaError_t
sum_int4(void *temp, size_t *temp_bytes, const void *in, void *out, size_t n,
		 cudaStream_t stream)
{
	return cub::DeviceReduce::TransformReduce(
		temp, *temp_bytes, (const int32_t *) in, (long long *) out, (int) n,
		cuda::std::plus<>{}, Widen{}, 0LL, stream);
}

cudaError_t
bench_cub_sum(void *temp, size_t *temp_bytes, GaElementType type,
			  const void *in, void *out, size_t n, cudaStream_t stream)
{
	switch (type)
	{
		case GA_int4:
			return sum_int4(temp, temp_bytes, in, out, n, stream);
		case GA_int8:
			return sum<long long>(temp, temp_bytes, in, out, n, stream);
		case GA_float4:
			return sum<float>(temp, temp_bytes, in, out, n, stream);
		case GA_float8:
			return sum<double>(temp, temp_bytes, in, out, n, stream);
		default:
			return cudaErrorInvalidValue;
	}
}

template <typename T>
static cudaError_t
extremum(void *temp, size_t *temp_bytes, bool is_max, const void *in, void *out,
		 size_t n, cudaStream_t stream)
{
	if (is_max)
		return cub::DeviceReduce::Max(temp, *temp_bytes, (const T *) in,
									  (T *) out, (int) n, stream);
	return cub::DeviceReduce::Min(temp, *temp_bytes, (const T *) in, (T *) out,
								  (int) n, stream);
}

cudaError_t
bench_cub_extremum(void *temp, size_t *temp_bytes, bool is_max,
				   GaElementType type, const void *in, void *out, size_t n,
				   cudaStream_t stream)
{
	switch (type)
	{
#define X(name, family, ctype) \
	case GA_##name:            \
		return extremum<ctype>(temp, temp_bytes, is_max, in, out, n, stream);
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			return cudaErrorInvalidValue;
	}
}

template <typename T>
static cudaError_t
scan(void *temp, size_t *temp_bytes, const void *in, void *out, size_t n,
	 cudaStream_t stream)
{
	return cub::DeviceScan::InclusiveSum(temp, *temp_bytes, (const T *) in,
										 (T *) out, (int) n, stream);
}

template <typename From, typename To>
static cudaError_t
scan_widening(void *temp, size_t *temp_bytes, const void *in, void *out,
			  size_t n, cudaStream_t stream)
{
	WideningIterator<From, To> from{(const From *) in};

	return cub::DeviceScan::InclusiveSum(temp, *temp_bytes, from, (To *) out,
										 (int) n, stream);
}

cudaError_t
bench_cub_scan(void *temp, size_t *temp_bytes, GaElementType type, bool int128,
			   const void *in, void *out, size_t n, cudaStream_t stream)
{
	switch (type)
	{
		case GA_int4:
			return scan_widening<int32_t, long long>(temp, temp_bytes, in, out,
													 n, stream);
		case GA_int8:
			if (int128)
				return scan_widening<int64_t, __int128_t>(temp, temp_bytes, in,
														  out, n, stream);
			return scan<long long>(temp, temp_bytes, in, out, n, stream);
		case GA_float4:
			return scan<float>(temp, temp_bytes, in, out, n, stream);
		case GA_float8:
			return scan<double>(temp, temp_bytes, in, out, n, stream);
		default:
			return cudaErrorInvalidValue;
	}
}

#endif
