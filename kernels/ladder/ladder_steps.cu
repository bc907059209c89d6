/*
 * ladder_steps.cu
 *		The steps of a request for the runs of a rung.
 *
 * Each of them begins when the stream is empty:
 *
 *		run		submit a run of the rung, between two events; the device is kept
 *				waiting until all of it is submitted, if it is not long
 *		look	compare its result with the first run's; then the next run, or,
 *				after the last,
 *		truth	have the shipping kernel make the exact answer, and find how far
 *				the last result is from it
 *
 * The shipping kernel's own runs, and the exact answer, are inner requests, as
 * request_sum.cu and request_scan.cu make them: their steps are taken here
 * until they are finished.
 */
#include <math.h>
#include <string.h>

#include <algorithm>

#include "ladder_work.h"

/*
 * Inner requests
 */

static GaStatus
step_inner(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	RungWork *work = queue->rung;
	GaStatus status = work->inner(queue, failure);

	if (status == GA_OK)
		return work->after_inner(queue, failure);
	work->inner = queue->step;
	queue->step = step_inner;
	return status;
}

/* Exact totals, or the exact sum in work->partial, and then the next step. */
static GaStatus
submit_exact(GaDeviceQueue *queue, void *out,
			 GaStatus (*next)(GaDeviceQueue *, GaDeviceFailure *),
			 GaDeviceFailure *failure)
{
	RungWork *work = queue->rung;
	const GaRungRequest *request = work->request;
	const GaDeviceAddress in = GaDeviceAddress(work->elements);

	if (request->ladder == GA_LADDER_REDUCE)
	{
		work->array = GaDeviceArray{in, request->n};
		work->sum = GaSumRequest{};
		work->sum.type = request->type;
		work->sum.n_arrays = 1;
		work->sum.arrays = &work->array;
		work->sum.results = &work->partial;
		work->sum.full = &work->full;
		work->sum.full_capacity = 1;
		TRY(submit_sum(queue, &work->sum, failure));
	}
	else
	{
		/* exclusive totals are the inclusive ones behind a zero */
		const uint32_t n_shift = work->run.exclusive ? 1 : 0;
		const size_t shift = n_shift * ga_element_size(work->truth_type);

		CUDA_TRY(cudaMemsetAsync(out, 0, shift, queue->stream), failure);
		work->scan = GaScanRequest{};
		work->scan.type = request->type;
		work->scan.in = in;
		work->scan.out = GaDeviceAddress(out) + shift;
		work->scan.n = request->n - n_shift;
		TRY(submit_scan(queue, &work->scan, failure));
	}
	work->inner = queue->step;
	work->after_inner = next;
	queue->step = step_inner;
	return GA_OK;
}

/* The exact sum of floats, rounded to their type. */
static double
exact_float(const RungWork *work)
{
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);
	double wide = NAN;
	float narrow = NAN;
	GaStatus status = ga_partial_merge(sum, int64_t(work->request->n),
									   &work->partial, &work->full);

	if (status == GA_OK && work->request->type == GA_float8)
		status = ga_exact_sum_float8(sum, &wide);
	else if (status == GA_OK)
	{
		status = ga_exact_sum_float4(sum, &narrow);
		wide = narrow;
	}
	return status == GA_OK ? wide : NAN;
}

/* A sum of the elements' type, as its bits. */
template <typename T>
static uint64_t
bits_of(T sum)
{
	uint64_t bits = 0;

	memcpy(&bits, &sum, sizeof(sum));
	return bits;
}

template <typename T>
static T
from_bits(uint64_t bits)
{
	T sum;

	memcpy(&sum, &bits, sizeof(sum));
	return sum;
}

/* What the inner request for a sum came to. */
static uint64_t
exact_answer(const RungWork *work)
{
	switch (work->request->type)
	{
		case GA_int4:
			return bits_of(int32_t(work->partial.limb[0]));
		case GA_float4:
			return bits_of(float(exact_float(work)));
		case GA_float8:
			return bits_of(exact_float(work));
		default:
			return work->partial.limb[0];
	}
}

/* How far a run's sum is from that. */
static double
answer_error(const RungWork *work)
{
	const int64_t total = int64_t(work->partial.limb[0]);

	switch (work->request->type)
	{
		case GA_int4:
			return fabs(double(from_bits<int32_t>(work->answer) - total));
		case GA_float4:
			return fabs(double(from_bits<float>(work->answer)) -
						exact_float(work));
		case GA_float8:
			return fabs(from_bits<double>(work->answer) - exact_float(work));
		default:
			return fabs(double(int64_t(work->answer - work->partial.limb[0])));
	}
}

/*
 * Steps
 */

/* Where a look's answer is on the host until the next request of the queue. */
static const Look *
look_home(const GaDeviceQueue *queue)
{
	return queue->host<Look>(0);
}

static GaStatus
fetch_look(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	TRY(reserve_pinned(queue, sizeof(Look), failure));
	CUDA_TRY(cudaMemcpyAsync(queue->pinned.start, queue->rung->look,
							 sizeof(Look), cudaMemcpyDeviceToHost,
							 queue->stream),
			 failure);
	return GA_OK;
}

/* The last step: all is known. */
static GaStatus
finish(GaDeviceQueue *queue, GaDeviceFailure *)
{
	RungWork *work = queue->rung;
	GaRungRequest *request = work->request;
	double *middle = work->ms + request->repeats / 2;

	if (work->has_totals)
		request->max_error = look_home(queue)->worst;
	else
		request->max_error = answer_error(work);
	std::nth_element(work->ms, middle, work->ms + request->repeats);
	request->ms = *middle;
	return GA_OK;
}

/* The result of the last run to the host, of the elements' type. */
static GaStatus
fetch_result(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	const RungWork *work = queue->rung;
	const GaRungRequest *request = work->request;
	const size_t size = ga_element_size(request->type);
	const void *from = work->run.out;
	uint64_t n = request->n;

	if (request->ladder == GA_LADDER_REDUCE && !work->has_totals)
	{
		memcpy(request->out, &work->answer, size);
		return GA_OK;
	}
	if (request->ladder == GA_LADDER_REDUCE)
		n = 1; /* of the elements that were copied */
	if (work->out_type != request->type)
	{
		CUDA_TRY(narrow((const int64_t *) work->run.out,
						(int32_t *) work->first, uint32_t(n), queue->stream),
				 failure);
		from = work->first;
	}
	CUDA_TRY(cudaMemcpyAsync(request->out, from, n * size,
							 cudaMemcpyDeviceToHost, queue->stream),
			 failure);
	return GA_OK;
}

/* The exact answer is there. */
static GaStatus
compare_truth(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	const RungWork *work = queue->rung;
	const GaRungRequest *request = work->request;

	if (work->has_totals)
	{
		const bool copies = has_flag(work, kCopies);

		CUDA_TRY(find_worst(work->out_type, work->run.out,
							copies ? request->type : work->truth_type,
							copies ? work->elements : work->first,
							uint32_t(request->n), &work->look->worst,
							queue->stream),
				 failure);
		TRY(fetch_look(queue, failure));
	}
	if (request->out != nullptr)
		TRY(fetch_result(queue, failure));
	queue->step = finish;
	return GA_PENDING;
}

/* A look is home. */
static GaStatus
judge(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	RungWork *work = queue->rung;
	GaRungRequest *request = work->request;
	GaStatus status;

	if (work->has_totals)
		request->same_bits &= look_home(queue)->differs == 0;
	else
	{
		if (work->rung->run != nullptr && !has_flag(work, kAnswersHost))
			work->answer = look_home(queue)->answer;
		if (work->n_runs == 0)
			work->first_answer = work->answer;
		request->same_bits &= work->answer == work->first_answer;
	}
	if (++work->n_runs <= request->repeats)
		status = submit_run(queue, failure);
	else if (has_flag(work, kCopies))
		return compare_truth(queue, failure);
	else
		status = submit_exact(queue, work->first, compare_truth, failure);
	return status == GA_OK ? GA_PENDING : status;
}

/* A run is finished. */
static GaStatus
look(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	RungWork *work = queue->rung;
	const size_t n_bytes = work->request->n * ga_element_size(work->out_type);

	if (work->n_runs > 0)
		work->ms[work->n_runs - 1] = measured_ms(queue);
	queue->step = judge;
	if (!work->has_totals && work->rung->run == nullptr)
	{
		work->answer = exact_answer(work);
		return GA_PENDING;
	}
	if (has_flag(work, kAnswersHost))
	{
		work->answer = look_home(queue)->answer;
		return GA_PENDING;
	}
	if (!work->has_totals)
		CUDA_TRY(cudaMemcpyAsync(&work->look->answer, work->run.out,
								 ga_element_size(work->out_type),
								 cudaMemcpyDeviceToDevice, queue->stream),
				 failure);
	else if (work->n_runs == 0)
		CUDA_TRY(cudaMemcpyAsync(work->first, work->run.out, n_bytes,
								 cudaMemcpyDeviceToDevice, queue->stream),
				 failure);
	else
		CUDA_TRY(find_difference(work->first, work->run.out, n_bytes,
								 &work->look->differs, queue->stream),
				 failure);
	TRY(fetch_look(queue, failure));
	return GA_PENDING;
}

/* Have the elements where the rung wants them. */
static GaStatus
lay_out(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	const RungWork *work = queue->rung;
	const size_t n_bytes =
		work->request->n * ga_element_size(work->request->type);

	if (work->managed != 0)
		CUDA_TRY(
			move_to_host(queue->device, work->managed, n_bytes, queue->stream),
			failure);
	else if (has_flag(work, kSpoils))
		CUDA_TRY(cudaMemcpyAsync(work->run.in, work->elements, n_bytes,
								 cudaMemcpyDeviceToDevice, queue->stream),
				 failure);
	return GA_OK;
}

GaStatus
submit_run(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	RungWork *work = queue->rung;

	if (work->rung->run == nullptr)
	{
		CUDA_TRY(hold_stream(queue->stream), failure);
		return submit_exact(queue, work->run.out, look, failure);
	}
	TRY(reserve_pinned(queue, sizeof(Look), failure));
	memset(queue->pinned.start, 0, sizeof(Look));
	work->run.answer = &queue->host<Look>(0)->answer;
	TRY(lay_out(queue, failure));
	CUDA_TRY(hold_stream(queue->stream), failure);
	TRY(begin_measuring(queue, failure));
	CUDA_TRY(work->rung->run(work->run), failure);
	TRY(end_measuring(queue, failure));
	queue->step = look;
	return GA_OK;
}
