/*
 * window_array.h
 *		An array for tests of windows, whose pieces lie apart on the device.
 */
#ifndef WINDOW_ARRAY_H
#define WINDOW_ARRAY_H

#include "fixture.h"
#include "random_floats.h"

#define WINDOW_MAX_ELEMENTS 400000
#define WINDOW_MAX_PIECES	200

typedef struct WindowArray
{
	GaElementType type;
	uint32_t n;
	char elements[WINDOW_MAX_ELEMENTS * sizeof(int64_t)];
	GaDeviceArray pieces[WINDOW_MAX_PIECES];
	uint32_t n_pieces;
} WindowArray;

/*
 * Elements whose exponents lie close together, or far apart, here and there;
 * some are -0.
 */
extern void window_array_fill(WindowArray *array, Rng *rng, GaElementType type,
							  uint32_t n);

/*
 * Copy the array to the device in pieces, each at any place that an element
 * may have.
 */
extern void window_array_place(WindowArray *array, Fixture *fixture, Rng *rng,
							   uint32_t n_pieces);

/* A request for all windows. */
extern GaWindowRequest window_array_request(const WindowArray *array,
											GaWindows windows, GaElemForm form);

static inline GaWindows
window_buckets(uint32_t width)
{
	return (GaWindows){.step = width, .size = width};
}

static inline GaWindows
window_moving(uint32_t preceding)
{
	return (GaWindows){.step = 1, .before = preceding, .size = preceding + 1};
}

#endif /* WINDOW_ARRAY_H */
