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
#define LANES_MIN_int2(a, b) \
	((Int64s) _mm_min_epi16((__m128i) (a), (__m128i) (b)))
#define LANES_MIN_float4(a, b) ((Int64s) _mm_min_ps((__m128) (a), (__m128) (b)))
#define LANES_MIN_float8(a, b) \
	((Int64s) _mm_min_pd((__m128d) (a), (__m128d) (b)))

/* Return which integers of 64 bits are equal: both of their halves are. */
static inline __attribute__((always_inline)) __m128i
equal_int8s(__m128i a, __m128i b)
{
	__m128i halves = _mm_cmpeq_epi32(a, b);

	return _mm_and_si128(halves,
						 _mm_shuffle_epi32(halves, _MM_SHUFFLE(2, 3, 0, 1)));
}

#define LANES_EQUAL(a, b) ((Int64s) equal_int8s((__m128i) (a), (__m128i) (b)))

/*
 * Return the lesser integers of 64 bits.  There are comparisons of 32 bits
 * only: where the upper halves are equal, that of a - b is -1 or 0, by the
 * borrow of the lower ones.
 */
static inline __attribute__((always_inline)) __m128i
min_int8s(__m128i a, __m128i b)
{
	__m128i by_lower =
		_mm_and_si128(_mm_cmpeq_epi32(a, b), _mm_sub_epi64(a, b));
	__m128i less = _mm_or_si128(by_lower, _mm_cmplt_epi32(a, b));

	less = _mm_shuffle_epi32(less, _MM_SHUFFLE(3, 3, 1, 1));
	return _mm_or_si128(_mm_and_si128(less, a), _mm_andnot_si128(less, b));
}

#define LANES_MIN_int8(a, b) ((Int64s) min_int8s((__m128i) (a), (__m128i) (b)))
#endif

#include "cpu_lanes.h"

static bool
is_supported(void)
{
	return true;
}
