/*
 * float_families.c
 *		Arrays of random floats in families, each with a trouble of its own.
 *
 * They come in the order of their table, which is at the end.
 */
#include <math.h>
#include <string.h>

#include "float_families.h"

/* An exponent somewhere in the range, at least `margin` off its ends. */
static int
random_exponent(Rng *rng, const FloatType *type, int margin)
{
	if (rng_chance(rng, 2) || type->least + margin > type->max - margin)
		return rng_between(rng, -3, 3);
	return rng_between(rng, type->least + margin, type->max - margin);
}

static int
clamped_exponent(const FloatType *type, int e)
{
	e = e < type->least ? type->least : e;
	return e > type->max ? type->max : e;
}

/* The signs of an array: all the same, or random, or in turn. */
typedef enum Signs
{
	ALL_PLUS,
	ALL_MINUS,
	IN_TURN,
	RANDOM_SIGNS,
	RANDOM_SIGNS_TOO
} Signs;

static Signs
random_signs(Rng *rng)
{
	return (Signs) rng_below(rng, RANDOM_SIGNS_TOO + 1);
}

static double
with_sign(Rng *rng, Signs signs, size_t i, double x)
{
	if (signs == ALL_MINUS || (signs == IN_TURN && i % 2 == 1) ||
		(signs >= RANDOM_SIGNS && rng_chance(rng, 2)))
		return -x;
	return x;
}

/* Uniform in [0, 1), or with random signs. */
static void
fill_uniform(Rng *rng, const FloatType *type, int is_signed, double *x,
			 size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
	{
		x[i] = ldexp((double) (rng_next(rng) >> (64 - type->precision)),
					 -type->precision);
		if (is_signed)
			x[i] = with_sign(rng, RANDOM_SIGNS, i, x[i]);
	}
}

/* Nearly normal, around a mean of 0 or more. */
static void
fill_normal(Rng *rng, const FloatType *type, int mean, double *x, size_t n)
{
	size_t i;
	int j;

	for (i = 0; i < n; i++)
	{
		double sum = mean - 6;

		for (j = 0; j < 12; j++)
			sum += ldexp((double) (rng_next(rng) >> 11), -53);
		x[i] = type->size == 4 ? (float) sum : sum;
	}
}

/* Amounts of money, with cents. */
static void
fill_prices(Rng *rng, const FloatType *type, int largest, double *x, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
	{
		double price = rng_between(rng, -largest / 10, largest) / 100.0;

		x[i] = type->size == 4 ? (float) price : price;
	}
}

static void
fill_integers(Rng *rng, const FloatType *type, int largest, double *x, size_t n)
{
	size_t i;

	(void) type;
	for (i = 0; i < n; i++)
		x[i] = rng_between(rng, -largest, largest);
}

/* Exponents up to `spread` off some middle, or anywhere if it is 0. */
static void
fill_exponents(Rng *rng, const FloatType *type, int spread, double *x, size_t n)
{
	Signs signs = random_signs(rng);
	int middle = random_exponent(rng, type, spread);
	size_t i;

	for (i = 0; i < n; i++)
	{
		int e = rng_between(rng, type->least, type->max);

		if (spread > 0)
			e = clamped_exponent(
				type, rng_between(rng, middle - spread, middle + spread));
		x[i] = with_sign(rng, signs, i, float_random(rng, type, e));
	}
}

/* Pairs that cancel, up to `spread` apart, and a little that is left. */
static void
fill_cancelling(Rng *rng, const FloatType *type, int spread, double *x,
				size_t n)
{
	size_t i;

	fill_exponents(rng, type, spread, x, n);
	for (i = 0; i + 1 < n; i += 2)
		x[i + 1] = -x[i];
	for (i = 0; i < n && i < 3; i++)
	{
		if (rng_chance(rng, 2))
			x[i] = float_scaled(type, rng_next(rng) >> (64 - type->precision),
								rng_between(rng, type->least, type->min));
	}
	float_shuffle(rng, x, n);
}

/* Exponents from the least one up, over `range` of them. */
static void
fill_bottom(Rng *rng, const FloatType *type, int range, double *x, size_t n)
{
	Signs signs = random_signs(rng);
	int top = type->min + range;
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = with_sign(
			rng, signs, i,
			float_random(rng, type, rng_between(rng, type->least, top)));
}

/* Exponents from the largest one down, over `range` of them. */
static void
fill_top(Rng *rng, const FloatType *type, int range, double *x, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = with_sign(
			rng, RANDOM_SIGNS, i,
			float_random(rng, type,
						 rng_between(rng, type->max - range, type->max)));
}

/*
 * All have the same magnitude, which is the largest one of its exponent, or
 * a power of two: an accumulator drifts as far as it can.
 */
static void
fill_equal(Rng *rng, const FloatType *type, int is_power, double *x, size_t n)
{
	Signs signs = rng_chance(rng, 2) ? ALL_PLUS : random_signs(rng);
	int e = random_exponent(rng, type, 0);
	double value = is_power ? ldexp(1.0, e) : float_largest(type, e);
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = with_sign(rng, signs, i, value);
}

/*
 * The magnitude jumps every `length` elements, by a little or far, and stays
 * within a few exponents between.
 */
static void
fill_jumps(Rng *rng, const FloatType *type, int length, double *x, size_t n)
{
	Signs signs = random_signs(rng);
	int e = random_exponent(rng, type, 20);
	bool is_equal = rng_chance(rng, 2);
	bool is_far = rng_chance(rng, 2);
	size_t i;

	for (i = 0; i < n; i++)
	{
		if (i % length == 0)
			e = clamped_exponent(type,
								 is_far && rng_chance(rng, 3) ?
									 rng_between(rng, type->least, type->max) :
									 e + rng_between(rng, -5, 5));
		x[i] = is_equal ? float_largest(type, e) :
						  float_random(rng, type,
									   clamped_exponent(
										   type, e - rng_between(rng, 0, 9)));
		x[i] = with_sign(rng, signs, i, x[i]);
	}
}

/* Plain numbers and a few that are of another size altogether. */
static void
fill_outliers(Rng *rng, const FloatType *type, int n_outliers, double *x,
			  size_t n)
{
	int i;

	fill_uniform(rng, type, rng_chance(rng, 2), x, n);
	for (i = 0; n > 0 && i < n_outliers; i++)
		x[rng_below(rng, n)] = with_sign(
			rng, RANDOM_SIGNS, 0,
			float_random(rng, type, rng_between(rng, type->least, type->max)));
}

static void
fill_zeros(Rng *rng, const FloatType *type, int is_mixed, double *x, size_t n)
{
	size_t i;

	(void) type;
	for (i = 0; i < n; i++)
		x[i] = is_mixed && rng_chance(rng, 2) ? 0.0 : -0.0;
}

/*
 * A total at the middle between two numbers, or next to it: a few numbers
 * decide, and the others cancel.
 */
static void
fill_ties(Rng *rng, const FloatType *type, int is_top, double *x, size_t n)
{
	int e = is_top ? type->max : rng_between(rng, type->min, type->max);
	double big = rng_chance(rng, 3) || is_top ? float_largest(type, e) :
												float_random(rng, type, e);
	int half = clamped_exponent(type, e - type->precision);
	double few[6];
	size_t i;

	few[0] = big;
	few[1] = ldexp(1.0, half);
	few[2] = ldexp(1.0, clamped_exponent(type, half - 1));
	few[3] = -few[2];
	few[4] = ldexp(1.0, rng_between(rng, type->least, half));
	few[5] = -few[4];
	for (i = 0; i < n; i++)
		x[i] = i == 0	  ? few[0] :
			   i < 6	  ? few[rng_between(rng, 1, 5)] :
			   i % 2 == 0 ? few[rng_below(rng, 6)] :
							-x[i - 1];
	if (n > 1 && rng_chance(rng, 2))
		x[1] = few[1];
	if (rng_chance(rng, 2))
	{
		for (i = 0; i < n; i++)
			x[i] = -x[i];
	}
	float_shuffle(rng, x, n);
}

/*
 * Large numbers, and single bits about as far below them as `levels` levels
 * of a vector engine reach.
 */
static void
fill_levels(Rng *rng, const FloatType *type, int levels, double *x, size_t n)
{
	static const int reach[] = {0, 53, 97, 141};
	Signs signs = random_signs(rng);
	int e = random_exponent(rng, type, reach[levels] / 2);
	int depth = reach[levels] + rng_between(rng, -11, 3);
	int one_in = rng_between(rng, 1, 100);
	size_t i;

	for (i = 0; i < n; i++)
	{
		x[i] = rng_chance(rng, one_in) ?
				   ldexp(1.0, clamped_exponent(type, e - depth)) :
				   ldexp(1.0, clamped_exponent(type, e));
		if (rng_chance(rng, one_in))
			x[i] = float_largest(type, clamped_exponent(type, e));
		x[i] = with_sign(rng, signs, i, x[i]);
	}
}

const Family families[] = {
	{"uniform", fill_uniform, 0},
	{"uniform with signs", fill_uniform, 1},
	{"normal", fill_normal, 0},
	{"normal around 100", fill_normal, 100},
	{"prices", fill_prices, 1000000},
	{"small integers", fill_integers, 100},
	{"exponents +-3", fill_exponents, 3},
	{"exponents +-20", fill_exponents, 20},
	{"exponents +-40", fill_exponents, 40},
	{"exponents +-87", fill_exponents, 87},
	{"exponents +-131", fill_exponents, 131},
	{"all exponents", fill_exponents, 0},
	{"cancelling +-20", fill_cancelling, 20},
	{"cancelling +-300", fill_cancelling, 300},
	{"cancelling, all exponents", fill_cancelling, 0},
	{"subnormals", fill_bottom, -1},
	{"subnormals and somewhat above", fill_bottom, 60},
	{"near the top", fill_top, 7},
	{"below the top", fill_top, 24},
	{"equal maxima", fill_equal, 0},
	{"equal powers of two", fill_equal, 1},
	{"jumps every 64", fill_jumps, 64},
	{"jumps every 1024", fill_jumps, 1024},
	{"jumps every 4096", fill_jumps, 4096},
	{"one outlier", fill_outliers, 1},
	{"five outliers", fill_outliers, 5},
	{"minus zeros", fill_zeros, 0},
	{"zeros of both signs", fill_zeros, 1},
	{"ties", fill_ties, 0},
	{"ties at the top", fill_ties, 1},
	{"at the reach of one level", fill_levels, 1},
	{"at the reach of two levels", fill_levels, 2},
	{"at the reach of three levels", fill_levels, 3},
};

const int n_families = sizeof(families) / sizeof(families[0]);

void
family_fill(const Family *family, Rng *rng, const FloatType *type, double *x,
			size_t n)
{
	family->fill(rng, type, family->parameter, x, n);
}

/* The family of that name, which must exist. */
const Family *
family_find(const char *name)
{
	const Family *family = families;

	while (strcmp(family->name, name) != 0)
		family++;
	return family;
}
