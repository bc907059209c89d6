/*
 * emulated_scale.c
 *		Which grid does for running totals of floats.
 *
 * A GPU makes the totals of a whole array on one grid, and has to find one
 * that does.  The CPU code has a grid for each block, and so the emulated
 * device looks at totals that are made already: it tries the grids that a GPU
 * would, in that order, and counts those that would have been refused.  So who
 * gives hints can be tested where there is no GPU.
 */
#include "device/device_check.h"
#include "emulated_scale.h"
#include "emulated_request.h"

/* What floats ask of a grid. */
typedef struct Span
{
	int lowest; /* no bit is set below 2^lowest */
	int top;	/* all are below 2^top */
	bool is_finite;
} Span;

static Span
find_span(GaElementType type, GaDeviceAddress at, uint64_t n)
{
	const double *wide = ga_emulated_pointer(at);
	const float *narrow = ga_emulated_pointer(at);
	Span span = {INT32_MAX, -1074, true};
	uint64_t i;

	for (i = 0; i < n; i++)
	{
		uint64_t bits = ga_float8_bits(type == GA_float8 ? wide[i] : narrow[i]);
		int biased = (int) (bits >> 52 & 0x7ff);
		uint64_t m =
			(bits & GA_FLOAT8_FRACTION) | (biased > 0 ? GA_FLOAT8_HIDDEN : 0);
		int place = (biased > 0 ? biased - 1 : 0) - 1074;

		if (biased == 0x7ff)
			span.is_finite = false;
		if (biased == 0x7ff || m == 0)
			continue;
		if (place + __builtin_ctzll(m) < span.lowest)
			span.lowest = place + __builtin_ctzll(m);
		if (place + 64 - __builtin_clzll(m) > span.top)
			span.top = place + 64 - __builtin_clzll(m);
	}
	return span;
}

/* Would a grid do for these elements and these totals? */
static bool
does(GaElementType type, GaScanHint grid, const GaScanArray *array,
	 const Span *elements, const Span *totals)
{
	const bool is_wide = ga_scan_is_wide(type, grid.n_levels);
	double levels[3];
	int unit[3];
	int k;

	for (k = 0; k < grid.n_levels; k++)
		unit[k] = grid.unit - GA_SCALE_BITS * k;
	return elements->is_finite && totals->is_finite &&
		   elements->lowest >= unit[grid.n_levels - 1] &&
		   (!is_wide || elements->top <= unit[0] + GA_WIDE_ITEM) &&
		   totals->top <= unit[0] + (is_wide ? GA_WIDE_TOP : GA_SCALE_TOP) &&
		   (array->before == NULL ||
			ga_exact_sum_to_levels(array->before, unit, grid.n_levels, levels));
}

/*
 * The grid of so many levels that has room for totals, and if it is wide for the
 * lowest bits of elements, too.
 */
static GaScanHint
grid_for(GaElementType type, const Span *elements, const Span *totals,
		 int n_levels)
{
	const int least = ga_scan_least_unit(n_levels);
	const int greatest = ga_scan_greatest_unit(type, n_levels);
	int unit = totals->top - GA_SCALE_TOP;

	if (ga_scan_is_wide(type, n_levels) &&
		elements->lowest < unit - GA_SCALE_BITS)
		unit = elements->lowest + GA_SCALE_BITS;
	unit = unit < greatest ? unit : greatest;
	return (GaScanHint){
		.unit = (int16_t) (unit > least ? unit : least),
		.n_levels = (uint16_t) n_levels,
	};
}

/*
 * Put down the grid that does for an array of floats whose totals were made,
 * or that none does.  Returns how many were tried and did not.
 */
uint32_t
ga_emulated_try_scales(const GaScanRequest *request, const GaScanArray *array,
					   GaScanResult *result)
{
	const GaElementType type = request->type;
	const Span elements = find_span(type, array->in, array->n);
	const Span totals = find_span(type, array->out, result->n_totals);
	const GaScanHint grids[] = {array->hint,
								grid_for(type, &elements, &totals, 2),
								grid_for(type, &elements, &totals, 3)};
	uint32_t n_refused = 0;
	size_t i;

	result->hint = (GaScanHint){.n_levels = GA_SCAN_NO_SCALE};
	if (ga_hint_is_no_scale(type, array))
		return 0;
	for (i = 0; i < sizeof(grids) / sizeof(grids[0]); i++)
	{
		if (!ga_hint_is_scale(type, grids[i]))
			continue;
		if (result->n_totals == array->n &&
			does(type, grids[i], array, &elements, &totals))
		{
			result->hint = grids[i];
			return n_refused;
		}
		n_refused++;
	}
	return n_refused;
}
