/*
 * random_floats.c
 *		Random numbers, of any exponent, and special ones.
 */
#include <math.h>
#include <string.h>

#include "random_floats.h"

const FloatType float8_type = {"float8", 8, 53, -1074, -1022, 1023};
const FloatType float4_type = {"float4", 4, 24, -149, -126, 127};

uint64_t
rng_next(Rng *rng)
{
	uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* A number from 0 to n - 1; near enough to uniform. */
uint64_t
rng_below(Rng *rng, uint64_t n)
{
	return rng_next(rng) % n;
}

int
rng_between(Rng *rng, int least, int most)
{
	return least + (int) rng_below(rng, (uint64_t) (most - least) + 1);
}

bool
rng_chance(Rng *rng, int one_in)
{
	return rng_below(rng, (uint64_t) one_in) == 0;
}

/* m * 2^(exponent - precision + 1), without the bits that a subnormal lacks */
double
float_scaled(const FloatType *type, uint64_t m, int exponent)
{
	if (exponent < type->min)
	{
		m >>= type->min - exponent;
		exponent = type->min;
	}
	return ldexp((double) m, exponent - (type->precision - 1));
}

/* The largest number that has this exponent. */
double
float_largest(const FloatType *type, int exponent)
{
	return float_scaled(type, (UINT64_C(1) << type->precision) - 1, exponent);
}

/* A positive number with this exponent, any of them. */
double
float_random(Rng *rng, const FloatType *type, int exponent)
{
	uint64_t hidden = UINT64_C(1) << (type->precision - 1);

	return float_scaled(type, hidden | (rng_next(rng) & (hidden - 1)),
						exponent);
}

void
float_shuffle(Rng *rng, double *x, size_t n)
{
	for (; n > 1; n--)
	{
		size_t i = rng_below(rng, n);
		double swap = x[i];

		x[i] = x[n - 1];
		x[n - 1] = swap;
	}
}

void
sprinkle_neg_zeros(Rng *rng, int one_in, double *x, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
	{
		if (rng_chance(rng, one_in))
			x[i] = -0.0;
	}
}

/* A NaN, of any sign and kind, or an infinity. */
double
random_special(Rng *rng)
{
	static const uint64_t specials[] = {
		UINT64_C(0x7ff0000000000000), UINT64_C(0xfff0000000000000),
		UINT64_C(0x7ff8000000000000), UINT64_C(0xfff8000000000000),
		UINT64_C(0x7ff0000000000001), UINT64_C(0xffffffffffffffff),
	};
	double x;

	memcpy(&x, &specials[rng_below(rng, 6)], sizeof(x));
	return x;
}

/* Infinities of one sign, of both, or with NaN. */
void
sprinkle_specials(Rng *rng, int one_in, double *x, size_t n)
{
	uint64_t kind = rng_below(rng, 4);
	size_t i;

	for (i = 0; i < n; i++)
	{
		if (!rng_chance(rng, one_in))
			continue;
		x[i] = kind == 0 ? INFINITY :
			   kind == 1 ? -INFINITY :
						   random_special(rng);
	}
}
