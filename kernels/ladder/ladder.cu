/*
 * ladder.cu
 *		The ladder of teaching kernels: which there are, and the beginning and
 *		the end of a request for the runs of one.
 *
 * Memory is one allocation of the device's budget, and one more for a rung that
 * reads managed memory; all of it is known before any of it is taken.
 * end_rung() frees it, however the request ends.
 */
#include <algorithm>
#include <new>

#include "ladder_work.h"

/* The part of the device's free memory that managed elements may have. */
constexpr uint64_t kManagedShare = 8;

/* What the tables say about the rungs, without their code. */
struct RungLists
{
	GaRung reduce[kReduceRungs];
	GaRung scan[kScanRungs];

	RungLists()
	{
		for (uint32_t i = 0; i < kReduceRungs; i++)
			reduce[i] = reduce_rungs[i].about;
		for (uint32_t i = 0; i < kScanRungs; i++)
			scan[i] = scan_rungs[i].about;
	}
};

uint32_t
list_rungs(GaLadder ladder, const GaRung **rungs)
{
	static const RungLists lists;

	if (ladder == GA_LADDER_REDUCE)
	{
		*rungs = lists.reduce;
		return kReduceRungs;
	}
	*rungs = lists.scan;
	return kScanRungs;
}

/* Bytes of an item of the result, and of the exact one. */
static size_t
item_bytes(const RungWork *work)
{
	return std::max(ga_element_size(work->out_type),
					ga_element_size(work->truth_type));
}

/*
 * What the request is about.  The shipping kernel's totals of integers are of
 * 64 bits.
 */
static void
describe_work(RungWork *work, GaRungRequest *request)
{
	const GaElementType type = request->type;

	work->request = request;
	work->rung = request->ladder == GA_LADDER_REDUCE ?
					 &reduce_rungs[request->rung] :
					 &scan_rungs[request->rung];
	work->has_totals =
		request->ladder != GA_LADDER_REDUCE || has_flag(work, kCopies);
	work->truth_type = type == GA_int4 ? GA_int8 : type;
	work->out_type = work->has_totals && work->rung->run == nullptr ?
						 work->truth_type :
						 type;
	work->run.type = type;
	work->run.exclusive = request->ladder == GA_LADDER_EXCLUSIVE_SCAN;
	work->run.n = uint32_t(request->n);
}

/* Memory of the host and the device by turns: an eighth of the free one. */
static GaStatus
take_managed(RungWork *work, GaDevice *device, uint64_t n_bytes,
			 GaDeviceFailure *failure)
{
	size_t free_bytes;
	size_t all_bytes;
	int has_managed;

	CUDA_TRY(cudaDeviceGetAttribute(&has_managed, cudaDevAttrManagedMemory,
									device->ordinal),
			 failure);
	if (!has_managed)
	{
		ga_device_failure(failure, "rung", "this device has no managed memory");
		return GA_NO_MEMORY;
	}
	CUDA_TRY(cudaMemGetInfo(&free_bytes, &all_bytes), failure);
	if (n_bytes > free_bytes / kManagedShare)
	{
		ga_device_failure(failure, "rung",
						  "%llu bytes of managed memory are "
						  "more than an eighth of the %llu that are free",
						  (unsigned long long) n_bytes,
						  (unsigned long long) free_bytes);
		return GA_NO_MEMORY;
	}
	TRY(allocate_managed(device, n_bytes, &work->managed, failure));
	work->run.in = reinterpret_cast<void *>(work->managed);
	return GA_OK;
}

/* All the memory that the runs take. */
static GaStatus
take_memory(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	RungWork *work = queue->rung;
	RungRun *run = &work->run;
	const size_t n_bytes = run->n * ga_element_size(run->type);
	const size_t n_out = work->has_totals ? run->n : 1;
	/* so much before a whole vector, exclusive exact totals begin */
	const size_t shift =
		run->exclusive ? kVectorBytes - ga_element_size(work->truth_type) : 0;
	Layout layout;
	size_t elements_at = layout.add<char>(n_bytes);
	size_t in_at =
		has_flag(work, kSpoils) ? layout.add<char>(n_bytes) : elements_at;
	size_t out_at = layout.add<char>(shift + n_out * item_bytes(work));
	size_t first_at = layout.add<char>(shift + n_out * item_bytes(work));
	size_t look_at = layout.add<Look>(1);
	size_t room_at;
	GaStatus status;
	char *start;

	if (work->rung->room != nullptr)
		CUDA_TRY(work->rung->room(*run, &run->room_bytes), failure);
	room_at = layout.add<char>(run->room_bytes);
	status =
		allocate_bytes(queue->device, layout.n_bytes, &work->room, failure);
	if (status == GA_NO_MEMORY)
		ga_device_failure(failure, "rung",
						  "there is no room for its %llu "
						  "bytes",
						  (unsigned long long) layout.n_bytes);
	TRY(status);
	start = reinterpret_cast<char *>(work->room);
	work->elements = start + elements_at;
	work->first = start + first_at + shift;
	work->look = reinterpret_cast<Look *>(start + look_at);
	run->in = start + in_at;
	run->out = start + out_at + (work->rung->run == nullptr ? shift : 0);
	run->room = start + room_at;
	if (work->rung->about.is_managed)
		TRY(take_managed(work, queue->device, n_bytes, failure));
	return GA_OK;
}

/* Make the elements, or copy those of the request. */
static GaStatus
bring_elements(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	const RungWork *work = queue->rung;
	const GaRungRequest *request = work->request;
	const size_t n_bytes = request->n * ga_element_size(request->type);

	if (request->in != nullptr)
		CUDA_TRY(cudaMemcpyAsync(work->elements, request->in, n_bytes,
								 cudaMemcpyDefault, queue->stream),
				 failure);
	else
		CUDA_TRY(make_elements(request->type, work->elements,
							   uint32_t(request->n), queue->stream),
				 failure);
	if (work->managed != 0)
		CUDA_TRY(cudaMemcpyAsync(work->run.in, work->elements, n_bytes,
								 cudaMemcpyDefault, queue->stream),
				 failure);
	CUDA_TRY(cudaMemsetAsync(work->look, 0, sizeof(Look), queue->stream),
			 failure);
	return GA_OK;
}

static GaStatus
begin_rung(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	const GaDevice *device = queue->device;
	RungWork *work = queue->rung;
	int n_threads;

	CUDA_TRY(cudaDeviceGetAttribute(&n_threads,
									cudaDevAttrMaxThreadsPerMultiProcessor,
									device->ordinal),
			 failure);
	work->run.stream = queue->stream;
	work->run.n_threads = uint32_t(device->n_multiprocessors * n_threads);
	TRY(take_memory(queue, failure));
	TRY(bring_elements(queue, failure));
	return submit_run(queue, failure);
}

GaStatus
submit_rung(GaDeviceQueue *queue, GaRungRequest *request,
			GaDeviceFailure *failure)
{
	RungWork *work = new (std::nothrow) RungWork();

	if (work == nullptr)
	{
		ga_device_failure(failure, "rung", "out of memory");
		return GA_NO_MEMORY;
	}
	describe_work(work, request);
	request->same_bits = true;
	queue->rung = work;
	work->was_measured = queue->is_measured;
	queue->is_measured = true;
	return begin_rung(queue, failure);
}

/* With what the exact requests grew the queue by, which is no longer needed. */
void
end_rung(GaDeviceQueue *queue)
{
	RungWork *work = queue->rung;

	if (work == nullptr)
		return;
	free_bytes(queue->device, work->managed);
	free_bytes(queue->device, work->room);
	free_buffers(queue);
	queue->is_measured = work->was_measured;
	queue->rung = nullptr;
	delete work;
}
