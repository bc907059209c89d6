/*
 * request_scan.cu
 *		A request for the running totals of one array.
 *
 * An array takes one of these ways:
 *
 *	- short, without a prefix: one warp (submit_short);
 *	- other arrays, but for floats with a prefix: one kernel, of packed
 *	  doubles two, and nothing is sent before (submit_direct).  Blocks choose
 *	  the scale themselves, and the memory in which they publish sums is
 *	  zeroed already;
 *	- floats with a prefix, and arrays that find no memory for that: one more
 *	  kernel before it, which clears memory and chooses the scale
 *	  (submit_prepared);
 *	- an array that a scale refused: once more like that, with all levels, if
 *	  that may help; and one that is not of decimals only, with a scale;
 *	- floats for which no scale does: request_exact.cu.
 */
#include <string.h>

#include "request_scan.h"

/* Where things are in device memory, for an array of tiles. */
struct ScanMemory
{
	uint32_t n_tiles;
	size_t outcome_at;
	size_t ticket_at;
	size_t states_at;
	size_t zeroed_end; /* up to here it has to be zero */
	size_t start_at;
	size_t end;

	ScanMemory(const GaDeviceQueue *queue, const GaScanRequest *request);
};

ScanMemory::ScanMemory(const GaDeviceQueue *queue, const GaScanRequest *request)
{
	const size_t total = ga_scan_total_size(request->type, request->totals);
	const uint64_t tile =
		kScanItems *
		(queue->device->large_tiles ? large_tile(total) : small_tile(total));
	const uint64_t n =
		request->in % kVectorBytes / ga_element_size(request->type) +
		request->n;
	const int n_words = ga_scan_most_levels(request->type) == 2 ?
							kStateWords<2> :
							kStateWords<3>;
	Layout layout;

	n_tiles = uint32_t(divide_up(n, tile));
	outcome_at = layout.add<ScanOutcome>(1);
	ticket_at = layout.add<uint32_t>(1);
	states_at = layout.add<uint64_t>(uint64_t(n_tiles) * n_words);
	zeroed_end = layout.n_bytes;
	start_at = layout.add<ScanStart>(1);
	end = layout.n_bytes;
}

/* Is there anything before this segment? */
static bool
has_prefix(const GaScanRequest *request)
{
	if (request->prefix == nullptr)
		return false;
	return ga_element_is_float(request->type) ?
			   ((const GaExactSum *) request->prefix)->n != 0 :
			   ((const GaIntSum *) request->prefix)->n != 0;
}

ScanJob
make_scan_job(const GaScanRequest *request)
{
	ScanJob job = {};

	job.in = reinterpret_cast<const void *>(request->in);
	job.out = reinterpret_cast<void *>(request->out);
	job.n = uint32_t(request->n);
	job.start.only_neg_zeros = 1;
	if (has_prefix(request) && !ga_element_is_float(request->type))
	{
		const GaIntSum *prefix = (const GaIntSum *) request->prefix;

		job.start.prefix[0] = int64_t(prefix->low);
		job.start.prefix[1] = prefix->high;
	}
	return job;
}

/* Let a job have its memory. */
static void
place_job(ScanJob &job, char *start, const ScanMemory &memory)
{
	job.n_tiles = memory.n_tiles;
	job.outcome = reinterpret_cast<ScanOutcome *>(start + memory.outcome_at);
	job.ticket = reinterpret_cast<uint32_t *>(start + memory.ticket_at);
	job.states = reinterpret_cast<uint64_t *>(start + memory.states_at);
}

/* Let a job try the scale of the request's hint, if it names one. */
static void
use_hint(ScanJob &job, const GaScanRequest *request)
{
	if (!ga_hint_is_scale(request->type, request->hint))
		return;
	job.start.unit = request->hint.unit;
	job.start.n_levels = request->hint.n_levels;
}

static ScanKind
kind_of(const GaDeviceQueue *queue)
{
	return ScanKind{queue->scan->type, queue->scan->totals,
					queue->device->large_tiles};
}

/* All kernels are submitted: have the outcome copied, and then take a step. */
static GaStatus
fetch_outcome(GaDeviceQueue *queue, const ScanOutcome *outcome,
			  GaStatus (*step)(GaDeviceQueue *, GaDeviceFailure *),
			  GaDeviceFailure *failure)
{
	TRY(end_measuring(queue, failure));
	CUDA_TRY(cudaMemcpyAsync(queue->pinned.start, outcome, sizeof(ScanOutcome),
							 cudaMemcpyDeviceToHost, queue->stream),
			 failure);
	queue->step = step;
	return GA_OK;
}

/* Instead of the least levels of a retry. */
constexpr int kFirstTry = 0;

static GaStatus finish_first(GaDeviceQueue *queue, GaDeviceFailure *failure);
static GaStatus finish_retry(GaDeviceQueue *queue, GaDeviceFailure *failure);

static GaStatus
submit_short(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	ScanJob job = make_scan_job(queue->scan);

	TRY(reserve_pinned(queue, sizeof(ScanOutcome), failure));
	TRY(reserve_workspace(queue, sizeof(ScanOutcome), failure));
	job.outcome = queue->on_device<ScanOutcome>(0);
	TRY(begin_measuring(queue, failure));
	CUDA_TRY(
		cudaMemsetAsync(job.outcome, 0, sizeof(ScanOutcome), queue->stream),
		failure);
	CUDA_TRY(launch_short_scan(kind_of(queue), job, queue->stream), failure);
	return fetch_outcome(queue, job.outcome, finish_first, failure);
}

static GaStatus
submit_direct(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	const ScanMemory memory(queue, queue->scan);
	ZeroedBuffers &zeroed = queue->zeroed;
	ScanJob job = make_scan_job(queue->scan);
	cudaError_t launched;

	TRY(reserve_pinned(queue, sizeof(ScanOutcome), failure));
	TRY(reserve_zeroed(queue, memory.zeroed_end, failure));
	place_job(job, zeroed.start[zeroed.next], memory);
	use_hint(job, queue->scan);
	job.clear = reinterpret_cast<int4 *>(zeroed.start[1 - zeroed.next]);
	job.n_clear = uint32_t((zeroed.n_dirty + sizeof(int4) - 1) / sizeof(int4));

	TRY(begin_measuring(queue, failure));
	launched = launch_scan_tiles(
		kind_of(queue), job, queue->device->n_multiprocessors, queue->stream);
	if (launched != cudaSuccess)
	{
		/* one of two kernels may have been launched */
		(void) cudaStreamSynchronize(queue->stream);
		free_zeroed(queue);
		return cuda_status(launched, "launch_scan_tiles", failure);
	}
	zeroed.n_dirty = memory.zeroed_end;
	zeroed.next = 1 - zeroed.next;
	return fetch_outcome(queue, job.outcome, finish_first, failure);
}

/* Submit prepare_scan for a job whose scale has so many levels at least. */
static GaStatus
prepare(GaDeviceQueue *queue, ScanJob &job, const ScanMemory &memory,
		int least_levels, GaDeviceFailure *failure)
{
	const GaExactSum *prefix = (const GaExactSum *) queue->scan->prefix;
	ScanJob first;

	job.prepared = queue->on_device<ScanStart>(memory.start_at);
	first = job;
	first.clear = queue->on_device<int4>(memory.ticket_at);
	first.n_clear =
		uint32_t((memory.zeroed_end - memory.ticket_at) / sizeof(int4));
	CUDA_TRY(launch_prepare_scan(
				 queue->scan->type, first, prefix,
				 prefix != nullptr ? GA_EXACT_SUM_SIZE(prefix->n_cells) : 0,
				 least_levels, queue->stream),
			 failure);
	return GA_OK;
}

/*
 * Submit prepare_scan and the kernel behind it: a retry, with a scale of so
 * many levels at least, or kFirstTry.
 */
static GaStatus
submit_prepared(GaDeviceQueue *queue, int least_levels,
				GaDeviceFailure *failure)
{
	const GaScanRequest *request = queue->scan;
	const ScanMemory memory(queue, request);
	ScanJob job = make_scan_job(request);

	TRY(reserve_pinned(queue, sizeof(ScanOutcome), failure));
	TRY(reserve_workspace(queue, memory.end, failure));
	place_job(job, queue->workspace.start, memory);
	if (least_levels == kFirstTry)
	{
		use_hint(job, request);
		TRY(begin_measuring(queue, failure));
	}
	if (ga_element_is_float(request->type))
		TRY(prepare(queue, job, memory, std::max(least_levels, 2), failure));
	else
		CUDA_TRY(cudaMemsetAsync(queue->workspace.start, 0, memory.zeroed_end,
								 queue->stream),
				 failure);
	CUDA_TRY(launch_scan_tiles(kind_of(queue), job,
							   queue->device->n_multiprocessors, queue->stream),
			 failure);
	return fetch_outcome(queue, job.outcome,
						 least_levels == ga_scan_most_levels(request->type) ?
							 finish_retry :
							 finish_first,
						 failure);
}

/* A request that goes on with what it submitted, unless that failed. */
static GaStatus
go_on(GaStatus status)
{
	return status == GA_OK ? GA_PENDING : status;
}

/*
 * May a scale that is chosen anew, with more levels, do where this one did not?
 * Short arrays have no other scale.
 */
static bool
is_worth_a_retry(const GaScanRequest *request, const ScanOutcome &outcome)
{
	return outcome.n_levels > 0 &&
		   (outcome.refused < ga_scan_most_levels(request->type) ||
			ga_hint_is_scale(request->type, request->hint));
}

/* The outcome is on the host. */
static GaStatus
finish(GaDeviceQueue *queue, bool is_retry, GaDeviceFailure *failure)
{
	const ScanOutcome outcome = *queue->host<ScanOutcome>(0);
	GaScanRequest *request = queue->scan;

	if (outcome.refused != 0)
	{
		request->n_refused++;
		if (is_retry || !is_worth_a_retry(request, outcome))
			return go_on(submit_exact_scan(queue, failure));
		return go_on(submit_prepared(queue,
									 outcome.refused == kDecimalLevels ?
										 2 :
										 ga_scan_most_levels(request->type),
									 failure));
	}
	request->device_ms = measured_ms(queue);
	request->sum = outcome.sum;
	request->sum.n_neg_zero = outcome.n_neg_zero;
	request->n_totals = count_totals(outcome, request->n);
	request->next_hint = GaScanHint{outcome.unit, outcome.n_levels};
	return GA_OK;
}

static GaStatus
finish_first(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	return finish(queue, false, failure);
}

static GaStatus
finish_retry(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	return finish(queue, true, failure);
}

/* There are no elements, and the answer is there already. */
static GaStatus
finish_empty(GaDeviceQueue *queue, GaDeviceFailure *)
{
	queue->scan->device_ms = measured_ms(queue);
	return GA_OK;
}

static GaStatus
submit_empty(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	GaScanRequest *request = queue->scan;

	request->sum = GaPartialSum{};
	request->n_totals = 0;
	request->next_hint = GaScanHint{};
	TRY(begin_measuring(queue, failure));
	TRY(end_measuring(queue, failure));
	queue->step = finish_empty;
	return GA_OK;
}

GaStatus
submit_scan(GaDeviceQueue *queue, GaScanRequest *request,
			GaDeviceFailure *failure)
{
	request->n_refused = 0;
	queue->scan = request;
	if (request->n == 0)
		return submit_empty(queue, failure);
	if (ga_hint_is_no_scale(request))
	{
		TRY(begin_measuring(queue, failure));
		return submit_exact_scan(queue, failure);
	}
	if (request->n <= kShortScan && !has_prefix(request))
		return submit_short(queue, failure);
	if (!ga_element_is_float(request->type) || !has_prefix(request))
	{
		GaStatus status = submit_direct(queue, failure);

		if (status != GA_NO_MEMORY)
			return status;
	}
	return submit_prepared(queue, kFirstTry, failure);
}
