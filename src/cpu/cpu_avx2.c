/*
 * cpu_avx2.c
 *		The CPU engine in vectors of 256 bits.  Compiled with AVX2_CFLAGS.
 */
#include "cpu.h"

#ifdef __x86_64__

#define LANES	   4
#define CHAINS	   2
#define LANES_NAME avx2

#include <immintrin.h>
#define LANES_MAX(a, b) ((Doubles) _mm256_max_pd((__m256d) (a), (__m256d) (b)))
#define LANES_MULTIPLY(a, b) \
	((Uint64s) _mm256_mul_epu32((__m256i) (a), (__m256i) (b)))
#define LANES_MIN_int2(a, b) \
	((Int64s) _mm256_min_epi16((__m256i) (a), (__m256i) (b)))
#define LANES_MIN_int4(a, b) \
	((Int64s) _mm256_min_epi32((__m256i) (a), (__m256i) (b)))
#define LANES_MIN_float4(a, b) \
	((Int64s) _mm256_min_ps((__m256) (a), (__m256) (b)))
#define LANES_MIN_float8(a, b) \
	((Int64s) _mm256_min_pd((__m256d) (a), (__m256d) (b)))
#define LANES_ANY(v) (!_mm256_testz_si256((__m256i) (v), (__m256i) (v)))

#define LANES_FMS(a, b, c) \
	((Doubles) _mm256_fmsub_pd((__m256d) (a), (__m256d) (b), (__m256d) (c)))
#define LANES_FMA(a, b, c) \
	((Doubles) _mm256_fmadd_pd((__m256d) (a), (__m256d) (b), (__m256d) (c)))

#include "cpu_lanes.h"

static bool
is_supported(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

#endif
