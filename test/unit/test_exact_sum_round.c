/*
 * test_exact_sum_round.c
 *		The exact sum: rounding to nearest, ties to even.
 *
 * Expected results need no oracle: the number after one with given bits is
 * the one with the bits plus one, over all exponents and into infinity.
 */
#include <math.h>

#include "sums.h"
#include "tap.h"

#define TINY 0x1p-1074

/* A number's bits in its type, without the sign. */
static uint64_t
bits_of(const FloatType *type, double x)
{
	float narrow = (float) fabs(x);
	uint32_t word;

	if (type->size == 8)
		return ga_float8_bits(fabs(x));
	memcpy(&word, &narrow, sizeof(word));
	return word;
}

static double
from_bits(const FloatType *type, uint64_t bits)
{
	uint32_t word = (uint32_t) bits;
	float narrow;

	if (type->size == 8)
		return ga_float8_from_bits(bits);
	memcpy(&narrow, &word, sizeof(narrow));
	return narrow;
}

/*
 * Check that the terms, and all of them with the other sign, round to the
 * number with these bits; or overflow if that is infinity.
 */
static void
check(const FloatType *type, const double *terms, int n, uint64_t bits)
{
	double expected = from_bits(type, bits);
	GaStatus must = isinf(expected) ? GA_OVERFLOW : GA_OK;
	int sign, i;

	for (sign = 1; sign >= -1; sign -= 2)
	{
		GaExactSum *sum = sum_new(GA_MIN_CELLS);
		double result = 0;
		GaStatus status;

		for (i = 0; i < n; i++)
			sum_add(&sum, sign * terms[i]);
		status = sum_result(sum, type, &result);
		tap_check(same_result(status, result, must, sign * expected),
				  "%s: %a and %a and %a is %d %a, must be %d %a", type->name,
				  terms[0], terms[1], n > 2 ? terms[2] : 0.0, status, result,
				  must, sign * expected);
		sum_free(sum);
	}
}

/* All around x, where half is half of the distance to the next number. */
static void
check_around(Rng *rng, const FloatType *type, double x, double half)
{
	uint64_t bits = bits_of(type, x);
	uint64_t even = bits + bits % 2;

	check(type, (double[]){x, 0}, 2, bits);
	check(type, (double[]){x, half}, 2, even);
	check(type, (double[]){x, half, TINY}, 3, bits + 1);
	if (half > TINY)
	{
		/* one bit anywhere below a tie decides */
		double below = ldexp(1.0, rng_between(rng, -1074, ilogb(half) - 1));

		check(type, (double[]){x, half, below}, 3, bits + 1);
		check(type, (double[]){x, half, -below}, 3, bits);
		check(type, (double[]){x, half, half / 2}, 3, bits + 1);
		check(type, (double[]){x, half, -TINY}, 3, bits);
		check(type, (double[]){x, half / 2, half / 4}, 3, bits);
		check(type, (double[]){x, TINY}, 2, bits);
		check(type, (double[]){x, half, half / 2, half / 4}, 4, bits + 1);
		if (bits > 0)
			check(type, (double[]){x, half, half, -TINY}, 4, bits + 1);
	}
	check(type, (double[]){x, half, half}, 3, bits + 1);
	check(type, (double[]){x, half, half, half}, 4,
		  even == bits ? bits + 2 : bits + 1 + (bits + 1) % 2);
}

/* Numbers in a binade: even, odd, its first and its last, and any. */
static void
check_binade(Rng *rng, const FloatType *type, int exponent)
{
	double half = ldexp(1.0, exponent < type->min ? type->least - 1 :
													exponent - type->precision);
	double last = float_largest(type, exponent);
	int i;

	check_around(rng, type, ldexp(1.0, exponent), half);
	check_around(rng, type, last, half);
	for (i = 0; i < 4; i++)
		check_around(rng, type, float_random(rng, type, exponent), half);
}

/*
 * Each binade.  The half of the smallest float8 numbers' distance is below
 * what any sum can have.
 */
static void
test_binades(Rng *rng, const FloatType *type, int least)
{
	int e;

	tap_begin("%s, ties and next to them in each binade", type->name);
	for (e = least; e <= type->max; e++)
		check_binade(rng, type, e);
	tap_end();
}

/* Subnormal float8 results are exact: nothing is ever rounded. */
static void
test_subnormals(Rng *rng)
{
	long i;

	tap_begin("float8, subnormal sums are exact");
	for (i = tap_cases(100000); i > 0; i--)
	{
		uint64_t a = rng_next(rng) >> rng_between(rng, 12, 63);
		uint64_t b = rng_next(rng) >> rng_between(rng, 12, 63);
		double terms[2] = {ga_float8_from_bits(a), ga_float8_from_bits(b)};

		check(&float8_type, terms, 2, a + b);
	}
	tap_end();
}

/* float4 below its smallest subnormal: the half of it, and around that. */
static void
test_least_float4(void)
{
	const double half = 0x1p-150;
	const double terms[][3] = {{TINY},
							   {half / 2},
							   {half, -TINY},
							   {half, -half / 2},
							   {half},
							   {half, TINY},
							   {half, half / 2},
							   {half, half},
							   {3 * half, -TINY},
							   {3 * half},
							   {3 * half, TINY}};
	const uint64_t bits[] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2};
	int i;

	tap_begin("float4, halves of the smallest subnormal");
	for (i = 0; i < 11; i++)
		check(&float4_type, terms[i], 3, bits[i]);
	tap_end();
}

/* Never to float8 first: sums that two roundings would get wrong. */
static void
test_double_rounding(Rng *rng)
{
	int e;

	tap_begin("float4, no double rounding");
	for (e = -120; e <= 127; e++)
	{
		double x = float_random(rng, &float4_type, e);
		double half = ldexp(1.0, e - 24);
		uint64_t bits = bits_of(&float4_type, x);

		/* the last term is lost in float8, next to a tie for float4 */
		check(&float4_type, (double[]){x, half, ldexp(1.0, e - 60)}, 3,
			  bits + 1);
		check(&float4_type, (double[]){x, half, -ldexp(1.0, e - 60)}, 3, bits);
	}
	tap_end();
}

/* Overflow is of the rounded result, and of nothing else. */
static void
test_overflow(const FloatType *type)
{
	double max = float_largest(type, type->max);
	double half = ldexp(1.0, type->max - type->precision);
	uint64_t bits = bits_of(type, max);
	uint64_t infinity = bits + 1;
	GaExactSum *sum;
	double result;
	int i;

	tap_begin("%s, overflow", type->name);
	check(type, (double[]){max, half, -TINY}, 3, bits);
	check(type, (double[]){max, half / 2, half / 4}, 3, bits);
	check(type, (double[]){max, half}, 2, infinity);
	check(type, (double[]){max, half, -half / 2, half / 4}, 4, bits);
	check(type, (double[]){max, max, -max}, 3, bits);
	check(type, (double[]){max, max, -max, half}, 4, infinity);
	check(type, (double[]){max, half, -half}, 3, bits);
	check(type, (double[]){max, max, max, -max, -max}, 5, bits);
	check(type, (double[]){max, max}, 2, infinity);
	check(&float4_type, (double[]){1e300, 0}, 2, 0x7f800000);

	/* far above and back */
	sum = sum_new(GA_MIN_CELLS);
	for (i = 0; i < 5000; i++)
		sum_add(&sum, max);
	tap_check(sum_result(sum, type, &result) == GA_OVERFLOW, "above");
	for (i = 0; i < 5000; i++)
		sum_add(&sum, -max);
	tap_check(sum_result(sum, type, &result) == GA_OK && result == 0, "back");
	for (i = 0; i < 5000; i++)
		sum_add(&sum, -max);
	tap_check(sum_result(sum, type, &result) == GA_OVERFLOW, "below");
	sum_free(sum);
	tap_end();
}

int
main(void)
{
	Rng rng = {9};

	test_binades(&rng, &float8_type, float8_type.min + 1);
	test_binades(&rng, &float4_type, float4_type.least);
	test_subnormals(&rng);
	test_least_float4();
	test_double_rounding(&rng);
	test_overflow(&float8_type);
	test_overflow(&float4_type);
	return tap_done();
}
