/*
 * packed_class.c
 *		Elements of kinds that packing treats in different ways.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "elements.h"
#include "exact/packed.h"
#include "packed_class.h"

/* Fills element by element; i counts from 0. */
typedef double (*FloatClass)(Rng *rng, GaElementType type, size_t i);
typedef int64_t (*IntClass)(Rng *rng, GaElementType type, size_t i);

static double
power_of_ten(int n)
{
	double result = 1;

	while (n-- > 0)
		result *= 10;
	return result;
}

/* A decimal of a number of places and at most so many digits. */
static double
decimal(Rng *rng, int places, int digits)
{
	const uint64_t most = (uint64_t) power_of_ten(digits);
	const double x = (double) rng_below(rng, most) / power_of_ten(places);

	return rng_chance(rng, 3) ? -x : x;
}

static double
put_price(Rng *rng, GaElementType type, size_t i)
{
	(void) type;
	(void) i;
	return fabs(decimal(rng, 2, 5)) + 1;
}

/* A price that was a float, as printf("%f") prints it. */
static double
put_printed(Rng *rng, GaElementType type, size_t i)
{
	char text[64];

	snprintf(text, sizeof(text), "%f", (float) put_price(rng, type, i));
	return strtod(text, NULL);
}

/* One number for the length of some vectors, then another one. */
static double
put_constant(Rng *rng, GaElementType type, size_t i)
{
	(void) rng;
	(void) type;
	return i < 3000 ? 0.1 : -1e300;
}

static double
put_run(Rng *rng, GaElementType type, size_t i)
{
	(void) rng;
	(void) type;
	return (double) (i / 100 * 7 % 13) / 8;
}

static double
put_zeros(Rng *rng, GaElementType type, size_t i)
{
	(void) i;
	return rng_below(rng, 100) < 85 ? 0 :
		   type == GA_float8		? decimal(rng, 4, 9) :
									  decimal(rng, 2, 6);
}

/* Are these not 0, so that sparse vectors have 2, 4, ... 16 slots? */
static bool
is_in_slot(size_t i)
{
	const size_t n_slots =
		i / GA_PACKED_VECTOR % (GA_PACKED_MAX_SLOTS / 2) * 2 + 2;

	return i * 37 % GA_PACKED_VECTOR < n_slots * GA_PACKED_LANES - 5;
}

static double
put_sparse(Rng *rng, GaElementType type, size_t i)
{
	(void) type;
	return is_in_slot(i) ? decimal(rng, 2, 6) : 0;
}

/* Of more digits in each vector: some have fields of more than 32 bits. */
static double
put_long(Rng *rng, GaElementType type, size_t i)
{
	return type == GA_float8 ?
			   decimal(rng, 3, 7 + (int) (i / GA_PACKED_VECTOR % 6)) :
			   put_price(rng, type, i);
}

static double
put_any(Rng *rng, GaElementType type, size_t i)
{
	(void) i;
	return float_random(rng, element_float_type(type),
						rng_between(rng, -60, 60));
}

/* Special numbers among decimals: 1 of 30, or all here and there. */
static double
put_special(Rng *rng, GaElementType type, size_t i)
{
	static const double specials[] = {NAN,	  -NAN,	   INFINITY, -INFINITY,
									  -0.0,	  5e-324,  1e-310,	 -1e-40,
									  1e-45f, 1.7e308, -3e38};

	if (i / 2048 % 4 != 3 && !rng_chance(rng, 30))
		return put_price(rng, type, i);
	return specials[rng_below(rng, sizeof(specials) / sizeof(specials[0]))];
}

static int64_t
put_count(Rng *rng, GaElementType type, size_t i)
{
	(void) rng;
	(void) type;
	return (int64_t) (i % 32768);
}

/* Multiples of a power of ten, another one for each vector, and a base. */
static int64_t
put_tens(Rng *rng, GaElementType type, size_t i)
{
	const int places = 1 + (int) (i / GA_PACKED_VECTOR % 15);
	const int digits = type == GA_int8 ? places : 1 + places % 3;

	return (int64_t) (rng_below(rng, 4000) * (uint64_t) power_of_ten(digits)) -
		   (i % 5000 < 2500 ? 123 : 7);
}

static int64_t
put_flag(Rng *rng, GaElementType type, size_t i)
{
	(void) type;
	(void) i;
	return -5 - rng_chance(rng, 2);
}

static int64_t
put_int_zeros(Rng *rng, GaElementType type, size_t i)
{
	(void) type;
	(void) i;
	return rng_below(rng, 100) < 85 ? 0 : (int64_t) rng_below(rng, 5000);
}

static int64_t
put_int_sparse(Rng *rng, GaElementType type, size_t i)
{
	if (!is_in_slot(i))
		return 0;
	return rng_between(rng, -300, type == GA_int2 ? 30000 : 1000000);
}

/* The same of integers: of 28 bits and more. */
static int64_t
put_int_long(Rng *rng, GaElementType type, size_t i)
{
	const int bits = 28 + (int) (i / GA_PACKED_VECTOR % 8) * 4;

	return type == GA_int8 ? (int64_t) (rng_next(rng) >> (64 - bits)) :
							 (int64_t) rng_below(rng, 100);
}

static int64_t
put_same(Rng *rng, GaElementType type, size_t i)
{
	(void) rng;
	(void) type;
	return i < 3000 ? INT64_MIN : 12345;
}

/* Any element, or the ends of the type. */
static int64_t
put_end(Rng *rng, GaElementType type, size_t i)
{
	const int bits = 8 * (int) ga_element_size(type);
	const int64_t least = INT64_MIN >> (64 - bits);

	return i / 1024 % 2 == 0 && !rng_chance(rng, 3) ?
			   (int64_t) rng_next(rng) :
			   least ^ -(int64_t) rng_below(rng, 2);
}

static const struct
{
	const char *name;
	FloatClass put;
} float_classes[] = {
	{"prices", put_price},
	{"constants", put_constant},
	{"runs", put_run},
	{"zeros", put_zeros},
	{"any floats", put_any},
	{"specials", put_special},
	{"printed floats", put_printed},
	{"sparse", put_sparse},
	{"long decimals", put_long},
};

static const struct
{
	const char *name;
	IntClass put;
} int_classes[] = {
	{"counts", put_count},		{"flags", put_flag},
	{"zeros", put_int_zeros},	{"constants", put_same},
	{"ends", put_end},			{"multiples", put_tens},
	{"sparse", put_int_sparse}, {"long integers", put_int_long},
};

#define N_FLOATS (int) (sizeof(float_classes) / sizeof(float_classes[0]))
#define N_INTS	 (int) (sizeof(int_classes) / sizeof(int_classes[0]))

/* A walk and random bytes are classes of all types. */
int
n_packed_classes(GaElementType type)
{
	return 2 + (ga_element_is_float(type) ? N_FLOATS : N_INTS);
}

static void
fill_walk(Rng *rng, GaElementType type, size_t n, void *to)
{
	int64_t at = type == GA_int2 ? 0 : 500000;
	size_t i;

	for (i = 0; i < n; i++)
	{
		const double x = (double) at / 100;
		char *here = (char *) to + i * ga_element_size(type);

		at += rng_between(rng, -20, 20);
		if (ga_element_is_float(type))
			elements_put(type, &x, 1, here);
		else
			elements_put_int(type, &at, 1, here);
	}
}

void
packed_fill_bytes(Rng *rng, size_t n_bytes, void *to)
{
	size_t i;

	for (i = 0; i < n_bytes; i++)
		((unsigned char *) to)[i] = (unsigned char) (rng_next(rng) >> 40);
}

void
packed_fill_decimals(Rng *rng, GaElementType type, int places, int digits,
					 size_t n, void *to)
{
	size_t i;

	for (i = 0; i < n; i++)
	{
		const double x = decimal(rng, places, digits);

		elements_put(type, &x, 1, (char *) to + i * ga_element_size(type));
	}
}

const char *
packed_class_fill(Rng *rng, GaElementType type, int class, size_t n, void *to)
{
	const size_t size = ga_element_size(type);
	size_t i;

	if (class < 2)
	{
		if (class == 0)
			fill_walk(rng, type, n, to);
		else
			packed_fill_bytes(rng, n * size, to);
		return class == 0 ? "a walk" : "random bytes";
	}
	class -= 2;
	for (i = 0; i < n; i++)
	{
		char *here = (char *) to + i * size;

		if (ga_element_is_float(type))
		{
			const double x = float_classes[class].put(rng, type, i);

			elements_put(type, &x, 1, here);
		}
		else
		{
			const int64_t x = int_classes[class].put(rng, type, i);

			elements_put_int(type, &x, 1, here);
		}
	}
	return ga_element_is_float(type) ? float_classes[class].name :
									   int_classes[class].name;
}
