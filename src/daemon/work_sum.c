/*
 * work_sum.c
 *		GA_SUM: the sums of a slot's arrays.
 *
 * The data goes to the device in one copy; results come right to the slot.
 */
#include "device_check.h"
#include "work.h"

/* The device's own time is measured where it is worth the microseconds. */
#define MEASURED_BYTES	(256 << 10)

/* What is wrong with an array's place among the data, or NULL. */
static const char *
place_fault(uint32_t at, uint32_t n, uint32_t n_data_bytes, size_t size)
{
	if (at % size != 0)
		return "not aligned";
	if (at > n_data_bytes || n > (n_data_bytes - at) / size)
		return "beyond the data";
	return NULL;
}

/*
 * The slot's arrays as the device's.  The client can change the slot at any
 * time: each field is read once, and checked where it was read to.
 */
static bool
take_arrays(GaWork *work, GaDeviceFailure *failure)
{
	const volatile GaSlotArray *from = work->slot->arrays;
	const uint32_t n_data_bytes = work->request.u.sum.n_data_bytes;
	const size_t size = ga_element_size(work->request.u.sum.type);
	uint64_t	n_bytes = 0;
	uint32_t	i;

	for (i = 0; i < work->request.u.sum.n_arrays; i++)
	{
		uint32_t	at = from[i].at;
		uint32_t	n = from[i].n;
		const char *fault = n == 0 ? NULL :
			place_fault(at, n, n_data_bytes, size);

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

/* Does the request keep the rules?  Takes its arrays if it does. */
bool
ga_work_sum_check(GaWork *work, GaDeviceFailure *failure)
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
		return take_arrays(work, failure);
	ga_device_failure(failure, "GA_SUM", "%s", fault);
	return false;
}

GaStatus
ga_work_sum_submit(GaWork *work, GaDeviceFailure *failure)
{
	const uint32_t n_bytes = work->request.u.sum.n_data_bytes;
	GaStatus	status = GA_OK;

	if (n_bytes > 0)
		status = work->kind->copy_in(work->queue, work->memory,
									 ga_slot_data(work->slot), n_bytes,
									 failure);
	if (status != GA_OK)
		return status;
	work->kind->measure(work->queue, n_bytes >= MEASURED_BYTES);
	work->sum = (GaSumRequest) {
		.type = (GaElementType) work->request.u.sum.type,
		.n_arrays = work->request.u.sum.n_arrays,
		.arrays = work->arrays,
		.results = work->slot->sums,
		.wide = work->slot->wide,
		.wide_room = GA_SLOT_WIDE,
		.device_ms = -1,
	};
	return work->kind->sum(work->queue, &work->sum, failure);
}

void
ga_work_sum_answer(GaWork *work, GaReply *reply)
{
	reply->n_wide = work->sum.n_wide;
	reply->u.sum.device_ms = work->sum.device_ms;
}
