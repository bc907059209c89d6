/*
 * request_window.c
 *		GA_WINDOW: values of windows over a stored array.
 *
 * The device leaves the values in the slot, of buckets those of several arrays
 * (ahead.c).
 */
#include "device/device_check.h"
#include "request.h"
#include "ahead.h"
#include "stats.h"
#include "stored_parts.h"

/* Return what is wrong with a request, or NULL. */
static const char *
request_fault(const GaRequest *request)
{
	const GaElemForm form = (GaElemForm) request->u.window.form;
	const GaWindows windows = request->u.window.windows;
	const char *fault;

	if (request->u.window.type >= GA_N_ELEMENT_TYPES)
		return "no such element type";
	if (!ga_window_has_form((GaElementType) request->u.window.type,
							request->u.window.form))
		return "the type has no such form";
	fault = ga_windows_fault(&windows, form);
	if (fault != NULL)
		return fault;
	if (request->u.window.n == 0 || request->u.window.n > ga_slot_windows(form))
		return "no windows, or too many";
	if (request->u.window.first > ga_windows_count(&windows) ||
		request->u.window.n >
			ga_windows_count(&windows) - request->u.window.first)
		return "beyond the windows";
	if (!ga_windows_are_running(&windows, form) &&
		(uint64_t) request->u.window.n * windows.size > GA_WINDOW_MOST_WORK)
		return "too many elements in all windows";
	return NULL;
}

static GaStatus
reject(GaDeviceFailure *failure, const char *fault)
{
	ga_device_failure(failure, "GA_WINDOW", "%s", fault);
	return GA_BAD_REQUEST;
}

/* Are such values wrong on the device, so that the CPU computes them? */
static bool
is_refused(const GaActiveRequest *active)
{
	return (active->device->wrong >> GA_WINDOW_VALUES & 1) != 0;
}

/* Is a request for all buckets of its array? */
static bool
is_for_all(const GaActiveRequest *active)
{
	const GaRequest *request = &active->request;
	const GaWindows *windows = &request->u.window.windows;

	return ga_windows_are_buckets(windows) &&
		   windows->n == active->entries[0]->n &&
		   request->u.window.n == ga_windows_count(windows);
}

/*
 * Add the arrays behind a request's own, as many as it wants, unless they have
 * too many buckets.
 */
static void
add_ahead(GaActiveRequest *active)
{
	const GaRequest *request = &active->request;
	GaWindows windows = request->u.window.windows;
	const uint32_t most = ga_slot_windows((GaElemForm) request->u.window.form);
	const uint32_t n_wanted = ga_ahead_most(request->u.window.ahead);
	GaAheadWalk walk;

	if (n_wanted == 0 || !is_for_all(active))
		return;
	walk = ga_ahead_walk(active, (GaElementType) request->u.window.type,
						 &request->u.window.lookup, request->u.window.ahead);
	walk.only_lines = true;
	while (active->n_entries <= n_wanted)
	{
		GaEntry *entry = ga_ahead_next(&walk);
		uint32_t n;

		if (entry == NULL)
			break;
		windows.n = entry->n;
		n = ga_windows_count(&windows);
		if (n > most - active->u.window.n_all)
			break;
		ga_ahead_use(active, &walk, entry,
					 &active->slot->refs[active->n_entries - 1]);
		active->u.window.n_all += n;
	}
	active->u.window.is_last = ga_ahead_end(active, &walk);
}

/* Append an array to the device's request.  False: no memory. */
static bool
add_array(GaActiveRequest *active, const GaEntry *entry, GaStoredPart part)
{
	GaWindowRequest *window = &active->u.window.request;
	const uint32_t first = window->n_pieces;

	if (!ga_parts_list(active, entry, part, &window->n_pieces))
		return false;
	active->u.window.n_pieces_of[window->n_arrays++] = window->n_pieces - first;
	window->windows.n =
		(uint32_t) ga_windows_next(&window->windows, window->windows.n) +
		part.n;
	return true;
}

/* Fill in the device's request.  False: no memory. */
static bool
fill_request(GaActiveRequest *active)
{
	const GaRequest *request = &active->request;
	const GaStoredPart own = {request->u.window.from,
							  request->u.window.windows.n};
	GaWindowRequest *window = &active->u.window.request;
	bool is_filled;
	uint32_t i;

	*window = (GaWindowRequest){
		.type = (GaElementType) request->u.window.type,
		.windows = request->u.window.windows,
		.first = request->u.window.first,
		.n = active->u.window.n_all,
		.form = (GaElemForm) request->u.window.form,
		.out = ga_slot_data(active->slot),
	};
	window->windows.n = 0;
	is_filled = add_array(active, active->entries[0], own);
	for (i = 1; i < active->n_entries && is_filled; i++)
		is_filled = add_array(active, active->entries[i],
							  (GaStoredPart){0, active->entries[i]->n});
	window->pieces = active->parts;
	window->n_pieces_of = active->u.window.n_pieces_of;
	/* windows over one array may be any */
	if (window->n_arrays == 1)
		window->n_arrays = 0;
	return is_filled;
}

static GaStatus
check(GaActiveRequest *active, GaDeviceFailure *failure)
{
	const GaRequest *request = &active->request;
	const char *fault = request_fault(request);
	GaStatus status;
	uint32_t n_all;

	if (fault != NULL)
		return reject(failure, fault);
	status =
		ga_request_find(active, (GaElementType) request->u.window.type,
						&request->u.window.stored, &request->u.window.lookup,
						request->u.window.first == 0, &active->u.window.state);
	if (status != GA_OK || active->u.window.state != GA_STORED_RESIDENT)
		return status;
	n_all = active->entries[0]->n;
	if (request->u.window.from > n_all ||
		request->u.window.windows.n > n_all - request->u.window.from)
		return reject(failure, "beyond the array's elements");
	ga_ahead_learn(active, &request->u.window.lookup);
	active->u.window.n_all = request->u.window.n;
	active->u.window.is_last = false;
	if (is_refused(active))
		return GA_OK;
	add_ahead(active);
	if (fill_request(active))
		return GA_OK;
	ga_device_failure(failure, "malloc", "out of memory");
	return GA_NO_MEMORY;
}

static GaStatus
submit(GaActiveRequest *active, GaDeviceFailure *failure)
{
	if (active->u.window.state != GA_STORED_RESIDENT || is_refused(active))
		return GA_OK;
	return ga_submitted(active->polled.device->window(
		active->polled.queue, &active->u.window.request, failure));
}

static void
answer(GaActiveRequest *active, GaReply *reply)
{
	const uint32_t n = active->u.window.n_all;

	reply->u.window.state = active->u.window.state;
	if (active->u.window.state != GA_STORED_RESIDENT)
		return;
	reply->u.window.n_ahead = active->n_entries - 1;
	reply->u.window.n_more = n - active->request.u.window.n;
	reply->u.window.is_last = active->u.window.is_last;
	/* behind the values is how many there are not */
	if (is_refused(active))
		((uint64_t *) ga_slot_data(active->slot))[n] = n;
	else
		ga_stats.n_bytes_out +=
			ga_elem_all_bytes(active->u.window.request.form, n);
}

const GaRequestKind ga_request_window = {
	.check = check,
	.submit = submit,
	.answer = answer,
	.evicts = true,
};
