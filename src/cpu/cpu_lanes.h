/*
 * cpu_lanes.h
 *		The text of one implementation of the CPU engine.
 *
 * A cpu_*.c defines LANES (64-bit numbers in a vector), CHAINS (independent
 * accumulators, to hide the latency of an addition) and LANES_NAME, and
 * includes this file once.  It may define LANES_MAX(a, b), the maximum of
 * doubles lane by lane and b where a is NaN, LANES_FMS(a, b, c) and
 * LANES_FMA(a, b, c), a * b - c and a * b + c rounded once, and
 * LANES_MULTIPLY(a, b), the products of the lower 32 bits of each lane, as
 * instructions, and the minima of cpu_lanes_minmax.h.  The file
 * must be compiled without contraction and without reassociation of
 * floating-point operations.
 */
#define CONCAT_(a, b) a##b
#define CONCAT(a, b)  CONCAT_(a, b)

#define always_inline inline __attribute__((always_inline))

typedef float Floats __attribute__((vector_size(8 * LANES)));
typedef double Doubles __attribute__((vector_size(8 * LANES)));
typedef int64_t Int64s __attribute__((vector_size(8 * LANES)));
typedef int32_t Int32s __attribute__((vector_size(8 * LANES)));
typedef int16_t Int16s __attribute__((vector_size(8 * LANES)));
typedef float HalfFloats __attribute__((vector_size(4 * LANES)));
typedef int32_t HalfInt32s __attribute__((vector_size(4 * LANES)));
typedef int16_t HalfInt16s __attribute__((vector_size(4 * LANES)));
typedef uint32_t HalfUint32s __attribute__((vector_size(4 * LANES)));
typedef uint64_t Uint64s __attribute__((vector_size(8 * LANES)));

static bool is_supported(void);

#ifndef LANES_MAX
/* Return the maximum of a and b lane by lane; b where a is NaN. */
static always_inline Doubles
LANES_MAX(Doubles a, Doubles b)
{
	Int64s larger = a > b;

	return (Doubles) ((larger & (Int64s) a) | (~larger & (Int64s) b));
}
#endif

#ifndef LANES_EQUAL
#define LANES_EQUAL(a, b) ((Int64s) ((a) == (b)))
#endif

#ifndef LANES_FMA
#define LANES_FMA(a, b, c) ((a) * (b) + (c))
#endif

static always_inline Doubles
broadcast(double x)
{
	Doubles v = {0};

	return v + x;
}

static always_inline Int64s
broadcast_bits(uint64_t bits)
{
	Int64s v = {0};

	return v + (int64_t) bits;
}

/* Rotate the lanes of v down by some places. */
#define ROTATED_LANE(i, by) (((i) + (by)) % LANES)
#if LANES == 2
#define ROTATION(by) ROTATED_LANE(0, by), ROTATED_LANE(1, by)
#elif LANES == 4
#define ROTATION(by)                                               \
	ROTATED_LANE(0, by), ROTATED_LANE(1, by), ROTATED_LANE(2, by), \
		ROTATED_LANE(3, by)
#else
#define ROTATION(by)                                                   \
	ROTATED_LANE(0, by), ROTATED_LANE(1, by), ROTATED_LANE(2, by),     \
		ROTATED_LANE(3, by), ROTATED_LANE(4, by), ROTATED_LANE(5, by), \
		ROTATED_LANE(6, by), ROTATED_LANE(7, by)
#endif
#ifdef __clang__
#define ROTATE(v, by) __builtin_shufflevector(v, v, ROTATION(by))
#else
#define ROTATE(v, by) __builtin_shuffle(v, (Int64s){ROTATION(by)})
#endif

/* Return the sum of the lanes, modulo 2^64. */
static always_inline int64_t
sum_of_lanes(Int64s lanes)
{
	Uint64s v = (Uint64s) lanes;

	if (LANES > 4)
		v += ROTATE(v, 4);
	if (LANES > 2)
		v += ROTATE(v, 2);
	v += ROTATE(v, 1);
	return (int64_t) v[0];
}

static always_inline int64_t
or_of_lanes(Int64s v)
{
	if (LANES > 4)
		v |= ROTATE(v, 4);
	if (LANES > 2)
		v |= ROTATE(v, 2);
	v |= ROTATE(v, 1);
	return v[0];
}

static always_inline double
largest_of_lanes(Doubles v)
{
	if (LANES > 4)
		v = LANES_MAX(v, (Doubles) ROTATE((Int64s) v, 4));
	if (LANES > 2)
		v = LANES_MAX(v, (Doubles) ROTATE((Int64s) v, 2));
	v = LANES_MAX(v, (Doubles) ROTATE((Int64s) v, 1));
	return v[0];
}

/* Shift the lanes of v up by some places, and zeros into the first ones. */
#define SHIFTED_LANE(i, by) ((i) < (by) ? (i) : LANES + (i) - (by))
#define LAST_LANE_INDEX(i)	(LANES - 1)
#if LANES == 2
#define FOR_LANES(f, ...) f(0, ##__VA_ARGS__), f(1, ##__VA_ARGS__)
#elif LANES == 4
#define FOR_LANES(f, ...)                                          \
	f(0, ##__VA_ARGS__), f(1, ##__VA_ARGS__), f(2, ##__VA_ARGS__), \
		f(3, ##__VA_ARGS__)
#else
#define FOR_LANES(f, ...)                                              \
	f(0, ##__VA_ARGS__), f(1, ##__VA_ARGS__), f(2, ##__VA_ARGS__),     \
		f(3, ##__VA_ARGS__), f(4, ##__VA_ARGS__), f(5, ##__VA_ARGS__), \
		f(6, ##__VA_ARGS__), f(7, ##__VA_ARGS__)
#endif
#ifdef __clang__
#define SHIFT_LANES_UP(v, by) \
	__builtin_shufflevector((Doubles){0}, v, FOR_LANES(SHIFTED_LANE, by))
#define LAST_LANE(v) __builtin_shufflevector(v, v, FOR_LANES(LAST_LANE_INDEX))
#else
#define SHIFT_LANES_UP(v, by) \
	__builtin_shuffle((Doubles){0}, v, (Int64s){FOR_LANES(SHIFTED_LANE, by)})
#define LAST_LANE(v) __builtin_shuffle(v, (Int64s){FOR_LANES(LAST_LANE_INDEX)})
#endif

/* Load a vector of elements from i on, as doubles. */
static always_inline Doubles
load_float8(const char *data, size_t i)
{
	Doubles v;

	memcpy(&v, data + i * sizeof(double), sizeof(v));
	return v;
}

static always_inline Doubles
load_float4(const char *data, size_t i)
{
	HalfFloats v;

	memcpy(&v, data + i * sizeof(float), sizeof(v));
	return __builtin_convertvector(v, Doubles);
}

static always_inline Doubles
load(const char *data, size_t i, bool is_float4)
{
	return is_float4 ? load_float4(data, i) : load_float8(data, i);
}

#include "cpu_lanes_elem.h"
#include "cpu_lanes_elem_digits.h"
#include "cpu_lanes_float.h"
#include "cpu_lanes_int.h"
#include "cpu_lanes_int_moments.h"
#include "cpu_lanes_minmax.h"
#include "cpu_lanes_products.h"
#include "cpu_lanes_dot.h"
#include "cpu_lanes_slices.h"
#include "cpu_lanes_moments.h"
#include "cpu_lanes_scan.h"
#include "cpu_lanes_mean.h"
#include "cpu_lanes_moving.h"
#include "cpu_lanes_window.h"

#define STRING_(a) #a
#define STRING(a)  STRING_(a)

const GaCpuEngine CONCAT(ga_cpu_, LANES_NAME) = {
	.name = STRING(LANES_NAME),
	.is_supported = is_supported,
	.sum_float4 = sum_float4,
	.sum_float8 = sum_float8,
	.sum_int2 = sum_int2,
	.sum_int4 = sum_int4,
	.sum_int8 = sum_int8,
	.moments_int2 = moments_int2,
	.moments_int4 = moments_int4,
	.moments_int8 = moments_int8,
	.scan_float4 = scan_float4,
	.scan_float8 = scan_float8,
	.moments_float4 = moments_float4,
	.moments_float8 = moments_float8,
	.dot_float4 = dot_float4,
	.dot_float8 = dot_float8,
	.moving_float4 = moving_float4,
	.moving_float8 = moving_float8,
	.elem.digits_float4 = elem_digits_float4,
	.elem.digits_float8 = elem_digits_float8,
#define X(name, family, ctype)                          \
	.min_##name = min_##name, .max_##name = max_##name, \
	.elem.min[GA_##name] = elem_min_##name,             \
	.elem.max[GA_##name] = elem_max_##name,             \
	.elem.add_##name = elem_add_##name,
	GA_ELEMENT_TYPES(X)
#undef X
};
