/*
 * elements.cu
 *		Elements for the ladder, and comparisons of what a rung made of them.
 *
 * All kernels here but one are loops over a grid of kBlocks blocks of kThreads;
 * none of them is timed.
 */
#include "rung.h"

constexpr int kBlocks = 1024;
constexpr int kThreads = 256;

/* At 1.5 to 2 GHz. */
constexpr long long kHoldCycles = 40000;

#define FOR_ALL(i, n)                                                         \
	for (uint64_t i = uint64_t(blockIdx.x) * kThreads + threadIdx.x; i < (n); \
		 i += uint64_t(kBlocks) * kThreads)

static __device__ void
make(int32_t *to, uint64_t i)
{
	*to = ga_ladder_int(i);
}

static __device__ void
make(int64_t *to, uint64_t i)
{
	*to = ga_ladder_int(i);
}

static __device__ void
make(float *to, uint64_t i)
{
	*to = ga_ladder_float4(i);
}

static __device__ void
make(double *to, uint64_t i)
{
	*to = ga_ladder_float8(i);
}

template <typename T>
static __global__ void
make_all(T *to, uint32_t n)
{
	FOR_ALL(i, n)
	make(to + i, i);
}

template <typename T>
static void
launch_make(void *to, uint32_t n, cudaStream_t stream)
{
	make_all<T><<<kBlocks, kThreads, 0, stream>>>((T *) to, n);
}

cudaError_t
make_elements(GaElementType type, void *to, uint32_t n, cudaStream_t stream)
{
	switch (type)
	{
		case GA_int4:
			launch_make<int32_t>(to, n, stream);
			break;
		case GA_int8:
			launch_make<int64_t>(to, n, stream);
			break;
		case GA_float4:
			launch_make<float>(to, n, stream);
			break;
		case GA_float8:
			launch_make<double>(to, n, stream);
			break;
		default:
			return cudaErrorInvalidValue;
	}
	return cudaGetLastError();
}

/* One thread. */
static __global__ void
spin(long long n_cycles)
{
	const long long start = clock64();

	while (clock64() - start < n_cycles)
		;
}

cudaError_t
hold_stream(cudaStream_t stream)
{
	spin<<<1, 1, 0, stream>>>(kHoldCycles);
	return cudaGetLastError();
}

static __global__ void
compare_words(const uint32_t *a, const uint32_t *b, uint64_t n, uint32_t *any)
{
	bool differs = false;

	FOR_ALL(i, n)
	differs |= a[i] != b[i];
	if (differs)
		atomicExch(any, 1u);
}

cudaError_t
find_difference(const void *a, const void *b, size_t n_bytes, uint32_t *any,
				cudaStream_t stream)
{
	compare_words<<<kBlocks, kThreads, 0, stream>>>(
		(const uint32_t *) a, (const uint32_t *) b, n_bytes / sizeof(uint32_t),
		any);
	return cudaGetLastError();
}

static __device__ double
distance(int64_t a, int64_t b)
{
	return fabs(double(a - b));
}

static __device__ double
distance(double a, double b)
{
	return fabs(a - b);
}

/* What is compared as one type: integers of any size, or floats. */
template <typename T>
using Wide = typename std::conditional<std::is_integral<T>::value, int64_t,
									   double>::type;

/* Doubles that are not negative are in the order of their bits. */
template <typename T, typename U>
static __global__ void
compare_totals(const T *results, const U *truth, uint32_t n, double *worst)
{
	double mine = 0;

	FOR_ALL(i, n)
	{
		const double off = distance(Wide<T>(results[i]), Wide<U>(truth[i]));

		/* a NaN, too */
		if (!isnan(mine) && !(off <= mine))
			mine = off;
	}
	if (mine != 0)
		atomicMax((unsigned long long *) worst,
				  (unsigned long long) __double_as_longlong(mine));
}

template <typename T, typename U>
static cudaError_t
launch_compare(const void *results, const void *truth, uint32_t n,
			   double *worst, cudaStream_t stream)
{
	compare_totals<T, U><<<kBlocks, kThreads, 0, stream>>>(
		(const T *) results, (const U *) truth, n, worst);
	return cudaGetLastError();
}

cudaError_t
find_worst(GaElementType type, const void *results, GaElementType truth_type,
		   const void *truth, uint32_t n, double *worst, cudaStream_t stream)
{
	if (type == GA_int4 && truth_type == GA_int8)
		return launch_compare<int32_t, int64_t>(results, truth, n, worst,
												stream);
	if (type != truth_type)
		return cudaErrorInvalidValue;
	switch (type)
	{
		case GA_int4:
			return launch_compare<int32_t, int32_t>(results, truth, n, worst,
													stream);
		case GA_int8:
			return launch_compare<int64_t, int64_t>(results, truth, n, worst,
													stream);
		case GA_float4:
			return launch_compare<float, float>(results, truth, n, worst,
												stream);
		case GA_float8:
			return launch_compare<double, double>(results, truth, n, worst,
												  stream);
		default:
			return cudaErrorInvalidValue;
	}
}

static __global__ void
narrow_all(const int64_t *from, int32_t *to, uint32_t n)
{
	FOR_ALL(i, n)
	to[i] = int32_t(from[i]);
}

cudaError_t
narrow(const int64_t *from, int32_t *to, uint32_t n, cudaStream_t stream)
{
	narrow_all<<<kBlocks, kThreads, 0, stream>>>(from, to, n);
	return cudaGetLastError();
}
