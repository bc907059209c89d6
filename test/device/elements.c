/*
 * elements.c
 *		Elements of all types: random ones, and what a CPU engine makes of
 *		them.
 */
#include <math.h>
#include <stdlib.h>

#include "elements.h"
#include "exact/extremum.h"
#include "running_families.h"
#include "tap.h"

/* The families of test/unit, as elements are made from them. */
static double *x;
static size_t x_capacity;

static double *
doubles(size_t n)
{
	if (n > x_capacity)
	{
		free(x);
		x = malloc(n * sizeof(double));
		x_capacity = n;
	}
	return x;
}

const FloatType *
element_float_type(GaElementType type)
{
	return type == GA_float4 ? &float4_type : &float8_type;
}

/* NaNs of float4 become signaling ones, too. */
static float
narrow(double wide)
{
	uint32_t bits = UINT32_C(0x7f800001) | (signbit(wide) ? 1u << 31 : 0);
	float result = (float) wide;

	if (isnan(wide))
		memcpy(&result, &bits, sizeof(bits));
	return result;
}

void
elements_put(GaElementType type, const double *from, size_t n, void *to)
{
	size_t i;

	if (type == GA_float8)
		memcpy(to, from, n * sizeof(double));
	else
	{
		for (i = 0; i < n; i++)
			((float *) to)[i] = narrow(from[i]);
	}
}

void
elements_get(GaElementType type, const void *from, size_t n, double *to)
{
	size_t i;

	for (i = 0; i < n; i++)
		to[i] = type == GA_float8 ? ((const double *) from)[i] :
									((const float *) from)[i];
}

void
elements_put_int(GaElementType type, const int64_t *from, size_t n, void *to)
{
	size_t i;

	for (i = 0; i < n; i++)
	{
		switch (type)
		{
#define X(name, family, ctype)               \
	case GA_##name:                          \
		((ctype *) to)[i] = (ctype) from[i]; \
		break;
			GA_ELEMENT_TYPES(X)
#undef X
			case GA_N_ELEMENT_TYPES:
				break;
		}
	}
}

int64_t
element_int(GaElementType type, const void *from, size_t i)
{
	return type == GA_int2 ? ((const int16_t *) from)[i] :
		   type == GA_int4 ? ((const int32_t *) from)[i] :
							 ((const int64_t *) from)[i];
}

/* Integers up to a random number of bits, or the two ends of the type. */
static const char *
fill_ints(GaElementType type, Rng *rng, size_t n, void *to)
{
	int bits = 8 * (int) ga_element_size(type);
	int most = rng_between(rng, 1, bits);
	bool any_ends = rng_chance(rng, 4);
	int sign = rng_between(rng, -1, 1);
	size_t i;

	for (i = 0; i < n; i++)
	{
		int64_t value = (int64_t) rng_next(rng) >> (64 - most);

		if (sign != 0 && value != INT64_MIN)
			value = sign * llabs(value) >> (most == bits ? 1 : 0);
		if (any_ends && rng_chance(rng, 10))
			value = (INT64_MIN >> (64 - bits)) ^ -(int64_t) rng_below(rng, 2);
		elements_put_int(type, &value, 1,
						 (char *) to + i * ga_element_size(type));
	}
	return "integers";
}

/* -0 and specials here and there, which few families have. */
static void
sprinkle(Rng *rng, double *to, size_t n)
{
	if (rng_chance(rng, 8))
		sprinkle_neg_zeros(rng, rng_between(rng, 1, 30), to, n);
	if (rng_chance(rng, 20))
		sprinkle_specials(rng, rng_between(rng, 1, 100), to, n);
	if (n > 0 && rng_chance(rng, 30))
		to[rng_below(rng, n)] = random_special(rng);
}

const char *
elements_fill_family(GaElementType type, Rng *rng, int i, size_t n, void *to)
{
	const FloatType *float_type = element_float_type(type);
	const Family *family = running_family(i % n_running_families());

	if (!ga_element_is_float(type))
		return fill_ints(type, rng, n, to);
	doubles(n);
	family_fill(family, rng, float_type, x, n);
	sprinkle(rng, x, n);
	elements_put(type, x, n, to);
	return family->name;
}

const char *
elements_fill(GaElementType type, Rng *rng, size_t n, void *to)
{
	const Family *family =
		running_family((int) rng_below(rng, n_running_families()));

	if (!ga_element_is_float(type))
		return fill_ints(type, rng, n, to);
	doubles(n);
	family_fill(family, rng, element_float_type(type), x, n);
	if (rng_chance(rng, 6))
	{
		size_t cut = rng_below(rng, n + 1);

		family_fill(random_running_family(rng), rng, element_float_type(type),
					x + cut, n - cut);
		if (rng_chance(rng, 2))
			float_shuffle(rng, x, n);
	}
	sprinkle(rng, x, n);
	elements_put(type, x, n, to);
	return family->name;
}

void
elements_fill_fast(GaElementType type, Rng *rng, size_t n, void *to)
{
	size_t size = ga_element_size(type);
	size_t n_words = n * size / 8;
	size_t i;

	for (i = 0; i < n_words; i++)
	{
		uint64_t bits = rng_next(rng);

		/* exponents of 1 to 2^15 and back, any sign and fraction */
		if (type == GA_float8)
			bits = (bits & UINT64_C(0x80ffffffffffffff)) | UINT64_C(0x3f) << 56;
		else if (type == GA_float4)
			bits = (bits & UINT64_C(0x87ffffff87ffffff)) |
				   UINT64_C(0x3800000038000000);
		else if (type == GA_int8)
			bits = (uint64_t) ((int64_t) bits >> 20);
		memcpy((char *) to + 8 * i, &bits, sizeof(bits));
	}
	memset((char *) to + 8 * n_words, 0, n * size - 8 * n_words);
}

void
elements_sum_float(GaElementType type, GaExactSum *sum, const void *data,
				   size_t n)
{
	size_t done = type == GA_float8 ? ga_cpu_baseline.sum_float8(sum, data, n) :
									  ga_cpu_baseline.sum_float4(sum, data, n);

	tap_check(done == n, "%s: %zu of %zu in the expected sum",
			  ga_element_name(type), done, n);
}

void
elements_sum_int(GaElementType type, GaIntSum *sum, const void *data, size_t n)
{
	if (type == GA_int2)
		ga_cpu_baseline.sum_int2(sum, data, n);
	else if (type == GA_int4)
		ga_cpu_baseline.sum_int4(sum, data, n);
	else
		ga_cpu_baseline.sum_int8(sum, data, n);
}

void
elements_extreme(Extreme *extreme, const void *data, size_t n)
{
	int64_t ints;
	double floats;
	size_t i;

	memcpy(&ints, &extreme->bits, sizeof(ints));
	memcpy(&floats, &extreme->bits, sizeof(floats));
#define X(name, family, ctype)                                          \
	case GA_##name:                                                     \
		for (i = 0; i < n; i++)                                         \
		{                                                               \
			const ctype x = ((const ctype *) data)[i];                  \
			const ctype best = extreme->is_any ? (ctype) family##s : x; \
                                                                        \
			family##s = extreme->is_max ? ga_max_##name(best, x) :      \
										  ga_min_##name(best, x);       \
			extreme->is_any = true;                                     \
		}                                                               \
		break;

	switch (extreme->type)
	{
		GA_ELEMENT_TYPES(X)
		case GA_N_ELEMENT_TYPES:
			break;
	}
#undef X
	if (ga_element_is_float(extreme->type))
		memcpy(&extreme->bits, &floats, sizeof(floats));
	else
		memcpy(&extreme->bits, &ints, sizeof(ints));
}
