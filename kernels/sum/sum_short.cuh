/*
 * sum_short.cuh
 *		Sums of short arrays: a few threads, a warp or a small block for each.
 *
 * Grid: for sum_short() blocks of kSumThreads, as many as fill the device or
 * have arrays; for sum_small() a block for each array.  Shared memory: LaneSums
 * in sum_short(), for floats.
 */
#ifndef GA_SUM_SHORT_CUH
#define GA_SUM_SHORT_CUH

#include "sum_slow.cuh"

/* One of the arrays that a group of kGroup threads sums one after another. */
template <typename T, int kGroup>
struct GroupArray
{
	static constexpr int kTile = kGroup * kItemsPerThread<T>;

	VectorSpan<T> run;
	uint32_t result; /* index of its result; UINT32_MAX: no array is left */

	/*
	 * This group's array of a round.  Rounds assign arrays in alternating
	 * order, so that of arrays sorted by length all groups get about as many
	 * elements.
	 */
	__device__ __forceinline__
	GroupArray(const SumParams<ShortArray> &params, uint32_t round)
		: run(nullptr, 0), result(UINT32_MAX)
	{
		const ShortArray *arrays =
			params.arrays ? params.arrays : params.inline_arrays;
		const uint32_t n_groups = gridDim.x * (kSumThreads / kGroup);
		const uint32_t group =
			(blockIdx.x * kSumThreads + threadIdx.x) / kGroup;
		const uint32_t i =
			round * n_groups + (round % 2 ? n_groups - 1 - group : group);

		if (i < params.n_arrays)
		{
			run = VectorSpan<T>(arrays[i].data, arrays[i].n);
			result = arrays[i].result;
		}
	}

	/* Return the tiles of the warp's longest array. */
	__device__ __forceinline__ int
	n_tiles() const
	{
		if (!__any_sync(kFullMask, run.end > kTile))
			return 1;
		return group_max((run.end + kTile - 1) / kTile, kWarp);
	}
};

/* The kind of a result that the fast path refused, until sum_refused(). */
constexpr uint8_t kRefusedSum = 255;

/*
 * Sum one array of each group of a warp on the fast path, and prefetch the
 * first tile of the next one.  Thread 0 of a group stores the result.  True if
 * any array of the warp was refused.
 */
template <typename T, int kGroup>
static __device__ __forceinline__ bool
sum_group(const Output &out, const GroupArray<T, kGroup> &group,
		  const GroupArray<T, kGroup> &next_group, Items<T> &next)
{
	constexpr int kTile = kGroup * kItemsPerThread<T>;
	const int thread = threadIdx.x % kGroup;
	const int n_tiles = group.n_tiles();
	GaPartialSum *result = out.results + group.result;
	bool is_refused = false;
	ThreadSum<T> sum;
	unsigned n_neg_zero = 0;

	sum.clear();
	for (int tile = 0; tile < n_tiles; tile++)
	{
		Items<T> items = next;

		if (tile + 1 < n_tiles)
			next.load(group.run, (tile + 1) * kTile, thread, kGroup);
		else
			next.load(next_group.run, 0, thread, kGroup);
		if constexpr (ThreadSum<T>::kIsInt)
		{
#pragma unroll
			for (int k = 0; k < kVectorsPerThread<T>; k++)
				sum.add(items.vector[k]);
		}
		else
		{
			if (tile == 0)
				sum.set_anchor(group_max(largest_item(items), kGroup),
							   group.run.end > kTile ? 4 : 0);
			is_refused |= !sum.add_and_count(items, n_neg_zero);
		}
	}
	/* at most kMaxLevelItems in each lane of a warp */
	sum.add_group(kGroup);
	if constexpr (!ThreadSum<T>::kIsInt)
	{
		const unsigned mine = (kGroup == kWarp ? kFullMask : (1u << kGroup) - 1)
							  << (lane_id() / kGroup * kGroup);

		n_neg_zero = group_sum(n_neg_zero, kGroup);
		is_refused = (__ballot_sync(kFullMask, is_refused) & mine) != 0;
	}
	if (thread == 0 && group.result != UINT32_MAX)
	{
		store_compact(result, sum.limbs(), sum.first_cell(), n_neg_zero);
		if (is_refused)
			result->kind = kRefusedSum;
	}
	return __any_sync(kFullMask, is_refused);
}

/* Sum those of a warp's arrays that the fast path refused; a whole warp. */
template <typename T, int kGroup>
static __device__ __noinline__ void
sum_refused(LaneSums &lanes, const SumParams<ShortArray> &params,
			uint32_t n_rounds)
{
	for (uint32_t round = 0; round < n_rounds; round++)
	{
		const GroupArray<T, kGroup> group(params, round);
		const bool is_first = threadIdx.x % kGroup == 0;
		bool is_refused = false;

		if (is_first && group.result != UINT32_MAX)
			is_refused =
				*(volatile uint8_t *) &params.out.results[group.result].kind ==
				kRefusedSum;
		for (unsigned left = __ballot_sync(kFullMask, is_refused); left != 0;
			 left &= left - 1)
		{
			const int from = __ffs(left) - 1;

			sum_slowly<T>(
				lanes, params.out,
				(const T *) __shfl_sync(
					kFullMask, (unsigned long long) group.run.base, from),
				__shfl_sync(kFullMask, group.run.first, from),
				__shfl_sync(kFullMask, group.run.end, from),
				__shfl_sync(kFullMask, group.result, from));
		}
	}
}

/*
 * Sum short arrays, each by kGroup threads.  All lanes of a warp stay together,
 * even if no array is left for some of them.
 */
template <typename T, int kGroup>
static __global__ void
__launch_bounds__(kSumThreads, 2)
	sum_short(const __grid_constant__ SumParams<ShortArray> params)
{
	extern __shared__ __align__(128) unsigned char memory[];
	const SumParams<ShortArray> &indexed = indexed_params(params);
	constexpr uint32_t kGroups = kSumThreads / kGroup;
	const uint32_t n_rounds =
		(params.n_arrays + gridDim.x * kGroups - 1) / (gridDim.x * kGroups);
	GroupArray<T, kGroup> group(indexed, 0);
	Items<T> next;
	bool any_refused = false;

	next.load(group.run, 0, threadIdx.x % kGroup, kGroup);
	for (uint32_t round = 0; round < n_rounds; round++)
	{
		const GroupArray<T, kGroup> next_group(indexed, round + 1);

		any_refused |=
			sum_group<T, kGroup>(params.out, group, next_group, next);
		group = next_group;
	}
	if constexpr (!ThreadSum<T>::kIsInt)
	{
		LaneSums &lanes = *reinterpret_cast<LaneSums *>(memory);

		if (threadIdx.x == 0)
			lanes.init();
		if (!__syncthreads_or(any_refused))
			return;
		for (int w = 0; w < kSumWarps; w++)
		{
			if (any_refused && threadIdx.x / kWarp == w)
				sum_refused<T, kGroup>(lanes, indexed, n_rounds);
			__syncthreads();
		}
	}
}

/* Write a warp's result to host memory in one transaction; a whole warp. */
static __device__ __forceinline__ void
store_warp_result(WarpResult *to, const WarpResult &part)
{
	const int lane = lane_id();
	uint64_t word = part.tail;

#pragma unroll
	for (int k = 0; k < kWarpResultWords - 1; k++)
		word = lane == k ? part.total[k] : word;
	if (lane < kWarpResultWords)
		store_relaxed_sys(reinterpret_cast<uint64_t *>(to) + lane, word);
}

/*
 * Sum the short arrays of a small request, each by a block whose warps are
 * independent: each writes a WarpResult.  There are no loops and no barriers,
 * since the time of such a request is that of fetching instructions, times the
 * warps that wait for each.  Arrays that are refused the host submits again, to
 * sum_short().
 */
template <typename T, int kCapacity>
static __global__ void
__launch_bounds__(kSmallVectors / kSmallPerThread<kCapacity == 1>)
	sum_small(const __grid_constant__ SumParams<ShortArray, kCapacity> params)
{
	constexpr int kPerThread = kSmallPerThread<kCapacity == 1>;
	const ShortArray &array =
		kCapacity == 1 ?
			params.inline_arrays[0] :
			(params.arrays ? params.arrays : params.inline_arrays)[blockIdx.x];
	const VectorSpan<T> run(array.data, array.n);
	Vector<T> vectors[kPerThread];
	unsigned n_neg_zero = 0;
	bool is_refused = false;
	ThreadSum<T> sum;
	WarpResult part;

#pragma unroll
	for (int k = 0; k < kPerThread; k++)
		vectors[k] =
			run.load((k * blockDim.x + threadIdx.x) * Vector<T>::kSize);
	sum.clear();
	if constexpr (ThreadSum<T>::kIsInt)
	{
#pragma unroll
		for (int k = 0; k < kPerThread; k++)
			sum.add(vectors[k]);
	}
	else
		is_refused = sum.add_with_anchor(vectors, n_neg_zero);
	sum.add_group(kWarp);
	part = warp_result(sum);
	if constexpr (!ThreadSum<T>::kIsInt)
		part.tail = tail_word(__any_sync(kFullMask, is_refused) ?
								  kPlaceRefused :
								  Level<T>::place(sum.exponent),
							  group_sum(n_neg_zero, kWarp));
	store_warp_result(params.warp_results + array.result * params.n_warps +
						  threadIdx.x / kWarp,
					  part);
}

#endif /* GA_SUM_SHORT_CUH */
