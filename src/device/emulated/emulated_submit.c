/*
 * emulated_submit.c
 *		Submissions of requests to the emulated device, and the faults of
 *		launches.
 *
 * A request is computed when it is submitted.
 */
#include <stdlib.h>
#include <unistd.h>

#include "device/clock.h"
#include "device/device_check.h"
#include "emulated_elem.h"
#include "emulated_pack.h"
#include "emulated_queue.h"
#include "emulated_reduce.h"
#include "emulated_request.h"
#include "emulated_window.h"

/*
 * Count a launch, and inject its fault.  GA_OK if the request is to be
 * computed, GA_PENDING if it is accepted but not computed, GA_NO_MEMORY if it
 * is refused.
 */
static GaStatus
launch(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	GaDevice *device = queue->device;
	const GaDeviceFaults *faults = &device->options.faults;
	uint32_t n;

	pthread_mutex_lock(&device->lock);
	n = ++device->n_launches;
	pthread_mutex_unlock(&device->lock);
	if (n == faults->crash_launch)
		abort();
	while (n == faults->block_launch)
		pause();
	if (n == faults->refuse_launch)
	{
		ga_device_failure(failure, "emulated launch",
						  "launch %u: injected refusal", (unsigned) n);
		return GA_NO_MEMORY;
	}
	queue->launch = n;
	queue->fails = n == faults->fail_launch;
	queue->state =
		n == faults->hang_launch ? GA_QUEUE_HANGS : GA_QUEUE_SUBMITTED;
	return queue->fails || queue->state == GA_QUEUE_HANGS ? GA_PENDING : GA_OK;
}

/*
 * Set the result of a launch: false if there is no memory, and the request was
 * not computed.
 */
static GaStatus
computed(GaDeviceQueue *queue, bool is_done, GaDeviceFailure *failure)
{
	if (is_done)
		return GA_OK;
	queue->state = GA_QUEUE_IDLE;
	ga_device_failure(failure, "emulated launch", "out of memory");
	return GA_NO_MEMORY;
}

/* Return the status of a submission after launch(). */
static GaStatus
accepted(GaStatus status)
{
	return status == GA_PENDING ? GA_OK : status;
}

/* Return the time since start_ns, or -1 if it is not measured. */
static double
measured_ms(const GaDeviceQueue *queue, int64_t start_ns)
{
	return queue->measures ? ga_ms_since(start_ns) : -1;
}

/*
 * Inject the fault of wrong results, of a reduction or by position: n of them,
 * of so many bytes each.
 */
static void
spoil(const GaDeviceQueue *queue, int what, void *results, size_t size,
	  uint64_t n)
{
	char *result = results;
	uint64_t i;

	if ((queue->device->options.faults.wrong_bits >> what & 1) == 0)
		return;
	for (i = 0; i < n; i++, result += size)
		*(uint64_t *) (void *) result ^= 1;
}

GaStatus
ga_emulated_submit_sum(GaDeviceQueue *queue, GaSumRequest *request,
					   GaDeviceFailure *failure)
{
	GaStatus status = ga_emulated_check_idle(queue, "emulated sum", failure);
	int64_t start_ns = ga_now_ns();
	uint32_t i;

	if (status == GA_OK)
		status = ga_check_sum_request(request, failure);
	if (status == GA_OK)
		status = launch(queue, failure);
	if (status == GA_OK)
		status = computed(queue, ga_emulated_sum(request), failure);
	if (status == GA_OK)
	{
		spoil(queue, GA_REDUCE_SUM, request->results, sizeof(GaPartialSum),
			  request->n_arrays);
		for (i = 0; i < request->n_arrays; i++)
		{
			if (queue->device->options.faults.wrong_packed_sums &&
				ga_is_packed(request->arrays[i].data))
				request->results[i].limb[0] ^= 1;
		}
		request->device_ms = measured_ms(queue, start_ns);
	}
	return accepted(status);
}

GaStatus
ga_emulated_submit_reduce(GaDeviceQueue *queue, GaReduceRequest *request,
						  GaDeviceFailure *failure)
{
	GaStatus status = ga_emulated_check_idle(queue, "emulated reduce", failure);
	int64_t start_ns = ga_now_ns();

	if (status == GA_OK)
		status = ga_check_reduce_request(request, failure);
	if (status == GA_OK)
		status = launch(queue, failure);
	if (status == GA_OK)
		status = computed(queue, ga_emulated_reduce(request), failure);
	if (status == GA_OK)
	{
		spoil(queue, request->reduction, request->results, sizeof(GaPartialSum),
			  request->n_results * ga_reduction_records(request->reduction));
		request->device_ms = measured_ms(queue, start_ns);
	}
	return accepted(status);
}

GaStatus
ga_emulated_submit_elem(GaDeviceQueue *queue, GaElemRequest *request,
						GaDeviceFailure *failure)
{
	GaStatus status = ga_emulated_check_idle(queue, "emulated elem", failure);
	int64_t start_ns = ga_now_ns();

	if (status == GA_OK)
		status = ga_check_elem_request(request, failure);
	if (status == GA_OK)
		status = launch(queue, failure);
	if (status == GA_OK)
	{
		ga_emulated_elem(request);
		spoil(queue, ga_elem_reduction(request->form),
			  ga_emulated_pointer(request->out),
			  ga_elem_result_bytes(request->form), ga_elem_positions(request));
		request->device_ms = measured_ms(queue, start_ns);
	}
	return accepted(status);
}

GaStatus
ga_emulated_submit_window(GaDeviceQueue *queue, GaWindowRequest *request,
						  GaDeviceFailure *failure)
{
	GaStatus status = ga_emulated_check_idle(queue, "emulated window", failure);
	int64_t start_ns = ga_now_ns();

	if (status == GA_OK)
		status = ga_check_window_request(request, failure);
	if (status == GA_OK)
		status = launch(queue, failure);
	if (status == GA_OK)
		status = computed(queue, ga_emulated_window(request), failure);
	if (status == GA_OK)
	{
		spoil(queue, GA_WINDOW_VALUES, request->out, sizeof(uint64_t),
			  request->n);
		request->device_ms = measured_ms(queue, start_ns);
	}
	return accepted(status);
}

GaStatus
ga_emulated_submit_scan(GaDeviceQueue *queue, GaScanRequest *request,
						GaDeviceFailure *failure)
{
	GaStatus status = ga_emulated_check_idle(queue, "emulated scan", failure);
	int64_t start_ns = ga_now_ns();

	if (status == GA_OK)
		status = ga_check_scan_request(request, failure);
	if (status == GA_OK)
		status = launch(queue, failure);
	if (status == GA_OK)
		status = computed(queue, ga_emulated_scan(request), failure);
	if (status == GA_OK)
	{
		request->device_ms = measured_ms(queue, start_ns);
	}
	return accepted(status);
}

GaStatus
ga_emulated_submit_survey(GaDeviceQueue *queue, GaPackRequest *request,
						  GaDeviceFailure *failure)
{
	GaStatus status = ga_emulated_check_idle(queue, "emulated survey", failure);
	int64_t start_ns = ga_now_ns();

	if (status == GA_OK)
		status = ga_check_pack_request(request, false, failure);
	if (status == GA_OK)
		status = launch(queue, failure);
	if (status == GA_OK)
		status = computed(
			queue, queue->launch > queue->device->options.faults.refuse_surveys,
			failure);
	if (status == GA_OK)
	{
		ga_emulated_survey(request);
		request->device_ms = measured_ms(queue, start_ns);
	}
	return accepted(status);
}

GaStatus
ga_emulated_submit_pack(GaDeviceQueue *queue, GaPackRequest *request,
						GaDeviceFailure *failure)
{
	const GaDeviceFaults *faults = &queue->device->options.faults;
	GaStatus status = ga_emulated_check_idle(queue, "emulated pack", failure);
	int64_t start_ns = ga_now_ns();

	if (status == GA_OK)
		status = ga_check_pack_request(request, true, failure);
	if (status == GA_OK)
		status = launch(queue, failure);
	if (status == GA_OK)
	{
		ga_emulated_pack(request);
		request->n_wrong += queue->launch == faults->wrong_pack ||
							(faults->wrong_bits >> GA_PACKED_VECTORS & 1);
		request->device_ms = measured_ms(queue, start_ns);
	}
	return accepted(status);
}
