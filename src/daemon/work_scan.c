/*
 * work_scan.c
 *		GA_SCAN: running totals of one array, or of a piece of it.
 *
 * Elements and totals lie at the same places of the device's memory as of the
 * slot's data.  The totals come back in a copy of their own, once it is known
 * how many there are.
 */
#include <string.h>

#include "device_check.h"
#include "session.h"
#include "work.h"

/* Bytes of the elements, and of their totals. */
static uint64_t
in_bytes(const GaRequest *request)
{
	return (uint64_t) request->u.scan.n *
		ga_element_size((GaElementType) request->u.scan.type);
}

static uint64_t
out_bytes(const GaRequest *request, uint64_t n)
{
	return n * ga_scan_total_size((GaElementType) request->u.scan.type,
								  request->u.scan.wide_totals ?
								  GA_TOTALS_INT128 : GA_TOTALS_PLAIN);
}

/* Where the totals are among the data. */
static uint32_t
totals_at(const GaRequest *request)
{
	return GA_TOTALS_AT(in_bytes(request));
}

/* What is wrong with a request, or NULL. */
static const char *
request_fault(const GaRequest *request, const GaCarry *carry)
{
	if (request->u.scan.type >= GA_N_ELEMENT_TYPES)
		return "no such element type";
	if (request->u.scan.wide_totals && request->u.scan.type != GA_int8)
		return "totals of 128 bits are of int8 only";
	if (in_bytes(request) > GA_SLOT_DATA_BYTES ||
		totals_at(request) + out_bytes(request, request->u.scan.n) >
		GA_SLOT_DATA_BYTES)
		return "too many elements";
	if (request->u.scan.continues && !carry->is_valid)
		return "there is nothing to continue";
	if (request->u.scan.continues && carry->type != request->u.scan.type)
		return "it continues another type";
	if (request->u.scan.continues && request->u.scan.n_before_bytes > 0)
		return "it continues two sums";
	return NULL;
}

/*
 * Does the request keep the rules?  Then what comes before its piece is put
 * aside; if it is a first piece, the session's carry begins anew, with the
 * sum that the slot brings or with nothing.
 */
bool
ga_work_scan_check(GaWork *work, GaCarry *carry, GaDeviceFailure *failure)
{
	const GaRequest *request = &work->request;
	const uint32_t n_before_bytes = request->u.scan.n_before_bytes;
	const char *fault = request_fault(request, carry);

	if (fault == NULL && !request->u.scan.continues)
		ga_carry_begin(carry, (GaElementType) request->u.scan.type);
	if (fault == NULL && n_before_bytes > 0 &&
		!ga_carry_read(carry, work->slot->wide, n_before_bytes))
		fault = "what comes before it is no sum";
	if (fault != NULL)
	{
		ga_device_failure(failure, "GA_SCAN", "%s", fault);
		return false;
	}
	work->before = *carry;
	return true;
}

/* All that the device is to know. */
static void
fill_request(GaWork *work)
{
	const GaRequest *request = &work->request;

	memset(&work->scan_result, 0, sizeof(work->scan_result));
	work->scan_array = (GaScanArray) {
		.in = work->memory,
		.out = work->memory + totals_at(request),
		.n = request->u.scan.n,
		.before = ga_carry_before(&work->before),
	};
	work->scan = (GaScanRequest) {
		.type = (GaElementType) request->u.scan.type,
		.totals = request->u.scan.wide_totals ? GA_TOTALS_INT128 :
			GA_TOTALS_PLAIN,
		.exclusive = request->u.scan.exclusive != 0,
		.n_arrays = 1,
		.arrays = &work->scan_array,
		.results = &work->scan_result,
		.wide = &work->scan_wide,
		.wide_room = 1,
		.device_ms = -1,
	};
}

GaStatus
ga_work_scan_submit(GaWork *work, GaDeviceFailure *failure)
{
	GaStatus	status = GA_OK;

	if (work->request.u.scan.n > 0)
		status = work->kind->copy_in(work->queue, work->memory,
									 ga_slot_data(work->slot),
									 in_bytes(&work->request), failure);
	if (status != GA_OK)
		return status;
	work->kind->measure(work->queue, false);
	fill_request(work);
	return work->kind->scan(work->queue, &work->scan, failure);
}

/* Totals are on the device: have them copied to the slot. */
GaStatus
ga_work_scan_fetch(GaWork *work, GaDeviceFailure *failure)
{
	uint64_t	n_bytes = out_bytes(&work->request,
									work->scan_result.n_totals);

	if (n_bytes == 0)
		return GA_OK;
	return work->kind->copy_out(work->queue, ga_slot_data(work->slot) +
								totals_at(&work->request),
								work->scan_array.out, n_bytes, failure);
}

/*
 * Answer, and add the piece to the session's carry.  A piece that failed, or
 * overflowed, cannot be continued, and has no sum.
 */
void
ga_work_scan_answer(GaWork *work, GaReply *reply)
{
	GaCarry    *carry = &work->window->session->carry;
	GaScanResult *result = &work->scan_result;
	const uint32_t n = work->request.u.scan.n;

	if (work->status != GA_OK || result->n_totals < n)
		carry->is_valid = false;
	if (work->status != GA_OK)
		return;
	if (result->n_totals < n)
		memset(&result->sum, 0, sizeof(result->sum));
	ga_carry_add(carry, n, &result->sum, &work->scan_wide);
	if (result->sum.kind == GA_PARTIAL_WIDE)
	{
		work->slot->wide[0] = work->scan_wide;
		reply->n_wide = 1;
	}
	reply->u.scan.n_totals = result->n_totals;
	reply->u.scan.sum = result->sum;
}
