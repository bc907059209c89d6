/*
 * cpu_baseline.c
 *		The CPU engine in vectors of 128 bits, which every 64-bit machine has.
 */
#include "cpu.h"

#define LANES	   2
#define CHAINS	   4
#define LANES_NAME baseline

#ifdef __SSE2__
#include <emmintrin.h>
#define LANES_MAX(a, b) ((Doubles) _mm_max_pd((__m128d) (a), (__m128d) (b)))
#define LANES_MULTIPLY(a, b) \
	((Uint64s) _mm_mul_epu32((__m128i) (a), (__m128i) (b)))
#endif

#include "cpu_lanes.h"

static bool
is_supported(void)
{
	return true;
}
