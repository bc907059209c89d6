/*
 * emulated_elem.c
 *		The emulated device's sums and extremes by position.
 *
 * Called by emulated_submit.c after the request was checked.
 */
#include <string.h>

#include "emulated_elem.h"
#include "emulated_memory.h"
#include "emulated_values.h"
#include "exact/packed_element.h"

/* Copy elements of a position. */
static void
copy(const GaEmulatedInputs *inputs, uint32_t first, uint32_t n, char *to)
{
	const GaElemRequest *request = inputs->request;
	const size_t size = ga_element_size(request->type);
	uint32_t i;

	for (i = 0; i < n; i++)
	{
		const GaDeviceAddress at = inputs->arrays[first + i] + inputs->at;

		if (ga_is_packed(at))
			ga_packed_element(at, request->type, to + i * size);
		else
			memcpy(to + i * size, ga_emulated_pointer(at), size);
	}
}

void
ga_emulated_elem(GaElemRequest *request)
{
	void *out = ga_emulated_pointer(request->out);
	GaEmulatedResults results = {.record = out, .value = out};
	GaEmulatedInputs inputs = {.n = request->n_arrays,
							   .copy = copy,
							   .request = request,
							   .arrays = request->arrays};
	uint32_t p, i;

	for (p = 0; p < request->n_pieces; p++)
	{
		for (i = 0; i < request->n_of[p]; i++)
		{
			inputs.at = (uint64_t) i * ga_element_size(request->type);
			ga_emulated_put(request->type, request->form, &inputs, &results);
		}
		inputs.arrays += request->n_arrays;
	}
	if (request->form != GA_FORM_RECORD)
		*results.value = results.n_refused;
}
