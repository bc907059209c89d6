/*
 * cpu_avx512.c
 *		The CPU engine in vectors of 512 bits.  Compiled with AVX512_CFLAGS.
 */
#include "cpu.h"

#ifdef __x86_64__

#define LANES	   8
#define CHAINS	   4
#define LANES_NAME avx512

#include <immintrin.h>
#define LANES_MAX(a, b) ((Doubles) _mm512_max_pd((__m512d) (a), (__m512d) (b)))
#define LANES_MULTIPLY(a, b) \
	((Uint64s) _mm512_mul_epu32((__m512i) (a), (__m512i) (b)))
#define LANES_MIN_int2(a, b) \
	((Int64s) _mm512_min_epi16((__m512i) (a), (__m512i) (b)))
#define LANES_MIN_int4(a, b) \
	((Int64s) _mm512_min_epi32((__m512i) (a), (__m512i) (b)))
#define LANES_MIN_int8(a, b) \
	((Int64s) _mm512_min_epi64((__m512i) (a), (__m512i) (b)))
#define LANES_MIN_float4(a, b) \
	((Int64s) _mm512_min_ps((__m512) (a), (__m512) (b)))
#define LANES_MIN_float8(a, b) \
	((Int64s) _mm512_min_pd((__m512d) (a), (__m512d) (b)))
#define LANES_ANY(v) (_mm512_test_epi64_mask((__m512i) (v), (__m512i) (v)) != 0)

#define LANES_FMS(a, b, c) \
	((Doubles) _mm512_fmsub_pd((__m512d) (a), (__m512d) (b), (__m512d) (c)))
#define LANES_FMA(a, b, c) \
	((Doubles) _mm512_fmadd_pd((__m512d) (a), (__m512d) (b), (__m512d) (c)))

#include "cpu_lanes.h"

static bool
is_supported(void)
{
	return __builtin_cpu_supports("avx512f") &&
		   __builtin_cpu_supports("avx512bw") &&
		   __builtin_cpu_supports("avx512dq") &&
		   __builtin_cpu_supports("avx512vl");
}

#endif
