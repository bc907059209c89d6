/*
 * window_array.c
 *		An array for tests of windows, whose pieces lie apart on the device.
 */
#include <math.h>

#include "elements.h"
#include "window_array.h"

void
window_array_fill(WindowArray *array, Rng *rng, GaElementType type, uint32_t n)
{
	const size_t size = ga_element_size(type);
	int exponent = -20;
	uint32_t i;

	array->type = type;
	array->n = n;
	for (i = 0; i < n; i++)
	{
		void *to = array->elements + i * size;
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

void
window_array_place(WindowArray *array, Fixture *fixture, Rng *rng,
				   uint32_t n_pieces)
{
	const size_t size = ga_element_size(array->type);
	const GaDeviceAddress image = fixture_memory(
		fixture, FIXTURE_IN, array->n * size + n_pieces * 32 + size);
	GaDeviceAddress at = image;
	uint32_t from = 0;
	uint32_t p;

	array->n_pieces = n_pieces < array->n ? n_pieces : array->n;
	for (p = 0; p < array->n_pieces; p++)
	{
		const uint32_t left = array->n - from - (array->n_pieces - 1 - p);
		const uint32_t n =
			p + 1 == array->n_pieces ?
				left :
				1 + (uint32_t) rng_below(
						rng, rng_chance(rng, 2) ? left : 1 + left / 8);

		at += rng_below(rng, 16 / size + 1) * size;
		array->pieces[p] = (GaDeviceArray){at, n};
		fixture_copy_in(fixture, at, array->elements + from * size, n * size);
		at += n * size;
		from += n;
	}
	if (fixture_packs() && at > image)
	{
		const GaDeviceAddress packed =
			fixture_pack_image(fixture, array->type, image, at - image);

		for (p = 0; p < array->n_pieces; p++)
			array->pieces[p].data += packed - image;
	}
}

GaWindowRequest
window_array_request(const WindowArray *array, GaWindows windows,
					 GaElemForm form)
{
	windows.n = array->n;
	return (GaWindowRequest){.type = array->type,
							 .n_pieces = array->n_pieces,
							 .pieces = array->pieces,
							 .windows = windows,
							 .n = ga_windows_count(&windows),
							 .form = form};
}
