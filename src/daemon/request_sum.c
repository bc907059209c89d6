/*
 * request_sum.c
 *		GA_SUM: the sums of a slot's arrays.
 *
 * The data goes to the device in one copy; the device writes the results to
 * the slot.
 */
#include "stats.h"
#include "device/device_check.h"
#include "request.h"

/*
 * Read the slot's arrays as the device's.  The client can change the slot at
 * any time: each field is read once, and its copy checked.
 */
static bool
read_arrays(GaActiveRequest *active, GaDeviceFailure *failure)
{
	const volatile GaSlotArray *from = active->slot->arrays;
	const uint32_t n_data_bytes = active->request.u.sum.n_data_bytes;
	const size_t size = ga_element_size(active->request.u.sum.type);
	uint64_t n_bytes = 0;
	uint32_t i;

	for (i = 0; i < active->request.u.sum.n_arrays; i++)
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
		active->u.sum.arrays[i].data = active->memory + at;
		active->u.sum.arrays[i].n = n;
	}
	return true;
}

/* Takes the arrays of a request that keeps the rules. */
static GaStatus
check(GaActiveRequest *active, GaDeviceFailure *failure)
{
	const GaRequest *request = &active->request;
	const char *fault = NULL;

	if (request->u.sum.type >= GA_N_ELEMENT_TYPES)
		fault = "no such element type";
	else if (request->u.sum.n_arrays > GA_SLOT_ARRAYS)
		fault = "too many arrays";
	else if (request->u.sum.n_data_bytes > GA_SLOT_DATA_BYTES)
		fault = "too many bytes";
	if (fault == NULL)
		return read_arrays(active, failure) ? GA_OK : GA_BAD_REQUEST;
	ga_device_failure(failure, "GA_SUM", "%s", fault);
	return GA_BAD_REQUEST;
}

static GaStatus
submit(GaActiveRequest *active, GaDeviceFailure *failure)
{
	const uint32_t n_bytes = active->request.u.sum.n_data_bytes;
	GaStatus status = GA_OK;

	if (n_bytes > 0)
		status = active->polled.device->copy_in(
			active->polled.queue, active->memory, ga_slot_data(active->slot),
			n_bytes, failure);
	if (status != GA_OK)
		return status;
	ga_stats.n_arrays += active->request.u.sum.n_arrays;
	ga_stats.n_bytes_in += n_bytes;
	active->u.sum.request = (GaSumRequest){
		.type = (GaElementType) active->request.u.sum.type,
		.n_arrays = active->request.u.sum.n_arrays,
		.arrays = active->u.sum.arrays,
		.results = active->slot->sums,
		.full = active->slot->full,
		.full_capacity = GA_SLOT_FULL,
	};
	return ga_submitted(active->polled.device->sum(
		active->polled.queue, &active->u.sum.request, failure));
}

static void
answer(GaActiveRequest *active, GaReply *reply)
{
	reply->n_full = active->u.sum.request.n_full;
}

const GaRequestKind ga_request_sum = {
	.check = check,
	.submit = submit,
	.answer = answer,
	.uses_memory = true,
};
