/*
 * device_check.h
 *		Checks of requests, and limits of scales, for all kinds of devices.
 */
#ifndef GA_DEVICE_CHECK_H
#define GA_DEVICE_CHECK_H

#include "device.h"

extern void ga_device_failure(GaDeviceFailure *failure, const char *call,
							  const char *format, ...)
	__attribute__((format(printf, 3, 4)));
extern const char *ga_windows_fault(const GaWindows *windows, GaElemForm form);
extern size_t ga_scan_total_size(GaElementType type, GaScanTotals totals);
extern GaStatus ga_check_sum_request(const GaSumRequest *request,
									 GaDeviceFailure *failure);
extern GaStatus ga_check_reduce_request(const GaReduceRequest *request,
										GaDeviceFailure *failure);
extern GaStatus ga_check_elem_request(const GaElemRequest *request,
									  GaDeviceFailure *failure);
extern GaStatus ga_check_window_request(const GaWindowRequest *request,
										GaDeviceFailure *failure);
extern GaStatus ga_check_scan_request(const GaScanRequest *request,
									  GaDeviceFailure *failure);
extern GaStatus ga_check_pack_request(const GaPackRequest *request, bool packs,
									  GaDeviceFailure *failure);

/* Return how many positions a request for sums by position has. */
static inline uint64_t
ga_elem_positions(const GaElemRequest *request)
{
	uint64_t n = 0;
	uint32_t p;

	for (p = 0; p < request->n_pieces; p++)
		n += request->n_of[p];
	return n;
}

/* The most levels that a scale of floats has; the least is 2. */
static inline GA_HOST_DEVICE int
ga_scan_most_levels(GaElementType type)
{
	return type == GA_float8 ? 3 : 2;
}

/* The least unit that the first of so many levels can have. */
static inline GA_HOST_DEVICE int
ga_scan_least_unit(int n_levels)
{
	return GA_SCALE_LEAST + GA_SCALE_BITS * (n_levels - 1);
}

/*
 * The two-level scale of float8: elements have less than 2^GA_TWO_LEVEL_ITEM
 * units of the first level, and totals, as an integer, about 2^GA_TWO_LEVEL_TOP
 * at most.  The prefix of a segment is on the levels as doubles here, too.
 */
#define GA_TWO_LEVEL_ITEM (GA_SCALE_BITS - 1)
#define GA_TWO_LEVEL_TOP  60

static inline GA_HOST_DEVICE bool
ga_scan_is_two_level(GaElementType type, int n_levels)
{
	return type == GA_float8 && n_levels == 2;
}

/* The greatest unit that the first of so many levels can have. */
static inline GA_HOST_DEVICE int
ga_scan_greatest_unit(GaElementType type, int n_levels)
{
	return ga_scan_is_two_level(type, n_levels) ?
			   GA_SCALE_MOST - GA_SCALE_BITS :
			   GA_SCALE_MOST;
}

/* Does a hint name a scale that exists? */
static inline GA_HOST_DEVICE bool
ga_hint_is_scale(GaElementType type, GaScanHint hint)
{
	return ga_element_is_float(type) && hint.n_levels >= 2 &&
		   hint.n_levels <= ga_scan_most_levels(type) &&
		   hint.unit >= ga_scan_least_unit(hint.n_levels) &&
		   hint.unit <= ga_scan_greatest_unit(type, hint.n_levels);
}

/* Does the request's hint say that there is no scale for its array? */
static inline GA_HOST_DEVICE bool
ga_hint_is_no_scale(const GaScanRequest *request)
{
	return ga_element_is_float(request->type) && request->n > 0 &&
		   request->hint.n_levels == GA_SCAN_NO_SCALE;
}

#endif /* GA_DEVICE_CHECK_H */
