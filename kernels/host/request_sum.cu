/*
 * request_sum.cu
 *		A request for sums: its launches, the copy of its results.
 *
 * A small request passes its arrays as kernel parameters, and kernels write its
 * results to host memory: a copy would take longer than the sum.  For its long
 * arrays kernels write the words of their sums, from which the host makes the
 * records: on the device, that would fetch instructions that are not cached.
 * sum_results.cu has the steps that follow.
 */
#include <string.h>

#include <algorithm>

#include "sum_plan.h"

/* Most arrays of a small request. */
constexpr uint32_t kSmallRequest = 64;

/* Write down the arrays, class by class, in pinned memory. */
static void
list_arrays(GaDeviceQueue *queue, const GaSumRequest *request, SumPlan *plan)
{
	LongArray *longs[2] = {queue->host<LongArray>(plan->long_at),
						   queue->host<LongArray>(plan->long_at) +
							   plan->count[kLong]};
	ShortArray *shorts[2] = {queue->host<ShortArray>(plan->short_at[kTiny]),
							 queue->host<ShortArray>(plan->short_at[kShort])};

	for (uint32_t i = 0; i < request->n_arrays; i++)
	{
		const GaDeviceArray &array = request->arrays[i];
		const void *data = reinterpret_cast<const void *>(array.data);
		const PlannedArray planned = plan_array(*plan, array, request->type);
		const SumClass c = planned.sum_class;

		if (c >= kLong)
		{
			const uint32_t n_shares = planned.n_shares;
			uint32_t *first_share = &plan->n_shares[c - kLong];

			*longs[c - kLong]++ =
				LongArray{data,		uint32_t(array.n),	 i, *first_share,
						  n_shares, plan->n_accumulators};
			*first_share += n_shares;
			plan->n_accumulators += n_shares > 1;
		}
		else
			*shorts[c]++ = ShortArray{data, uint32_t(array.n), i};
	}
	/* the longest first; GroupArray assigns them in alternating order */
	std::sort(queue->host<ShortArray>(plan->short_at[kShort]), shorts[kShort],
			  [](const ShortArray &a, const ShortArray &b)
			  { return a.n > b.n || (a.n == b.n && a.result < b.result); });
}

/* Return the kernel parameters of a class of arrays. */
template <typename A>
static SumParams<A>
make_params(const GaDeviceQueue *queue, uint32_t n_shares, uint32_t n,
			size_t at, const Output &out)
{
	SumParams<A> params = {};

	params.n_arrays = n;
	params.n_shares = n_shares;
	params.n_warps = queue->n_small_warps;
	params.warp_results = queue->host<WarpResult>(queue->warps_at);
	params.n_lane_sums = uint32_t(queue->device->n_lane_sums);
	params.accumulators = queue->accumulators;
	params.long_sums =
		queue->is_small ? queue->host<int64_t>(queue->long_sums_at) : nullptr;
	params.out = out;
	if (n <= kMaxInline)
		memcpy(params.inline_arrays, queue->host<A>(at), n * sizeof(A));
	else
		params.arrays = queue->on_device<A>(at);
	return params;
}

static GaStatus
launch(GaDeviceQueue *queue, const GaSumRequest *request, const SumPlan &plan,
	   const Output &out, GaDeviceFailure *failure)
{
	const GaDevice *device = queue->device;

	if (plan.count[kLong] > 0)
		CUDA_TRY(launch_long_sums(request->type,
								  make_params<LongArray>(
									  queue, plan.n_shares[0],
									  plan.count[kLong], plan.long_at, out),
								  plan.long_blocks, queue->stream),
				 failure);
	if (plan.count[kPacked] > 0)
		CUDA_TRY(
			launch_packed_sums(
				request->type,
				make_params<LongArray>(
					queue, plan.n_shares[1], plan.count[kPacked],
					plan.long_at + plan.count[kLong] * sizeof(LongArray), out),
				device->has_rings, plan.packed_warps, plan.packed_blocks,
				queue->stream),
			failure);
	for (int c = kTiny; c <= kShort; c++)
	{
		if (plan.count[c] > 0)
			CUDA_TRY(launch_short_sums(
						 request->type,
						 queue->is_small ? kSmallBlock :
						 c == kTiny		 ? kTinyGroup :
										   kWarp,
						 make_params<ShortArray>(queue, 0, plan.count[c],
												 plan.short_at[c], out),
						 device->short_blocks, queue->stream),
					 failure);
	}
	return GA_OK;
}

/* Return the output of a small request, which is in host memory. */
static Output
small_output(const GaDeviceQueue *queue)
{
	Output out = {};

	out.results = queue->host<GaPartialSum>(queue->results_at);
	out.full = queue->host<GaFullRecord>(queue->full_at);
	out.full_capacity = queue->sum->n_arrays;
	return out;
}

/* Submit the arrays with small blocks again, since one was refused. */
GaStatus
resubmit_small_sums(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	const SumParams<ShortArray> params = make_params<ShortArray>(
		queue, 0, queue->n_small, queue->short_at, small_output(queue));

	queue->n_small = 0;
	CUDA_TRY(launch_short_sums(queue->sum->type, kWarp, params,
							   queue->device->short_blocks, queue->stream),
			 failure);
	TRY(end_measuring(queue, failure));
	queue->step = finish_sum;
	return GA_PENDING;
}

/*
 * Place the request's arrays and results in the pinned buffer and in the
 * workspace, which have the same layout, and grow both.
 */
static GaStatus
place_arrays(GaDeviceQueue *queue, const GaSumRequest *request, SumPlan *plan,
			 GaDeviceFailure *failure)
{
	uint32_t n_full = queue->is_small ?
						  request->n_arrays :
						  std::min(request->full_capacity, request->n_arrays);
	uint32_t n_parts;
	Layout layout;

	plan->long_at = layout.add<LongArray>(plan->n_long);
	for (int c = kTiny; c <= kShort; c++)
		plan->short_at[c] = layout.add<ShortArray>(plan->count[c]);
	plan->arrays_end = layout.n_bytes;
	queue->results_at = layout.add<GaPartialSum>(request->n_arrays);
	queue->count_at = layout.add<uint32_t>(1);
	queue->full_at = layout.add<GaFullRecord>(n_full);
	queue->long_sums_at = layout.add<int64_t>(
		queue->is_small ? uint64_t(plan->n_long) * kAccumulatorStride : 0);
	queue->n_small = queue->is_small ? plan->count[kShort] : 0;
	queue->n_small_warps = uint32_t(
		divide_up(plan->small_vectors,
				  kWarp * (queue->n_small == 1 ? kSmallPerThread<true> :
												 kSmallPerThread<false>) ));
	n_parts = queue->n_small > 0 ? request->n_arrays * queue->n_small_warps : 0;
	queue->warps_at = layout.add<WarpResult>(n_parts);
	queue->long_at = plan->long_at;
	queue->n_long = plan->n_long;
	queue->short_at = plan->short_at[kShort];
	TRY(reserve_pinned(queue, layout.n_bytes, failure));
	if (queue->is_small)
	{
		/* the host reads all of it, and kernels do not write all */
		memset(queue->host<GaPartialSum>(queue->results_at), 0,
			   request->n_arrays * sizeof(GaPartialSum));
		memset(queue->host<WarpResult>(queue->warps_at), 0,
			   n_parts * sizeof(WarpResult));
	}
	if (!queue->is_small || request->n_arrays > kMaxInline)
		TRY(reserve_workspace(queue, layout.n_bytes, failure));
	return GA_OK;
}

GaStatus
submit_sum(GaDeviceQueue *queue, GaSumRequest *request,
		   GaDeviceFailure *failure)
{
	SumPlan plan;
	Output out = {};

	request->n_full = 0;
	queue->sum = request;
	queue->is_small = request->n_arrays <= kSmallRequest;
	plan = make_sum_plan(queue, request);
	TRY(place_arrays(queue, request, &plan, failure));
	list_arrays(queue, request, &plan);
	TRY(reserve_accumulators(
		queue, size_t(plan.n_accumulators) * kAccumulatorStride, failure));

	if (request->n_arrays > kMaxInline)
		CUDA_TRY(cudaMemcpyAsync(queue->workspace.start, queue->pinned.start,
								 plan.arrays_end, cudaMemcpyHostToDevice,
								 queue->stream),
				 failure);
	if (queue->is_small)
		out = small_output(queue);
	else
	{
		out.results = queue->on_device<GaPartialSum>(queue->results_at);
		out.full = queue->on_device<GaFullRecord>(queue->full_at);
		out.full_capacity = std::min(request->full_capacity, request->n_arrays);
		out.n_full = queue->on_device<uint32_t>(queue->count_at);
		/* with the gap before it, since one copy returns both */
		CUDA_TRY(cudaMemsetAsync(out.results + request->n_arrays, 0,
								 (char *) (out.n_full + 1) -
									 (char *) (out.results + request->n_arrays),
								 queue->stream),
				 failure);
	}
	TRY(begin_measuring(queue, failure));
	TRY(launch(queue, request, plan, out, failure));
	TRY(end_measuring(queue, failure));
	queue->step = finish_sum;
	/* without other results, the host sees these arrive */
	if (queue->n_small == request->n_arrays && !queue->is_measured)
		queue->n_awaited = queue->n_small * queue->n_small_warps;
	if (!queue->is_small)
	{
		CUDA_TRY(cudaMemcpyAsync(
					 queue->host<char>(queue->results_at), out.results,
					 queue->count_at + sizeof(uint32_t) - queue->results_at,
					 cudaMemcpyDeviceToHost, queue->stream),
				 failure);
		queue->step = fetch_full_records;
	}
	return GA_OK;
}
