/*
 * request_sum.c
 *		GA_SUM: the sums of a slot's arrays.
 *
 * The data goes to the device in one copy; results come right to the slot.
 */
#include "stats.h"
#include "device/device_check.h"
#include "request.h"

/* The device's own time is measured where it is worth the microseconds. */
#define MEASURED_BYTES (256 << 10)

/*
 * The slot's arrays as the device's.  The client can change the slot at any
 * time: each field is read once, and checked where it was read to.
 */
static bool
take_arrays(GaActiveRequest *work, GaDeviceFailure *failure)
{
	const volatile GaSlotArray *from = work->slot->arrays;
	const uint32_t n_data_bytes = work->request.u.sum.n_data_bytes;
	const size_t size = ga_element_size(work->request.u.sum.type);
	uint64_t n_bytes = 0;
	uint32_t i;

	for (i = 0; i < work->request.u.sum.n_arrays; i++)
	{
		uint32_t at = from[i].at;
		uint32_t n = from[i].n;
		const char *fault =
			n == 0 ? NULL : ga_request_place_fault(at, n, n_data_bytes, size);

		n_bytes += n * size;
		if (fault == NULL && n_bytes > n_data_bytes)
			fault = "they overlap";
		if (fault != NULL)
		{
			ga_device_failure(failure, "GA_SUM", "array %u: %s", i, fault);
			return false;
		}
		work->arrays[i].data = work->memory + at;
		work->arrays[i].n = n;
	}
	return true;
}

/* Takes the arrays of a request that keeps the rules. */
static GaStatus
check(GaActiveRequest *work, GaDeviceFailure *failure)
{
	const GaRequest *request = &work->request;
	const char *fault = NULL;

	if (request->u.sum.type >= GA_N_ELEMENT_TYPES)
		fault = "no such element type";
	else if (request->u.sum.n_arrays > GA_SLOT_ARRAYS)
		fault = "too many arrays";
	else if (request->u.sum.n_data_bytes > GA_SLOT_DATA_BYTES)
		fault = "too many bytes";
	if (fault == NULL)
		return take_arrays(work, failure) ? GA_OK : GA_BAD_REQUEST;
	ga_device_failure(failure, "GA_SUM", "%s", fault);
	return GA_BAD_REQUEST;
}

static GaStatus
submit(GaActiveRequest *work, GaDeviceFailure *failure)
{
	const uint32_t n_bytes = work->request.u.sum.n_data_bytes;
	GaStatus status = GA_OK;

	if (n_bytes > 0)
		status =
			work->kind->copy_in(work->queue, work->memory,
								ga_slot_data(work->slot), n_bytes, failure);
	if (status != GA_OK)
		return status;
	ga_stats.n_arrays += work->request.u.sum.n_arrays;
	ga_stats.n_bytes_in += n_bytes;
	work->kind->measure(work->queue, n_bytes >= MEASURED_BYTES);
	work->sum = (GaSumRequest){
		.type = (GaElementType) work->request.u.sum.type,
		.n_arrays = work->request.u.sum.n_arrays,
		.arrays = work->arrays,
		.results = work->slot->sums,
		.full = work->slot->full,
		.full_capacity = GA_SLOT_FULL,
		.device_ms = -1,
	};
	return ga_submitted(work->kind->sum(work->queue, &work->sum, failure));
}

static void
answer(GaActiveRequest *work, GaReply *reply)
{
	reply->n_full = work->sum.n_full;
	reply->u.sum.device_ms = work->sum.device_ms;
}

const GaRequestKind ga_request_sum = {check, submit, NULL, answer, NULL, false};
