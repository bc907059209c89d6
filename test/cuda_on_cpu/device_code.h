/*
 * device_code.h
 *		The functions that CUDA has for the code of kernels, on the CPU.
 */
#ifndef DEVICE_CODE_H
#define DEVICE_CODE_H

#include <type_traits>

/* Shared memory of a block: `rewrite` makes these of __shared__. */
template <typename T, typename Place>
static inline T &
cpu_shared_of(Place)
{
	static const char place = 0;

	return *(T *) cpu_shared_variable(&place, sizeof(T));
}

/* Convert the bits. */
template <typename To, typename From>
static inline To
cpu_bits(From from)
{
	To to;

	static_assert(sizeof(To) == sizeof(From), "of the same size");
	memcpy(&to, &from, sizeof(to));
	return to;
}

static inline long long
__double_as_longlong(double x)
{
	return cpu_bits<long long>(x);
}

static inline double
__longlong_as_double(long long x)
{
	return cpu_bits<double>(x);
}

static inline int
__float_as_int(float x)
{
	return cpu_bits<int>(x);
}

static inline float
__int_as_float(int x)
{
	return cpu_bits<float>(x);
}

static inline int
__double2hiint(double x)
{
	return int(cpu_bits<uint64_t>(x) >> 32);
}

static inline int
__double2loint(double x)
{
	return int(cpu_bits<uint64_t>(x));
}

static inline double
__hiloint2double(int high, int low)
{
	return cpu_bits<double>(uint64_t(unsigned(high)) << 32 | unsigned(low));
}

static inline int
__clz(int x)
{
	return x == 0 ? 32 : __builtin_clz(unsigned(x));
}

static inline int
__clzll(long long x)
{
	return x == 0 ? 64 : __builtin_clzll((unsigned long long) x);
}

static inline int
__ffs(int x)
{
	return __builtin_ffs(x);
}

static inline int
__ffsll(long long x)
{
	return __builtin_ffsll(x);
}

static inline int
__popc(unsigned x)
{
	return __builtin_popcount(x);
}

/* Bits of high:low that shift left into the high word, or right to the low. */
static inline unsigned
__funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
	return unsigned((uint64_t(high) << 32 | low) << (shift & 31) >> 32);
}

static inline unsigned
__funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
	return unsigned((uint64_t(high) << 32 | low) >> (shift & 31));
}

/* Byte i of the result is byte (selector >> 4 * i & 7) of b:a. */
static inline unsigned
__byte_perm(unsigned a, unsigned b, unsigned selector)
{
	const uint64_t bytes = uint64_t(b) << 32 | a;
	unsigned result = 0;

	for (int i = 0; i < 4; i++)
		result |= unsigned(bytes >> 8 * (selector >> 4 * i & 7) & 0xff)
				  << 8 * i;
	return result;
}

/* c and the products of four bytes; of two halves of a and the low bytes. */
static inline unsigned
__dp4a(unsigned a, unsigned b, unsigned c)
{
	for (int i = 0; i < 4; i++)
		c += (a >> 8 * i & 0xff) * (b >> 8 * i & 0xff);
	return c;
}

static inline unsigned
__dp2a_lo(unsigned a, unsigned b, unsigned c)
{
	return c + (a & 0xffff) * (b & 0xff) + (a >> 16) * (b >> 8 & 0xff);
}

static inline unsigned long long
__umul64hi(unsigned long long a, unsigned long long b)
{
	return (unsigned long long) ((unsigned __int128) a * b >> 64);
}

static inline long long
__mul64hi(long long a, long long b)
{
	return (long long) ((__int128) a * b >> 64);
}

static inline unsigned
__umulhi(unsigned a, unsigned b)
{
	return unsigned((uint64_t) a * b >> 32);
}

static inline double
__fma_rn(double a, double b, double c)
{
	return fma(a, b, c);
}

static inline float
__fmaf_rn(float a, float b, float c)
{
	return fmaf(a, b, c);
}

/* Add, and round toward zero. */
static inline double
__dadd_rz(double a, double b)
{
	const double sum = a + b;
	const double of_b = sum - a;
	const double error = (a - (sum - of_b)) + (b - of_b);

	if (isinf(sum) && isfinite(a) && isfinite(b))
		return copysign(DBL_MAX, sum);
	if (isfinite(sum) && error != 0 && (error < 0) == (sum > 0))
		return nextafter(sum, 0.0);
	return sum;
}

template <typename A, typename B>
static inline typename std::common_type<A, B>::type
min(A a, B b)
{
	using C = typename std::common_type<A, B>::type;

	return C(b) < C(a) ? C(b) : C(a);
}

template <typename A, typename B>
static inline typename std::common_type<A, B>::type
max(A a, B b)
{
	using C = typename std::common_type<A, B>::type;

	return C(b) > C(a) ? C(b) : C(a);
}

/* Barriers and fences. */
static inline void
__syncthreads(void)
{
	(void) cpu_barrier(0, 0);
}

static inline int
__syncthreads_or(int value)
{
	return cpu_barrier(0, 0, value != 0);
}

static inline void
__syncwarp(unsigned mask = 0xffffffff)
{
	(void) cpu_collect(kCpuSync, mask);
}

static inline void
__threadfence(void)
{
	cpu_pause();
}

static inline void
__threadfence_block(void)
{
	cpu_pause();
}

/* Functions of a warp. */
static inline unsigned
__ballot_sync(unsigned mask, int value)
{
	return unsigned(cpu_collect(kCpuBallot, mask, value != 0));
}

static inline int
__any_sync(unsigned mask, int value)
{
	return __ballot_sync(mask, value) != 0;
}

static inline int
__all_sync(unsigned mask, int value)
{
	return __ballot_sync(mask, value) == mask;
}

static inline unsigned
__reduce_add_sync(unsigned mask, unsigned x)
{
	return unsigned(cpu_collect(kCpuAdd, mask, x));
}

static inline int
__reduce_add_sync(unsigned mask, int x)
{
	return int(cpu_collect(kCpuAdd, mask, unsigned(x)));
}

static inline unsigned
__reduce_and_sync(unsigned mask, unsigned x)
{
	return unsigned(cpu_collect(kCpuAnd, mask, x));
}

static inline unsigned
__reduce_or_sync(unsigned mask, unsigned x)
{
	return unsigned(cpu_collect(kCpuOr, mask, x));
}

static inline unsigned
__reduce_xor_sync(unsigned mask, unsigned x)
{
	return unsigned(cpu_collect(kCpuXor, mask, x));
}

static inline unsigned
__reduce_min_sync(unsigned mask, unsigned x)
{
	return unsigned(cpu_collect(kCpuMin, mask, x));
}

static inline int
__reduce_min_sync(unsigned mask, int x)
{
	return int(cpu_collect(kCpuMinSigned, mask, unsigned(x)));
}

static inline unsigned
__reduce_max_sync(unsigned mask, unsigned x)
{
	return unsigned(cpu_collect(kCpuMax, mask, x));
}

static inline int
__reduce_max_sync(unsigned mask, int x)
{
	return int(cpu_collect(kCpuMaxSigned, mask, unsigned(x)));
}

/* Shuffle from a lane of the warp, or from oneself if it is outside. */
template <typename T>
static inline T
cpu_shuffle(unsigned mask, T x, int source, bool is_inside)
{
	const int lane = int(threadIdx.x) % warpSize;
	uint64_t word = 0;
	T result;

	static_assert(sizeof(T) <= sizeof(word), "as CUDA's");
	memcpy(&word, &x, sizeof(x));
	word = cpu_collect(kCpuShuffle, mask, word,
					   unsigned(is_inside ? source : lane));
	memcpy(&result, &word, sizeof(result));
	return result;
}

template <typename T>
static inline T
__shfl_sync(unsigned mask, T x, int source)
{
	return cpu_shuffle(mask, x, source & (warpSize - 1), true);
}

template <typename T>
static inline T
__shfl_up_sync(unsigned mask, T x, unsigned step)
{
	const int source = int(threadIdx.x) % warpSize - int(step);

	return cpu_shuffle(mask, x, source, source >= 0);
}

template <typename T>
static inline T
__shfl_down_sync(unsigned mask, T x, unsigned step)
{
	const int source = int(threadIdx.x) % warpSize + int(step);

	return cpu_shuffle(mask, x, source, source < warpSize);
}

template <typename T>
static inline T
__shfl_xor_sync(unsigned mask, T x, int bits)
{
	const int source = int(threadIdx.x) % warpSize ^ bits;

	return cpu_shuffle(mask, x, source, source < warpSize);
}

/* Atomic operations; what is added or compared has the word's type. */
template <typename T>
static inline T
atomicAdd(T *at, typename std::common_type<T>::type x)
{
	const T before = *at;

	*at = before + x;
	cpu_pause();
	return before;
}

template <typename T>
static inline T
atomicMax(T *at, typename std::common_type<T>::type x)
{
	const T before = *at;

	*at = x > before ? x : before;
	cpu_pause();
	return before;
}

template <typename T>
static inline T
atomicMin(T *at, typename std::common_type<T>::type x)
{
	const T before = *at;

	*at = x < before ? x : before;
	cpu_pause();
	return before;
}

template <typename T>
static inline T
atomicAdd_block(T *at, typename std::common_type<T>::type x)
{
	return atomicAdd(at, x);
}

template <typename T>
static inline T
atomicMax_block(T *at, typename std::common_type<T>::type x)
{
	return atomicMax(at, x);
}

/* Loads and stores with a hint for caches. */
template <typename T>
static inline T
__ldcg(const T *from)
{
	return *from;
}

template <typename T>
static inline T
__ldg(const T *from)
{
	return *from;
}

template <typename T>
static inline void
__stcs(T *to, T x)
{
	*to = x;
}

#endif /* DEVICE_CODE_H */
