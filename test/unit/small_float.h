/*
 * small_float.h
 *		Floating-point numbers of a few bits, of which all can be tried.
 *
 * A number is kept as its value, an integer in units of the smallest
 * subnormal.  All of up to `precision` bits are numbers, those with trailing
 * zeros, too; there is no largest one.  Rounding is to nearest, ties to even,
 * as in the large formats, and so are the bits.
 */
#ifndef SMALL_FLOAT_H
#define SMALL_FLOAT_H

#include <stdint.h>
#include <stdlib.h>

#define SMALL_SIGN (INT64_C(1) << 40)

/* Bits that v has beyond the precision; 0 if it has none. */
static inline int
small_excess(int precision, int64_t v)
{
	int bits = v == 0 ? 0 : 64 - __builtin_clzll((uint64_t) llabs(v));

	return bits > precision ? bits - precision : 0;
}

static inline int64_t
small_round(int precision, int64_t exact)
{
	int excess = small_excess(precision, exact);
	int64_t kept = llabs(exact) >> excess;
	int64_t rest = llabs(exact) - (kept << excess);
	int64_t half = excess > 0 ? INT64_C(1) << (excess - 1) : 1;

	if (rest > half || (rest == half && kept % 2 != 0))
		kept++;
	return exact < 0 ? -(kept << excess) : kept << excess;
}

static inline int64_t
small_add(int precision, int64_t a, int64_t b)
{
	return small_round(precision, a + b);
}

/* The bits: fraction, exponent and sign, so that numbers are in order. */
static inline int64_t
small_bits(int precision, int64_t v)
{
	int excess = small_excess(precision, v);

	return ((int64_t) excess << (precision - 1)) + (llabs(v) >> excess) +
		   (v < 0 ? SMALL_SIGN : 0);
}

static inline int64_t
small_from_bits(int precision, int64_t bits)
{
	int64_t magnitude = bits & (SMALL_SIGN - 1);
	int64_t exponent = magnitude >> (precision - 1);
	int64_t hidden = INT64_C(1) << (precision - 1);
	int64_t v = exponent == 0 ?
					magnitude :
					(hidden | (magnitude & (hidden - 1))) << (exponent - 1);

	return bits & SMALL_SIGN ? -v : v;
}

/* The next number that is larger than v >= 0. */
static inline int64_t
small_next(int precision, int64_t v)
{
	return v + (INT64_C(1) << small_excess(precision, v));
}

#endif /* SMALL_FLOAT_H */
