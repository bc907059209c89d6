/*
 * cpu_lanes_minmax.h
 *		The least and the largest element in vectors; a part of cpu_lanes.h.
 *
 * The largest element is the least of the opposites: of ~x for integers, of -x
 * for floats.  So one loop finds both, in vectors of bits.
 *
 * Where an element is NaN, or where it and the least one so far are zeros, an
 * instruction for floats keeps the latter.  Hence NaNs are left out, which is
 * right for the least element unless there is nothing else, and the sign of a
 * zero is not known.  What decides then is noted on the way: was there a -0
 * (after the opposite was taken), and for the largest, was there a NaN?
 */
#include "exact/extremum.h"

/* Independent accumulators, to hide the latency of a minimum. */
#define MINMAX_CHAINS 4

/*
 * LANES_MIN_int2(a, b) to LANES_MIN_float8(a, b) are the lesser elements of two
 * vectors of bits, and those of b where neither is less.
 */
#define LESSER(Vector, a, b)                                   \
	({                                                         \
		Int64s less_ = (Int64s) ((Vector) (a) < (Vector) (b)); \
                                                               \
		(less_ & (a)) | (~less_ & (b));                        \
	})
#ifndef LANES_MIN_int2
#define LANES_MIN_int2(a, b) LESSER(Int16s, a, b)
#endif
#ifndef LANES_MIN_int4
#define LANES_MIN_int4(a, b) LESSER(Int32s, a, b)
#endif
#ifndef LANES_MIN_int8
#define LANES_MIN_int8(a, b) LESSER(Int64s, a, b)
#endif
#ifndef LANES_MIN_float4
#define LANES_MIN_float4(a, b) LESSER(Floats, a, b)
#endif
#ifndef LANES_MIN_float8
#define LANES_MIN_float8(a, b) LESSER(Doubles, a, b)
#endif

static always_inline Int64s
lanes_min(Int64s a, Int64s b, GaElementType type)
{
	switch (type)
	{
#define X(name, family, ctype) \
	case GA_##name:            \
		return LANES_MIN_##name(a, b);
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			return a;
	}
}

/* Return a word that repeats the bits of an element. */
static always_inline uint64_t
repeat(uint64_t bits, GaElementType type)
{
	switch (ga_element_size(type))
	{
		case 2:
			return bits * UINT64_C(0x0001000100010001);
		case 4:
			return bits * UINT64_C(0x0000000100000001);
		default:
			return bits;
	}
}

/* Return the bits of -0 as a float, of the least element as an integer. */
static always_inline uint64_t
sign_bits(GaElementType type)
{
	return repeat(UINT64_C(1) << (8 * ga_element_size(type) - 1), type);
}

/* Return the bits that differ between an element and its opposite. */
static always_inline uint64_t
opposite_bits(GaElementType type)
{
	return ga_element_is_float(type) ? sign_bits(type) : ~UINT64_C(0);
}

/* Return the bits of an element that no other one is larger than, but NaN. */
static always_inline uint64_t
top_bits(GaElementType type)
{
	if (type == GA_float4)
		return repeat(0x7f800000, type);
	if (type == GA_float8)
		return UINT64_C(0x7ff0000000000000);
	return ~sign_bits(type);
}

/* What is known of the elements so far, or of their opposites. */
typedef struct Least
{
	Int64s least[MINMAX_CHAINS];
	Int64s neg_zero; /* not 0 in lanes where there was a -0 */
	Int64s nan; /* ... where there was a NaN, if the largest is asked for */
} Least;

/*
 * Take a vector of elements into account.  The notes are made of the elements
 * themselves: SSE2 has no comparison for masks of 64 bits.
 */
static always_inline void
take(Least *so_far, int chain, const char *from, GaElementType type,
	 bool is_max)
{
	Int64s zero = {0}, nan = {0};
	Int64s v;

	memcpy(&v, from, sizeof(v));
	if (is_max)
		v ^= broadcast_bits(opposite_bits(type));
	if (type == GA_float4)
	{
		zero = (Int64s) ((Floats) v == (Floats) zero);
		nan = (Int64s) ((Floats) v != (Floats) v);
	}
	if (type == GA_float8)
	{
		zero = (Int64s) ((Doubles) v == (Doubles) zero);
		nan = (Int64s) ((Doubles) v != (Doubles) v);
	}
	if (ga_element_is_float(type))
		so_far->neg_zero |= zero & v;
	if (ga_element_is_float(type) && is_max)
		so_far->nan |= nan & v;
	so_far->least[chain] = lanes_min(v, so_far->least[chain], type);
}

/* Take n_bytes of elements into account; the last vector may overlap others. */
static always_inline void
take_all(Least *so_far, const char *from, size_t n_bytes, GaElementType type,
		 bool is_max)
{
	const size_t step = sizeof(Int64s);
	const char *end = from + n_bytes;
	int c;

	for (; (size_t) (end - from) >= MINMAX_CHAINS * step;
		 from += MINMAX_CHAINS * step)
	{
		_Pragma("GCC unroll 4") for (c = 0; c < MINMAX_CHAINS; c++)
			take(so_far, c, from + c * step, type, is_max);
	}
	for (; (size_t) (end - from) >= step; from += step)
		take(so_far, 0, from, type, is_max);
	if (from < end)
		take(so_far, 1, end - step, type, is_max);
}

/* Find the least element, or the opposite of the largest one, of n > 0. */
static always_inline void
find_least(Least *so_far, const char *data, size_t n, GaElementType type,
		   bool is_max)
{
	const Int64s top = broadcast_bits(top_bits(type));
	const size_t n_bytes = n * ga_element_size(type);
	int c;

	so_far->neg_zero = so_far->nan = broadcast_bits(0);
	for (c = 0; c < MINMAX_CHAINS; c++)
		so_far->least[c] = top;
	if (n_bytes >= sizeof(Int64s))
		take_all(so_far, data, n_bytes, type, is_max);
	else
	{
		Int64s padded = top ^ broadcast_bits(is_max ? opposite_bits(type) : 0);

		memcpy(&padded, data, n_bytes);
		take(so_far, 0, (const char *) &padded, type, is_max);
	}
	for (c = 1; c < MINMAX_CHAINS; c++)
		so_far->least[0] = lanes_min(so_far->least[c], so_far->least[0], type);
}

/* least_int2(...): return the least of the lanes, none of which is NaN. */
#define X(name, family, ctype)                                   \
	static always_inline ctype least_##name(const Least *so_far) \
	{                                                            \
		ctype lanes[sizeof(Int64s) / sizeof(ctype)];             \
		ctype x;                                                 \
		size_t i;                                                \
                                                                 \
		memcpy(lanes, so_far->least, sizeof(lanes));             \
		x = lanes[0];                                            \
		for (i = 1; i < sizeof(lanes) / sizeof(x); i++)          \
			x = ga_min_##name(x, lanes[i]);                      \
		return x;                                                \
	}
GA_ELEMENT_TYPES(X)
#undef X

/* min_int2(data, n), max_int2(data, n), and so on. */
#define X(name, family, ctype)                          \
	static ctype min_##name(const void *data, size_t n) \
	{                                                   \
		Least so_far;                                   \
                                                        \
		find_least(&so_far, data, n, GA_##name, false); \
		return least_##name(&so_far);                   \
	}                                                   \
	static ctype max_##name(const void *data, size_t n) \
	{                                                   \
		Least so_far;                                   \
                                                        \
		find_least(&so_far, data, n, GA_##name, true);  \
		return (ctype) ~least_##name(&so_far);          \
	}
GA_INT_TYPES(X)
#undef X

/* are_nan_float4(data, n): are n floats all NaN? */
#define X(name, family, ctype)                                       \
	static bool are_nan_##name(const char *data, size_t n)           \
	{                                                                \
		ctype x;                                                     \
		size_t i;                                                    \
                                                                     \
		for (i = 0; i < n; i++)                                      \
		{                                                            \
			memcpy(&x, data + i * sizeof(x), sizeof(x));             \
			if (x == x)                                              \
				return false;                                        \
		}                                                            \
		return true;                                                 \
	}                                                                \
	static ctype min_##name(const void *data, size_t n)              \
	{                                                                \
		Least so_far;                                                \
		ctype x;                                                     \
                                                                     \
		find_least(&so_far, data, n, GA_##name, false);              \
		x = least_##name(&so_far);                                   \
		if (x == 0)                                                  \
			return or_of_lanes(so_far.neg_zero) ? -0. : 0;           \
		if (x == (ctype) __builtin_inf() && are_nan_##name(data, n)) \
			return (ctype) GA_FLOAT8_NAN;                            \
		return x;                                                    \
	}                                                                \
	static ctype max_##name(const void *data, size_t n)              \
	{                                                                \
		Least so_far;                                                \
		ctype x;                                                     \
                                                                     \
		find_least(&so_far, data, n, GA_##name, true);               \
		if (or_of_lanes(so_far.nan))                                 \
			return (ctype) GA_FLOAT8_NAN;                            \
		x = least_##name(&so_far);                                   \
		if (x == 0)                                                  \
			return or_of_lanes(so_far.neg_zero) ? 0 : -0.;           \
		return -x;                                                   \
	}
GA_FLOAT_TYPES(X)
#undef X
