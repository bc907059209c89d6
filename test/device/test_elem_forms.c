/*
 * test_elem_forms.c
 *		A device's sums and means by position that are rounded, and extremes:
 *		the bits of the CPU, and how many positions have none.
 */
#include <math.h>
#include <stdlib.h>

#include "device/device_check.h"
#include "elements.h"
#include "fixture.h"
#include "form_value.h"
#include "tap.h"

#define MAX_POSITIONS 700
#define MAX_ELEMENTS  200000

static Fixture fixture;

/* Arrays of n positions each, one behind the other. */
typedef struct Arrays
{
	GaElementType type;
	uint32_t n_arrays;
	uint32_t n;
	int64_t elements[MAX_ELEMENTS]; /* any type's */
} Arrays;

static Arrays arrays;

/* Have the device make the results, and what is behind them. */
static void
compute(GaElemForm form, uint64_t *values)
{
	const size_t size = ga_element_size(arrays.type);
	const uint64_t n_bytes = ga_elem_all_bytes(form, arrays.n);
	const GaDeviceAddress in = fixture_memory(
		&fixture, FIXTURE_IN, (size_t) arrays.n_arrays * arrays.n * size + 1);
	GaDeviceAddress *at = malloc(arrays.n_arrays * sizeof(*at));
	GaElemRequest request = {.type = arrays.type,
							 .n_arrays = arrays.n_arrays,
							 .n_pieces = 1,
							 .n_of = &arrays.n,
							 .arrays = at,
							 .form = form};
	uint32_t r;

	fixture_copy_in(&fixture, in, arrays.elements,
					(size_t) arrays.n_arrays * arrays.n * size);
	for (r = 0; r < arrays.n_arrays; r++)
		at[r] = in + (uint64_t) r * arrays.n * size;
	request.out = fixture_memory(&fixture, FIXTURE_OUT, n_bytes);
	memset(values, 0xa5, n_bytes);
	fixture_copy_in(&fixture, request.out, values, n_bytes);
	fixture_elem(&fixture, &request);
	fixture_copy_out(&fixture, values, request.out, n_bytes);
	free(at);
}

/* Gather the elements of a position. */
static void
gather(uint32_t i, char *column)
{
	const size_t size = ga_element_size(arrays.type);
	uint32_t r;

	for (r = 0; r < arrays.n_arrays; r++)
		memcpy(column + r * size,
			   (char *) arrays.elements + ((size_t) r * arrays.n + i) * size,
			   size);
}

/* Compare all results; returns how many positions have none. */
static uint64_t
check(const char *what, GaElemForm form)
{
	uint64_t values[MAX_POSITIONS + 1];
	char *column = malloc((size_t) arrays.n_arrays * sizeof(int64_t));
	uint64_t n_without = 0;
	uint32_t i;

	compute(form, values);
	for (i = 0; i < arrays.n; i++)
	{
		uint64_t bits;

		gather(i, column);
		if (!form_value(arrays.type, form, column, arrays.n_arrays, &bits))
			n_without++;
		else
			tap_check(values[i] == bits,
					  "%s: %u arrays of %s, form %d, position %u: %016llx, "
					  "must be %016llx",
					  what, (unsigned) arrays.n_arrays,
					  ga_element_name(arrays.type), form, (unsigned) i,
					  (unsigned long long) values[i],
					  (unsigned long long) bits);
	}
	tap_check(values[arrays.n] == n_without,
			  "%s: %llu without a result, must be %llu", what,
			  (unsigned long long) values[arrays.n],
			  (unsigned long long) n_without);
	free(column);
	return n_without;
}

/* Check all forms that the type has. */
static void
check_forms(const char *what)
{
	uint32_t form;

	for (form = GA_FORM_SUM; form < GA_N_ELEM_FORMS; form++)
	{
		if (ga_elem_has_form(arrays.type, form))
			(void) check(what, (GaElemForm) form);
	}
}

/* A float whose bits lie close to those of others. */
static double
random_float(Rng *rng, int exponent)
{
	const double x = ldexp((double) (rng_next(rng) >> 11),
						   exponent + rng_between(rng, 0, 30));

	return rng_chance(rng, 20) ? -0.0 : rng_chance(rng, 2) ? -x : x;
}

static void
fill(Rng *rng, GaElementType type, uint32_t n_arrays, uint32_t n)
{
	const bool is_single = type == GA_float4;
	const size_t size = ga_element_size(type);
	int exponent = 0;
	size_t i;

	arrays.type = type;
	arrays.n_arrays = n_arrays;
	arrays.n = n;
	for (i = 0; i < (size_t) n_arrays * n; i++)
	{
		void *to = (char *) arrays.elements + i * size;
		double x;

		/* each array has other exponents at each position, but for a few */
		if (i % 16 == 0)
			exponent = is_single		  ? rng_between(rng, -190, -180) :
					   rng_chance(rng, 2) ? -1074 :
											-1040;
		x = random_float(rng, exponent);
		if (ga_element_is_float(type))
			elements_put(type, &x, 1, to);
		else
			memcpy(to, &(int64_t){(int64_t) rng_next(rng)}, size);
	}
}

/* Fill with NaN of both signs, infinities, zeros, and ends of the range. */
static void
fill_specials(Rng *rng, GaElementType type, uint32_t n_arrays)
{
	static const double floats[] = {NAN, -NAN, INFINITY, -INFINITY, 0.0, -0.0};
	static const int64_t ints[] = {INT64_MIN, INT64_MAX, 0, -1};
	const size_t size = ga_element_size(type);
	const int n_kinds = rng_between(rng, 1, 6);
	size_t i;

	fill(rng, type, n_arrays, (uint32_t) rng_between(rng, 1, 600));
	for (i = 0; i < (size_t) n_arrays * arrays.n; i++)
	{
		const int kind = (int) rng_below(rng, (uint64_t) n_kinds);
		void *to = (char *) arrays.elements + i * size;

		if (ga_element_is_float(type))
			elements_put(type, &floats[kind], 1, to);
		else
			/* the most of a short type has other bits than these */
			memcpy(to, (char *) &ints[kind % 4] + sizeof(int64_t) - size, size);
	}
}

static void
test_type(Rng *rng, GaElementType type)
{
	static const uint32_t many[] = {1, 2, 3, 7, 8, 9, 31, 100, 255, 300};
	long i;

	tap_begin("%s: sums and means are rounded once, extremes found",
			  ga_element_name(type));
	for (i = 0; i < (long) (sizeof(many) / sizeof(many[0])); i++)
	{
		fill(rng, type, many[i], (uint32_t) rng_between(rng, 1, 600));
		check_forms("random");
		fill_specials(rng, type, many[i]);
		(void) check("NaN, infinities and zeros", GA_FORM_MIN);
		(void) check("NaN, infinities and zeros", GA_FORM_MAX);
	}
	if (!fixture_is_quick())
	{
		fill(rng, type, 65535, 3);
		check_forms("as many arrays as may be");
	}
	tap_end();
}

/* Fill all positions alike: elements of some arrays, and then others. */
static void
fill_with(GaElementType type, uint32_t n_arrays, const double *x, uint32_t n_x,
		  double others)
{
	uint32_t r, i;

	arrays.type = type;
	arrays.n_arrays = n_arrays;
	arrays.n = 19;
	for (r = 0; r < n_arrays; r++)
	{
		for (i = 0; i < arrays.n; i++)
			elements_put(type, r < n_x ? &x[r] : &others, 1,
						 (char *) arrays.elements +
							 (r * arrays.n + i) * ga_element_size(type));
	}
}

/* Halves, zeros of both signs, subnormals. */
static void
test_rounding(GaElementType type)
{
	const bool is_single = type == GA_float4;
	const double half = is_single ? 0x1p-24 : 0x1p-53;
	const double little = half * 0x1p-30;
	const double least = is_single ? 0x1p-149 : 0x1p-1074;
	const double columns[][3] = {{1, half, 0},
								 {1, half, little},
								 {1, half, -little},
								 {1 + 2 * half, half, 0},
								 {-1, -half, 0},
								 {-1, -half, -little},
								 {least, 0, 0},
								 {-least, 0, 0},
								 {3 * least, 0, 0},
								 {-0.0, -0.0, -0.0},
								 {-0.0, -0.0, 0},
								 {1, -1, -0.0},
								 {5 * least, -least, 0},
								 {1, 2, 4},
								 {0, 0, 0}};
	uint32_t n, c;

	tap_begin("%s: halves, zeros and subnormals", ga_element_name(type));
	for (n = 1; n <= 20; n++)
	{
		for (c = 0; c < sizeof(columns) / sizeof(columns[0]); c++)
		{
			fill_with(type, n, columns[c], 3, 0);
			check_forms("a column");
			fill_with(type, n, columns[c], 3, -0.0);
			check_forms("a column with -0");
		}
	}
	tap_end();
}

/* Positions without a result are counted, and no others. */
static void
test_without(GaElementType type)
{
	const double most =
		type == GA_float4 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
	const double columns[][2] = {
		{most, most}, {-most, -most}, {NAN, 1}, {INFINITY, 1}};
	uint32_t c;

	tap_begin("%s: positions without a result", ga_element_name(type));
	for (c = 0; c < sizeof(columns) / sizeof(columns[0]); c++)
	{
		fill_with(type, 5, columns[c], 2, 0);
		tap_check(check("too large", GA_FORM_SUM) == arrays.n, "column %u", c);
		tap_check(check("too large", GA_FORM_MEAN) == (c < 2 ? 0 : arrays.n),
				  "mean of column %u", c);
		(void) check("of any size", GA_FORM_MIN);
		(void) check("of any size", GA_FORM_MAX);
	}
	tap_end();
}

int
main(void)
{
	Rng rng = {20261125};
	int type;

	fixture_open(&fixture);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
		test_type(&rng, (GaElementType) type);
	for (type = GA_float4; type <= GA_float8; type++)
	{
		test_rounding((GaElementType) type);
		test_without((GaElementType) type);
	}
	fixture_close(&fixture);
	return tap_done();
}
