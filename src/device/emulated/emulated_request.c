/*
 * emulated_request.c
 * 		Computing the requests of the emulated device by the CPU engine.
 *
 * Called by emulated_submit.c after the request was checked.  Arrays are summed
 * one after another, by the engine of a query without a device.  Running
 * totals take two passes over an array: the engine's scan does not count each
 * -0, but a sum must.
 */
#include <string.h>

#include "cpu/cpu.h"
#include "emulated_memory.h"
#include "emulated_plain.h"
#include "emulated_request.h"
#include "emulated_scale.h"

/* Sum one array; the list of full records is that of ga_partial_store(). */
static void
sum_array(GaElementType type, GaDeviceAddress address, size_t n,
		  GaPartialSum *result, GaFullRecord *full, uint32_t full_capacity,
		  uint32_t *n_full)
{
	const GaCpuEngine *engine = ga_cpu_best();
	const void *data = ga_emulated_pointer(address);

#define SUM_int(name)                            \
	{                                            \
		GaIntSum sum = {0};                      \
                                                 \
		engine->sum_##name(&sum, data, n);       \
		*result = ga_partial_from_int_sum(&sum); \
	}
#define SUM_float(name)                                             \
	{                                                               \
		GaFullSum buffer;                                           \
		GaExactSum *sum = ga_full_sum_init(&buffer);                \
                                                                    \
		engine->sum_##name(sum, data, n);                           \
		ga_partial_store(result, sum, full, full_capacity, n_full); \
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

bool
ga_emulated_sum(GaSumRequest *request)
{
	GaEmulatedPlain plain;
	uint32_t i;

	if (!ga_emulated_make_plain(&plain, request->type, request->arrays,
								request->n_arrays))
		return false;
	request->n_full = 0;
	for (i = 0; i < request->n_arrays; i++)
		sum_array(request->type, plain.arrays[i].data, plain.arrays[i].n,
				  &request->results[i], request->full, request->full_capacity,
				  &request->n_full);
	ga_emulated_free_plain(&plain);
	return true;
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

/* Make the running totals of plain elements. */
static void
scan_plain(GaScanRequest *request)
{
	bool is_float = ga_element_is_float(request->type);
	uint32_t n_full = 0;

	request->n_totals = is_float ? scan_floats(request) : scan_ints(request);
	if (request->n_totals == request->n)
		sum_array(request->type, request->in, request->n, &request->sum,
				  &request->full, 1, &n_full);
	request->next_hint = (GaScanHint){0};
	request->n_refused = 0;
	if (is_float && request->n > 0)
		ga_emulated_try_scales(request);
}

bool
ga_emulated_scan(GaScanRequest *request)
{
	const GaDeviceArray in = {request->in, request->n};
	GaEmulatedPlain plain;

	if (!ga_emulated_make_plain(&plain, request->type, &in, 1))
		return false;
	request->in = plain.arrays[0].data;
	scan_plain(request);
	request->in = in.data;
	ga_emulated_free_plain(&plain);
	return true;
}
