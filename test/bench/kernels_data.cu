/*
 * kernels_data.cu
 *		Data made on the device, and looks at results there.
 *
 * Elements are hashes of their index, so a longer array begins with the
 * shorter ones, and every run has the same.  None is minus zero, but for
 * whole-range data.
 *
 * All kernels here are loops over a grid of N_BLOCKS blocks of N_THREADS; only
 * those that report something use atomics, and sums of integers come out the
 * same in any order.
 */
#include <assert.h>

#include "kernels_gpu.h"

#define N_BLOCKS  1024
#define N_THREADS 256

/* The finalizer of splitmix64, over a counter. */
static __device__ inline uint64_t
hash(uint64_t i, uint64_t salt)
{
	uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ salt << 56;

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* By Box and Muller; the logarithm is of a number in (0, 1). */
static __device__ double
normal(uint64_t i)
{
	double u = ((double) (hash(i, 1) >> 12) + 0.5) * 0x1p-52;
	double v = (double) (hash(i, 2) >> 11) * 0x1p-53;

	return sqrt(-2 * log(u)) * cospi(2 * v) + 0.0;
}

/* Decimals; a time series has an element for each hour. */
static __device__ double
decimal(BenchData data, uint64_t i, uint64_t h)
{
	const double day = (double) i / 24;
	const double noise = (double) (h >> 11) * 0x1p-53;

	switch (data)
	{
		case BENCH_WALK:
			return rint(10000 + 3000 * sinpi(day / 40) +
						900 * sinpi(day / 7.3) + 50 * noise) /
				   100;
		case BENCH_TEMPERATURES:
			return rint(120 + 110 * sinpi(day / 182.6) + 50 * sinpi(2 * day) +
						60 * (noise - 0.5)) /
					   10 +
				   0.0;
		case BENCH_RAIN:
			return hash(i, 1) % 100 < 85 ? 0 : (double) (h % 800 + 1) / 10;
		default:
			return (double) (h % 100000) / 100;
	}
}

static __device__ void
make(double *to, BenchData data, uint64_t i)
{
	uint64_t h = hash(i, 0);

	if (data >= BENCH_PRICES &&
		(data != BENCH_OUTLIERS || hash(i, 1) % 1000 >= 3))
	{
		*to = decimal(data, i, h);
		return;
	}

	if (data == BENCH_NORMAL)
		*to = normal(i);
	else if (data == BENCH_WHOLE)
		*to = __longlong_as_double(
			(long long) ((h & UINT64_C(0x800fffffffffffff)) | hash(i, 3) % 2047
																  << 52));
	else
		*to = ((double) (h >> 11) - 0x1p52) * 0x1p-52;
}

static __device__ void
make(float *to, BenchData data, uint64_t i)
{
	uint64_t h = hash(i, 0);

	if (data == BENCH_NORMAL)
		*to = (float) normal(i);
	else if (data == BENCH_WHOLE)
		*to = __uint_as_float(((uint32_t) h & 0x807fffff) |
							  (uint32_t) (hash(i, 3) % 255) << 23);
	else
		*to = ((float) (h >> 40) - 0x1p23f) * 0x1p-23f;
}

static __device__ void
make(int64_t *to, BenchData data, uint64_t i)
{
	const uint64_t h = hash(i, 0);

	*to =
		data == BENCH_MILLION ? (int64_t) (h % 1000000) :
		data == BENCH_31_BITS ? (int64_t) (h >> 33) :
								(int64_t) h >> (data == BENCH_40_BITS ? 23 : 0);
}

static __device__ void
make(int32_t *to, BenchData data, uint64_t i)
{
	const uint64_t h = hash(i, 0);

	*to = data == BENCH_THOUSAND ? (int32_t) (h % 1000) : (int32_t) h;
}

static __device__ void
make(int16_t *to, BenchData data, uint64_t i)
{
	*to = (int16_t) hash(i, 0);
}

#define FOR_ALL(i, n)                                                  \
	for (uint64_t i = (uint64_t) blockIdx.x * N_THREADS + threadIdx.x; \
		 i < (n); i += (uint64_t) N_BLOCKS * N_THREADS)

template <typename T>
static __global__ void
fill(T *to, BenchData data, uint64_t n)
{
	FOR_ALL(i, n)
	make(to + i, data, i);
}

/* The first n elements of that type and data. */
cudaError_t
bench_fill(void *to, GaElementType type, BenchData data, size_t n,
		   cudaStream_t stream)
{
	switch (type)
	{
#define X(name, family, ctype)                                           \
	case GA_##name:                                                      \
		fill<<<N_BLOCKS, N_THREADS, 0, stream>>>((ctype *) to, data, n); \
		break;
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			return cudaErrorInvalidValue;
	}
	return cudaGetLastError();
}

/* Add up what each thread has, in *to, which the caller cleared. */
static __device__ void
add_up(uint64_t *to, uint64_t x)
{
	for (int i = 16; i > 0; i /= 2)
		x += __shfl_down_sync(0xffffffff, x, i);
	if (threadIdx.x % 32 == 0)
		atomicAdd((unsigned long long *) to, (unsigned long long) x);
}

static __global__ void
read_all(const ulonglong2 *from, uint64_t n, uint64_t *sink)
{
	uint64_t x = 0;

	FOR_ALL(i, n)
	{
		ulonglong2 y = from[i];

		x += y.x ^ y.y;
	}
	add_up(sink, x);
}

/* Read memory, a multiple of 16 bytes. */
cudaError_t
bench_read(const void *from, size_t n_bytes, uint64_t *sink,
		   cudaStream_t stream)
{
	read_all<<<N_BLOCKS, N_THREADS, 0, stream>>>((const ulonglong2 *) from,
												 n_bytes / 16, sink);
	return cudaGetLastError();
}

static __global__ void
digest_all(const uint64_t *from, uint64_t n, uint64_t *digest)
{
	uint64_t x = 0;

	FOR_ALL(i, n)
	x += hash(from[i] + hash(i, 4), 5);
	add_up(digest, x);
}

/* A sum over hashes of all words and their places; a multiple of 8 bytes. */
cudaError_t
bench_digest(const void *from, size_t n_bytes, uint64_t *digest,
			 cudaStream_t stream)
{
	cudaError_t failure;

	assert(n_bytes % 8 == 0);
	failure = cudaMemsetAsync(digest, 0, sizeof(*digest), stream);
	if (failure != cudaSuccess)
		return failure;
	digest_all<<<N_BLOCKS, N_THREADS, 0, stream>>>((const uint64_t *) from,
												   n_bytes / 8, digest);
	return cudaGetLastError();
}

/* NaN is apart from everything. */
template <typename T>
static __device__ bool
is_apart(T a, T b, double tolerance)
{
	return !(fabs((double) a - (double) b) <= tolerance);
}

static __device__ bool
is_apart(int64_t a, int64_t b, double tolerance)
{
	return a != b;
}

template <typename T>
static __global__ void
count_apart(const T *a, const T *b, uint64_t n, double tolerance,
			uint64_t *count)
{
	uint64_t x = 0;

	FOR_ALL(i, n)
	x += is_apart(a[i], b[i], tolerance);
	add_up(count, x);
}

/*
 * How many of n results are further apart than the tolerance, or different if
 * they are int8.
 */
cudaError_t
bench_count_apart(const void *a, const void *b, GaElementType type, size_t n,
				  double tolerance, uint64_t *count, cudaStream_t stream)
{
	cudaError_t failure = cudaMemsetAsync(count, 0, sizeof(*count), stream);

	if (failure != cudaSuccess)
		return failure;

#define COUNT_APART(ctype)                           \
	count_apart<<<N_BLOCKS, N_THREADS, 0, stream>>>( \
		(const ctype *) a, (const ctype *) b, n, tolerance, count)
	if (type == GA_float8)
		COUNT_APART(double);
	else if (type == GA_float4)
		COUNT_APART(float);
	else if (type == GA_int8)
		COUNT_APART(int64_t);
	else
		return cudaErrorInvalidValue;
#undef COUNT_APART
	return cudaGetLastError();
}

static __global__ void
spin(uint64_t ns)
{
	uint64_t start;
	uint64_t now;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
	do
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	while (now - start < ns);
}

cudaError_t
bench_spin(unsigned us, cudaStream_t stream)
{
	spin<<<1, 1, 0, stream>>>(uint64_t(us) * 1000);
	return cudaGetLastError();
}
