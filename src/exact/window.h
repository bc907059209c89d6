/*
 * window.h
 *		Windows over the elements of an array: buckets, and windows that move.
 *
 * Window k has `size` elements from k * step - before on, without those that
 * would lie outside the array.  Element k * step is always in it.  Windows run
 * if each has all elements up to k.
 *
 * Buckets may be of several arrays.  The elements of each are numbered from the
 * next multiple of the buckets' size on, so it begins with a bucket of its own;
 * there are no elements between the arrays.
 */
#ifndef GA_WINDOW_H
#define GA_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "host_device.h"

typedef struct GaWindows
{
	uint32_t n; /* elements of the array, or the number behind the last one */
	uint32_t step;
	uint32_t before; /* less than size */
	uint32_t size;
} GaWindows;

/* Return the first element of a window. */
static inline GA_HOST_DEVICE uint32_t
ga_window_from(const GaWindows *windows, uint32_t k)
{
	const uint64_t at = (uint64_t) k * windows->step;

	return at > windows->before ? (uint32_t) (at - windows->before) : 0;
}

/* Return the element behind a window. */
static inline GA_HOST_DEVICE uint32_t
ga_window_end(const GaWindows *windows, uint32_t k)
{
	const uint64_t end =
		(uint64_t) k * windows->step + (windows->size - windows->before);

	return end < windows->n ? (uint32_t) end : windows->n;
}

/* Return the number of windows; step is not 0. */
static inline uint32_t
ga_windows_count(const GaWindows *windows)
{
	return windows->n == 0 ? 0 : (windows->n - 1) / windows->step + 1;
}

/* Return the number of the first element of an array behind others. */
static inline uint64_t
ga_windows_next(const GaWindows *windows, uint64_t end)
{
	return (end + windows->step - 1) / windows->step * windows->step;
}

/* Are windows buckets? */
static inline bool
ga_windows_are_buckets(const GaWindows *windows)
{
	return windows->before == 0 && windows->size == windows->step;
}

/* Do windows run? */
static inline GA_HOST_DEVICE bool
ga_windows_run(const GaWindows *windows)
{
	return windows->step == 1 && windows->size >= windows->n &&
		   windows->before == windows->size - 1;
}

#endif /* GA_WINDOW_H */
