/*
 * request_scan.c
 *		GA_SCAN: running totals of one array, or of a piece of it.
 *
 * Elements and totals lie at the same places of the device's memory as of the
 * slot's data; or the elements are a resident value's.  The totals come back in
 * a copy of their own, once it is known how many there are.
 */
#include <string.h>

#include "stats.h"
#include "device/device_check.h"
#include "session.h"
#include "request.h"

/* Bytes of the elements, and of their totals. */
static uint64_t
in_bytes(const GaRequest *request, uint64_t n)
{
	return n * ga_element_size((GaElementType) request->u.scan.type);
}

static uint64_t
out_bytes(const GaRequest *request, uint64_t n)
{
	return n * ga_scan_total_size((GaElementType) request->u.scan.type,
								  request->u.scan.is_int128 ? GA_TOTALS_INT128 :
															  GA_TOTALS_PLAIN);
}

/* Where the totals are among the data. */
static uint32_t
totals_at(const GaRequest *request)
{
	return request->u.scan.is_stored ?
			   0 :
			   GA_TOTALS_AT(in_bytes(request, request->u.scan.n));
}

/* What is wrong with a request, or NULL. */
static const char *
request_fault(const GaRequest *request, const GaScanPrefix *carry)
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
	if (request->u.scan.continues && carry->is_valid &&
		carry->type != request->u.scan.type)
		return "it continues another type";
	if (request->u.scan.continues && request->u.scan.n_prefix_bytes > 0)
		return "it continues two sums";
	return NULL;
}

/* Find the value that the elements are of; GA_NO_CAPACITY to wait for it. */
static GaStatus
find_value(GaActiveRequest *work, GaDeviceFailure *failure)
{
	const GaRequest *request = &work->request;
	const GaStoredLookup *how = &request->u.scan.lookup;
	GaCacheLookup ask =
		ga_request_lookup(work, (GaElementType) request->u.scan.type, how);
	GaCache *cache = ga_cache_of(work->window->device);
	GaEntry *entry;

	/* a value counts once, by its first piece, if it is there */
	ask.counts = false;
	if (how->waits &&
		ga_cache_must_wait(cache, &ask, &request->u.scan.stored.key))
		return GA_NO_CAPACITY;
	work->scan_state =
		ga_cache_lookup(cache, &ask, &request->u.scan.stored, &entry);
	if (work->scan_state != GA_STORED_RESIDENT)
		return GA_OK;
	work->entries[work->n_entries++] = entry;
	if (request->u.scan.from == 0)
	{
		ga_stats.n_hits++;
		entry->relation->n_hits++;
	}
	if (request->u.scan.from <= entry->n &&
		request->u.scan.n <= entry->n - request->u.scan.from)
		return GA_OK;
	ga_device_failure(failure, "GA_SCAN", "beyond the value's elements");
	return GA_BAD_REQUEST;
}

/*
 * Puts what comes before the piece aside; if it is a first piece, the
 * session's carry begins anew, with the sum that the slot brings or with
 * nothing.
 */
static GaStatus
check(GaActiveRequest *work, GaDeviceFailure *failure)
{
	const GaRequest *request = &work->request;
	const uint32_t n_before_bytes = request->u.scan.n_prefix_bytes;
	GaScanPrefix *carry = &work->window->session->prefix;
	const char *fault = request_fault(request, carry);

	if (fault == NULL && !request->u.scan.continues)
		ga_scan_prefix_begin(carry, (GaElementType) request->u.scan.type);
	if (fault == NULL && n_before_bytes > 0 &&
		!ga_scan_prefix_read(carry, work->slot->full, n_before_bytes))
		fault = "what comes before it is no sum";
	if (fault != NULL)
	{
		ga_device_failure(failure, "GA_SCAN", "%s", fault);
		return GA_BAD_REQUEST;
	}
	if (!carry->is_valid)
	{
		ga_device_failure(failure, "GA_SCAN", "the piece before it failed");
		return GA_BAD_STATE;
	}
	work->before = *carry;
	work->scan_state = GA_STORED_RESIDENT;
	return request->u.scan.is_stored ? find_value(work, failure) : GA_OK;
}

/* Which of the elements the device is at, counted in the value. */
static uint64_t
place_in_value(const GaActiveRequest *work)
{
	return work->request.u.scan.from + work->scan_done;
}

/*
 * Where the next elements are, and how many of them lie together: all that
 * came in the slot, but a value's pages may lie apart.
 */
static GaDeviceAddress
next_elements(const GaActiveRequest *work, uint64_t *n)
{
	const GaRequest *request = &work->request;
	const size_t size = ga_element_size((GaElementType) request->u.scan.type);
	GaDeviceAddress address = work->memory;
	uint64_t n_bytes;

	*n = request->u.scan.n - work->scan_done;
	if (!request->u.scan.is_stored || *n == 0)
		return address;
	ga_extents_find(&ga_cache_of(work->window->device)->extents,
					work->entries[0]->extent,
					work->entries[0]->at + place_in_value(work) * size,
					*n * size, &address, &n_bytes);
	*n = n_bytes / size;
	return address;
}

/* All that the device is to know. */
static void
fill_request(GaActiveRequest *work)
{
	const GaRequest *request = &work->request;

	memset(&work->scan_result, 0, sizeof(work->scan_result));
	work->scan_array = (GaScanArray){
		.out = work->memory + totals_at(request) +
			   out_bytes(request, work->scan_done),
		.before = ga_scan_prefix_sum(&work->before),
	};
	work->scan_array.in = next_elements(work, &work->scan_array.n);
	if (work->n_entries > 0)
		work->scan_array.hint = ga_cache_hint(
			work->entries[0], place_in_value(work), work->scan_array.n);
	work->scan = (GaScanRequest){
		.type = (GaElementType) request->u.scan.type,
		.totals =
			request->u.scan.is_int128 ? GA_TOTALS_INT128 : GA_TOTALS_PLAIN,
		.exclusive = request->u.scan.exclusive != 0,
		.n_arrays = 1,
		.arrays = &work->scan_array,
		.results = &work->scan_result,
		.full = &work->scan_wide,
		.full_capacity = 1,
		.device_ms = -1,
	};
}

/* Have the device compute the next totals. */
static GaStatus
compute(GaActiveRequest *work, GaDeviceFailure *failure)
{
	work->scan_copies = false;
	fill_request(work);
	return ga_submitted(work->kind->scan(work->queue, &work->scan, failure));
}

static GaStatus
submit(GaActiveRequest *work, GaDeviceFailure *failure)
{
	const GaRequest *request = &work->request;
	const uint64_t n_bytes = in_bytes(request, request->u.scan.n);
	GaStatus status = GA_OK;

	work->scan_done = 0;
	ga_scan_prefix_begin(&work->piece, (GaElementType) request->u.scan.type);
	if (work->scan_state != GA_STORED_RESIDENT)
		return GA_OK;
	if (!request->u.scan.is_stored && n_bytes > 0)
	{
		status =
			work->kind->copy_in(work->queue, work->memory,
								ga_slot_data(work->slot), n_bytes, failure);
		ga_stats.n_arrays++;
		ga_stats.n_bytes_in += n_bytes;
	}
	if (status != GA_OK)
		return status;
	work->kind->measure(work->queue, false);
	return compute(work, failure);
}

/* Totals are on the device: have them copied to the slot. */
static GaStatus
fetch(GaActiveRequest *work, GaDeviceFailure *failure)
{
	const GaRequest *request = &work->request;
	const uint64_t n_bytes = out_bytes(request, work->scan_result.n_totals);

	work->scan_copies = true;
	if (n_bytes == 0)
		return GA_PENDING;
	ga_stats.n_bytes_out += n_bytes;
	return ga_submitted(
		work->kind->copy_out(work->queue,
							 ga_slot_data(work->slot) + totals_at(request) +
								 out_bytes(request, work->scan_done),
							 work->scan_array.out, n_bytes, failure));
}

/* Totals are made: keep what the device says for the next time. */
static void
take_note(const GaActiveRequest *work)
{
	ga_stats.n_refused += work->scan.n_refused;
	if (work->n_entries > 0)
		ga_cache_add_hint(work->entries[0], place_in_value(work),
						  work->scan_array.n, work->scan_result.hint);
}

/* Did a total overflow? */
static bool
overflows(const GaActiveRequest *work)
{
	return work->scan_result.n_totals < work->scan_array.n;
}

/* Totals were computed, or copied. */
static GaStatus
advance(GaActiveRequest *work, GaDeviceFailure *failure)
{
	const uint64_t n = work->scan_array.n;

	if (!work->scan_copies)
	{
		take_note(work);
		return fetch(work, failure);
	}
	work->scan_done += work->scan_result.n_totals;
	if (overflows(work))
		return GA_OK;
	ga_scan_prefix_add(&work->piece, (int64_t) n, &work->scan_result.sum,
					   &work->scan_wide);
	ga_scan_prefix_add(&work->before, (int64_t) n, &work->scan_result.sum,
					   &work->scan_wide);
	return work->scan_done < work->request.u.scan.n ? compute(work, failure) :
													  GA_OK;
}

/* A piece that overflowed has no sum. */
static void
answer(GaActiveRequest *work, GaReply *reply)
{
	reply->u.scan.state = work->scan_state;
	if (work->n_entries > 0)
		reply->u.scan.n_all = work->entries[0]->n;
	reply->u.scan.n_totals = work->scan_done;
	if (work->scan_done == work->request.u.scan.n)
		reply->u.scan.sum = ga_scan_prefix_partial(
			&work->piece, work->slot->full, GA_SLOT_FULL, &reply->n_full);
}

/*
 * The session's carry takes up the piece; one that failed, or overflowed,
 * cannot be continued.
 */
static void
end(GaActiveRequest *work)
{
	GaSession *session = work->window->session;

	if (session == NULL)
		return;
	session->prefix = work->before;
	if (work->status != GA_OK || work->scan_done < work->request.u.scan.n)
		session->prefix.is_valid = false;
}

const GaRequestKind ga_request_scan = {check,  submit, advance,
									   answer, end,	   false};
