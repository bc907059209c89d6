/*
 * test_window_arrays.c
 *		A device's values of the buckets of several arrays, and requests for
 *		windows that break the rules.
 */
#include <stdlib.h>

#include "form_value.h"
#include "tap.h"
#include "window_array.h"

static Fixture fixture;
static WindowArray array;

/* Arrays that each have some of the pieces. */
typedef struct Arrays
{
	uint32_t n;
	uint32_t n_pieces_of[WINDOW_MAX_PIECES];
	uint32_t lengths[WINDOW_MAX_PIECES];
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
	GaWindowRequest request =
		window_array_request(&array, (GaWindows){0, width, 0, width}, form);
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
		window_array_fill(&array, rng, type, fixture_is_quick() ? 6000 : 60000);
		window_array_place(&array, &fixture, rng,
						   1 + (uint32_t) rng_below(rng, WINDOW_MAX_PIECES));
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
	Rng rng = {20261127};
	int type;

	fixture_open(&fixture);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
		test_arrays(&rng, (GaElementType) type);
	test_rules();
	fixture_close(&fixture);
	return tap_done();
}
