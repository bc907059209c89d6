/*
 * emulated_submit.c
 *		Submissions of requests to the emulated device, and the faults of
 *		launches and of results.
 *
 * A request is checked here; the device's thread calls its compute function.
 */
#include <stdlib.h>
#include <unistd.h>

#include "device/device_check.h"
#include "emulated_elem.h"
#include "emulated_pack.h"
#include "emulated_queue.h"
#include "emulated_reduce.h"
#include "emulated_request.h"
#include "emulated_thread.h"
#include "emulated_window.h"
#include "emulated_zero.h"

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

/* The compute functions return false if there is no memory. */

static bool
compute_sum(GaDeviceQueue *queue, void *work)
{
	GaSumRequest *request = work;
	uint32_t i;

	if (!ga_emulated_sum(request))
		return false;
	spoil(queue, GA_REDUCE_SUM, request->results, sizeof(GaPartialSum),
		  request->n_arrays);
	for (i = 0; i < request->n_arrays; i++)
	{
		if (queue->device->options.faults.wrong_packed_sums &&
			ga_is_packed(request->arrays[i].data))
			request->results[i].limb[0] ^= 1;
	}
	return true;
}

static bool
compute_reduce(GaDeviceQueue *queue, void *work)
{
	GaReduceRequest *request = work;

	if (!ga_emulated_reduce(request))
		return false;
	spoil(queue, request->reduction, request->results, sizeof(GaPartialSum),
		  request->n_results * ga_reduction_records(request->reduction));
	return true;
}

static bool
compute_elem(GaDeviceQueue *queue, void *work)
{
	GaElemRequest *request = work;

	ga_emulated_elem(request);
	spoil(queue, ga_elem_reduction(request->form),
		  ga_emulated_pointer(request->out),
		  ga_elem_result_bytes(request->form), ga_elem_positions(request));
	return true;
}

static bool
compute_window(GaDeviceQueue *queue, void *work)
{
	GaWindowRequest *request = work;

	if (!ga_emulated_window(request))
		return false;
	spoil(queue, GA_WINDOW_VALUES, request->out, sizeof(uint64_t), request->n);
	return true;
}

static bool
compute_scan(GaDeviceQueue *queue, void *work)
{
	(void) queue;
	return ga_emulated_scan(work);
}

static bool
compute_survey(GaDeviceQueue *queue, void *work)
{
	(void) queue;
	ga_emulated_survey(work);
	return true;
}

static bool
compute_pack(GaDeviceQueue *queue, void *work)
{
	const GaDeviceFaults *faults = &queue->device->options.faults;
	GaPackRequest *request = work;

	ga_emulated_pack(request);
	request->n_wrong += queue->launch == faults->wrong_pack ||
						(faults->wrong_bits >> GA_PACKED_VECTORS & 1);
	return true;
}

/*
 * Count a launch, inject its fault, and have the request computed unless it
 * fails or hangs.  GA_NO_MEMORY if it is refused.
 */
static GaStatus
launch(GaDeviceQueue *queue, const GaEmulatedWork *work,
	   GaDeviceFailure *failure)
{
	GaDevice *device = queue->device;
	const GaDeviceFaults *faults = &device->options.faults;
	bool is_survey = work->compute == compute_survey;
	uint32_t n;

	(void) ga_emulated_zero_now(device, queue);
	pthread_mutex_lock(&device->lock);
	n = ++device->n_launches;
	pthread_mutex_unlock(&device->lock);
	if (faults->pause_launch_ms > 0)
		(void) usleep(faults->pause_launch_ms * 1000);
	if (n == faults->crash_launch)
		abort();
	while (n == faults->block_launch)
		pause();
	if (n == faults->refuse_launch ||
		(is_survey && n <= faults->refuse_surveys))
	{
		ga_device_failure(failure, "emulated launch",
						  "launch %u: injected refusal", (unsigned) n);
		return GA_NO_MEMORY;
	}
	queue->launch = n;
	queue->result = n == faults->fail_launch ? GA_DEVICE_FAILED : GA_OK;
	ga_emulated_start(queue, work,
					  n == faults->hang_launch ? GA_QUEUE_HANGS :
					  n == faults->fail_launch ? GA_QUEUE_FINISHED :
												 GA_QUEUE_SUBMITTED);
	return GA_OK;
}

/* Check a request, and launch it. */
#define DEFINE_SUBMIT(name, Request, check)                                    \
	GaStatus ga_emulated_submit_##name(GaDeviceQueue *queue, Request *request, \
									   GaDeviceFailure *failure)               \
	{                                                                          \
		const GaEmulatedWork work = {compute_##name, request,                  \
									 &request->device_ms};                     \
		GaStatus status =                                                      \
			ga_emulated_check_idle(queue, "emulated " #name, failure);         \
                                                                               \
		if (status == GA_OK)                                                   \
			status = check;                                                    \
		return status == GA_OK ? launch(queue, &work, failure) : status;       \
	}

DEFINE_SUBMIT(sum, GaSumRequest, ga_check_sum_request(request, failure))
DEFINE_SUBMIT(reduce, GaReduceRequest,
			  ga_check_reduce_request(request, failure))
DEFINE_SUBMIT(elem, GaElemRequest, ga_check_elem_request(request, failure))
DEFINE_SUBMIT(window, GaWindowRequest,
			  ga_check_window_request(request, failure))
DEFINE_SUBMIT(scan, GaScanRequest, ga_check_scan_request(request, failure))
DEFINE_SUBMIT(survey, GaPackRequest,
			  ga_check_pack_request(request, false, failure))
DEFINE_SUBMIT(pack, GaPackRequest,
			  ga_check_pack_request(request, true, failure))
