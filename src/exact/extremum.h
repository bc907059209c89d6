/*
 * extremum.h
 *		The smaller and the larger of two elements, in PostgreSQL's order.
 *
 * NaN is larger than all other floats.  PostgreSQL takes -0 and 0 for equal; so
 * that the order of inputs changes no bit, -0 is the smaller one here.  A
 * result that is NaN has the bits of GA_FLOAT8_NAN, whatever the inputs have.
 *
 * Called by the CPU engine and by backends.  Nothing here keeps a state.
 */
#ifndef GA_EXTREMUM_H
#define GA_EXTREMUM_H

#include "element.h"

#define GA_FLOAT8_NAN __builtin_nan("")

/* ga_min_int2(a, b), ga_max_int2(a, b), and so on. */
#define X(name, family, ctype)                                         \
	static inline GA_HOST_DEVICE ctype ga_min_##name(ctype a, ctype b) \
	{                                                                  \
		return a < b ? a : b;                                          \
	}                                                                  \
	static inline GA_HOST_DEVICE ctype ga_max_##name(ctype a, ctype b) \
	{                                                                  \
		return a > b ? a : b;                                          \
	}
GA_INT_TYPES(X)
#undef X

#define X(name, family, ctype)                                         \
	static inline GA_HOST_DEVICE ctype ga_min_##name(ctype a, ctype b) \
	{                                                                  \
		if (a == b)                                                    \
			return __builtin_signbit(a) ? a : b;                       \
		if (a != a)                                                    \
			return b != b ? (ctype) GA_FLOAT8_NAN : b;                 \
		return b < a ? b : a;                                          \
	}                                                                  \
	static inline GA_HOST_DEVICE ctype ga_max_##name(ctype a, ctype b) \
	{                                                                  \
		if (a == b)                                                    \
			return __builtin_signbit(a) ? b : a;                       \
		if (a != a || b != b)                                          \
			return (ctype) GA_FLOAT8_NAN;                              \
		return b > a ? b : a;                                          \
	}
GA_FLOAT_TYPES(X)
#undef X

/* The bits of NaN, which are its key. */
#define GA_FLOAT8_NAN_BITS INT64_C(0x7ff8000000000000)
#define GA_FLOAT4_NAN_BITS INT32_C(0x7fc00000)

/*
 * Return the key of a float by its bits: an integer in the same order.  That of
 * an integer is the integer.  The magnitudes of negative floats are
 * complemented, so that the larger one is the lesser key.
 */
static inline GA_HOST_DEVICE int64_t
ga_float8_key(int64_t bits)
{
	if ((bits & INT64_MAX) > INT64_C(0x7ff0000000000000))
		return GA_FLOAT8_NAN_BITS;
	return bits ^ ((bits >> 63) & INT64_MAX);
}

static inline GA_HOST_DEVICE int32_t
ga_float4_key(int32_t bits)
{
	if ((bits & INT32_MAX) > INT32_C(0x7f800000))
		return GA_FLOAT4_NAN_BITS;
	return bits ^ ((bits >> 31) & INT32_MAX);
}

/* Return the bits of the float that has a key. */
static inline GA_HOST_DEVICE int64_t
ga_float8_of_key(int64_t key)
{
	return key ^ ((key >> 63) & INT64_MAX);
}

static inline GA_HOST_DEVICE int32_t
ga_float4_of_key(int32_t key)
{
	return key ^ ((key >> 31) & INT32_MAX);
}

#endif /* GA_EXTREMUM_H */
