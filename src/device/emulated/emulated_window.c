/*
 * emulated_window.c
 *		The emulated device's values of windows.
 *
 * Called by emulated_submit.c after the request was checked.
 */
#include <string.h>

#include "emulated_memory.h"
#include "emulated_plain.h"
#include "emulated_values.h"
#include "emulated_window.h"

/* Copy elements of a window, piece by piece. */
static void
copy(const GaEmulatedInputs *inputs, uint32_t first, uint32_t n, char *to)
{
	const GaWindowRequest *request = inputs->request;
	const size_t size = ga_element_size(request->type);
	const GaDeviceArray *piece = request->pieces;
	uint64_t at = inputs->at + first;

	for (; n > 0; piece++)
	{
		const uint64_t left = at < piece->n ? piece->n - at : 0;
		const uint32_t n_here = left < n ? (uint32_t) left : n;

		if (n_here > 0)
			memcpy(to, ga_emulated_pointer(piece->data + at * size),
				   n_here * size);
		to += n_here * size;
		n -= n_here;
		at = left > 0 ? 0 : at - piece->n;
	}
}

/* Make the value of element k of a run, from that of the element before. */
static void
run_on(const GaWindowRequest *request, uint32_t k, uint64_t *value)
{
	GaEmulatedInputs inputs = {
		.copy = copy, .request = request, .at = k, .n = 1};
	uint64_t own;
	GaEmulatedResults result = {.value = &own};

	ga_emulated_put(request->type, request->form, &inputs, &result);
	*value = k == 0 ?
				 own :
				 ga_emulated_extreme(request->type, request->form, *value, own);
}

/* Make the values of windows that run. */
static void
run(const GaWindowRequest *request)
{
	uint64_t *values = request->out;
	uint64_t value = 0;
	uint32_t k;

	for (k = 0; k < request->first + request->n; k++)
	{
		run_on(request, k, &value);
		if (k >= request->first)
			values[k - request->first] = value;
	}
	values[request->n] = 0;
}

/* Make the differences of neighbors. */
static void
subtract(const GaWindowRequest *request)
{
	const GaEmulatedInputs inputs = {.copy = copy, .request = request};
	uint64_t *values = request->out;
	uint64_t n_refused = 0;
	uint32_t i;

	for (i = 0; i < request->n; i++)
	{
		const uint32_t k = request->first + i;
		char elements[2 * sizeof(int64_t)];
		uint64_t value;

		values[i] = 0;
		if (k + 1 == request->windows.n)
			continue;
		copy(&inputs, k, 2, elements);
		if (ga_emulated_delta(request->type, elements, &value))
			values[i] = value;
		else
			n_refused++;
	}
	values[request->n] = n_refused;
}

/* Make the values of windows, each for itself. */
static void
reduce(const GaWindowRequest *request)
{
	GaEmulatedResults results = {.value = request->out};
	GaEmulatedInputs inputs = {.copy = copy, .request = request};
	uint32_t k;

	for (k = request->first; k < request->first + request->n; k++)
	{
		inputs.at = ga_window_from(&request->windows, k);
		inputs.n = ga_window_end(&request->windows, k) - (uint32_t) inputs.at;
		ga_emulated_put(request->type, request->form, &inputs, &results);
	}
	*results.value = results.n_refused;
}

/* Make the values of windows over plain elements. */
static void
compute(const GaWindowRequest *request)
{
	if (request->form == GA_FORM_DELTA)
		subtract(request);
	else if (ga_windows_are_running(&request->windows, request->form))
		run(request);
	else
		reduce(request);
}

/* Make the values of each array's buckets. */
static void
compute_arrays(const GaWindowRequest *request)
{
	GaWindowRequest of_array = *request;
	uint64_t *values = request->out;
	uint64_t n_refused = 0;
	uint32_t a, i;

	for (a = 0; a < request->n_arrays; a++)
	{
		of_array.n_pieces = request->n_pieces_of[a];
		of_array.windows.n = 0;
		for (i = 0; i < of_array.n_pieces; i++)
			of_array.windows.n += (uint32_t) of_array.pieces[i].n;
		of_array.n = ga_windows_count(&of_array.windows);
		of_array.out = values;
		compute(&of_array);
		of_array.pieces += of_array.n_pieces;
		values += of_array.n;
		n_refused += *values;
	}
	*values = n_refused;
}

bool
ga_emulated_window(GaWindowRequest *request)
{
	GaWindowRequest on_plain = *request;
	GaEmulatedPlain plain;

	if (!ga_emulated_make_plain(&plain, request->type, request->pieces,
								request->n_pieces))
		return false;
	on_plain.pieces = plain.arrays;
	if (request->n_arrays > 0)
		compute_arrays(&on_plain);
	else
		compute(&on_plain);
	ga_emulated_free_plain(&plain);
	return true;
}
