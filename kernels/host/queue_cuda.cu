/*
 * queue_cuda.cu
 *		Queues of the CUDA device.
 *
 * A queue is a stream.  A request in progress, which request_sum.cu and
 * request_scan.cu plan and finish, has a step function, which is called when
 * the stream is empty; or sooner, if the results that complete the request have
 * arrived in host memory.
 */
#include <unistd.h>

#include <new>

#include "queue_cuda.h"

void
cuda_queue_close(GaDeviceQueue *queue)
{
	(void) use_device(queue->device);
	if (queue->stream != nullptr)
	{
		(void) cudaStreamSynchronize(queue->stream);
		(void) cudaStreamDestroy(queue->stream);
	}
	if (queue->begin != nullptr)
		(void) cudaEventDestroy(queue->begin);
	if (queue->end != nullptr)
		(void) cudaEventDestroy(queue->end);
	(void) cudaFreeHost(queue->pinned.start);
	free_buffers(queue);
	delete queue;
}

static GaStatus
fill_queue(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	CUDA_TRY(use_device(queue->device), failure);
	CUDA_TRY(cudaStreamCreateWithFlags(&queue->stream, cudaStreamNonBlocking),
			 failure);
	CUDA_TRY(cudaEventCreate(&queue->begin), failure);
	CUDA_TRY(cudaEventCreate(&queue->end), failure);
	return GA_OK;
}

GaStatus
cuda_queue_open(GaDevice *device, int event_fd, GaDeviceQueue **queue,
				GaDeviceFailure *failure)
{
	GaStatus status;

	*queue = new (std::nothrow) GaDeviceQueue();
	if (*queue == nullptr)
	{
		ga_device_failure(failure, "queue_open", "out of memory");
		return GA_NO_MEMORY;
	}
	(*queue)->device = device;
	(*queue)->event_fd = event_fd;
	status = fill_queue(*queue, failure);
	if (status != GA_OK)
	{
		cuda_queue_close(*queue);
		*queue = nullptr;
	}
	return status;
}

/* End the request in progress; the queue takes the next one. */
static void
end_request(GaDeviceQueue *queue)
{
	queue->step = nullptr;
	queue->n_awaited = 0;
}

/* End a request that failed; its kernels and copies may still be running. */
static void
fail_request(GaDeviceQueue *queue)
{
	end_request(queue);
	queue->has_failed = true;
}

/*
 * Prepare to submit a copy or request.  GA_BAD_REQUEST if a request is in
 * progress.  Waits for the stream after a request that failed, since its
 * kernels may use the buffers.
 */
static GaStatus
begin_submitting(GaDeviceQueue *queue, const char *call,
				 GaDeviceFailure *failure)
{
	if (queue->step != nullptr)
	{
		ga_device_failure(failure, call, "the queue has a request in progress");
		return GA_BAD_REQUEST;
	}
	CUDA_TRY(use_device(queue->device), failure);
	if (queue->has_failed)
		CUDA_TRY(cudaStreamSynchronize(queue->stream), failure);
	queue->has_failed = false;
	queue->is_ending = false;
	return GA_OK;
}

/* Return the status of submitting a request, which ends if that failed. */
static GaStatus
end_submitting(GaDeviceQueue *queue, GaStatus status)
{
	if (status != GA_OK)
		fail_request(queue);
	return status;
}

static GaStatus
copy(GaDeviceQueue *queue, void *to, const void *from, size_t n_bytes,
	 const char *call, GaDeviceFailure *failure)
{
	TRY(begin_submitting(queue, call, failure));
	CUDA_TRY(
		cudaMemcpyAsync(to, from, n_bytes, cudaMemcpyDefault, queue->stream),
		failure);
	return GA_OK;
}

GaStatus
cuda_copy_in(GaDeviceQueue *queue, GaDeviceAddress to, const void *from,
			 size_t n_bytes, GaDeviceFailure *failure)
{
	return copy(queue, reinterpret_cast<void *>(to), from, n_bytes, "copy_in",
				failure);
}

GaStatus
cuda_copy_out(GaDeviceQueue *queue, void *to, GaDeviceAddress from,
			  size_t n_bytes, GaDeviceFailure *failure)
{
	return copy(queue, to, reinterpret_cast<void *>(from), n_bytes, "copy_out",
				failure);
}

GaStatus
cuda_zero(GaDeviceQueue *queue, GaDeviceAddress at, uint64_t n_bytes,
		  GaDeviceFailure *failure)
{
	TRY(begin_submitting(queue, "zero", failure));
	CUDA_TRY(cudaMemsetAsync(reinterpret_cast<void *>(at), 0, n_bytes,
							 queue->stream),
			 failure);
	return GA_OK;
}

GaStatus
cuda_sum(GaDeviceQueue *queue, GaSumRequest *request, GaDeviceFailure *failure)
{
	TRY(begin_submitting(queue, "sum", failure));
	TRY(ga_check_sum_request(request, failure));
	return end_submitting(queue, submit_sum(queue, request, failure));
}

GaStatus
cuda_reduce(GaDeviceQueue *queue, GaReduceRequest *request,
			GaDeviceFailure *failure)
{
	TRY(begin_submitting(queue, "reduce", failure));
	TRY(ga_check_reduce_request(request, failure));
	return end_submitting(queue, submit_reduction(queue, request, failure));
}

GaStatus
cuda_elem(GaDeviceQueue *queue, GaElemRequest *request,
		  GaDeviceFailure *failure)
{
	TRY(begin_submitting(queue, "elem", failure));
	TRY(ga_check_elem_request(request, failure));
	return end_submitting(queue, submit_elem(queue, request, failure));
}

GaStatus
cuda_window(GaDeviceQueue *queue, GaWindowRequest *request,
			GaDeviceFailure *failure)
{
	TRY(begin_submitting(queue, "window", failure));
	TRY(ga_check_window_request(request, failure));
	return end_submitting(queue, submit_window(queue, request, failure));
}

GaStatus
cuda_scan(GaDeviceQueue *queue, GaScanRequest *request,
		  GaDeviceFailure *failure)
{
	TRY(begin_submitting(queue, "scan", failure));
	TRY(ga_check_scan_request(request, failure));
	return end_submitting(queue, submit_scan(queue, request, failure));
}

GaStatus
cuda_survey(GaDeviceQueue *queue, GaPackRequest *request,
			GaDeviceFailure *failure)
{
	TRY(begin_submitting(queue, "survey", failure));
	TRY(ga_check_pack_request(request, false, failure));
	return end_submitting(queue, submit_pack(queue, request, false, failure));
}

GaStatus
cuda_pack(GaDeviceQueue *queue, GaPackRequest *request,
		  GaDeviceFailure *failure)
{
	TRY(begin_submitting(queue, "pack", failure));
	TRY(ga_check_pack_request(request, true, failure));
	return end_submitting(queue, submit_pack(queue, request, true, failure));
}

/*
 * Is there nothing to wait for although the stream is not empty?  The results
 * of the request in progress may have arrived, or the last one has ended so
 * and nothing was submitted since.
 */
static bool
is_early(GaDeviceQueue *queue)
{
	if (queue->step == nullptr)
		return queue->is_ending;
	return queue->n_awaited > 0 && small_sums_arrived(queue);
}

/*
 * Wait for the stream, or for results that arrive early: poll for some 100 us,
 * then block in CUDA.
 */
static cudaError_t
wait_for(GaDeviceQueue *queue)
{
	constexpr int kRounds = 100;
	constexpr int kPolls = 200; /* between two queries of the stream */
	cudaError_t error = cudaErrorNotReady;

	for (int round = 0;
		 queue->n_awaited > 0 && round < kRounds && error == cudaErrorNotReady;
		 round++)
	{
		for (int i = 0; i < kPolls; i++)
		{
			if (is_early(queue))
				return cudaSuccess;
		}
		error = cudaStreamQuery(queue->stream);
	}
	if (is_early(queue))
		return cudaSuccess;
	return error == cudaErrorNotReady ? cudaStreamSynchronize(queue->stream) :
										error;
}

/* Call the next step of the request in progress, if there is one. */
static GaStatus
advance(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	GaStatus status = GA_OK;

	if (queue->step != nullptr)
	{
		queue->n_awaited = 0;
		status = queue->step(queue, failure);
		queue->is_ending = status == GA_OK;
	}
	if (status == GA_OK)
		end_request(queue);
	else if (status != GA_PENDING)
		fail_request(queue);
	return status;
}

GaStatus
cuda_poll(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	cudaError_t error;
	GaStatus status;

	CUDA_TRY(use_device(queue->device), failure);
	error = is_early(queue) ? cudaSuccess : cudaStreamQuery(queue->stream);
	if (error == cudaErrorNotReady)
		return GA_PENDING;
	status = cuda_status(error, "cudaStreamQuery", failure);
	if (status != GA_OK)
	{
		fail_request(queue);
		return status;
	}
	return advance(queue, failure);
}

GaStatus
cuda_wait(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	GaStatus status;

	CUDA_TRY(use_device(queue->device), failure);
	do
	{
		status = cuda_status(wait_for(queue), "cudaStreamSynchronize", failure);
		if (status == GA_OK)
			status = advance(queue, failure);
		else
			fail_request(queue);
	} while (status == GA_PENDING);
	return status;
}

/* Write the event_fd; called on a thread of the driver. */
static void CUDART_CB
write_event(void *data)
{
	const uint64_t one = 1;
	ssize_t n = write(((GaDeviceQueue *) data)->event_fd, &one, sizeof(one));

	(void) n;
}

GaStatus
cuda_notify(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	if (queue->event_fd < 0)
		return GA_OK;
	CUDA_TRY(use_device(queue->device), failure);
	CUDA_TRY(cudaLaunchHostFunc(queue->stream, write_event, queue), failure);
	return GA_OK;
}

void
cuda_measure(GaDeviceQueue *queue, bool on)
{
	queue->is_measured = on;
}
