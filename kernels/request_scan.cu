/*
 * request_scan.cu
 *		A request for running totals: plan it, launch it, do again what a grid
 *		refused, bring the results home.
 */
#include <string.h>

#include "device_cuda.h"
#include "scan.h"

/* Until the second pass is home, this marks a result that a grid refused. */
constexpr uint8_t kRefused = 255;

enum ScanClass
{
	kTiny,
	kShort,
	kLong,
	kClasses
};

struct ScanPlan
{
	uint32_t	count[kClasses];
	uint32_t	n_tiles;
	uint32_t	n_before;		/* sums that go to the device */
	/* in the rooms: */
	size_t		arrays_at[kClasses];
	size_t		starts_at;		/* of long arrays */
	size_t		pointers_at;	/* to the sums before them */
	size_t		before_at;
	size_t		upload_end;
	size_t		states_at;
	size_t		ticket_at;
	size_t		clear_end;
};

static bool
is_float(GaElementType type)
{
	return type == GA_float4 || type == GA_float8;
}

/* Is there anything before this piece? */
static bool
has_before(const GaScanRequest *request, const GaScanArray &array)
{
	if (array.before == nullptr)
		return false;
	return is_float(request->type) ?
		((const GaExactSum *) array.before)->n != 0 :
		((const GaIntSum *) array.before)->n != 0;
}

static ScanClass
class_of(const GaScanRequest *request, const GaScanArray &array)
{
	if (array.n == 0)
		return kTiny;
	if (array.n > kShortScan || has_before(request, array))
		return kLong;
	return array.n <= kTinyScan ? kTiny : kShort;
}

static uint32_t
count_tiles(const GaScanArray &array, size_t size)
{
	uint64_t	n = array.in % kVectorBytes / size + array.n;

	return uint32_t((n + kScanTile - 1) / kScanTile);
}

/*
 * Both rooms have the same layout: what goes to the device, what comes home,
 * and then what is the device's alone.
 */
static ScanPlan
make_plan(GaDeviceQueue *queue, const GaScanRequest *request, Layout *home,
		  Layout *all)
{
	const size_t size = ga_element_size(request->type);
	const int	state_words = scan_levels(request->type) == 2 ?
		kStateWords<2> : kStateWords<3>;
	ScanPlan	plan = {};

	for (uint32_t i = 0; i < request->n_arrays; i++)
	{
		const GaScanArray &array = request->arrays[i];
		ScanClass	c = class_of(request, array);

		plan.count[c]++;
		if (c != kLong)
			continue;
		plan.n_tiles += count_tiles(array, size);
		plan.n_before += is_float(request->type) &&
			has_before(request, array);
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
	plan.states_at = all->add<uint64_t>(uint64_t(plan.n_tiles) * state_words);
	plan.clear_end = all->n_bytes;
	return plan;
}

/* Write down the arrays, class by class, in pinned memory. */
static void
list_arrays(GaDeviceQueue *queue, const GaScanRequest *request,
			const ScanPlan &plan)
{
	const size_t size = ga_element_size(request->type);
	uint32_t	n[kClasses] = {};
	uint32_t	n_tiles = 0;
	uint32_t	n_before = 0;

	for (uint32_t i = 0; i < request->n_arrays; i++)
	{
		const GaScanArray &array = request->arrays[i];
		ScanClass	c = class_of(request, array);
		uint32_t	k = n[c]++;
		DeviceScan	to = {};

		to.in = reinterpret_cast<const void *>(array.in);
		to.out = reinterpret_cast<void *>(array.out);
		to.n = uint32_t(array.n);
		to.result = i;
		if (c == kLong)
		{
			to.first_tile = n_tiles;
			to.n_tiles = count_tiles(array, size);
			n_tiles += to.n_tiles;
		}
		queue->host<DeviceScan>(plan.arrays_at[c])[k] = to;
		if (c == kLong)
		{
			ScanStart  *start = queue->host<ScanStart>(plan.starts_at) + k;
			GaExactSum **pointer =
				queue->host<GaExactSum *>(plan.pointers_at) + k;

			*start = ScanStart{};
			*pointer = nullptr;
			if (!has_before(request, array))
				continue;
			if (!is_float(request->type))
			{
				const GaIntSum *before = (const GaIntSum *) array.before;

				start->before[0] = int64_t(before->low);
				start->before[1] = before->high;
			}
			else
			{
				const GaExactSum *before = (const GaExactSum *) array.before;
				GaFullSum  *room = queue->host<GaFullSum>(plan.before_at) +
					n_before;

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
	ScanJob		job = {};

	job.arrays = queue->on_device<DeviceScan>(plan.arrays_at[c]);
	job.starts = queue->on_device<ScanStart>(plan.starts_at);
	job.outcomes = queue->on_device<ScanOutcome>(queue->results_at);
	job.states = queue->on_device<uint64_t>(plan.states_at);
	job.ticket = queue->on_device<uint32_t>(plan.ticket_at);
	job.n_arrays = plan.count[c];
	job.n_tiles = plan.n_tiles;
	return job;
}

static ScanKind
kind_of(const GaScanRequest *request)
{
	return ScanKind{request->type, request->totals, request->exclusive};
}

static GaStatus
launch(GaDeviceQueue *queue, const GaScanRequest *request,
	   const ScanPlan &plan, GaDeviceFailure *failure)
{
	const ScanKind kind = kind_of(request);
	const int	n_multiprocessors = queue->device->n_multiprocessors;

	if (plan.count[kLong] > 0)
	{
		ScanJob		job = make_job(queue, plan, kLong);

		if (is_float(request->type))
			CUDA_TRY(launch_scan_starts(
				request->type, job.arrays,
				queue->on_device<const void *>(plan.pointers_at),
				queue->on_device<ScanStart>(plan.starts_at), job.n_arrays,
				queue->stream), failure);
		CUDA_TRY(launch_scan_tiles(kind, job, n_multiprocessors,
								   queue->stream), failure);
	}
	for (int c = kTiny; c <= kShort; c++)
	{
		if (plan.count[c] > 0)
			CUDA_TRY(launch_short_scans(
				kind, c == kTiny ? kTinyGroup : kWarp,
				make_job(queue, plan, ScanClass(c)), n_multiprocessors,
				queue->stream), failure);
	}
	return GA_OK;
}

/* How many totals there are, from an outcome. */
static uint64_t
count_totals(const ScanOutcome &outcome, uint64_t n)
{
	return outcome.overflow != 0 ? ~outcome.overflow : n;
}

/* The sum of a piece as its record, and as a wide one if need be. */
static void
put_sum(GaScanRequest *request, GaPartialSum *to, const GaExactSum *sum)
{
	if (ga_partial_from_sum(to, sum))
		return;
	to->kind = GA_PARTIAL_NO_ROOM;
	if (request->n_wide < request->wide_room)
	{
		ga_wide_from_sum(request->wide + request->n_wide, sum);
		to->kind = GA_PARTIAL_WIDE;
		to->limb[0] = request->n_wide;
	}
	request->n_wide++;
}

/* A sum from all of its slots. */
static GaExactSum *
sum_of_row(GaFullSum *room, const int64_t *row, int64_t n)
{
	GaExactSum *sum = ga_full_sum_init(room);

	sum->n = n;
	sum->n_cells = GA_MAX_CELLS;
	sum->n_pending = 1;
	memcpy(sum->cells, row, GA_MAX_CELLS * sizeof(int64_t));
	sum->n_nan = row[kSlotNan];
	sum->n_pos_inf = row[kSlotPosInf];
	sum->n_neg_inf = row[kSlotNegInf];
	sum->n_neg_zero = row[kSlotNegZero];
	(void) ga_exact_sum_carry(sum);
	return sum;
}

/* The other way, for what came before a piece. */
static void
put_row(const GaExactSum *sum, int64_t *row)
{
	memset(row, 0, kSlots * sizeof(int64_t));
	memcpy(row + sum->first, sum->cells, sum->n_cells * sizeof(int64_t));
	row[kSlotNan] = sum->n_nan;
	row[kSlotPosInf] = sum->n_pos_inf;
	row[kSlotNegInf] = sum->n_neg_inf;
	row[kSlotNegZero] = sum->n_neg_zero;
}

/* What came before an array as a sum, an empty one if there is nothing. */
static const GaExactSum *
sum_before(const GaScanRequest *request, const GaScanArray &array,
		   GaFullSum *nothing)
{
	return has_before(request, array) ? (const GaExactSum *) array.before :
		ga_full_sum_init(nothing);
}

/* Where things are in the rooms for the second pass. */
struct SecondPass
{
	uint32_t	n;				/* arrays; the short ones come first */
	uint32_t	n_short;
	size_t		arrays_at;		/* WideArray */
	size_t		rows_at;		/* kSlots of each */
	size_t		outcomes_at;
	size_t		home_end;
	size_t		segment_at;		/* device only */
	size_t		end;
};

static SecondPass
plan_second_pass(const GaScanRequest *request)
{
	SecondPass	pass = {};
	Layout		layout;

	for (uint32_t i = 0; i < request->n_arrays; i++)
	{
		if (request->results[i].sum.kind != kRefused)
			continue;
		pass.n++;
		pass.n_short += request->arrays[i].n <= kWideAlone;
	}
	(void) layout.add<SecondPass>(1);
	pass.arrays_at = layout.add<WideArray>(pass.n);
	pass.rows_at = layout.add<int64_t>(uint64_t(pass.n) * kSlots);
	pass.outcomes_at = layout.add<ScanOutcome>(pass.n);
	pass.home_end = layout.n_bytes;
	pass.segment_at = layout.add<int64_t>(
		pass.n > pass.n_short ? uint64_t(kSlots) * kWideChunks : 0);
	pass.end = layout.n_bytes;
	return pass;
}

/* The second pass is home. */
static GaStatus
finish_second_pass(GaDeviceQueue *queue, GaDeviceFailure *)
{
	GaScanRequest *request = queue->scan;
	const SecondPass &pass = *queue->host<SecondPass>(0);

	for (uint32_t k = 0; k < pass.n; k++)
	{
		const WideArray &wide = queue->host<WideArray>(pass.arrays_at)[k];
		const ScanOutcome &outcome =
			queue->host<ScanOutcome>(pass.outcomes_at)[k];
		const GaScanArray &array = request->arrays[wide.request_index];
		GaScanResult &result = request->results[wide.request_index];
		GaFullSum	room;
		GaFullSum	nothing;
		GaExactSum *sum = sum_of_row(
			&room, queue->host<int64_t>(pass.rows_at) + uint64_t(k) * kSlots,
			wide.n_before + int64_t(array.n));

		result.sum = GaPartialSum{};
		result.n_totals = count_totals(outcome, array.n);
		if (result.n_totals < array.n)
			continue;
		(void) ga_exact_sum_unmerge(sum, sum_before(request, array,
													&nothing));
		put_sum(request, &result.sum, sum);
	}
	request->device_ms = measured_ms(queue);
	return GA_OK;
}

/* Write down what was refused. */
static void
list_refused(GaDeviceQueue *queue, const SecondPass &pass)
{
	const GaScanRequest *request = queue->scan;
	uint32_t	next_short = 0;
	uint32_t	next_long = pass.n_short;

	memset(queue->host<char>(pass.outcomes_at), 0,
		   pass.n * sizeof(ScanOutcome));
	for (uint32_t i = 0; i < request->n_arrays; i++)
	{
		const GaScanArray &array = request->arrays[i];
		GaFullSum	nothing;
		uint32_t	k;
		WideArray	wide = {};

		if (request->results[i].sum.kind != kRefused)
			continue;
		k = array.n <= kWideAlone ? next_short++ : next_long++;
		wide.array.in = reinterpret_cast<const void *>(array.in);
		wide.array.out = reinterpret_cast<void *>(array.out);
		wide.array.n = uint32_t(array.n);
		wide.array.result = k;
		wide.request_index = i;
		wide.n_before = sum_before(request, array, &nothing)->n;
		wide.row = queue->on_device<int64_t>(pass.rows_at) +
			uint64_t(k) * kSlots;
		put_row(sum_before(request, array, &nothing),
				queue->host<int64_t>(pass.rows_at) + uint64_t(k) * kSlots);
		queue->host<WideArray>(pass.arrays_at)[k] = wide;
	}
}

static GaStatus
submit_second_pass(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	GaScanRequest *request = queue->scan;
	const SecondPass pass = plan_second_pass(request);
	ScanOutcome *outcomes;

	TRY(need_pinned(queue, pass.home_end, failure));
	TRY(need_room(queue, pass.end, failure));
	*queue->host<SecondPass>(0) = pass;
	list_refused(queue, pass);
	CUDA_TRY(cudaMemcpyAsync(queue->room.start, queue->pinned.start,
							 pass.home_end, cudaMemcpyHostToDevice,
							 queue->stream), failure);
	outcomes = queue->on_device<ScanOutcome>(pass.outcomes_at);
	if (pass.n_short > 0)
		CUDA_TRY(launch_wide_short(
			kind_of(request), queue->on_device<WideArray>(pass.arrays_at),
			pass.n_short, outcomes, queue->stream), failure);
	for (uint32_t k = pass.n_short; k < pass.n; k++)
		CUDA_TRY(launch_wide_long(
			kind_of(request), queue->host<WideArray>(pass.arrays_at)[k],
			queue->on_device<int64_t>(pass.segment_at), outcomes,
			queue->stream), failure);
	TRY(end_measuring(queue, failure));
	CUDA_TRY(cudaMemcpyAsync(queue->host<char>(pass.rows_at),
							 queue->on_device<char>(pass.rows_at),
							 pass.home_end - pass.rows_at,
							 cudaMemcpyDeviceToHost, queue->stream), failure);
	queue->step = finish_second_pass;
	return GA_PENDING;
}

/* The first pass is home: what was refused takes a second one. */
static GaStatus
finish_first_pass(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	GaScanRequest *request = queue->scan;
	bool		any_refused = false;

	for (uint32_t i = 0; i < request->n_arrays; i++)
	{
		const ScanOutcome &outcome =
			queue->host<ScanOutcome>(queue->results_at)[i];
		GaScanResult *result = &request->results[i];

		result->sum = outcome.sum;
		result->sum.n_neg_zero = outcome.n_neg_zero;
		result->n_totals = count_totals(outcome, request->arrays[i].n);
		if (outcome.is_refused)
		{
			result->sum.kind = kRefused;
			any_refused = true;
		}
	}
	request->device_ms = measured_ms(queue);
	return any_refused ? submit_second_pass(queue, failure) : GA_OK;
}

GaStatus
submit_scan(GaDeviceQueue *queue, GaScanRequest *request,
			GaDeviceFailure *failure)
{
	Layout		home;
	Layout		all;
	ScanPlan	plan = make_plan(queue, request, &home, &all);
	char	   *room;

	request->n_wide = 0;
	queue->scan = request;
	TRY(need_pinned(queue, home.n_bytes, failure));
	TRY(need_room(queue, all.n_bytes, failure));
	list_arrays(queue, request, plan);

	room = queue->room.start;
	CUDA_TRY(cudaMemcpyAsync(room, queue->pinned.start, plan.upload_end,
							 cudaMemcpyHostToDevice, queue->stream), failure);
	TRY(begin_measuring(queue, failure));
	CUDA_TRY(cudaMemsetAsync(room + queue->results_at, 0,
							 plan.clear_end - queue->results_at,
							 queue->stream), failure);
	TRY(launch(queue, request, plan, failure));
	TRY(end_measuring(queue, failure));
	CUDA_TRY(cudaMemcpyAsync(queue->host<char>(queue->results_at),
							 room + queue->results_at,
							 request->n_arrays * sizeof(ScanOutcome),
							 cudaMemcpyDeviceToHost, queue->stream), failure);
	queue->step = finish_first_pass;
	return GA_OK;
}
