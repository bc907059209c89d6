/*
 * request_scan.c
 *		GA_SCAN: running totals of one array, or of a segment of it.
 *
 * Elements and totals lie at the same places of the device's memory as of the
 * slot's data; or the elements are those of a resident array, whose runs of
 * pages are scanned one after the other.  The totals of each are copied to the
 * slot once it is known how many there are.
 */
#include <string.h>

#include "stats.h"
#include "device/device_check.h"
#include "session.h"
#include "request.h"

/* Return the bytes of n elements. */
static uint64_t
in_bytes(const GaRequest *request, uint64_t n)
{
	return n * ga_element_size((GaElementType) request->u.scan.type);
}

/* Return the bytes of n totals. */
static uint64_t
out_bytes(const GaRequest *request, uint64_t n)
{
	return n * ga_scan_total_size((GaElementType) request->u.scan.type,
								  request->u.scan.is_int128 ? GA_TOTALS_INT128 :
															  GA_TOTALS_PLAIN);
}

/* Return where the totals are among the data. */
static uint32_t
totals_at(const GaRequest *request)
{
	return request->u.scan.is_stored ?
			   0 :
			   GA_TOTALS_AT(in_bytes(request, request->u.scan.n));
}

/* Return what is wrong with a request, or NULL. */
static const char *
request_fault(const GaRequest *request, const GaScanPrefix *prefix)
{
	const uint64_t n = request->u.scan.n;

	if (request->u.scan.type >= GA_N_ELEMENT_TYPES)
		return "no such element type";
	if (request->u.scan.is_int128 && request->u.scan.type != GA_int8)
		return "totals of 128 bits are of int8 only";
	if ((!request->u.scan.is_stored &&
		 in_bytes(request, n) > GA_SLOT_DATA_BYTES) ||
		totals_at(request) + out_bytes(request, n) > GA_SLOT_DATA_BYTES)
		return "too many elements";
	if (request->u.scan.continues && prefix->is_valid &&
		prefix->type != request->u.scan.type)
		return "it continues another type";
	if (request->u.scan.continues && request->u.scan.n_prefix_bytes > 0)
		return "it continues two sums";
	return NULL;
}

/* Look up the array of the elements; GA_NO_CAPACITY to wait for it. */
static GaStatus
find_stored(GaActiveRequest *active, GaDeviceFailure *failure)
{
	const GaRequest *request = &active->request;
	const GaStatus status =
		ga_request_find(active, (GaElementType) request->u.scan.type,
						&request->u.scan.stored, &request->u.scan.lookup,
						request->u.scan.from == 0, &active->u.scan.state);
	uint32_t n_all;

	if (status != GA_OK || active->u.scan.state != GA_STORED_RESIDENT)
		return status;
	n_all = active->entries[0]->n;
	if (request->u.scan.from <= n_all &&
		request->u.scan.n <= n_all - request->u.scan.from)
		return GA_OK;
	ga_device_failure(failure, "GA_SCAN", "beyond the array's elements");
	return GA_BAD_REQUEST;
}

/*
 * Copies the session's scan prefix, which a first segment sets to the sum in
 * the slot, or to nothing.
 */
static GaStatus
check(GaActiveRequest *active, GaDeviceFailure *failure)
{
	const GaRequest *request = &active->request;
	const uint32_t n_prefix_bytes = request->u.scan.n_prefix_bytes;
	GaScanPrefix *prefix = &active->session->prefix;
	const char *fault = request_fault(request, prefix);

	if (fault == NULL && !request->u.scan.continues)
		ga_scan_prefix_begin(prefix, (GaElementType) request->u.scan.type);
	if (fault == NULL && n_prefix_bytes > 0 &&
		!ga_scan_prefix_read(prefix, active->slot->full, n_prefix_bytes))
		fault = "what comes before it is no sum";
	if (fault != NULL)
	{
		ga_device_failure(failure, "GA_SCAN", "%s", fault);
		return GA_BAD_REQUEST;
	}
	if (!prefix->is_valid)
	{
		ga_device_failure(failure, "GA_SCAN", "the segment before it failed");
		return GA_BAD_STATE;
	}
	active->u.scan.prefix = *prefix;
	active->u.scan.state = GA_STORED_RESIDENT;
	return request->u.scan.is_stored ? find_stored(active, failure) : GA_OK;
}

/* Return the next element to scan, counted in the array. */
static uint64_t
place_in_array(const GaActiveRequest *active)
{
	return active->request.u.scan.from + active->u.scan.n_done;
}

/*
 * Return where the next elements are, and how many are contiguous: all that
 * came in the slot, but the pages of an array may lie apart.
 */
static GaDeviceAddress
next_elements(const GaActiveRequest *active, uint64_t *n)
{
	const GaRequest *request = &active->request;

	*n = request->u.scan.n - active->u.scan.n_done;
	if (!request->u.scan.is_stored || *n == 0)
		return active->memory;
	return ga_cache_find(ga_cache_of(active->device), active->entries[0],
						 place_in_array(active), *n, n);
}

/* Fill in the device's request for the next run. */
static void
fill_request(GaActiveRequest *active)
{
	const GaRequest *request = &active->request;

	active->u.scan.request = (GaScanRequest){
		.type = (GaElementType) request->u.scan.type,
		.totals =
			request->u.scan.is_int128 ? GA_TOTALS_INT128 : GA_TOTALS_PLAIN,
		.out = active->memory + totals_at(request) +
			   out_bytes(request, active->u.scan.n_done),
		.prefix = ga_scan_prefix_sum(&active->u.scan.prefix),
	};
	active->u.scan.request.in =
		next_elements(active, &active->u.scan.request.n);
	if (active->n_entries > 0)
		active->u.scan.request.hint =
			ga_cache_hint(active->entries[0], place_in_array(active),
						  active->u.scan.request.n);
}

/* Submit the scan of the next run. */
static GaStatus
compute(GaActiveRequest *active, GaDeviceFailure *failure)
{
	active->u.scan.copies = false;
	fill_request(active);
	return ga_submitted(active->polled.device->scan(
		active->polled.queue, &active->u.scan.request, failure));
}

static GaStatus
submit(GaActiveRequest *active, GaDeviceFailure *failure)
{
	const GaRequest *request = &active->request;
	const uint64_t n_bytes = in_bytes(request, request->u.scan.n);
	GaStatus status = GA_OK;

	active->u.scan.n_done = 0;
	ga_scan_prefix_begin(&active->u.scan.segment,
						 (GaElementType) request->u.scan.type);
	if (active->u.scan.state != GA_STORED_RESIDENT)
		return GA_OK;
	if (!request->u.scan.is_stored && n_bytes > 0)
	{
		status = active->polled.device->copy_in(
			active->polled.queue, active->memory, ga_slot_data(active->slot),
			n_bytes, failure);
		ga_stats.n_arrays++;
		ga_stats.n_bytes_in += n_bytes;
	}
	if (status != GA_OK)
		return status;
	return compute(active, failure);
}

/* Submit the copy of a run's totals to the slot. */
static GaStatus
fetch(GaActiveRequest *active, GaDeviceFailure *failure)
{
	const GaRequest *request = &active->request;
	const uint64_t n_bytes =
		out_bytes(request, active->u.scan.request.n_totals);

	active->u.scan.copies = true;
	if (n_bytes == 0)
		return GA_PENDING;
	ga_stats.n_bytes_out += n_bytes;
	return ga_submitted(active->polled.device->copy_out(
		active->polled.queue,
		ga_slot_data(active->slot) + totals_at(request) +
			out_bytes(request, active->u.scan.n_done),
		active->u.scan.request.out, n_bytes, failure));
}

/* Keep the hint that the device returned for a run. */
static void
keep_hint(const GaActiveRequest *active)
{
	ga_stats.n_refused += active->u.scan.request.n_refused;
	if (active->n_entries > 0)
		ga_cache_add_hint(ga_cache_of(active->device), active->entries[0],
						  place_in_array(active), active->u.scan.request.n,
						  active->u.scan.request.next_hint);
}

/* Did a total overflow? */
static bool
overflows(const GaActiveRequest *active)
{
	return active->u.scan.request.n_totals < active->u.scan.request.n;
}

/* Totals were computed, or copied. */
static GaStatus
advance(GaActiveRequest *active, GaDeviceFailure *failure)
{
	const uint64_t n = active->u.scan.request.n;

	if (!active->u.scan.copies)
	{
		keep_hint(active);
		return fetch(active, failure);
	}
	active->u.scan.n_done += active->u.scan.request.n_totals;
	if (overflows(active))
		return GA_OK;
	ga_scan_prefix_add(&active->u.scan.segment, (int64_t) n,
					   &active->u.scan.request.sum,
					   &active->u.scan.request.full);
	ga_scan_prefix_add(&active->u.scan.prefix, (int64_t) n,
					   &active->u.scan.request.sum,
					   &active->u.scan.request.full);
	return active->u.scan.n_done < active->request.u.scan.n ?
			   compute(active, failure) :
			   GA_OK;
}

/* A segment that overflowed has no sum. */
static void
answer(GaActiveRequest *active, GaReply *reply)
{
	reply->u.scan.state = active->u.scan.state;
	if (active->n_entries > 0)
		reply->u.scan.n_all = active->entries[0]->n;
	reply->u.scan.n_totals = active->u.scan.n_done;
	if (active->u.scan.n_done == active->request.u.scan.n)
		reply->u.scan.sum =
			ga_scan_prefix_partial(&active->u.scan.segment, active->slot->full,
								   GA_SLOT_FULL, &reply->n_full);
}

/*
 * Add the segment to the session's scan prefix; one that failed, or
 * overflowed, cannot be continued.
 */
static void
end(GaActiveRequest *active)
{
	GaSession *session = active->session;

	if (session == NULL)
		return;
	session->prefix = active->u.scan.prefix;
	if (active->status != GA_OK ||
		active->u.scan.n_done < active->request.u.scan.n)
		session->prefix.is_valid = false;
}

/* A segment that was not begun cannot be continued, either. */
static void
refuse(GaSession *session)
{
	session->prefix.is_valid = false;
}

const GaRequestKind ga_request_scan = {
	.check = check,
	.submit = submit,
	.advance = advance,
	.answer = answer,
	.end = end,
	.refuse = refuse,
	.uses_memory = true,
};
