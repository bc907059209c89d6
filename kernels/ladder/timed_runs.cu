/*
 * timed_runs.cu
 *		The runs of a rung: timed, compared with the first and the truth.
 *
 * Each run is submitted behind a kernel that holds the stream, between two
 * events; the host waits for its end before it does anything else.  One run
 * more than is asked for comes first, and is not timed.  After the last one the
 * shipping kernels compute the exact result, as a request of device.h on the
 * same queue; their own rung is such a request, too.
 */
#include <math.h>
#include <string.h>

#include <algorithm>

#include "timed_runs.h"

/* Wait for all that was submitted. */
static GaStatus
finish(TimedRuns *runs, GaDeviceFailure *failure)
{
	CUDA_TRY(cudaStreamSynchronize(runs->run.stream), failure);
	return GA_OK;
}

/*
 * The shipping kernels
 */

/* Compute the exact sum, to runs->partial. */
static GaStatus
sum_exactly(TimedRuns *runs, double *ms, GaDeviceFailure *failure)
{
	const GaRungRequest *request = runs->request;
	const GaDeviceArray array = {GaDeviceAddress(runs->elements), request->n};
	GaSumRequest sum = {};

	sum.type = request->type;
	sum.n_arrays = 1;
	sum.arrays = &array;
	sum.results = &runs->partial;
	sum.full = &runs->full;
	sum.full_capacity = 1;
	TRY(ga_device_cuda.sum(runs->queue, &sum, failure));
	TRY(ga_device_cuda.wait(runs->queue, failure));
	*ms = sum.device_ms;
	return GA_OK;
}

/*
 * Compute exact totals.  Exclusive ones are the inclusive ones behind a zero.
 */
static GaStatus
scan_exactly(TimedRuns *runs, void *out, double *ms, GaDeviceFailure *failure)
{
	const GaRungRequest *request = runs->request;
	const uint32_t n_shift = runs->run.exclusive ? 1 : 0;
	const size_t shift = n_shift * ga_element_size(runs->truth_type);
	GaScanRequest scan = {};

	CUDA_TRY(cudaMemsetAsync(out, 0, shift, runs->run.stream), failure);
	scan.type = request->type;
	scan.in = GaDeviceAddress(runs->elements);
	scan.out = GaDeviceAddress(out) + shift;
	scan.n = request->n - n_shift;
	TRY(ga_device_cuda.scan(runs->queue, &scan, failure));
	TRY(ga_device_cuda.wait(runs->queue, failure));
	*ms = scan.device_ms;
	return GA_OK;
}

static GaStatus
compute_exactly(TimedRuns *runs, void *out, double *ms,
				GaDeviceFailure *failure)
{
	return runs->request->ladder == GA_LADDER_REDUCE ?
			   sum_exactly(runs, ms, failure) :
			   scan_exactly(runs, out, ms, failure);
}

/* Return the exact sum of floats, rounded to their type. */
static double
exact_float(const TimedRuns *runs)
{
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);
	double result = NAN;
	float narrow = NAN;
	GaStatus status = ga_partial_merge(sum, int64_t(runs->request->n),
									   &runs->partial, &runs->full);

	if (status == GA_OK && runs->request->type == GA_float8)
		status = ga_exact_sum_float8(sum, &result);
	else if (status == GA_OK)
	{
		status = ga_exact_sum_float4(sum, &narrow);
		result = narrow;
	}
	return status == GA_OK ? result : NAN;
}

/* Return a sum of the elements' type as its bits. */
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

/* Return the exact sum as its bits. */
static uint64_t
exact_answer(const TimedRuns *runs)
{
	switch (runs->request->type)
	{
		case GA_int4:
			return bits_of(int32_t(runs->partial.limb[0]));
		case GA_float4:
			return bits_of(float(exact_float(runs)));
		case GA_float8:
			return bits_of(exact_float(runs));
		default:
			return runs->partial.limb[0];
	}
}

/* Return the distance of the last run's sum from the exact one. */
static double
answer_error(const TimedRuns *runs)
{
	const int64_t total = int64_t(runs->partial.limb[0]);

	switch (runs->request->type)
	{
		case GA_int4:
			return fabs(double(from_bits<int32_t>(runs->answer) - total));
		case GA_float4:
			return fabs(double(from_bits<float>(runs->answer)) -
						exact_float(runs));
		case GA_float8:
			return fabs(from_bits<double>(runs->answer) - exact_float(runs));
		default:
			return fabs(double(int64_t(runs->answer - runs->partial.limb[0])));
	}
}

/*
 * Runs
 */

/* Migrate the pages of managed elements to the host, where that is possible. */
static GaStatus
move_to_host(TimedRuns *runs, size_t n_bytes, GaDeviceFailure *failure)
{
	int is_concurrent;

	CUDA_TRY(cudaDeviceGetAttribute(&is_concurrent,
									cudaDevAttrConcurrentManagedAccess,
									runs->device->ordinal),
			 failure);
	if (!is_concurrent)
		return GA_OK;
	CUDA_TRY(prefetch_to_host(runs->managed, n_bytes, runs->run.stream),
			 failure);
	return GA_OK;
}

/* Bring the elements where the rung reads them. */
static GaStatus
prepare_elements(TimedRuns *runs, GaDeviceFailure *failure)
{
	const size_t n_bytes =
		runs->request->n * ga_element_size(runs->request->type);

	if (runs->managed != nullptr)
		TRY(move_to_host(runs, n_bytes, failure));
	else if (has_flag(runs, kSpoils))
		CUDA_TRY(cudaMemcpyAsync(runs->run.in, runs->elements, n_bytes,
								 cudaMemcpyDeviceToDevice, runs->run.stream),
				 failure);
	return GA_OK;
}

/* Run once, and wait for the end. */
static GaStatus
run_once(TimedRuns *runs, double *ms, GaDeviceFailure *failure)
{
	const cudaStream_t stream = runs->run.stream;
	float elapsed_ms;

	if (runs->rung->run == nullptr)
	{
		CUDA_TRY(hold_stream(stream), failure);
		return compute_exactly(runs, runs->run.out, ms, failure);
	}
	memset(runs->host, 0, sizeof(Outcome));
	TRY(prepare_elements(runs, failure));
	CUDA_TRY(hold_stream(stream), failure);
	CUDA_TRY(cudaEventRecord(runs->begin, stream), failure);
	CUDA_TRY(runs->rung->run(runs->run), failure);
	CUDA_TRY(cudaEventRecord(runs->end, stream), failure);
	TRY(finish(runs, failure));
	CUDA_TRY(cudaEventElapsedTime(&elapsed_ms, runs->begin, runs->end),
			 failure);
	*ms = elapsed_ms;
	return GA_OK;
}

static GaStatus
fetch_outcome(TimedRuns *runs, GaDeviceFailure *failure)
{
	CUDA_TRY(cudaMemcpyAsync(runs->host, runs->outcome, sizeof(Outcome),
							 cudaMemcpyDeviceToHost, runs->run.stream),
			 failure);
	return finish(runs, failure);
}

/* Fetch a run's sum, and compare it with the first run's. */
static GaStatus
check_answer(TimedRuns *runs, bool is_first, GaDeviceFailure *failure)
{
	if (runs->rung->run == nullptr)
		runs->answer = exact_answer(runs);
	else
	{
		if (!has_flag(runs, kAnswersHost))
		{
			CUDA_TRY(cudaMemcpyAsync(&runs->outcome->answer, runs->run.out,
									 ga_element_size(runs->out_type),
									 cudaMemcpyDeviceToDevice,
									 runs->run.stream),
					 failure);
			TRY(fetch_outcome(runs, failure));
		}
		runs->answer = runs->host->answer;
	}
	if (is_first)
		runs->first_answer = runs->answer;
	runs->request->same_bits &= runs->answer == runs->first_answer;
	return GA_OK;
}

/* Keep the first run's totals, and compare the others with them. */
static GaStatus
check_totals(TimedRuns *runs, bool is_first, GaDeviceFailure *failure)
{
	const size_t n_bytes = runs->request->n * ga_element_size(runs->out_type);

	if (is_first)
	{
		CUDA_TRY(cudaMemcpyAsync(runs->first, runs->run.out, n_bytes,
								 cudaMemcpyDeviceToDevice, runs->run.stream),
				 failure);
		return finish(runs, failure);
	}
	CUDA_TRY(find_difference(runs->first, runs->run.out, n_bytes,
							 &runs->outcome->differs, runs->run.stream),
			 failure);
	TRY(fetch_outcome(runs, failure));
	runs->request->same_bits &= runs->host->differs == 0;
	return GA_OK;
}

/* Compute the exact result, unless it is a copy, and the largest error. */
static GaStatus
check_truth(TimedRuns *runs, GaDeviceFailure *failure)
{
	GaRungRequest *request = runs->request;
	const bool copies = has_flag(runs, kCopies);
	double ms;

	if (!copies)
		TRY(compute_exactly(runs, runs->first, &ms, failure));
	if (!runs->has_totals)
	{
		request->max_error = answer_error(runs);
		return GA_OK;
	}
	CUDA_TRY(find_worst(runs->out_type, runs->run.out,
						copies ? request->type : runs->truth_type,
						copies ? runs->elements : runs->first,
						uint32_t(request->n), &runs->outcome->worst,
						runs->run.stream),
			 failure);
	TRY(fetch_outcome(runs, failure));
	request->max_error = runs->host->worst;
	return GA_OK;
}

/* Copy the result of the last run to the host, in the elements' type. */
static GaStatus
fetch_result(TimedRuns *runs, GaDeviceFailure *failure)
{
	const GaRungRequest *request = runs->request;
	const size_t size = ga_element_size(request->type);
	/* of a copy in the ladder of reductions the first element */
	const uint64_t n = request->ladder == GA_LADDER_REDUCE ? 1 : request->n;
	const void *from = runs->run.out;

	if (!runs->has_totals)
	{
		memcpy(request->out, &runs->answer, size);
		return GA_OK;
	}
	if (runs->out_type != request->type)
	{
		CUDA_TRY(narrow((const int64_t *) runs->run.out,
						(int32_t *) runs->first, uint32_t(n), runs->run.stream),
				 failure);
		from = runs->first;
	}
	CUDA_TRY(cudaMemcpyAsync(request->out, from, n * size,
							 cudaMemcpyDeviceToHost, runs->run.stream),
			 failure);
	return finish(runs, failure);
}

/* Execute a request whose memory and queue are there. */
GaStatus
time_runs(TimedRuns *runs, GaDeviceFailure *failure)
{
	GaRungRequest *request = runs->request;
	double *middle = runs->ms + request->repeats / 2;
	double first_ms;
	uint32_t i;

	request->same_bits = true;
	for (i = 0; i <= request->repeats; i++)
	{
		if (request->progress != nullptr)
			TRY(request->progress(true, failure));
		TRY(run_once(runs, i == 0 ? &first_ms : &runs->ms[i - 1], failure));
		if (runs->has_totals)
			TRY(check_totals(runs, i == 0, failure));
		else
			TRY(check_answer(runs, i == 0, failure));
	}
	TRY(check_truth(runs, failure));
	if (request->out != nullptr)
		TRY(fetch_result(runs, failure));
	std::nth_element(runs->ms, middle, runs->ms + request->repeats);
	request->ms = *middle;
	return GA_OK;
}
