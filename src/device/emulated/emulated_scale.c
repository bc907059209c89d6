/*
 * emulated_scale.c
 *		The scale on which running totals of floats can be made.
 *
 * A GPU makes the totals of a whole array on one scale, and has to find it.
 * The CPU code has a scale for each block of elements.  So the emulated device
 * looks at totals that are made already: it tries the scales that a GPU would,
 * in the same order, and counts those that a GPU would have refused.  This
 * tests the callers that keep hints where there is no GPU.
 */
#include "device/device_check.h"
#include "emulated_scale.h"
#include "emulated_memory.h"

/* What a scale has to cover. */
typedef struct Span
{
	int lowest; /* no bit is set below 2^lowest */
	int top;	/* all are below 2^top */
	bool is_finite;
} Span;

static Span
find_span(GaElementType type, GaDeviceAddress at, uint64_t n)
{
	const double *doubles = ga_emulated_pointer(at);
	const float *floats = ga_emulated_pointer(at);
	Span span = {INT32_MAX, -1074, true};
	uint64_t i;

	for (i = 0; i < n; i++)
	{
		uint64_t bits =
			ga_float8_bits(type == GA_float8 ? doubles[i] : floats[i]);
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

/* Would a scale do for these elements and these totals? */
static bool
does(const GaScanRequest *request, GaScanHint scale, const Span *elements,
	 const Span *totals)
{
	const bool is_two_level =
		ga_scan_is_two_level(request->type, scale.n_levels);
	double levels[3];
	int unit[3];
	int k;

	for (k = 0; k < scale.n_levels; k++)
		unit[k] = scale.unit - GA_SCALE_BITS * k;
	return elements->is_finite && totals->is_finite &&
		   elements->lowest >= unit[scale.n_levels - 1] &&
		   (!is_two_level || elements->top <= unit[0] + GA_TWO_LEVEL_ITEM) &&
		   totals->top <=
			   unit[0] + (is_two_level ? GA_TWO_LEVEL_TOP : GA_SCALE_TOP) &&
		   (request->prefix == NULL ||
			ga_exact_sum_to_levels(request->prefix, unit, scale.n_levels,
								   levels));
}

/*
 * Return the scale of so many levels that covers the totals, and if it is a
 * two-level scale the lowest bits of the elements, too.
 */
static GaScanHint
scale_for(GaElementType type, const Span *elements, const Span *totals,
		  int n_levels)
{
	const int least = ga_scan_least_unit(n_levels);
	const int greatest = ga_scan_greatest_unit(type, n_levels);
	int unit = totals->top - GA_SCALE_TOP;

	if (ga_scan_is_two_level(type, n_levels) &&
		elements->lowest < unit - GA_SCALE_BITS)
		unit = elements->lowest + GA_SCALE_BITS;
	unit = unit < greatest ? unit : greatest;
	return (GaScanHint){
		.unit = (int16_t) (unit > least ? unit : least),
		.n_levels = (uint16_t) n_levels,
	};
}

/*
 * Set the next hint of an array of floats whose totals are made: the scale that
 * does, or that none does.  Count those that were tried and do not.
 */
void
ga_emulated_try_scales(GaScanRequest *request)
{
	const GaElementType type = request->type;
	const Span elements = find_span(type, request->in, request->n);
	const Span totals = find_span(type, request->out, request->n_totals);
	const GaScanHint scales[] = {request->hint,
								 scale_for(type, &elements, &totals, 2),
								 scale_for(type, &elements, &totals, 3)};
	size_t i;

	request->next_hint = (GaScanHint){.n_levels = GA_SCAN_NO_SCALE};
	if (ga_hint_is_no_scale(request))
		return;
	for (i = 0; i < sizeof(scales) / sizeof(scales[0]); i++)
	{
		if (!ga_hint_is_scale(type, scales[i]))
			continue;
		if (request->n_totals == request->n &&
			does(request, scales[i], &elements, &totals))
		{
			request->next_hint = scales[i];
			return;
		}
		request->n_refused++;
	}
}
