/*
 * request_reduce.cu
 *		A request for a reduction: its plan, its launch, its results.
 *
 * The kernel writes the results to host memory: a copy would only add to their
 * way.
 */
#include <string.h>

#include <algorithm>

#include "device_cuda.h"
#include "reduce/reduce.h"

/* Shares for each block if there are many parts, so that all end together. */
constexpr int64_t kSharesPerBlock = 8;

/*
 * Most bytes that a share may have above the average where each block has one
 * share.  More of them take longer than to begin and end kSharesPerBlock
 * shares.
 */
constexpr int64_t kMostUneven = 256 << 10;

/* Fewest tiles of a share, for its words not to cost more than its elements. */
constexpr int64_t kMinShareTiles = 4;

/* The same where each block has one share: with fewer, more blocks have one. */
constexpr int64_t kMinOnlyTiles = 2;

struct ReducePlan
{
	int64_t share_bytes;
	uint32_t n_arrays; /* that are not empty */
	uint32_t n_shares;
	uint32_t n_places; /* results of several shares */
	bool any_packed;
	/* offsets in the buffers */
	size_t arrays_at;
	size_t of_results_at;
	size_t lists_end;
};

/* Return how many shares of so many bytes a part has. */
static int64_t
shares_of(const GaDeviceArray &part, size_t size, int64_t bytes)
{
	return (int64_t(part.n * size) + bytes - 1) / bytes;
}

/* Return how many all parts have. */
static int64_t
count_shares(const GaReduceRequest *request, size_t size, int64_t bytes)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < request->n_parts; i++)
		n += shares_of(request->parts[i], size, bytes);
	return n;
}

/* Return about the fewest bytes by which n shares suffice, n >= n_parts. */
static int64_t
even_bytes(const GaReduceRequest *request, size_t size, int64_t n_bytes,
		   int64_t n)
{
	int64_t bytes;
	int64_t n_even = n;

	do
		bytes = n_bytes / n_even-- + 1;
	while (count_shares(request, size, bytes) > n);
	return bytes;
}

/*
 * Divide the parts into shares that all blocks finish together: one for each
 * block if there are few parts, since the last share of a part is smaller.
 */
static int64_t
share_bytes(const GaDevice *device, const GaReduceRequest *request)
{
	const int64_t n_blocks = kReduceBlocks * device->n_multiprocessors;
	const size_t size = ga_element_size(request->type);
	const int64_t tile_bytes =
		int64_t(kTileThreads) * kVectorBytes *
		vectors_per_thread(size, ga_element_is_float(request->type));
	int64_t n_bytes = 0;

	for (uint32_t i = 0; i < request->n_parts; i++)
		n_bytes += int64_t(request->parts[i].n * size);
	if (request->n_parts <= kInlineParts && request->n_parts <= n_blocks)
	{
		const int64_t even = even_bytes(request, size, n_bytes, n_blocks);

		if (even - n_bytes / n_blocks <= kMostUneven)
			return std::max(even, kMinOnlyTiles * tile_bytes);
	}
	n_bytes /= kSharesPerBlock * n_blocks;
	return (std::max(n_bytes / tile_bytes, kMinShareTiles) + 1) * tile_bytes;
}

/* Return the elements that those of a part are paired with, if any are. */
static const void *
other_of(const GaReduceRequest *request, const GaDeviceArray *part)
{
	if (!ga_reduction_has_pairs(request->reduction))
		return nullptr;
	return reinterpret_cast<const void *>(
		request->others[part - request->parts].data);
}

/* Write down the arrays and the results. */
static void
list_arrays(const GaReduceRequest *request, ReducePlan *plan,
			ReduceArray *arrays, ReduceResult *of_results)
{
	const size_t size = ga_element_size(request->type);
	const GaDeviceArray *part = request->parts;

	for (uint32_t r = 0; r < request->n_results; r++)
	{
		const uint32_t first = plan->n_shares;

		for (uint32_t i = 0; i < request->n_parts_of[r]; i++, part++)
		{
			const int64_t n_shares = shares_of(*part, size, plan->share_bytes);

			if (part->n == 0)
				continue;
			plan->any_packed |= ga_is_packed(part->data);
			if (ga_reduction_has_pairs(request->reduction))
				plan->any_packed |=
					ga_is_packed(request->others[part - request->parts].data);
			arrays[plan->n_arrays++] =
				ReduceArray{reinterpret_cast<const void *>(part->data),
							other_of(request, part),
							uint32_t(part->n),
							r,
							plan->n_shares,
							uint32_t(n_shares)};
			plan->n_shares += uint32_t(n_shares);
		}
		of_results[r] = ReduceResult{plan->n_shares - first, plan->n_places};
		plan->n_places += of_results[r].n_shares > 1;
	}
}

/*
 * Place the lists, if there are any, and the results in the pinned buffer, and
 * the lists in the workspace, and grow both, and the accumulators.
 */
static GaStatus
place(GaDeviceQueue *queue, const GaReduceRequest *request, ReducePlan *plan,
	  ReduceParams *params, GaDeviceFailure *failure)
{
	const uint32_t n_records =
		request->n_results * ga_reduction_records(request->reduction);
	Layout pinned;

	plan->share_bytes = share_bytes(queue->device, request);
	if (request->n_parts > kInlineParts)
	{
		plan->arrays_at = pinned.add<ReduceArray>(request->n_parts);
		plan->of_results_at = pinned.add<ReduceResult>(request->n_results);
	}
	plan->lists_end = pinned.n_bytes;
	queue->results_at = pinned.add<GaPartialSum>(n_records);
	TRY(reserve_pinned(queue, pinned.n_bytes, failure));
	/* kernels do not write all of it */
	memset(queue->host<char>(queue->results_at), 0,
		   n_records * sizeof(GaPartialSum));
	if (plan->lists_end == 0)
		list_arrays(request, plan, params->inline_arrays,
					params->inline_results);
	else
		list_arrays(request, plan, queue->host<ReduceArray>(plan->arrays_at),
					queue->host<ReduceResult>(plan->of_results_at));
	TRY(reserve_workspace(queue, plan->lists_end, failure));
	return reserve_accumulators(
		queue,
		plan->n_places *
			size_t(1 + reduction_words(request->reduction, request->type)),
		failure);
}

/* Step: the results have arrived. */
static GaStatus
finish_reduction(GaDeviceQueue *queue, GaDeviceFailure *)
{
	GaReduceRequest *request = queue->reduce;

	request->device_ms = measured_ms(queue);
	if (request->n_results > 0)
		memcpy(request->results, queue->host<char>(queue->results_at),
			   request->n_results * ga_reduction_records(request->reduction) *
				   sizeof(GaPartialSum));
	ga_reduction_finish(request->reduction, request->results,
						request->n_results);
	return GA_OK;
}

GaStatus
submit_reduction(GaDeviceQueue *queue, GaReduceRequest *request,
				 GaDeviceFailure *failure)
{
	ReducePlan plan = {};
	ReduceParams params = {};

	queue->reduce = request;
	TRY(place(queue, request, &plan, &params, failure));
	if (plan.n_shares > 0 && plan.lists_end > 0)
	{
		params.arrays = queue->on_device<ReduceArray>(plan.arrays_at);
		params.of_results = queue->on_device<ReduceResult>(plan.of_results_at);
		CUDA_TRY(cudaMemcpyAsync(queue->workspace.start, queue->pinned.start,
								 plan.lists_end, cudaMemcpyHostToDevice,
								 queue->stream),
				 failure);
	}
	TRY(begin_measuring(queue, failure));
	params.n_arrays = plan.n_arrays;
	params.n_shares = plan.n_shares;
	params.any_packed = plan.any_packed;
	params.counts = queue->accumulators;
	params.words = queue->accumulators + plan.n_places;
	params.results = queue->host<GaPartialSum>(queue->results_at);
	if (plan.n_shares > 0)
		CUDA_TRY(
			launch_reduction(request->reduction, request->type, params,
							 queue->device->has_rings,
							 kReduceBlocks * queue->device->n_multiprocessors,
							 queue->stream),
			failure);
	TRY(end_measuring(queue, failure));
	queue->step = finish_reduction;
	return GA_OK;
}
