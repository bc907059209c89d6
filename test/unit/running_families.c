/*
 * running_families.c
 *		Arrays of random floats whose running totals are a trouble.
 *
 * They come in the order of their table, which is at the end.
 */
#include <math.h>

#include "exact/exact_sum.h"
#include "running_families.h"

static int
clamped(const FloatType *type, int e)
{
	e = e < type->least ? type->least : e;
	return e > type->max ? type->max : e;
}

static double
sign_of(Rng *rng)
{
	return rng_chance(rng, 2) ? -1 : 1;
}

/* 2^e, or the smallest or largest power of two that there is. */
static double
power(const FloatType *type, int e)
{
	return ldexp(1, clamped(type, e));
}

/* An exponent of which most arrays keep off the ends of the range. */
static int
middle_exponent(Rng *rng, const FloatType *type)
{
	return rng_chance(rng, 3) ? rng_between(rng, type->least, type->max) :
								rng_between(rng, -2, 30);
}

/* Steps up and down, with a tendency that turns: totals cross zero often. */
static void
fill_walk(Rng *rng, const FloatType *type, int parts, double *x, size_t n)
{
	int e = rng_between(rng, -20, 20);
	double trend = 0;
	size_t i;

	for (i = 0; i < n; i++)
	{
		double step = rng_between(rng, -100, 100);

		if (i % 50 == 0)
			trend = rng_between(rng, -20, 20);
		step = (step + trend) / parts;
		x[i] = ldexp(type->size == 4 ? (float) step : step, e);
	}
}

/* All that came so far, once more with the other sign: back to zero. */
static void
fill_returns(Rng *rng, const FloatType *type, int spread, double *x, size_t n)
{
	size_t done = 0;

	while (done < n)
	{
		size_t half = rng_below(rng, 40) + 1;
		int middle = middle_exponent(rng, type);
		size_t i;

		for (i = 0; i < half && done + i < n; i++)
			x[done + i] =
				sign_of(rng) *
				float_random(
					rng, type,
					clamped(type, middle + rng_between(rng, -spread, spread)));
		for (; i < 2 * half && done + i < n; i++)
			x[done + i] = -x[done + i - half];
		if (rng_chance(rng, 2) && done + i < n)
			float_shuffle(rng, x + done + half, half);
		done += i;
	}
}

/* Each element is about as large as the total, or somewhat larger. */
static void
fill_growth(Rng *rng, const FloatType *type, int per_binade, double *x,
			size_t n)
{
	int start = rng_chance(rng, 2) ? type->least :
									 rng_between(rng, type->least, type->max);
	double sign = sign_of(rng);
	size_t i;

	for (i = 0; i < n; i++)
	{
		int e = start + (int) (i / (size_t) per_binade);

		x[i] = sign *
			   float_random(rng, type,
							e <= type->max - 12 ?
								e :
								rng_between(rng, type->least, type->max - 20));
	}
}

/*
 * Now and then the total, as it is rounded, is taken away: what is left is
 * what the rounding had cut off.
 */
static void
fill_collapses(Rng *rng, const FloatType *type, int spread, double *x, size_t n)
{
	int middle = middle_exponent(rng, type);
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);
	size_t i;

	for (i = 0; i < n; i++)
	{
		double total = 0;
		float narrow = 0;
		int e = middle + rng_between(rng, -spread, spread);

		x[i] = sign_of(rng) * float_random(rng, type, clamped(type, e));
		if (rng_chance(rng, 4))
		{
			(void) ga_exact_sum_float8(sum, &total);
			(void) ga_exact_sum_float4(sum, &narrow);
			x[i] = type->size == 4 ? -narrow : -total;
		}
		(void) ga_exact_sum_add(sum, x[i]);
	}
}

/*
 * Elements that leave the largest residue, half a unit or one bit less, on
 * the scale's level: for as many as SCAN_GROUP and more, all of one sign.
 */
static void
fill_residues(Rng *rng, const FloatType *type, int level, double *x, size_t n)
{
	int top = type->size == 4 ? rng_between(rng, 0, 100) :
								rng_between(rng, -800, 900);
	int unit = top - (level == 0 ? GRID_FIRST : GRID_REACH_2);
	int next = level == 0 ? unit - 47 : top - GRID_REACH_3;
	double sign = sign_of(rng);
	int kind = rng_between(rng, 0, 3);
	size_t i;

	for (i = 0; i < n; i++)
	{
		double half = sign * power(type, unit - 1);
		double less = sign * power(type, kind == 1 ? next : unit - 24);

		x[i] = half - (kind == 0 || type->size == 4 ? 0 : less);
		if (kind == 2 && rng_chance(rng, 8))
			x[i] += sign_of(rng) * 2 * power(type, unit);
		if (kind == 3 && rng_chance(rng, 40))
			x[i] = sign_of(rng) * power(type, rng_between(rng, unit, top - 1));
	}

	/* what puts the scale there; its like of the other sign may come later */
	if (n > 0)
		x[0] = (rng_chance(rng, 2) ? sign : -sign) * power(type, top - 1);
	if (n > 1 && level > 0)
		x[1] = power(type, next);
	if (n > 2 && rng_chance(rng, 2))
		x[rng_below(rng, n)] = -x[0];
}

/*
 * Tiles of 1024 that reach two levels down, or just not, or three, or to
 * the ends of the earth.
 */
static void
fill_reaches(Rng *rng, const FloatType *type, int kinds, double *x, size_t n)
{
	static const int reach[] = {40,
								GRID_REACH_2 - 1,
								GRID_REACH_2,
								GRID_REACH_2 + 1,
								SCALE_REACH_LESS - 1,
								SCALE_REACH_LESS,
								SCALE_REACH_LESS + 1,
								GRID_REACH_3 - 1,
								GRID_REACH_3,
								GRID_REACH_3 + 1,
								2000};
	int top = middle_exponent(rng, type);
	int kind = 0;
	size_t i;

	for (i = 0; i < n; i++)
	{
		if (i % 1024 == 0)
			kind = rng_between(rng, 0, kinds - 1);
		x[i] = sign_of(rng) *
			   float_random(rng, type,
							clamped(type, top - rng_between(rng, 1, 30)));
		if (rng_chance(rng, 60))
			x[i] = sign_of(rng) * power(type, top - reach[kind]);
		if (i % 1024 == 0)
			x[i] = sign_of(rng) * power(type, top - 1);
	}
}

/*
 * All the same, a power of two or nearly, so that totals come to the very
 * limit of the scale of the first tile, and pass it; and single last bits.
 */
static void
fill_limits(Rng *rng, const FloatType *type, int slack, double *x, size_t n)
{
	int top = type->size == 4 ? rng_between(rng, -20, 100) :
								rng_between(rng, -900, 1000);
	int reach = slack == 12 ? GRID_REACH_2 : SCALE_REACH_LESS;
	int step = rng_between(rng, 1, 3);
	double sign = sign_of(rng);
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = sign * power(type, top - step);
	if (n > 0)
		x[0] = rng_chance(rng, 2) ?
				   sign * power(type, top - 1) :
				   sign * float_largest(type, clamped(type, top - 1));
	for (i = rng_below(rng, 100) + 1; i < n; i += rng_below(rng, 700) + 1)
		x[i] = sign_of(rng) * power(type, top - reach);
}

/*
 * The total is half way between two numbers, or next to that by one bit up to
 * `depth` bits below it, and comes and goes.
 */
static void
fill_half_ways(Rng *rng, const FloatType *type, int depth, double *x, size_t n)
{
	int e = clamped(type, middle_exponent(rng, type) + depth / 2);
	double big =
		sign_of(rng) * (rng_chance(rng, 3) ? float_largest(type, e) :
						rng_chance(rng, 3) ? power(type, e) :
											 float_random(rng, type, e));
	double half = power(type, e - type->precision);
	double few[3] = {0, 0, 0};
	size_t i;

	for (i = 0; i < n; i++)
	{
		int which = rng_between(rng, 0, 2);

		if (few[which] != 0)
		{
			x[i] = -few[which];
			few[which] = 0;
			continue;
		}
		few[which] =
			which == 0 ?
				big :
			which == 1 ?
				sign_of(rng) * half :
				sign_of(rng) * power(type, e - type->precision -
											   rng_between(rng, 1, depth));
		x[i] = few[which];
	}
}

/* Totals near the end of the range, within it and beyond it. */
static void
fill_end(Rng *rng, const FloatType *type, int depth, double *x, size_t n)
{
	double top = power(type, type->max - 1);
	double total = 0; /* in units of top, and rounded */
	size_t i;

	for (i = 0; i < n; i++)
	{
		int e = type->max - rng_between(rng, 0, depth);
		double size = float_random(rng, type, clamped(type, e));

		/* mostly back to where it stays in range */
		x[i] = total > 3 || (total > -3 && rng_chance(rng, 2)) ? -size : size;
		if (rng_chance(rng, 20))
			x[i] = -x[i];
		if (rng_chance(rng, 100))
			x[i] = sign_of(rng) * power(type, type->max - type->precision - 1);
		total += x[i] / top;
	}
}

static const Family running_families[] = {
	{"walk of integers", fill_walk, 1},
	{"walk of hundredths", fill_walk, 100},
	{"returns to zero, +-3", fill_returns, 3},
	{"returns to zero, +-50", fill_returns, 50},
	{"returns to zero, all exponents", fill_returns, 2000},
	{"growth by the element", fill_growth, 1},
	{"growth by 20 elements", fill_growth, 20},
	{"growth by 700 elements", fill_growth, 700},
	{"collapses, +-10", fill_collapses, 10},
	{"collapses, +-45", fill_collapses, 45},
	{"collapses, +-300", fill_collapses, 300},
	{"residues of the first level", fill_residues, 0},
	{"residues of the second level", fill_residues, 1},
	{"reaches of two levels", fill_reaches, 7},
	{"reaches of any levels", fill_reaches, 11},
	{"limits of the scale", fill_limits, 12},
	{"limits of the deeper scale", fill_limits, 4},
	{"half ways, 1", fill_half_ways, 1},
	{"half ways, 30", fill_half_ways, 30},
	{"half ways, 79", fill_half_ways, 79},
	{"half ways, 1000", fill_half_ways, 1000},
	{"end of the range, 1", fill_end, 1},
	{"end of the range, 8", fill_end, 8},
	{"end of the range, 60", fill_end, 60},
};

/* How many families there are: those of float_families.h, and these. */
int
n_running_families(void)
{
	return n_families +
		   (int) (sizeof(running_families) / sizeof(running_families[0]));
}

const Family *
running_family(int i)
{
	return i < n_families ? &families[i] : &running_families[i - n_families];
}

/* These are more often to the point than the others. */
const Family *
random_running_family(Rng *rng)
{
	int first = rng_chance(rng, 3) ? 0 : n_families;

	return running_family(rng_between(rng, first, n_running_families() - 1));
}
