/*
 * sum_short.cuh
 *		Sums of short arrays: a few threads, a warp or a small block for each.
 *
 * Grid: blocks of kSumThreads, as many as fill the device or find work; for
 * small arrays a block each.  Shared memory: LaneSums, for floats.
 */
#ifndef GA_SUM_SHORT_CUH
#define GA_SUM_SHORT_CUH

#include "sum_slow.cuh"

/* One of the arrays that a group of threads sums, one after the other. */
template <typename T, int kGroup>
struct GroupArray
{
	static constexpr int kRound = kGroup * kItems<T>;

	Run<T> run;
	uint32_t result; /* its index, or UINT32_MAX: no array is left */

	/*
	 * Array number `turn` of this group.  The order goes to and fro, so that
	 * of arrays sorted by length all groups get about the same.
	 */
	__device__ __forceinline__
	GroupArray(const SumJob<ShortArray> &job, uint32_t turn)
		: run(nullptr, 0), result(UINT32_MAX)
	{
		const ShortArray *arrays = job.arrays ? job.arrays : job.few;
		const uint32_t n_groups = gridDim.x * (kSumThreads / kGroup);
		const uint32_t group =
			(blockIdx.x * kSumThreads + threadIdx.x) / kGroup;
		const uint32_t i =
			turn * n_groups + (turn % 2 ? n_groups - 1 - group : group);

		if (i < job.n_arrays)
		{
			run = Run<T>(arrays[i].data, arrays[i].n);
			result = arrays[i].result;
		}
	}

	/* The most in the warp. */
	__device__ __forceinline__ int
	n_rounds() const
	{
		if (!__any_sync(kAll, run.end > kRound))
			return 1;
		return group_max((run.end + kRound - 1) / kRound, kWarp);
	}
};

/* Until the slow way has it, this marks a result that was refused. */
constexpr uint8_t kRefusedSum = 255;

/*
 * Sum one array of each group of a warp on the fast path, and load the next
 * one's items ahead.  Returns if any array of the warp was refused.
 */
template <typename T, int kGroup>
static __device__ __forceinline__ bool
sum_group(const Output &out, const GroupArray<T, kGroup> &group,
		  const GroupArray<T, kGroup> &coming, Items<T> &next)
{
	constexpr int kRound = kGroup * kItems<T>;
	const int thread = threadIdx.x % kGroup;
	const int n_rounds = group.n_rounds();
	GaPartialSum *result = out.results + group.result;
	bool is_refused = false;
	ThreadSum<T> sum;
	unsigned n_neg_zero = 0;

	sum.clear();
	for (int round = 0; round < n_rounds; round++)
	{
		Items<T> items = next;

		if (round + 1 < n_rounds)
			next.load(group.run, (round + 1) * kRound, thread, kGroup);
		else
			next.load(coming.run, 0, thread, kGroup);
		if constexpr (ThreadSum<T>::kIsInt)
		{
#pragma unroll
			for (int k = 0; k < kVectors<T>; k++)
				sum.add(items.vector[k]);
		}
		else
		{
			if (round == 0)
				sum.set_anchor(group_max(largest_item(items), kGroup),
							   group.run.end > kRound ? 4 : 0);
			is_refused |= !sum.add_and_count(items, n_neg_zero);
		}
	}
	/* at most kMostItems in each lane of a warp */
	sum.add_group(kGroup);
	if constexpr (!ThreadSum<T>::kIsInt)
	{
		const unsigned mine = (kGroup == kWarp ? kAll : (1u << kGroup) - 1)
							  << (lane_id() / kGroup * kGroup);

		n_neg_zero = group_sum(n_neg_zero, kGroup);
		is_refused = (__ballot_sync(kAll, is_refused) & mine) != 0;
	}
	if (thread == 0 && group.result != UINT32_MAX)
	{
		put_narrow(result, sum.limbs(), sum.first_cell(), n_neg_zero);
		if (is_refused)
			result->kind = kRefusedSum;
	}
	return __any_sync(kAll, is_refused);
}

/* Go over a warp's arrays again and sum those that were refused. */
template <typename T, int kGroup>
static __device__ __noinline__ void
sum_refused(LaneSums &lanes, const SumJob<ShortArray> &job, uint32_t n_turns)
{
	for (uint32_t turn = 0; turn < n_turns; turn++)
	{
		const GroupArray<T, kGroup> group(job, turn);
		const bool is_first = threadIdx.x % kGroup == 0;
		bool is_refused = false;

		if (is_first && group.result != UINT32_MAX)
			is_refused =
				*(volatile uint8_t *) &job.out.results[group.result].kind ==
				kRefusedSum;
		for (unsigned left = __ballot_sync(kAll, is_refused); left != 0;
			 left &= left - 1)
		{
			const int from = __ffs(left) - 1;

			sum_slowly<T>(lanes, job.out,
						  (const T *) __shfl_sync(
							  kAll, (unsigned long long) group.run.base, from),
						  __shfl_sync(kAll, group.run.first, from),
						  __shfl_sync(kAll, group.run.end, from),
						  __shfl_sync(kAll, group.result, from));
		}
	}
}

/*
 * Short arrays: kGroup threads sum one.  All lanes of a warp stay together,
 * also where there is no array left.  Shared memory: LaneSums, for floats.
 */
template <typename T, int kGroup>
static __global__ void
__launch_bounds__(kSumThreads, 2)
	sum_short(const __grid_constant__ SumJob<ShortArray> job)
{
	extern __shared__ __align__(128) unsigned char room[];
	constexpr uint32_t kGroups = kSumThreads / kGroup;
	const uint32_t n_turns =
		(job.n_arrays + gridDim.x * kGroups - 1) / (gridDim.x * kGroups);
	GroupArray<T, kGroup> group(job, 0);
	Items<T> next;
	bool any_refused = false;

	next.load(group.run, 0, threadIdx.x % kGroup, kGroup);
	for (uint32_t turn = 0; turn < n_turns; turn++)
	{
		const GroupArray<T, kGroup> coming(job, turn + 1);

		any_refused |= sum_group<T, kGroup>(job.out, group, coming, next);
		group = coming;
	}
	if constexpr (!ThreadSum<T>::kIsInt)
	{
		LaneSums &lanes = *reinterpret_cast<LaneSums *>(room);

		if (threadIdx.x == 0)
			lanes.init();
		if (!__syncthreads_or(any_refused))
			return;
		for (int w = 0; w < kSumWarps; w++)
		{
			if (any_refused && threadIdx.x / kWarp == w)
				sum_refused<T, kGroup>(lanes, job, n_turns);
			__syncthreads();
		}
	}
}

/* Leave a warp's part to the host, in one piece. */
static __device__ __forceinline__ void
leave_part(SmallSum *to, const SmallSum &part)
{
	const int lane = lane_id();
	uint64_t word = part.tail;

#pragma unroll
	for (int k = 0; k < kSmallWords - 1; k++)
		word = lane == k ? part.total[k] : word;
	if (lane < kSmallWords)
		asm volatile("st.relaxed.sys.global.u64 [%0], %1;"
					 :
					 : "l"(reinterpret_cast<uint64_t *>(to) + lane), "l"(word)
					 : "memory");
}

/*
 * Small arrays, when there are few: a block each, whose warps have nothing to
 * do with each other.  No loops and no barriers, since what takes the time of
 * such a request is that instructions come to the multiprocessor, and how many
 * warps wait for each of them.  What is refused the host has summed by
 * sum_short().
 */
template <typename T, int kRoom>
static __global__ void
__launch_bounds__(kSmallVectors / kSmallPerThread<kRoom == 1>)
	sum_small(const __grid_constant__ SumJob<ShortArray, kRoom> job)
{
	constexpr int kPerThread = kSmallPerThread<kRoom == 1>;
	const ShortArray &array =
		kRoom == 1 ? job.few[0] :
					 (job.arrays ? job.arrays : job.few)[blockIdx.x];
	const Run<T> run(array.data, array.n);
	Vector<T> vectors[kPerThread];
	unsigned n_neg_zero = 0;
	bool is_refused = false;
	ThreadSum<T> sum;
	SmallSum part;

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
	part = small_sum(sum);
	if constexpr (!ThreadSum<T>::kIsInt)
		part.tail = small_tail(__any_sync(kAll, is_refused) ?
								   kSmallRefused :
								   Level<T>::place(sum.exponent),
							   group_sum(n_neg_zero, kWarp));
	leave_part(job.parts + array.result * job.n_warps + threadIdx.x / kWarp,
			   part);
}

#endif /* GA_SUM_SHORT_CUH */
