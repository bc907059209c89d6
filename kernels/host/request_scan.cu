/*
 * request_scan.cu
 *		A request for running totals: plan it, launch it, do again what a grid
 *		refused, bring the results home.
 */
#include <string.h>

#include "request_scan.h"

enum ScanClass
{
	kTiny,
	kShort,
	kLong,
	kClasses
};

struct ScanPlan
{
	uint32_t count[kClasses];
	uint32_t n_tiles;
	uint32_t n_before; /* sums that go to the device */
	/* in the rooms: */
	size_t arrays_at[kClasses];
	size_t starts_at;	/* of long arrays */
	size_t pointers_at; /* to the sums before them */
	size_t before_at;
	size_t upload_end;
	size_t states_at;
	size_t ticket_at;
	size_t clear_end;
	bool clears_itself; /* the kernel that chooses grids does it all */
};

static ScanClass
class_of(const GaScanRequest *request, const GaScanArray &array)
{
	if (array.n == 0)
		return kTiny;
	if (array.n > kShortScan || has_before(request, array))
		return kLong;
	return array.n <= kTinyScan ? kTiny : kShort;
}

uint32_t
count_tiles(const GaDeviceQueue *queue, const GaScanRequest *request,
			const GaScanArray &array)
{
	const size_t total = ga_scan_total_size(request->type, request->totals);
	const uint64_t tile =
		kScanItems *
		(queue->device->large_tiles ? large_tile(total) : small_tile(total));
	uint64_t n =
		array.in % kVectorBytes / ga_element_size(request->type) + array.n;

	return uint32_t((n + tile - 1) / tile);
}

int
state_words(GaElementType type)
{
	return ga_scan_most_levels(type) == 2 ? kStateWords<2> : kStateWords<3>;
}

ScanStart
start_of(const GaScanRequest *request, const GaScanArray &array, bool with_hint)
{
	ScanStart start = {};

	if (with_hint && ga_hint_is_scale(request->type, array.hint))
	{
		start.unit = array.hint.unit;
		start.n_levels = array.hint.n_levels;
	}
	if (has_before(request, array) && !ga_element_is_float(request->type))
	{
		const GaIntSum *before = (const GaIntSum *) array.before;

		start.before[0] = int64_t(before->low);
		start.before[1] = before->high;
	}
	return start;
}

/*
 * Is an array part of a pass with grids?  Not if it is known that none does;
 * the second pass is for those that the first one refused.
 */
static bool
takes_part(const GaScanRequest *request, uint32_t i, bool is_retry)
{
	return !ga_hint_is_no_scale(request->type, &request->arrays[i]) &&
		   (!is_retry || request->results[i].sum.kind == kRefused);
}

/*
 * Both rooms have the same layout: what goes to the device, what comes home,
 * and then what is the device's alone.
 */
static ScanPlan
make_plan(GaDeviceQueue *queue, const GaScanRequest *request, bool is_retry,
		  Layout *home, Layout *all)
{
	ScanPlan plan = {};

	for (uint32_t i = 0; i < request->n_arrays; i++)
	{
		const GaScanArray &array = request->arrays[i];
		ScanClass c = class_of(request, array);

		if (!takes_part(request, i, is_retry))
			continue;
		plan.count[c]++;
		if (c != kLong)
			continue;
		plan.n_tiles += count_tiles(queue, request, array);
		plan.n_before +=
			ga_element_is_float(request->type) && has_before(request, array);
	}
	for (int c = kTiny; c < kClasses; c++)
		plan.arrays_at[c] = home->add<DeviceScan>(plan.count[c]);
	plan.starts_at = home->add<ScanStart>(plan.count[kLong]);
	plan.pointers_at = home->add<GaExactSum *>(plan.count[kLong]);
	plan.before_at = home->add<GaFullSum>(plan.n_before);
	plan.upload_end = home->n_bytes;
	queue->results_at = home->add<ScanOutcome>(request->n_arrays);
	*all = *home;
	plan.ticket_at = all->add<uint32_t>(1);
	plan.states_at =
		all->add<uint64_t>(uint64_t(plan.n_tiles) * state_words(request->type));
	plan.clear_end = all->n_bytes;
	plan.clears_itself = ga_element_is_float(request->type) &&
						 plan.count[kLong] == request->n_arrays;
	return plan;
}

/* Write down the arrays, class by class, in pinned memory. */
static void
list_arrays(GaDeviceQueue *queue, const GaScanRequest *request, bool is_retry,
			const ScanPlan &plan)
{
	uint32_t n[kClasses] = {};
	uint32_t n_tiles = 0;
	uint32_t n_before = 0;

	for (uint32_t i = 0; i < request->n_arrays; i++)
	{
		const GaScanArray &array = request->arrays[i];
		ScanClass c = class_of(request, array);
		uint32_t k;
		DeviceScan to = {};

		if (!takes_part(request, i, is_retry))
			continue;
		k = n[c]++;

		to.in = reinterpret_cast<const void *>(array.in);
		to.out = reinterpret_cast<void *>(array.out);
		to.n = uint32_t(array.n);
		to.result = i;
		if (c == kLong)
		{
			to.first_tile = n_tiles;
			to.n_tiles = count_tiles(queue, request, array);
			n_tiles += to.n_tiles;
		}
		queue->host<DeviceScan>(plan.arrays_at[c])[k] = to;
		if (c == kLong)
		{
			GaExactSum **pointer =
				queue->host<GaExactSum *>(plan.pointers_at) + k;

			queue->host<ScanStart>(plan.starts_at)[k] =
				start_of(request, array, !is_retry);
			*pointer = nullptr;
			if (has_before(request, array) &&
				ga_element_is_float(request->type))
			{
				const GaExactSum *before = (const GaExactSum *) array.before;
				GaFullSum *room =
					queue->host<GaFullSum>(plan.before_at) + n_before;

				memcpy(room, before, GA_EXACT_SUM_SIZE(before->n_cells));
				*pointer = ga_full_sum(
					queue->on_device<GaFullSum>(plan.before_at) + n_before);
				n_before++;
			}
		}
	}
}

/* What a kernel is told of a class. */
static ScanJob
make_job(const GaDeviceQueue *queue, const ScanPlan &plan, ScanClass c)
{
	ScanJob job = {};

	job.arrays = queue->on_device<DeviceScan>(plan.arrays_at[c]);
	job.starts = queue->on_device<ScanStart>(plan.starts_at);
	job.outcomes = queue->on_device<ScanOutcome>(queue->results_at);
	job.states = queue->on_device<uint64_t>(plan.states_at);
	job.ticket = queue->on_device<uint32_t>(plan.ticket_at);
	job.n_arrays = plan.count[c];
	job.n_tiles = plan.n_tiles;
	return job;
}

static GaStatus
launch(GaDeviceQueue *queue, const GaScanRequest *request, bool is_retry,
	   const ScanPlan &plan, GaDeviceFailure *failure)
{
	const ScanKind kind = kind_of(queue, request);
	const int n_multiprocessors = queue->device->n_multiprocessors;

	if (plan.count[kLong] > 0)
	{
		ScanJob job = make_job(queue, plan, kLong);

		if (ga_element_is_float(request->type))
			CUDA_TRY(
				launch_scan_starts(
					request->type, job.arrays,
					queue->on_device<const void *>(plan.pointers_at),
					queue->on_device<ScanStart>(plan.starts_at), job.n_arrays,
					is_retry ? ga_scan_most_levels(request->type) : 2,
					job.outcomes, queue->on_device<uint64_t>(plan.ticket_at),
					plan.clears_itself ?
						uint32_t((plan.clear_end - plan.ticket_at) / 8) :
						0,
					queue->stream),
				failure);
		CUDA_TRY(launch_scan_tiles(kind, job, n_multiprocessors, queue->stream),
				 failure);
	}
	for (int c = kTiny; c <= kShort; c++)
	{
		if (plan.count[c] > 0)
			CUDA_TRY(launch_short_scans(kind,
										c == kTiny ? kTinyScanGroup : kWarp,
										make_job(queue, plan, ScanClass(c)),
										n_multiprocessors, queue->stream),
					 failure);
	}
	return GA_OK;
}

static GaStatus submit_grids(GaDeviceQueue *queue, bool is_retry,
							 GaDeviceFailure *failure);

/* May a grid that is chosen anew do where this one did not? */
static bool
is_worth_a_retry(const GaScanRequest *request, uint32_t i,
				 const ScanOutcome &outcome)
{
	return outcome.refused < ga_scan_most_levels(request->type) ||
		   ga_hint_is_scale(request->type, request->arrays[i].hint);
}

/*
 * A pass with grids is home.  What was refused by a grid with fewer levels
 * than there may be, or by one that a hint named, is tried once more, with all
 * levels.
 */
static GaStatus
finish_grids(GaDeviceQueue *queue, bool is_retry, GaDeviceFailure *failure)
{
	GaScanRequest *request = queue->scan;
	bool any_refused = false;
	bool any_to_retry = false;

	for (uint32_t i = 0; i < request->n_arrays; i++)
	{
		const ScanOutcome &outcome =
			queue->host<ScanOutcome>(queue->results_at)[i];
		GaScanResult *result = &request->results[i];

		if (!takes_part(request, i, is_retry))
		{
			any_refused |= result->sum.kind == kRefused;
			continue;
		}
		result->sum = outcome.sum;
		result->sum.n_neg_zero = outcome.n_neg_zero;
		result->n_totals = count_totals(outcome, request->arrays[i].n);
		result->hint = GaScanHint{outcome.unit, outcome.n_levels};
		if (outcome.refused == 0)
			continue;
		result->sum.kind = kRefused;
		request->n_refused++;
		any_refused = true;
		any_to_retry |= is_worth_a_retry(request, i, outcome);
	}
	request->device_ms = measured_ms(queue);
	if (!any_refused)
		return GA_OK;
	if (any_to_retry && !is_retry)
	{
		GaStatus status = submit_grids(queue, true, failure);

		return status == GA_OK ? GA_PENDING : status;
	}
	return submit_wide_pass(queue, failure);
}

GaStatus
finish_first_pass(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	return finish_grids(queue, false, failure);
}

static GaStatus
finish_retry(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	return finish_grids(queue, true, failure);
}

/* Submit all arrays, or again those that a grid refused. */
static GaStatus
submit_grids(GaDeviceQueue *queue, bool is_retry, GaDeviceFailure *failure)
{
	GaScanRequest *request = queue->scan;
	Layout home;
	Layout all;
	ScanPlan plan = make_plan(queue, request, is_retry, &home, &all);
	char *room;

	TRY(reserve_pinned(queue, home.n_bytes, failure));
	TRY(reserve_workspace(queue, all.n_bytes, failure));
	list_arrays(queue, request, is_retry, plan);

	room = queue->workspace.start;
	CUDA_TRY(cudaMemcpyAsync(room, queue->pinned.start, plan.upload_end,
							 cudaMemcpyHostToDevice, queue->stream),
			 failure);
	if (!is_retry)
		TRY(begin_measuring(queue, failure));
	if (!plan.clears_itself)
		CUDA_TRY(cudaMemsetAsync(room + queue->results_at, 0,
								 plan.clear_end - queue->results_at,
								 queue->stream),
				 failure);
	TRY(launch(queue, request, is_retry, plan, failure));
	TRY(end_measuring(queue, failure));
	CUDA_TRY(cudaMemcpyAsync(queue->host<char>(queue->results_at),
							 room + queue->results_at,
							 request->n_arrays * sizeof(ScanOutcome),
							 cudaMemcpyDeviceToHost, queue->stream),
			 failure);
	queue->step = is_retry ? finish_retry : finish_first_pass;
	return GA_OK;
}

GaStatus
submit_scan(GaDeviceQueue *queue, GaScanRequest *request,
			GaDeviceFailure *failure)
{
	GaStatus status;
	bool any_grid = request->n_arrays == 0;

	request->n_full = 0;
	request->n_refused = 0;
	queue->scan = request;
	for (uint32_t i = 0; i < request->n_arrays; i++)
	{
		bool is_known = ga_hint_is_no_scale(request->type, &request->arrays[i]);

		if (is_known)
			request->results[i].sum.kind = kRefused;
		any_grid |= !is_known;
	}
	if (any_grid && is_long_alone(request))
	{
		status = submit_alone(queue, failure);
		if (status != GA_NO_MEMORY)
			return status;
	}
	if (any_grid)
		return submit_grids(queue, false, failure);
	TRY(begin_measuring(queue, failure));
	status = submit_wide_pass(queue, failure);
	return status == GA_PENDING ? GA_OK : status;
}
