/*
 * sum_plan.cu
 *		The plan of a request for sums.
 */
#include <algorithm>

#include "sum_plan.h"

/* Shares for each block if there are many arrays, so that all end together. */
constexpr int64_t kSharesPerBlock = 8;

/* Fewest tiles of each wide block: below, narrow ones are as fast. */
constexpr int64_t kMinWideTiles = 8;

/* Fewest tiles of a share, if there are other arrays. */
constexpr int64_t kMinShareTiles = 2;

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
	const int n_wide = device->n_multiprocessors;
	const int64_t wide_tile =
		wide_warps(request->type) * GA_PACKED_VECTOR * int64_t(size);

	plan->packed_warps = kSumWarps;
	plan->packed_blocks = device->packed_blocks[request->type];
	if (request->n_arrays == 1 && int64_t(request->arrays[0].n * size) >=
									  kMinWideTiles * wide_tile * n_wide)
	{
		plan->packed_warps = wide_warps(request->type);
		plan->packed_blocks = n_wide;
	}
	plan->packed_blocks = std::min(plan->packed_blocks, kMaxShares);
	plan->tile_vectors[1] =
		plan->packed_warps * GA_PACKED_VECTOR * int64_t(size) / kVectorBytes;
}

/* Divide the request's arrays among kernels and blocks. */
SumPlan
make_sum_plan(const GaDeviceQueue *queue, const GaSumRequest *request)
{
	const GaDevice *device = queue->device;
	const size_t size = ga_element_size(request->type);
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

PlannedArray
plan_array(const SumPlan &plan, const GaDeviceArray &array, GaElementType type)
{
	const int64_t n_vectors = count_vectors(array, ga_element_size(type));
	const SumClass c = class_of(plan, array, n_vectors);

	return PlannedArray{c, c >= kLong ? count_shares(plan, c, n_vectors) : 0};
}
