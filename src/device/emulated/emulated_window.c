/*
 * emulated_window.c
 *		The emulated device's values of windows.
 *
 * Called by emulated_queue.c after the request was checked.
 */
#include <string.h>

#include "emulated_memory.h"
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

void
ga_emulated_window(GaWindowRequest *request)
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
