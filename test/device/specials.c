/*
 * specials.c
 *		Arrays of few numbers, and those hidden among many.
 */
#include <math.h>

#include "running_families.h"
#include "specials.h"
#include "tap.h"

#define MAX_FEW 5

/* Of specials_test(). */
#define TROUBLE_LENGTH 9000
#define TROUBLE_BATCH  1000

typedef struct Few
{
	const char *name;
	int n;
	double x[MAX_FEW];
} Few;

static double x[SPECIALS_MAX];

/* These few among n of the filler, from `at` on. */
static void
add_among(ArraySet *set, const Few *few, double filler, size_t n, size_t at)
{
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = filler;
	for (i = 0; i < (size_t) few->n; i++)
		x[at + i] = few->x[i];
	array_set_add_doubles(set, few->name, x, n);
}

static void
add_few(ArraySet *set, const Few *few)
{
	static const double fillers[] = {-0.0, 0.0, 1.0};
	static const size_t lengths[] = {9, 40, 130, 1030, 5000};
	int n_lengths = fixture_is_quick() ? 3 : 5;
	int f, k;

	array_set_add_doubles(set, few->name, few->x, (size_t) few->n);
	for (f = 0; f < 3; f++)
	{
		for (k = 0; k < n_lengths; k++)
		{
			size_t rest = lengths[k] - (size_t) few->n;

			add_among(set, few, fillers[f], lengths[k], 0);
			add_among(set, few, fillers[f], lengths[k], rest / 2);
			add_among(set, few, fillers[f], lengths[k], rest);
		}
	}
}

void
specials_add_all(ArraySet *set)
{
	const FloatType *type = element_float_type(set->type);
	double most = float_largest(type, type->max);
	double half_ulp = ldexp(1, type->max - type->precision);
	double least = ldexp(1, type->least);
	double normal = ldexp(1, type->min);
	const Few few[] = {
		{"NaN", 1, {NAN}},
		{"-NaN", 1, {-NAN}},
		{"infinity", 1, {INFINITY}},
		{"-infinity", 1, {-INFINITY}},
		{"both infinities", 2, {INFINITY, -INFINITY}},
		{"both infinities, turned round", 2, {-INFINITY, INFINITY}},
		{"infinity and NaN", 3, {INFINITY, NAN, INFINITY}},
		{"infinity after the largest", 3, {most, INFINITY, most}},
		{"-infinity after the largest", 3, {most, -INFINITY, most}},
		{"NaN after -0", 3, {-0.0, NAN, -0.0}},
		{"-0", 1, {-0.0}},
		{"+0", 1, {0.0}},
		{"zeros", 4, {-0.0, -0.0, 0.0, -0.0}},
		{"cancelled among -0", 4, {-0.0, 1, -1, -0.0}},
		{"the largest", 1, {most}},
		{"the largest and half a bit", 2, {most, half_ulp}},
		{"the largest and less than that", 3, {most, half_ulp, -least}},
		{"-largest and half a bit", 2, {-most, -half_ulp}},
		{"overflow", 2, {most, most}},
		{"overflow, negative", 3, {-most, -most, -most}},
		{"intermediate overflow", 3, {most, most, -most}},
		{"intermediate overflow, negative", 4, {-most, -most, most, most}},
		{"the largest and the least", 3, {most, least, -most}},
		{"the least", 1, {least}},
		{"-least", 1, {-least}},
		{"least normal and subnormal", 3, {normal, -least, -least}},
		{"subnormals", 5, {least, 3 * least, 5 * least, -7 * least, least}},
		{"one and the least", 2, {1, least}},
		{"all of the range", 5, {most, -1, least, -normal, most / -2}},
		{"largest taken away bit by bit", 3, {most, -half_ulp, -half_ulp}},
	};
	size_t i;

	for (i = 0; i < sizeof(few) / sizeof(few[0]); i++)
		add_few(set, &few[i]);
}

void
specials_add_trouble(ArraySet *set, Rng *rng, size_t n, size_t at)
{
	const FloatType *type = element_float_type(set->type);
	const double troubles[] = {NAN,
							   INFINITY,
							   -INFINITY,
							   ldexp(1, type->max - 20),
							   -ldexp(1, type->max - 1),
							   ldexp(1, type->least),
							   -ldexp(1, type->least + 30),
							   -0.0};

	if (x[0] == 0)
		family_fill(family_find("uniform with signs"), rng, type, x,
					SPECIALS_MAX);
	array_set_add_doubles(set, "trouble", x, n);
	elements_put(set->type, &troubles[at % 8], 1,
				 (char *) array_set_elements(set, set->n_arrays - 1) +
					 at * ga_element_size(set->type));
}

static void
add_troubles(ArraySet *set, Fixture *fixture, Rng *rng, size_t step,
			 void (*check)(Fixture *fixture, const ArraySet *set))
{
	size_t at;

	for (at = 0; at < TROUBLE_LENGTH; at += step)
	{
		specials_add_trouble(set, rng, TROUBLE_LENGTH, at);
		if (set->n_arrays < TROUBLE_BATCH && at + step < TROUBLE_LENGTH)
			continue;
		check(fixture, set);
		array_set_clear(set);
	}
}

void
specials_test(Fixture *fixture, Rng *rng, GaElementType type, size_t step,
			  void (*check)(Fixture *fixture, const ArraySet *set))
{
	ArraySet set;
	int family;
	int i;

	tap_begin("%s: special values", ga_element_name(type));
	array_set_init(&set, type);
	set.mpfr_one_in = 1;
	specials_add_all(&set);
	check(fixture, &set);
	array_set_free(&set);
	tap_end();

	tap_begin("%s: one element of trouble at many positions",
			  ga_element_name(type));
	array_set_init(&set, type);
	set.mpfr_one_in = 100;
	add_troubles(&set, fixture, rng, fixture_is_quick() ? 97 : step, check);
	array_set_free(&set);
	tap_end();

	tap_begin("%s: all families, longer", ga_element_name(type));
	array_set_init(&set, type);
	set.mpfr_one_in = 3;
	for (family = 0; family < n_running_families(); family++)
	{
		for (i = 0; i < 4; i++)
			array_set_add_family(&set, rng, family, rng_below(rng, 40000));
	}
	check(fixture, &set);
	array_set_free(&set);
	tap_end();
}
