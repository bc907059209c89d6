/*
 * emulated_request.c
 *		What the emulated device answers to requests, by the CPU code.
 *
 * Requests have been checked.  One array after the other, with the engine that
 * a query without a device would use.  A scan takes two passes over an array
 * of floats: the scan engine does not count each -0, and a sum has to.
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
 * Running totals of integers that begin with `before`.  Returns the index of
 * the first inclusive total that does not fit, or n.
 */
static size_t
scan_ints(const GaScanRequest *request, const GaScanArray *array)
{
	const GaIntSum *before = array->before;
	GaInt128 total = before ? ga_int_sum_total(before) : 0;
	const void *in = ga_emulated_pointer(array->in);
	void *out = ga_emulated_pointer(array->out);
	size_t i;

	for (i = 0; i < array->n; i++)
	{
		GaInt128 exclusive = total;

		total += request->type == GA_int2 ? ((const int16_t *) in)[i] :
				 request->type == GA_int4 ? ((const int32_t *) in)[i] :
											((const int64_t *) in)[i];
		if (request->totals == GA_TOTALS_INT128)
			((GaInt128 *) out)[i] = request->exclusive ? exclusive : total;
		else if (total != (int64_t) total)
			break;
		else
			((int64_t *) out)[i] =
				(int64_t) (request->exclusive ? exclusive : total);
	}
	return i;
}

/* Totals of n elements that go on from a sum, which takes them up. */
static size_t
scan_run(GaElementType type, GaExactSum *sum, const void *in, size_t n,
		 void *out)
{
	const GaCpuEngine *engine = ga_cpu_best();

	return type == GA_float8 ? engine->scan_float8(sum, in, n, out) :
							   engine->scan_float4(sum, in, n, out);
}

/* What came before the first element, as its exclusive total. */
static void
put_first(GaElementType type, const GaExactSum *sum, void *out)
{
	double wide = 0;
	float narrow = 0;

	if (sum->n > 0 && type == GA_float8)
		(void) ga_exact_sum_float8(sum, &wide);
	else if (sum->n > 0)
		(void) ga_exact_sum_float4(sum, &narrow);
	if (type == GA_float8)
		memcpy(out, &wide, sizeof(wide));
	else
		memcpy(out, &narrow, sizeof(narrow));
}

/*
 * The same for floats.  Exclusive totals are the inclusive ones one place on;
 * the last of these goes nowhere, but has to be in range as well.
 */
static size_t
scan_floats(const GaScanRequest *request, const GaScanArray *array)
{
	size_t size = ga_element_size(request->type);
	const char *in = ga_emulated_pointer(array->in);
	char *out = ga_emulated_pointer(array->out);
	size_t n = array->n;
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);
	size_t done;
	double nowhere;

	if (array->before != NULL)
		ga_exact_sum_copy(sum, GA_MAX_CELLS, array->before);
	if (!request->exclusive || n == 0)
		return scan_run(request->type, sum, in, n, out);

	put_first(request->type, sum, out);
	done = scan_run(request->type, sum, in, n - 1, out + size);
	if (done == n - 1)
		done += scan_run(request->type, sum, in + done * size, 1, &nowhere);
	return done;
}

void
ga_emulated_scan(GaScanRequest *request)
{
	bool is_float = ga_element_is_float(request->type);
	WideList list = {request->full, request->full_capacity, 0};
	uint32_t i;

	request->n_refused = 0;
	for (i = 0; i < request->n_arrays; i++)
	{
		const GaScanArray *array = &request->arrays[i];
		GaScanResult *result = &request->results[i];

		result->n_totals =
			is_float ? scan_floats(request, array) : scan_ints(request, array);
		if (result->n_totals == array->n)
			sum_array(request->type, ga_emulated_pointer(array->in), array->n,
					  &result->sum, &list);
		result->hint = (GaScanHint){0};
		if (is_float && array->n > 0)
			request->n_refused +=
				ga_emulated_try_scales(request, array, result);
	}
	request->n_full = list.n;
}
