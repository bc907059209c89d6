/*
 * cpu_lanes.h
 *		The text of one implementation of the CPU engine.
 *
 * A cpu_*.c defines LANES (64-bit numbers in a vector), CHAINS (independent
 * accumulators, to hide the latency of an addition) and LANES_NAME, and
 * includes this file once.  LARGER_LANES(a, b), the larger double lane by lane
 * and b where a is NaN, may be defined as an instruction; what is below does
 * for the rest.  It must be compiled without contraction and without
 * reassociation of floating-point operations.
 */
#define CONCAT_(a, b) a##b
#define CONCAT(a, b)  CONCAT_(a, b)

#define always_inline inline __attribute__((always_inline))

typedef double Doubles __attribute__((vector_size(8 * LANES)));
typedef int64_t Int64s __attribute__((vector_size(8 * LANES)));
typedef int32_t Int32s __attribute__((vector_size(8 * LANES)));
typedef float HalfFloats __attribute__((vector_size(4 * LANES)));
typedef int32_t HalfInt32s __attribute__((vector_size(4 * LANES)));
typedef int16_t HalfInt16s __attribute__((vector_size(4 * LANES)));
typedef uint64_t Uint64s __attribute__((vector_size(8 * LANES)));

static bool is_supported(void);

#ifndef LARGER_LANES
/* The larger of a and b lane by lane; b where a is NaN. */
static always_inline Doubles
LARGER_LANES(Doubles a, Doubles b)
{
	Int64s larger = a > b;

	return (Doubles) ((larger & (Int64s) a) | (~larger & (Int64s) b));
}
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

/* The lanes of v, each in the place of the one `by` before it. */
#define AT(i, by) (((i) + (by)) % LANES)
#if LANES == 2
#define TURNED(by) AT(0, by), AT(1, by)
#elif LANES == 4
#define TURNED(by) AT(0, by), AT(1, by), AT(2, by), AT(3, by)
#else
#define TURNED(by)                                                    \
	AT(0, by), AT(1, by), AT(2, by), AT(3, by), AT(4, by), AT(5, by), \
		AT(6, by), AT(7, by)
#endif
#ifdef __clang__
#define TURN(v, by) __builtin_shufflevector(v, v, TURNED(by))
#else
#define TURN(v, by) __builtin_shuffle(v, (Int64s){TURNED(by)})
#endif

/* Modulo 2^64, as are all sums of lanes that may hold anything. */
static always_inline int64_t
sum_of_lanes(Int64s lanes)
{
	Uint64s v = (Uint64s) lanes;

	if (LANES > 4)
		v += TURN(v, 4);
	if (LANES > 2)
		v += TURN(v, 2);
	v += TURN(v, 1);
	return (int64_t) v[0];
}

static always_inline int64_t
or_of_lanes(Int64s v)
{
	if (LANES > 4)
		v |= TURN(v, 4);
	if (LANES > 2)
		v |= TURN(v, 2);
	v |= TURN(v, 1);
	return v[0];
}

static always_inline double
largest_of_lanes(Doubles v)
{
	if (LANES > 4)
		v = LARGER_LANES(v, (Doubles) TURN((Int64s) v, 4));
	if (LANES > 2)
		v = LARGER_LANES(v, (Doubles) TURN((Int64s) v, 2));
	v = LARGER_LANES(v, (Doubles) TURN((Int64s) v, 1));
	return v[0];
}

#include "cpu_lanes_float.h"
#include "cpu_lanes_int.h"
#include "cpu_lanes_scan.h"

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
	.scan_float4 = scan_float4,
	.scan_float8 = scan_float8,
};
