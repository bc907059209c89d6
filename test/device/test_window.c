/*
 * test_window.c
 *		A device's values of windows: the bits of the CPU, whatever the pieces
 *		of the array are, and how many windows have none.
 */
#include <math.h>
#include <stdlib.h>

#include "elements.h"
#include "device/device_check.h"
#include "fixture.h"
#include "form_value.h"
#include "tap.h"
#include "window_array.h"

static Fixture fixture;
static WindowArray array;

/* Compare some windows; returns how many have no value. */
static uint64_t
check(const char *what, GaWindowRequest request)
{
	const size_t size = ga_element_size(array.type);
	const uint64_t n_bytes = ga_elem_all_bytes(request.form, request.n);
	uint64_t *values = malloc(n_bytes);
	uint64_t n_without = 0;
	uint32_t i;

	request.out = values;
	memset(values, 0xa5, n_bytes);
	fixture_window(&fixture, &request);
	for (i = 0; i < request.n; i++)
	{
		const uint32_t k = request.first + i;
		const uint32_t from = ga_window_from(&request.windows, k);
		const uint32_t end = ga_window_end(&request.windows, k);
		uint64_t bits;

		if (!form_value(array.type, request.form, array.elements + from * size,
						end - from, &bits))
			n_without++;
		else
			tap_check(values[i] == bits,
					  "%s: %s, form %d, step %u, %u before, size %u, window "
					  "%u of %u: %016llx, must be %016llx",
					  what, ga_element_name(array.type), request.form,
					  request.windows.step, request.windows.before,
					  request.windows.size, (unsigned) k, (unsigned) array.n,
					  (unsigned long long) values[i],
					  (unsigned long long) bits);
	}
	tap_check(values[request.n] == n_without,
			  "%s: %llu without a value, must be %llu", what,
			  (unsigned long long) values[request.n],
			  (unsigned long long) n_without);
	free(values);
	return n_without;
}

/* Check all forms that the type has, of all windows and of some. */
static void
check_forms(Rng *rng, const char *what, GaWindows windows)
{
	uint32_t form;

	windows.n = array.n;
	for (form = GA_FORM_SUM; form < GA_N_ALL_FORMS; form++)
	{
		GaWindowRequest request =
			window_array_request(&array, windows, (GaElemForm) form);

		if (!ga_window_has_form(array.type, form) ||
			ga_windows_fault(&windows, (GaElemForm) form) != NULL)
			continue;
		(void) check(what, request);
		request.first = (uint32_t) rng_below(rng, request.n + 1);
		request.n = (uint32_t) rng_below(rng, request.n - request.first + 1);
		(void) check("some windows", request);
	}
}

/* Two elements that are neighbors. */
static const GaWindows neighbors = {.step = 1, .size = 2};

/* The least or greatest elements so far. */
static void
check_running(Rng *rng, GaElemForm form)
{
	const size_t size = ga_element_size(array.type);
	GaWindowRequest request =
		window_array_request(&array, window_moving(array.n - 1), form);
	Extreme so_far = {.type = array.type, .is_max = form == GA_FORM_MAX};
	uint64_t *values = malloc(ga_elem_all_bytes(form, array.n));
	uint32_t k;

	request.out = values;
	request.first = (uint32_t) rng_below(rng, array.n + 1);
	request.n -= request.first;
	memset(values, 0xa5, ga_elem_all_bytes(form, array.n));
	fixture_window(&fixture, &request);
	for (k = 0; k < array.n; k++)
	{
		elements_extreme(&so_far, array.elements + k * size, 1);
		if (k >= request.first)
			tap_check(values[k - request.first] == so_far.bits,
					  "%u elements from %u on, element %u: %016llx, must be "
					  "%016llx",
					  (unsigned) array.n, (unsigned) request.first,
					  (unsigned) k,
					  (unsigned long long) values[k - request.first],
					  (unsigned long long) so_far.bits);
	}
	tap_check(values[request.n] == 0, "some have no value");
	free(values);
}

static void
test_type(Rng *rng, GaElementType type)
{
	static const uint32_t lengths[] = {1, 2, 7, 63, 64, 65, 300, 5000};
	static const uint32_t sizes[] = {1,	 2,	 3,	  8,	9,	 63,
									 64, 65, 257, 1000, 6000};
	size_t i, j;

	tap_begin("%s: buckets and moving windows", ga_element_name(type));
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
	{
		for (j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++)
		{
			if (lengths[i] * (uint64_t) sizes[j] > 100000 && fixture_is_quick())
				continue;
			window_array_fill(&array, rng, type, lengths[i]);
			window_array_place(
				&array, &fixture, rng,
				1 + (uint32_t) rng_below(rng, rng_chance(rng, 2) ? 3 : 90));
			check_forms(rng, "buckets", window_buckets(sizes[j]));
			if (lengths[i] * (uint64_t) sizes[j] <= 1000000)
				check_forms(rng, "moving", window_moving(sizes[j] - 1));
			check_forms(rng, "neighbors", neighbors);
			check_forms(rng, "with gaps",
						(GaWindows){.step = 1 + sizes[j] * 2,
									.before = sizes[j] / 2,
									.size = sizes[j]});
		}
	}
	tap_end();
}

/*
 * Windows that run, more of them than a block has, of which the first ones are
 * not wanted.  What they must be is made from one to the next.
 */
static void
test_running(Rng *rng, GaElementType type)
{
	static const uint32_t lengths[] = {1, 15, 16, 17, 2047, 2048, 2049, 20000};
	size_t i;
	uint32_t k;

	tap_begin("%s: windows that run", ga_element_name(type));
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
	{
		window_array_fill(&array, rng, type, lengths[i]);
		window_array_place(&array, &fixture, rng,
						   1 + (uint32_t) rng_below(rng, 60));
		check_running(rng, GA_FORM_MIN);
		check_running(rng, GA_FORM_MAX);
		if (!ga_element_is_float(type))
			continue;
		/* NaN alone at first, and then infinities */
		for (k = 0; k < lengths[i] && k < 40; k++)
			elements_put(type, k < 30 ? &(double){NAN} : &(double){-INFINITY},
						 1, array.elements + k * ga_element_size(type));
		window_array_place(&array, &fixture, rng, 2);
		check_running(rng, GA_FORM_MIN);
		check_running(rng, GA_FORM_MAX);
	}
	tap_end();
}

/* Moving windows of as many elements as a block may have, and of more. */
static void
test_long_moving(Rng *rng, GaElementType type)
{
	static const uint32_t sizes[] = {1000, 1023, 1024, 1025};
	size_t i;

	tap_begin("%s: long windows that move", ga_element_name(type));
	window_array_fill(&array, rng, type, 5000);
	window_array_place(&array, &fixture, rng, 20);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
	{
		check_forms(rng, "backwards", window_moving(sizes[i] - 1));
		check_forms(rng, "forwards", (GaWindows){.step = 1, .size = sizes[i]});
	}
	tap_end();
}

/*
 * Elements too far apart for the anchors of a block, but not for a window's
 * record.
 */
static void
test_far_apart(Rng *rng, GaElementType type)
{
	uint32_t i;

	tap_begin("%s: elements far apart", ga_element_name(type));
	array.type = type;
	array.n = 9000;
	for (i = 0; i < array.n; i++)
	{
		const double x =
			ldexp((double) (rng_next(rng) >> 11) - 0x1p52, i < 4500 ? -80 : 15);

		elements_put(type, &x, 1, array.elements + i * ga_element_size(type));
	}
	window_array_place(&array, &fixture, rng, 3);
	check_forms(rng, "far apart", window_moving(20));
	check_forms(rng, "far apart", window_buckets(50));
	check_forms(rng, "far apart", window_buckets(100));
	tap_end();
}

/* Windows as long as may be, many of them, and of a long array. */
static void
test_large(Rng *rng, GaElementType type)
{
	tap_begin("%s: large windows, and many", ga_element_name(type));
	window_array_fill(&array, rng, type, WINDOW_MAX_ELEMENTS);
	window_array_place(&array, &fixture, rng, WINDOW_MAX_PIECES);
	check_forms(rng, "one bucket", window_buckets(GA_WINDOW_MOST));
	check_forms(rng, "the longest mean", window_buckets(GA_WINDOW_MOST_MEAN));
	check_forms(rng, "a thousand", window_buckets(1000));
	/* so many that some lanes have each of them */
	check_forms(rng, "ten thousand", window_buckets(40));
	check_forms(rng, "ten thousand that overlap",
				(GaWindows){.step = 40, .before = 160, .size = 200});
	check_forms(rng, "neighbors", neighbors);
	if (!fixture_is_quick())
		check_forms(rng, "tens of thousands", window_buckets(7));
	tap_end();
}

/* Windows with NaN, infinities, and sums out of range have no value. */
static void
test_without(Rng *rng, GaElementType type)
{
	static const double all[] = {NAN,  INFINITY, -INFINITY, 1.0,
								 -0.0, 3e38,	 0.0};
	uint32_t width, i;

	tap_begin("%s: windows without a value", ga_element_name(type));
	array.type = type;
	array.n = 700;
	for (width = 1; width < 200; width += 33)
	{
		for (i = 0; i < array.n; i++)
		{
			/* only here and there one that leaves no value */
			const uint64_t least = rng_chance(rng, 40) ? 0 : 3;
			const double x = all[least + rng_below(rng, 7 - least)];

			elements_put(type, &x, 1,
						 array.elements + i * ga_element_size(type));
		}
		window_array_place(&array, &fixture, rng, 3);
		check_forms(rng, "specials", window_buckets(width));
		check_forms(rng, "specials", window_moving(width));
		check_forms(rng, "specials", neighbors);
	}
	tap_check(check("sums", window_array_request(&array, window_buckets(50),
												 GA_FORM_SUM)) > 0,
			  "all have a sum");
	tap_end();
}

int
main(void)
{
	Rng rng = {20261126};
	int type;

	fixture_open(&fixture);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
	{
		test_type(&rng, (GaElementType) type);
		test_running(&rng, (GaElementType) type);
		test_long_moving(&rng, (GaElementType) type);
		test_large(&rng, (GaElementType) type);
	}
	test_far_apart(&rng, GA_float4);
	test_far_apart(&rng, GA_float8);
	test_without(&rng, GA_float4);
	test_without(&rng, GA_float8);
	fixture_close(&fixture);
	return tap_done();
}
