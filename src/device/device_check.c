/*
 * device_check.c
 *		Checks of requests, for all kinds of devices.
 *
 * The rules are those of device.h.  A request that passes can fail only if
 * memory is short or the device fails.  Called by the devices when a request is
 * submitted.  Addresses are compared, never dereferenced.
 */
#include <stdarg.h>
#include <stdio.h>

#include "device_check.h"

/* Set the failed call and its message, unless failure is NULL. */
void
ga_device_failure(GaDeviceFailure *failure, const char *call,
				  const char *format, ...)
{
	va_list args;

	if (failure == NULL)
		return;
	snprintf(failure->call, sizeof(failure->call), "%s", call);
	va_start(args, format);
	vsnprintf(failure->message, sizeof(failure->message), format, args);
	va_end(args);
}

/* Return the bytes of a running total. */
size_t
ga_scan_total_size(GaElementType type, GaScanTotals totals)
{
	if (totals == GA_TOTALS_INT128)
		return sizeof(GaInt128);
	return type == GA_float4 ? sizeof(float) : sizeof(int64_t);
}

/* Return what is wrong with n elements at this address, or NULL. */
static const char *
array_fault(GaDeviceAddress address, uint64_t n, size_t alignment)
{
	if (n > GA_DEVICE_MAX_ELEMENTS)
		return "too many elements";
	if (n > 0 && address == 0)
		return "no address";
	if (n > 0 && address % alignment != 0)
		return "not aligned";
	return NULL;
}

/* Return what is wrong with memory for n results at this address, or NULL. */
static const char *
out_fault(GaDeviceAddress address, uint64_t n, size_t alignment)
{
	if (n > 0 && ga_is_packed(address))
		return "results at a packed address";
	return array_fault(address, n, alignment);
}

static bool
overlap(GaDeviceAddress a, uint64_t a_bytes, GaDeviceAddress b,
		uint64_t b_bytes)
{
	return a_bytes > 0 && b_bytes > 0 &&
		   (a < b ? b - a < a_bytes : a - b < b_bytes);
}

/* What is wrong with a request for sums, apart from its arrays. */
static const char *
sum_request_fault(const GaSumRequest *request)
{
	if ((unsigned) request->type >= GA_N_ELEMENT_TYPES)
		return "no such element type";
	if (request->n_arrays > GA_DEVICE_MAX_ARRAYS)
		return "too many arrays";
	if (request->n_arrays > 0 &&
		(request->arrays == NULL || request->results == NULL))
		return "no arrays, or no place for results";
	if (request->full_capacity > 0 && request->full == NULL)
		return "no place for full records";
	return NULL;
}

/* What is wrong with the division of parts among results; NULL is nothing. */
static const char *
parts_fault(const GaReduceRequest *request)
{
	uint64_t n_parts = 0;
	uint32_t i;

	for (i = 0; i < request->n_results; i++)
	{
		const uint64_t end = n_parts + request->n_parts_of[i];
		uint64_t n = 0;

		if (n_parts == end || end > request->n_parts)
			return "a result without arrays";
		while (n_parts < end &&
			   request->parts[n_parts].n <= GA_DEVICE_MAX_ELEMENTS)
			n += request->parts[n_parts++].n;
		if (n_parts < end || n > GA_DEVICE_MAX_ELEMENTS)
			return "too many elements";
	}
	return n_parts == request->n_parts ? NULL : "arrays without a result";
}

/* What is wrong with a request for a reduction, apart from its parts. */
static const char *
reduce_request_fault(const GaReduceRequest *request)
{
	if ((unsigned) request->type >= GA_N_ELEMENT_TYPES)
		return "no such element type";
	if ((unsigned) request->reduction >= GA_N_ALL_REDUCTIONS ||
		request->reduction == GA_REDUCE_SUM)
		return "no such reduction";
	if (request->n_parts > GA_DEVICE_MAX_ARRAYS)
		return "too many arrays";
	if (request->n_parts > 0 && request->parts == NULL)
		return "no arrays";
	if (request->n_results > 0 &&
		(request->n_parts_of == NULL || request->results == NULL))
		return "no place for results";
	return parts_fault(request);
}

/* What is wrong with the second arrays of pairs, apart from their elements. */
static const char *
pairs_fault(const GaReduceRequest *request)
{
	uint32_t i;

	if (request->n_parts > 0 && request->others == NULL)
		return "no second arrays";
	for (i = 0; i < request->n_parts; i++)
	{
		if (request->others[i].n != request->parts[i].n)
			return "a pair of arrays of different lengths";
	}
	return NULL;
}

static const char *
totals_fault(GaElementType type, GaScanTotals totals)
{
	if (totals != GA_TOTALS_PLAIN && totals != GA_TOTALS_INT128)
		return "no such type of totals";
	if (totals == GA_TOTALS_INT128 && type != GA_int8)
		return "totals of 128 bits are of int8 only";
	return NULL;
}

/* What is wrong with a request for running totals; NULL is nothing. */
static const char *
scan_fault(const GaScanRequest *request)
{
	const char *fault;
	size_t size;
	size_t total_size;

	if ((unsigned) request->type >= GA_N_ELEMENT_TYPES)
		return "no such element type";
	fault = totals_fault(request->type, request->totals);
	size = ga_element_size(request->type);
	total_size = ga_scan_total_size(request->type, request->totals);
	if (fault == NULL)
		fault = array_fault(request->in, request->n, size);
	/* a total of 128 bits is aligned as two of 64 are */
	if (fault == NULL)
		fault = out_fault(request->out, request->n,
						  total_size < 8 ? total_size : 8);
	if (fault == NULL && overlap(request->in, request->n * size, request->out,
								 request->n * total_size))
		fault = "input and totals overlap";
	return fault;
}

/*
 * Return GA_BAD_REQUEST for a fault of a request, or of its arrays, and else
 * GA_OK.
 */
static GaStatus
check_arrays(const char *call, const char *fault, GaElementType type,
			 uint32_t n, const GaDeviceArray *arrays, GaDeviceFailure *failure)
{
	uint32_t i;

	if (fault != NULL)
	{
		ga_device_failure(failure, call, "%s", fault);
		return GA_BAD_REQUEST;
	}
	for (i = 0; i < n; i++)
	{
		fault = array_fault(arrays[i].data, arrays[i].n, ga_element_size(type));
		if (fault == NULL)
			continue;
		ga_device_failure(failure, call, "array %u: %s", (unsigned) i, fault);
		return GA_BAD_REQUEST;
	}
	return GA_OK;
}

/* Check a request for sums; returns GA_OK or GA_BAD_REQUEST. */
GaStatus
ga_check_sum_request(const GaSumRequest *request, GaDeviceFailure *failure)
{
	return check_arrays("sum", sum_request_fault(request), request->type,
						request->n_arrays, request->arrays, failure);
}

/* Check a request for a reduction; returns GA_OK or GA_BAD_REQUEST. */
GaStatus
ga_check_reduce_request(const GaReduceRequest *request,
						GaDeviceFailure *failure)
{
	const GaStatus status =
		check_arrays("reduce", reduce_request_fault(request), request->type,
					 request->n_parts, request->parts, failure);

	if (status != GA_OK || !ga_reduction_has_pairs(request->reduction))
		return status;
	return check_arrays("reduce", pairs_fault(request), request->type,
						request->n_parts, request->others, failure);
}

/* What is wrong with a request for sums by position; NULL is nothing. */
static const char *
elem_fault(const GaElemRequest *request)
{
	const uint64_t n_places = (uint64_t) request->n_pieces * request->n_arrays;
	const char *fault = NULL;
	uint64_t i;

	if ((unsigned) request->type >= GA_N_ELEMENT_TYPES)
		return "no such element type";
	if (!ga_elem_has_form(request->type, request->form))
		return "the type has no such form";
	if (request->n_arrays == 0)
		return "no arrays";
	if (n_places > GA_DEVICE_MAX_ARRAYS ||
		(request->form != GA_FORM_RECORD && request->n_arrays >= 1 << 16))
		return "too many arrays";
	if (n_places > 0 && (request->n_of == NULL || request->arrays == NULL))
		return "no pieces";
	for (i = 0; i < request->n_pieces; i++)
	{
		if (request->n_of[i] == 0)
			return "a piece without positions";
	}
	for (i = 0; i < n_places && fault == NULL; i++)
		fault = array_fault(request->arrays[i],
							request->n_of[i / request->n_arrays],
							ga_element_size(request->type));
	if (fault == NULL)
		fault = out_fault(request->out, ga_elem_positions(request), 16);
	return fault;
}

/* Check a request for sums by position; returns GA_OK or GA_BAD_REQUEST. */
GaStatus
ga_check_elem_request(const GaElemRequest *request, GaDeviceFailure *failure)
{
	const char *fault = elem_fault(request);

	if (fault == NULL)
		return GA_OK;
	ga_device_failure(failure, "elem", "%s", fault);
	return GA_BAD_REQUEST;
}

/* What is wrong with windows of a form; NULL is nothing. */
const char *
ga_windows_fault(const GaWindows *windows, GaElemForm form)
{
	if (windows->step == 0)
		return "windows without a step";
	if (form == GA_FORM_DELTA)
		return windows->step == 1 && windows->before == 0 &&
					   windows->size == 2 ?
				   NULL :
				   "windows that are not of two neighbors";
	if (windows->size == 0 || (windows->size > ga_window_most(form) &&
							   !ga_windows_are_running(windows, form)))
		return "no elements in a window, or too many";
	return windows->before < windows->size ? NULL :
											 "a window before its element";
}

/* What is wrong with the arrays of buckets; NULL is nothing. */
static const char *
arrays_fault(const GaWindowRequest *request)
{
	uint64_t n = 0;
	uint32_t i;

	if (request->n_arrays > 0 && request->n_pieces_of == NULL)
		return "no arrays";
	for (i = 0; i < request->n_arrays; i++)
	{
		if (request->n_pieces_of[i] == 0)
			return "an array without pieces";
		n += request->n_pieces_of[i];
	}
	if (request->n_arrays == 0)
		return NULL;
	if (n != request->n_pieces)
		return "arrays of other pieces";
	return !ga_windows_are_buckets(&request->windows) ||
				   request->n != ga_windows_count(&request->windows) ?
			   "several arrays, and not all of their buckets" :
			   NULL;
}

/* What is wrong with the pieces of a request for windows; NULL is nothing. */
static const char *
pieces_fault(const GaWindowRequest *request)
{
	const size_t size = ga_element_size(request->type);
	const uint32_t *n_of = request->n_pieces_of;
	const char *fault = NULL;
	uint32_t left = request->n_arrays == 0 ? request->n_pieces : *n_of;
	uint64_t n = 0;
	uint32_t i;

	if (request->n_pieces > GA_DEVICE_MAX_ARRAYS ||
		(request->n_pieces > 0 && request->pieces == NULL))
		return "no pieces, or too many";
	for (i = 0; i < request->n_pieces && fault == NULL; i++, left--)
	{
		if (left == 0)
		{
			left = *++n_of;
			n = ga_windows_next(&request->windows, n);
		}
		n += request->pieces[i].n;
		fault = request->pieces[i].n == 0 ?
					"a piece without elements" :
					array_fault(request->pieces[i].data, request->pieces[i].n,
								size);
	}
	if (fault == NULL && n != request->windows.n)
		fault = "pieces of another length";
	return fault;
}

/* What is wrong with a request for values of windows; NULL is nothing. */
static const char *
window_fault(const GaWindowRequest *request)
{
	const char *fault;

	if ((unsigned) request->type >= GA_N_ELEMENT_TYPES)
		return "no such element type";
	if (!ga_window_has_form(request->type, request->form))
		return "the type has no such form";
	fault = ga_windows_fault(&request->windows, request->form);
	if (fault == NULL)
		fault = arrays_fault(request);
	if (fault == NULL)
		fault = pieces_fault(request);
	if (fault != NULL)
		return fault;
	if (request->first > ga_windows_count(&request->windows) ||
		request->n > ga_windows_count(&request->windows) - request->first)
		return "beyond the windows";
	return request->out == NULL						   ? "no memory" :
		   (uintptr_t) request->out % sizeof(uint64_t) ? "not aligned" :
														 NULL;
}

/* Check a request for values of windows; returns GA_OK or GA_BAD_REQUEST. */
GaStatus
ga_check_window_request(const GaWindowRequest *request,
						GaDeviceFailure *failure)
{
	const char *fault = window_fault(request);

	if (fault == NULL)
		return GA_OK;
	ga_device_failure(failure, "window", "%s", fault);
	return GA_BAD_REQUEST;
}

/* Check a request for running totals; returns GA_OK or GA_BAD_REQUEST. */
GaStatus
ga_check_scan_request(const GaScanRequest *request, GaDeviceFailure *failure)
{
	const char *fault = scan_fault(request);

	if (fault == NULL)
		return GA_OK;
	ga_device_failure(failure, "scan", "%s", fault);
	return GA_BAD_REQUEST;
}
