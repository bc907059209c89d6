/*
 * emulated_request.c
 *		What the emulated device answers to requests, by the CPU code.
 *
 * Requests have been checked.  One array after the other, with the engine that
 * a query without a device would use.  Running totals take two passes over an
 * array: the scan engine does not count each -0, and a sum has to.
 */
#include <string.h>

#include "cpu/cpu.h"
#include "emulated_scale.h"
#include "emulated_request.h"

/* The list of wide sums, as both requests have it. */
typedef struct WideList
{
	GaFullRecord *full;
	uint32_t room;
	uint32_t n; /* those without room among them */
} WideList;

static void
put_sum(GaPartialSum *result, WideList *list, const GaExactSum *sum)
{
	if (ga_partial_from_sum(result, sum))
		return;
	result->kind = GA_PARTIAL_NO_CAPACITY;
	if (list->n < list->room)
	{
		result->kind = GA_PARTIAL_FULL;
		result->limb[0] = list->n;
		ga_full_record_from_sum(&list->full[list->n], sum);
	}
	list->n++;
}

static void
put_int_sum(GaPartialSum *result, const GaIntSum *sum)
{
	memset(result, 0, sizeof(*result));
	result->limb[0] = sum->low;
	result->limb[1] = (uint64_t) sum->high;
	result->limb[2] = sum->high < 0 ? UINT64_MAX : 0;
}

/* The sum of one array. */
static void
sum_array(GaElementType type, const void *data, size_t n, GaPartialSum *result,
		  WideList *list)
{
	const GaCpuEngine *engine = ga_cpu_best();

#define SUM_int(name)                      \
	{                                      \
		GaIntSum sum = {0};                \
                                           \
		engine->sum_##name(&sum, data, n); \
		put_int_sum(result, &sum);         \
	}
#define SUM_float(name)                            \
	{                                              \
		GaFullSum full;                            \
		GaExactSum *sum = ga_full_sum_init(&full); \
                                                   \
		engine->sum_##name(sum, data, n);          \
		put_sum(result, list, sum);                \
	}
#define X(name, family, ctype) \
	case GA_##name:            \
		SUM_##family(name) break;

	switch (type)
	{
		GA_ELEMENT_TYPES(X)
		case GA_N_ELEMENT_TYPES:
			break;
	}
#undef X
#undef SUM_float
#undef SUM_int
}

void
ga_emulated_sum(GaSumRequest *request)
{
	WideList list = {request->full, request->full_capacity, 0};
	uint32_t i;

	for (i = 0; i < request->n_arrays; i++)
		sum_array(request->type, ga_emulated_pointer(request->arrays[i].data),
				  request->arrays[i].n, &request->results[i], &list);
	request->n_full = list.n;
}

/*
 * Make the running totals of integers.  Returns the index of the first that is
 * beyond the type, or n.
 */
static size_t
scan_ints(const GaScanRequest *request)
{
	const GaIntSum *prefix = request->prefix;
	GaInt128 total = prefix ? ga_int_sum_total(prefix) : 0;
	const void *in = ga_emulated_pointer(request->in);
	void *out = ga_emulated_pointer(request->out);
	size_t i;

	for (i = 0; i < request->n; i++)
	{
		total += request->type == GA_int2 ? ((const int16_t *) in)[i] :
				 request->type == GA_int4 ? ((const int32_t *) in)[i] :
											((const int64_t *) in)[i];
		if (request->totals == GA_TOTALS_INT128)
			((GaInt128 *) out)[i] = total;
		else if (total != (int64_t) total)
			break;
		else
			((int64_t *) out)[i] = (int64_t) total;
	}
	return i;
}

/* Make the running totals of floats.  Returns as scan_ints. */
static size_t
scan_floats(const GaScanRequest *request)
{
	const GaCpuEngine *engine = ga_cpu_best();
	const void *in = ga_emulated_pointer(request->in);
	void *out = ga_emulated_pointer(request->out);
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);

	if (request->prefix != NULL)
		ga_exact_sum_copy(sum, GA_MAX_CELLS, request->prefix);
	return request->type == GA_float8 ?
			   engine->scan_float8(sum, in, request->n, out) :
			   engine->scan_float4(sum, in, request->n, out);
}

void
ga_emulated_scan(GaScanRequest *request)
{
	bool is_float = ga_element_is_float(request->type);
	WideList list = {&request->full, 1, 0};

	request->n_totals = is_float ? scan_floats(request) : scan_ints(request);
	if (request->n_totals == request->n)
		sum_array(request->type, ga_emulated_pointer(request->in), request->n,
				  &request->sum, &list);
	request->next_hint = (GaScanHint){0};
	request->n_refused = 0;
	if (is_float && request->n > 0)
		ga_emulated_try_scales(request);
}
