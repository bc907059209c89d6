/*
 * request_sum.cu
 *		A request for sums: its plan, its launches, the copy of its results.
 *
 * A small request passes its arrays as kernel parameters, and kernels write its
 * results to host memory: a copy would take longer than the sum.  For its long
 * arrays kernels write the words of their sums, from which the host makes the
 * records: on the device, that would fetch instructions that are not cached.
 * sum_results.cu has the steps that follow.
 */
#include <string.h>

#include <algorithm>

#include "device_cuda.h"
#include "sum/sum.h"

/* Most arrays of a small request. */
constexpr uint32_t kSmallRequest = 64;

/* Shares for each block if there are many arrays, so that all end together. */
constexpr int64_t kSharesPerBlock = 8;

/* Fewest accumulators to allocate, so that they rarely have to grow. */
constexpr uint32_t kMinAccumulators = 8;

/* Fewest tiles of each wide block: below, narrow ones are as fast. */
constexpr int64_t kMinWideTiles = 8;

/* Fewest tiles of a share, if there are other arrays. */
constexpr int64_t kMinShareTiles = 2;

enum SumClass
{
	kTiny,
	kShort,
	kLong,
	kPacked,
	kNumClasses
};

struct SumPlan
{
	int64_t tiny_vectors; /* most vectors of an array of the class */
	int64_t short_vectors;
	int64_t tile_vectors[2]; /* vectors of a block's tile: long, packed */
	int packed_warps;		 /* of a block for packed arrays */
	int packed_blocks;		 /* such blocks that fill the device */
	int64_t small_vectors;	 /* vectors of the longest short array */
	uint32_t count[kNumClasses];
	int long_blocks;	  /* blocks of sum_long() that fill the device */
	int64_t share_blocks; /* blocks that are to have equal shares */
	uint32_t n_long;	  /* long and packed arrays */
	int64_t n_tiles;	  /* of all of them */
	int64_t share_tiles;
	uint32_t n_shares[2]; /* of long ones, of packed ones */
	uint32_t n_accumulators;
	/* offsets in the buffers */
	size_t long_at;
	size_t short_at[2]; /* kTiny, kShort */
	size_t arrays_end;
};

static int64_t
count_vectors(const GaDeviceArray &array, size_t size)
{
	return int64_t(
		(array.data % kVectorBytes + array.n * size + kVectorBytes - 1) /
		kVectorBytes);
}

static SumClass
class_of(const SumPlan &plan, const GaDeviceArray &array, int64_t n_vectors)
{
	if (ga_is_packed(array.data) && array.n > 0)
		return kPacked;
	if (n_vectors <= plan.tiny_vectors)
		return kTiny;
	return n_vectors <= plan.short_vectors ? kShort : kLong;
}

static int64_t
divide_up(int64_t a, int64_t b)
{
	return (a + b - 1) / b;
}

/*
 * Return the most vectors of a short array, which one warp sums: no more than a
 * warp's part of all arrays that may be short, so that none ends late.  0 if
 * most time goes to longer arrays, and so few are short that a block's share
 * for each takes less time than another kernel.  Such a kernel would also end
 * behind those of the requests that follow.
 */
static int64_t
short_vectors(const GaDevice *device, const GaSumRequest *request, size_t size)
{
	const int64_t n_warps = int64_t(device->short_blocks) * kSumWarps;
	const bool is_float = ga_element_is_float(request->type);
	int64_t n_vectors = 0;
	int64_t most;
	int64_t n_short = 0;

	for (uint32_t i = 0; i < request->n_arrays; i++)
	{
		const int64_t n = count_vectors(request->arrays[i], size);

		n_vectors += n <= kMaxShortVectors ? n : 0;
	}
	most = std::min(std::max(n_vectors / n_warps, kMinShortVectors),
					kMaxShortVectors);
	for (uint32_t i = 0; i < request->n_arrays; i++)
		n_short += count_vectors(request->arrays[i], size) <= most;
	if (n_short < request->n_arrays && n_short <= device->long_blocks[is_float])
		return 0;
	return most;
}

/* Choose the blocks for packed arrays: wide ones for a single large array. */
static void
choose_packed_blocks(const GaDevice *device, const GaSumRequest *request,
					 size_t size, SumPlan *plan)
{
	const PackedSums &sums = device->packed_sums;
	const int64_t wide_tile =
		sums.wide_warps[request->type] * GA_PACKED_VECTOR * int64_t(size);

	plan->packed_warps = kSumWarps;
	plan->packed_blocks = std::min(sums.n_blocks[request->type], kMaxShares);
	if (request->n_arrays == 1 && int64_t(request->arrays[0].n * size) >=
									  kMinWideTiles * wide_tile * sums.n_wide)
	{
		plan->packed_warps = sums.wide_warps[request->type];
		plan->packed_blocks = sums.n_wide;
	}
	plan->tile_vectors[1] =
		plan->packed_warps * GA_PACKED_VECTOR * int64_t(size) / kVectorBytes;
}

/* Divide the request's arrays among kernels and blocks. */
static SumPlan
make_plan(const GaDeviceQueue *queue, const GaSumRequest *request, size_t size)
{
	const GaDevice *device = queue->device;
	const bool is_float = ga_element_is_float(request->type);
	const int vectors = vectors_per_thread(size, is_float);
	SumPlan plan = {};
	int64_t shares_per_block;

	plan.long_blocks = std::min(device->long_blocks[is_float], kMaxShares);
	plan.short_vectors = short_vectors(device, request, size);
	plan.tiny_vectors = std::min(kTinyVectors, plan.short_vectors);
	plan.tile_vectors[0] = kSumThreads * vectors;
	choose_packed_blocks(device, request, size, &plan);
	plan.small_vectors = 1;
	if (queue->is_small)
	{
		plan.tiny_vectors = -1;
		plan.short_vectors = kSmallVectors;
	}
	for (uint32_t i = 0; i < request->n_arrays; i++)
	{
		int64_t n = count_vectors(request->arrays[i], size);
		SumClass c = class_of(plan, request->arrays[i], n);

		plan.count[c]++;
		if (c == kShort)
			plan.small_vectors = std::max(plan.small_vectors, n);
		if (c >= kLong)
			plan.n_tiles += divide_up(n, plan.tile_vectors[c - kLong]);
	}
	plan.n_long = plan.count[kLong] + plan.count[kPacked];
	plan.share_blocks = plan.long_blocks;
	if (plan.count[kPacked] > 0)
		plan.share_blocks = plan.packed_blocks;

	/* one array: all blocks end together, with as few shares as possible */
	shares_per_block =
		plan.n_long == 1 ?
			divide_up(plan.n_tiles, kMaxWarpTiles * plan.share_blocks) :
			std::min(kSharesPerBlock, kMaxShares / plan.share_blocks);
	plan.share_tiles =
		divide_up(plan.n_tiles, shares_per_block * plan.share_blocks);
	plan.share_tiles = std::min(std::max(plan.share_tiles, kMinShareTiles),
								int64_t(kMaxWarpTiles));
	return plan;
}

/* Return the number of shares of a long or packed array. */
static uint32_t
count_shares(const SumPlan &plan, SumClass c, int64_t n_vectors)
{
	int64_t n_tiles = divide_up(n_vectors, plan.tile_vectors[c - kLong]);
	int64_t n_shares = divide_up(n_tiles, plan.share_tiles);

	/* one array: no block without a share */
	if (plan.n_long == 1 && n_shares > 1)
		n_shares = std::min(n_tiles, divide_up(n_shares, plan.share_blocks) *
										 plan.share_blocks);
	return uint32_t(n_shares);
}

/* Write down the arrays, class by class, in pinned memory. */
static void
list_arrays(GaDeviceQueue *queue, const GaSumRequest *request, size_t size,
			SumPlan *plan)
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
		int64_t n_vectors = count_vectors(array, size);
		SumClass c = class_of(*plan, array, n_vectors);

		if (c >= kLong)
		{
			uint32_t n_shares = count_shares(*plan, c, n_vectors);
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

/* Grow the accumulators to this number at least; all are zero. */
static GaStatus
reserve_accumulators(GaDeviceQueue *queue, uint32_t n_accumulators,
					 GaDeviceFailure *failure)
{
	const size_t size = sizeof(*queue->accumulators) * kAccumulatorStride;
	GaDeviceAddress address;

	if (n_accumulators <= queue->n_accumulators)
		return GA_OK;
	n_accumulators = std::max<uint32_t>(n_accumulators, kMinAccumulators);
	free_bytes(queue->device, GaDeviceAddress(queue->accumulators));
	queue->accumulators = nullptr;
	queue->n_accumulators = 0;
	TRY(allocate_workspace(queue, n_accumulators * size, &address, failure));
	queue->accumulators = reinterpret_cast<unsigned long long *>(address);
	CUDA_TRY(cudaMemsetAsync(queue->accumulators, 0, n_accumulators * size,
							 queue->stream),
			 failure);
	queue->n_accumulators = n_accumulators;
	return GA_OK;
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
				device->packed_sums, plan.packed_warps, queue->stream),
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
	const size_t size = ga_element_size(request->type);
	SumPlan plan;
	Output out = {};

	request->n_full = 0;
	queue->sum = request;
	queue->is_small = request->n_arrays <= kSmallRequest;
	plan = make_plan(queue, request, size);
	TRY(place_arrays(queue, request, &plan, failure));
	list_arrays(queue, request, size, &plan);
	TRY(reserve_accumulators(queue, plan.n_accumulators, failure));

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
