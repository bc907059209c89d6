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

#define MAX_ELEMENTS 400000
#define MAX_PIECES	 200

static Fixture fixture;

/* An array, and where its pieces lie. */
typedef struct Array
{
	GaElementType type;
	uint32_t n;
	char elements[MAX_ELEMENTS * sizeof(int64_t)];
	GaDeviceArray pieces[MAX_PIECES];
	uint32_t n_pieces;
} Array;

static Array array;

/*
 * Copy the array to the device in pieces, each at any place that an element
 * may have.
 */
static void
place(Rng *rng, uint32_t n_pieces)
{
	const size_t size = ga_element_size(array.type);
	GaDeviceAddress at = fixture_memory(&fixture, FIXTURE_IN,
										array.n * size + n_pieces * 32 + size);
	uint32_t from = 0;
	uint32_t p;

	array.n_pieces = n_pieces < array.n ? n_pieces : array.n;
	for (p = 0; p < array.n_pieces; p++)
	{
		const uint32_t left = array.n - from - (array.n_pieces - 1 - p);
		const uint32_t n =
			p + 1 == array.n_pieces ?
				left :
				1 + (uint32_t) rng_below(
						rng, rng_chance(rng, 2) ? left : 1 + left / 8);

		at += rng_below(rng, 16 / size + 1) * size;
		array.pieces[p] = (GaDeviceArray){at, n};
		fixture_copy_in(&fixture, at, array.elements + from * size, n * size);
		at += n * size;
		from += n;
	}
}

static GaWindowRequest
request_of(GaWindows windows, GaElemForm form)
{
	windows.n = array.n;
	return (GaWindowRequest){.type = array.type,
							 .n_pieces = array.n_pieces,
							 .pieces = array.pieces,
							 .windows = windows,
							 .n = ga_windows_count(&windows),
							 .form = form};
}

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
		GaWindowRequest request = request_of(windows, (GaElemForm) form);

		if (!ga_window_has_form(array.type, form) ||
			ga_windows_fault(&windows, (GaElemForm) form) != NULL)
			continue;
		(void) check(what, request);
		request.first = (uint32_t) rng_below(rng, request.n + 1);
		request.n = (uint32_t) rng_below(rng, request.n - request.first + 1);
		(void) check("some windows", request);
	}
}

/* Arrays that each have some of the pieces. */
typedef struct Arrays
{
	uint32_t n;
	uint32_t n_pieces_of[MAX_PIECES];
	uint32_t lengths[MAX_PIECES];
} Arrays;

/* Divide the pieces among arrays. */
static void
divide(Rng *rng, Arrays *arrays)
{
	uint32_t i;

	memset(arrays, 0, sizeof(*arrays));
	for (i = 0; i < array.n_pieces; i++)
	{
		if (arrays->n == 0 || rng_chance(rng, 3))
			arrays->n++;
		arrays->n_pieces_of[arrays->n - 1]++;
		arrays->lengths[arrays->n - 1] += (uint32_t) array.pieces[i].n;
	}
}

/* Compare the buckets of several arrays with those of each. */
static void
check_arrays(const Arrays *arrays, uint32_t width, GaElemForm form)
{
	const char *from = array.elements;
	GaWindowRequest request = request_of((GaWindows){0, width, 0, width}, form);
	uint64_t *values;
	uint64_t n_without = 0;
	uint32_t n = 0;
	uint32_t a, at;

	request.n_arrays = arrays->n;
	request.n_pieces_of = arrays->n_pieces_of;
	for (a = 0; a < arrays->n; a++)
	{
		request.windows.n = n * width + arrays->lengths[a];
		n += (arrays->lengths[a] + width - 1) / width;
	}
	request.n = n;
	request.out = values = malloc(ga_elem_all_bytes(form, n));
	memset(values, 0xa5, ga_elem_all_bytes(form, n));
	fixture_window(&fixture, &request);
	for (n = 0, a = 0; a < arrays->n; a++)
	{
		for (at = 0; at < arrays->lengths[a]; at += width, n++)
		{
			const uint32_t left = arrays->lengths[a] - at;
			const uint32_t n_here = left < width ? left : width;
			uint64_t bits;

			if (!form_value(array.type, form, from, n_here, &bits))
				n_without++;
			else
				tap_check(values[n] == bits,
						  "%s, form %d, width %u, array %u of %u, from %u on: "
						  "%016llx, must be %016llx",
						  ga_element_name(array.type), form, (unsigned) width,
						  (unsigned) a, (unsigned) arrays->n, (unsigned) at,
						  (unsigned long long) values[n],
						  (unsigned long long) bits);
			from += n_here * ga_element_size(array.type);
		}
	}
	tap_check(values[n] == n_without, "%llu without a value, must be %llu",
			  (unsigned long long) values[n], (unsigned long long) n_without);
	free(values);
}

/* Elements whose exponents lie close together, or far apart, here and there. */
static void
fill(Rng *rng, GaElementType type, uint32_t n)
{
	const size_t size = ga_element_size(type);
	int exponent = -20;
	uint32_t i;

	array.type = type;
	array.n = n;
	for (i = 0; i < n; i++)
	{
		void *to = array.elements + i * size;
		double x = ldexp((double) (rng_next(rng) >> 11), exponent);

		if (rng_chance(rng, 300))
			exponent = -20 + rng_between(rng, -15, 15);
		if (rng_chance(rng, 20))
			x = -0.0;
		x = rng_chance(rng, 2) ? -x : x;
		if (ga_element_is_float(type))
			elements_put(type, &x, 1, to);
		else
			memcpy(to, &(int64_t){(int64_t) rng_next(rng)}, size);
	}
}

static GaWindows
buckets(uint32_t width)
{
	return (GaWindows){.step = width, .size = width};
}

static GaWindows
moving(uint32_t preceding)
{
	return (GaWindows){.step = 1, .before = preceding, .size = preceding + 1};
}

/* Two elements that are neighbors. */
static const GaWindows neighbors = {.step = 1, .size = 2};

/* The least or greatest elements so far. */
static void
check_running(Rng *rng, GaElemForm form)
{
	const size_t size = ga_element_size(array.type);
	GaWindowRequest request = request_of(moving(array.n - 1), form);
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
			fill(rng, type, lengths[i]);
			place(rng,
				  1 + (uint32_t) rng_below(rng, rng_chance(rng, 2) ? 3 : 90));
			check_forms(rng, "buckets", buckets(sizes[j]));
			if (lengths[i] * (uint64_t) sizes[j] <= 1000000)
				check_forms(rng, "moving", moving(sizes[j] - 1));
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
		fill(rng, type, lengths[i]);
		place(rng, 1 + (uint32_t) rng_below(rng, 60));
		check_running(rng, GA_FORM_MIN);
		check_running(rng, GA_FORM_MAX);
		if (!ga_element_is_float(type))
			continue;
		/* NaN alone at first, and then infinities */
		for (k = 0; k < lengths[i] && k < 40; k++)
			elements_put(type, k < 30 ? &(double){NAN} : &(double){-INFINITY},
						 1, array.elements + k * ga_element_size(type));
		place(rng, 2);
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
	fill(rng, type, 5000);
	place(rng, 20);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
	{
		check_forms(rng, "backwards", moving(sizes[i] - 1));
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
	place(rng, 3);
	check_forms(rng, "far apart", moving(20));
	check_forms(rng, "far apart", buckets(100));
	tap_end();
}

/* Windows as long as may be, many of them, and of a long array. */
static void
test_large(Rng *rng, GaElementType type)
{
	tap_begin("%s: large windows, and many", ga_element_name(type));
	fill(rng, type, MAX_ELEMENTS);
	place(rng, MAX_PIECES);
	check_forms(rng, "one bucket", buckets(GA_WINDOW_MOST));
	check_forms(rng, "the longest mean", buckets(GA_WINDOW_MOST_MEAN));
	check_forms(rng, "a thousand", buckets(1000));
	check_forms(rng, "neighbors", neighbors);
	if (!fixture_is_quick())
		check_forms(rng, "tens of thousands", buckets(7));
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
		place(rng, 3);
		check_forms(rng, "specials", buckets(width));
		check_forms(rng, "specials", moving(width));
		check_forms(rng, "specials", neighbors);
	}
	tap_check(check("sums", request_of(buckets(50), GA_FORM_SUM)) > 0,
			  "all have a sum");
	tap_end();
}

/* Buckets of several arrays. */
static void
test_arrays(Rng *rng, GaElementType type)
{
	static const uint32_t widths[] = {1, 2, 7, 63, 64, 100, 1000, 16384};
	Arrays arrays;
	size_t i;
	uint32_t form;

	tap_begin("%s: buckets of several arrays", ga_element_name(type));
	for (i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
	{
		fill(rng, type, fixture_is_quick() ? 2000 : 60000);
		place(rng, 1 + (uint32_t) rng_below(rng, MAX_PIECES));
		divide(rng, &arrays);
		for (form = GA_FORM_SUM; form < GA_N_ELEM_FORMS; form++)
		{
			if (ga_window_has_form(type, form))
				check_arrays(&arrays, widths[i], (GaElemForm) form);
		}
	}
	tap_end();
}

/* Requests that break the rules, each in one way. */
static void
test_rules(void)
{
	GaDeviceArray pieces[2] = {{0, 3}, {0, 2}};
	static const uint32_t n_of[] = {1, 1, 2, 0, 2};
	GaWindowRequest good = {.type = GA_int4,
							.n_pieces = 2,
							.pieces = pieces,
							.windows = {5, 2, 1, 2},
							.n = 3,
							.form = GA_FORM_SUM};
	uint64_t values[8];
	GaWindowRequest bad[16];
	GaDeviceFailure failure;
	size_t i, n = 0;

	tap_begin("requests that break the rules");
	pieces[0].data = pieces[1].data = fixture_memory(&fixture, FIXTURE_IN, 64);
	good.out = values;
	for (i = 0; i < 16; i++)
		bad[i] = good;
	bad[n++].type = GA_N_ELEMENT_TYPES;
	bad[n++].form = GA_FORM_RECORD;
	bad[n++].form = GA_FORM_MEAN;
	bad[n++].form = GA_N_ALL_FORMS;
	bad[n].form = GA_FORM_DELTA;
	bad[n++].windows.step = 1;
	bad[n].form = GA_FORM_MAX;
	bad[n].windows.before = GA_WINDOW_MOST;
	bad[n++].windows.size = GA_WINDOW_MOST + 1;
	bad[n++].windows.step = 0;
	bad[n++].windows.size = 0;
	bad[n++].windows.size = GA_WINDOW_MOST + 1;
	bad[n++].windows.before = 2;
	bad[n++].windows.n = 6;
	bad[n++].n = 4;
	bad[n++].first = 1;
	bad[n].out = (char *) values + 4;
	n++;
	bad[n++].out = NULL;
	bad[n++].pieces = NULL;
	for (i = 0; i < n; i++)
		tap_check(fixture.kind->window(fixture.queue, &bad[i], &failure) ==
					  GA_BAD_REQUEST,
				  "request %zu is accepted", i);
	good.windows = (GaWindows){6, 2, 0, 2};
	good.n_arrays = 2;
	good.n_pieces_of = n_of;
	fixture_window(&fixture, &good);
	for (i = 0; i < 16; i++)
		bad[i] = good;
	n = 0;
	bad[n++].n_pieces_of = NULL;
	bad[n++].n_arrays = 1;
	bad[n++].n_pieces_of = n_of + 1;
	bad[n++].n_pieces_of = n_of + 2;
	bad[n++].windows.n = 5;
	bad[n].windows.before = 1;
	bad[n++].windows.size = 2;
	bad[n].windows.step = 1;
	bad[n].windows.n = 5;
	bad[n++].n = 5;
	bad[n].first = 1;
	bad[n++].n = 2;
	bad[n++].n = 2;
	for (i = 0; i < n; i++)
		tap_check(fixture.kind->window(fixture.queue, &bad[i], &failure) ==
					  GA_BAD_REQUEST,
				  "request %zu for several arrays is accepted", i);
	good.n_arrays = 0;
	pieces[1].n = 0;
	good.windows.n = 3;
	good.n = 2;
	tap_check(fixture.kind->window(fixture.queue, &good, &failure) ==
				  GA_BAD_REQUEST,
			  "an empty piece");
	good.n_pieces = good.n = good.windows.n = 0;
	fixture_window(&fixture, &good);
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
		test_arrays(&rng, (GaElementType) type);
	}
	test_far_apart(&rng, GA_float4);
	test_far_apart(&rng, GA_float8);
	test_without(&rng, GA_float4);
	test_without(&rng, GA_float8);
	test_rules();
	fixture_close(&fixture);
	return tap_done();
}
