/*
 * request_exact.cu
 *		The end of a request for running totals that no scale does for: the
 *		exact fallback.
 */
#include <string.h>

#include "request_scan.h"
#include "sum_words.h"

/* What goes to the device and comes back; words follow it in device memory. */
struct ExactScan
{
	ScanOutcome outcome;
	int64_t
		words[kSumWords]; /* the prefix; then the sum of that and the array */
};

/* Return the prefix of a request, an empty sum if it has none. */
static const GaExactSum *
prefix_of(const GaScanRequest *request, GaFullSum *empty)
{
	return request->prefix != nullptr ? (const GaExactSum *) request->prefix :
										ga_full_sum_init(empty);
}

/* The totals are made, and the outcome is on the host. */
static GaStatus
finish_exact_scan(GaDeviceQueue *queue, GaDeviceFailure *)
{
	const ExactScan *exact = queue->host<ExactScan>(0);
	GaScanRequest *request = queue->scan;
	GaFullSum empty;
	GaFullSum full;
	const GaExactSum *prefix = prefix_of(request, &empty);
	GaExactSum *sum =
		sum_from_words(&full, exact->words, prefix->n + int64_t(request->n));
	uint32_t n_full = 0;

	request->device_ms = measured_ms(queue);
	request->sum = GaPartialSum{};
	request->n_totals = count_totals(exact->outcome, request->n);
	request->next_hint = GaScanHint{0, GA_SCAN_NO_SCALE};
	if (request->n_totals < request->n)
		return GA_OK;
	(void) ga_exact_sum_unmerge(sum, prefix);
	ga_partial_store(&request->sum, sum, &request->full, 1, &n_full);
	return GA_OK;
}

GaStatus
submit_exact_scan(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	const GaScanRequest *request = queue->scan;
	ScanJob job = make_scan_job(request);
	GaFullSum empty;
	const GaExactSum *prefix = prefix_of(request, &empty);
	Layout layout;
	const size_t exact_at = layout.add<ExactScan>(1);
	const size_t words_at =
		layout.add<int64_t>(uint64_t(kSumWords) * exact_tiles(request->n));
	ExactScan *exact;

	TRY(reserve_pinned(queue, sizeof(ExactScan), failure));
	TRY(reserve_workspace(queue, layout.n_bytes, failure));
	memset(queue->pinned.start, 0, sizeof(ExactScan));
	words_from_sum(prefix, queue->host<ExactScan>(0)->words);
	exact = queue->on_device<ExactScan>(exact_at);
	job.outcome = &exact->outcome;
	CUDA_TRY(cudaMemcpyAsync(exact, queue->pinned.start, sizeof(ExactScan),
							 cudaMemcpyHostToDevice, queue->stream),
			 failure);
	CUDA_TRY(launch_exact_scan(request->type, job, exact->words, prefix->n,
							   queue->on_device<int64_t>(words_at),
							   queue->stream),
			 failure);
	TRY(end_measuring(queue, failure));
	CUDA_TRY(cudaMemcpyAsync(queue->pinned.start, exact, sizeof(ExactScan),
							 cudaMemcpyDeviceToHost, queue->stream),
			 failure);
	queue->step = finish_exact_scan;
	return GA_OK;
}
