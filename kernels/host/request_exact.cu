/*
 * request_exact.cu
 *		The second half of a request for running totals: what grids refused.
 */
#include <string.h>

#include <algorithm>

#include "request_scan.h"
#include "sum_words.h"

/* What came before an array as a sum, an empty one if there is nothing. */
static const GaExactSum *
sum_before(const GaScanRequest *request, const GaScanArray &array,
		   GaFullSum *nothing)
{
	return has_before(request, array) ? (const GaExactSum *) array.before :
										ga_full_sum_init(nothing);
}

/* Where things are in the rooms for the wide pass. */
struct WidePass
{
	uint32_t n; /* arrays; the short ones come first */
	uint32_t n_short;
	size_t arrays_at; /* WideArray */
	size_t rows_at;	  /* kSumWords of each */
	size_t outcomes_at;
	size_t home_end;
	size_t segment_at; /* device only */
	size_t end;
};

static WidePass
plan_wide_pass(const GaScanRequest *request)
{
	WidePass pass = {};
	Layout layout;
	uint32_t n_chunks = 0;

	for (uint32_t i = 0; i < request->n_arrays; i++)
	{
		if (request->results[i].sum.kind != kRefused)
			continue;
		pass.n++;
		if (request->arrays[i].n <= kWideAlone)
			pass.n_short++;
		else
			n_chunks = std::max(n_chunks, wide_chunks(request->arrays[i].n));
	}
	(void) layout.add<WidePass>(1);
	pass.arrays_at = layout.add<WideArray>(pass.n);
	pass.rows_at = layout.add<int64_t>(uint64_t(pass.n) * kSumWords);
	pass.outcomes_at = layout.add<ScanOutcome>(pass.n);
	pass.home_end = layout.n_bytes;
	pass.segment_at = layout.add<int64_t>(uint64_t(kSumWords) * n_chunks);
	pass.end = layout.n_bytes;
	return pass;
}

/* The wide pass is home. */
static GaStatus
finish_wide_pass(GaDeviceQueue *queue, GaDeviceFailure *)
{
	GaScanRequest *request = queue->scan;
	const WidePass &pass = *queue->host<WidePass>(0);

	for (uint32_t k = 0; k < pass.n; k++)
	{
		const WideArray &wide = queue->host<WideArray>(pass.arrays_at)[k];
		const ScanOutcome &outcome =
			queue->host<ScanOutcome>(pass.outcomes_at)[k];
		const GaScanArray &array = request->arrays[wide.request_index];
		GaScanResult &result = request->results[wide.request_index];
		GaFullSum room;
		GaFullSum nothing;
		GaExactSum *sum = sum_from_words(
			&room, queue->host<int64_t>(pass.rows_at) + uint64_t(k) * kSumWords,
			wide.n_before + int64_t(array.n));

		result.sum = GaPartialSum{};
		result.n_totals = count_totals(outcome, array.n);
		result.hint = GaScanHint{0, GA_SCAN_NO_SCALE};
		if (result.n_totals < array.n)
			continue;
		(void) ga_exact_sum_unmerge(sum, sum_before(request, array, &nothing));
		store_record(&result.sum, sum, request->full, request->full_capacity,
					 &request->n_full);
	}
	request->device_ms = measured_ms(queue);
	return GA_OK;
}

/* Write down what was refused. */
static void
list_refused(GaDeviceQueue *queue, const WidePass &pass)
{
	const GaScanRequest *request = queue->scan;
	uint32_t next_short = 0;
	uint32_t next_long = pass.n_short;

	memset(queue->host<char>(pass.outcomes_at), 0,
		   pass.n * sizeof(ScanOutcome));
	for (uint32_t i = 0; i < request->n_arrays; i++)
	{
		const GaScanArray &array = request->arrays[i];
		GaFullSum nothing;
		uint32_t k;
		WideArray wide = {};

		if (request->results[i].sum.kind != kRefused)
			continue;
		k = array.n <= kWideAlone ? next_short++ : next_long++;
		wide.array.in = reinterpret_cast<const void *>(array.in);
		wide.array.out = reinterpret_cast<void *>(array.out);
		wide.array.n = uint32_t(array.n);
		wide.array.result = k;
		wide.request_index = i;
		wide.n_before = sum_before(request, array, &nothing)->n;
		wide.row =
			queue->on_device<int64_t>(pass.rows_at) + uint64_t(k) * kSumWords;
		words_from_sum(sum_before(request, array, &nothing),
					   queue->host<int64_t>(pass.rows_at) +
						   uint64_t(k) * kSumWords);
		queue->host<WideArray>(pass.arrays_at)[k] = wide;
	}
}

GaStatus
submit_wide_pass(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	GaScanRequest *request = queue->scan;
	const WidePass pass = plan_wide_pass(request);
	ScanOutcome *outcomes;

	TRY(reserve_pinned(queue, pass.home_end, failure));
	TRY(reserve_workspace(queue, pass.end, failure));
	*queue->host<WidePass>(0) = pass;
	list_refused(queue, pass);
	CUDA_TRY(cudaMemcpyAsync(queue->workspace.start, queue->pinned.start,
							 pass.home_end, cudaMemcpyHostToDevice,
							 queue->stream),
			 failure);
	outcomes = queue->on_device<ScanOutcome>(pass.outcomes_at);
	if (pass.n_short > 0)
		CUDA_TRY(launch_wide_short(kind_of(queue, request),
								   queue->on_device<WideArray>(pass.arrays_at),
								   pass.n_short, outcomes, queue->stream),
				 failure);
	for (uint32_t k = pass.n_short; k < pass.n; k++)
		CUDA_TRY(launch_wide_long(kind_of(queue, request),
								  queue->host<WideArray>(pass.arrays_at)[k],
								  queue->on_device<int64_t>(pass.segment_at),
								  outcomes, queue->stream),
				 failure);
	TRY(end_measuring(queue, failure));
	CUDA_TRY(cudaMemcpyAsync(queue->host<char>(pass.rows_at),
							 queue->on_device<char>(pass.rows_at),
							 pass.home_end - pass.rows_at,
							 cudaMemcpyDeviceToHost, queue->stream),
			 failure);
	queue->step = finish_wide_pass;
	return GA_PENDING;
}
