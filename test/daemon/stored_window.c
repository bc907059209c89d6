/*
 * stored_window.c
 *		Values of windows over stored arrays, as a backend asks for them.
 */
#include <string.h>

#include "form_value.h"
#include "stored_window.h"
#include "tap.h"

GaRequest
stored_windows(const StoredArray *array, uint32_t slot, GaElemForm form,
			   GaWindows windows, uint32_t from)
{
	GaRequest request = {.opcode = GA_WINDOW,
						 .slot = slot,
						 .u.window = {.type = array->set->type,
									  .form = form,
									  .windows = windows,
									  .from = from,
									  .n = ga_windows_count(&windows),
									  .lookup = stored_lookup_next()}};

	request.u.window.stored.key = array->key;
	request.u.window.lookup.loads = 0;
	return request;
}

void
stored_send_windows(Client *client, const GaRequest *request)
{
	memset(client_data(client, request->slot), STORED_UNTOUCHED,
		   request->u.window.ahead.n > 0 ?
			   GA_SLOT_DATA_BYTES :
			   (request->u.window.n + 2) * sizeof(uint64_t));
	client_send(client, request);
}

void
stored_check_array_values(const GaRequest *request, const StoredArray *array,
						  const uint64_t *values)
{
	const GaElemForm form = (GaElemForm) request->u.window.form;
	const GaWindows windows = request->u.window.windows;
	const uint32_t n = request->u.window.n;
	const size_t size = ga_element_size(array->set->type);
	const char *elements =
		(const char *) array_set_elements(array->set, array->i) +
		request->u.window.from * size;
	const uint32_t step = 1 + n / 500;
	uint32_t i;

	for (i = 0; i < n; i += step)
	{
		const uint32_t from =
			ga_window_from(&windows, request->u.window.first + i);
		const uint32_t end =
			ga_window_end(&windows, request->u.window.first + i);
		uint64_t bits;

		tap_check(form_value(array->set->type, form, elements + from * size,
							 end - from, &bits) &&
					  values[i] == bits,
				  "form %d, window %u of %u: %llx, must be %llx", form, i, n,
				  (unsigned long long) values[i], (unsigned long long) bits);
	}
}

void
stored_check_values(Client *client, const GaRequest *request,
					const StoredArray *array, uint32_t n)
{
	const uint64_t *values =
		(const uint64_t *) client_data(client, request->slot);

	stored_check_array_values(request, array, values);
	tap_check(values[n] == 0, "%llu have no value",
			  (unsigned long long) values[n]);
	tap_check(*(const unsigned char *) (values + n + 1) == STORED_UNTOUCHED,
			  "more than %u values", n);
}
