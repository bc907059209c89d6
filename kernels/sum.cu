/*
 * sum.cu
 *		The kernels that sum arrays, see sum.h.
 *
 * Blocks of kSumThreads threads; as many as fill the device take chunks, or
 * groups of short arrays, in turn.  A result is written by the first lane of
 * the warp or group that completed it.
 */
#include "find_array.cuh"
#include "lane_sums.cuh"
#include "sum.h"
#include "thread_sum.cuh"

/* Superaccumulators of a block: more of them, and fewer warps wait. */
#ifndef GA_SLOW_LANES
#define GA_SLOW_LANES 4
#endif
constexpr int kSlowLanes = GA_SLOW_LANES;

/* Tiles for which a warp does without the fast path after two refusals. */
constexpr int kSlowTiles = 14;

/* The block's shared memory; integers leave the last part out. */
template <typename T>
struct BlockShared
{
	ThreadSum<T> part[kSumWarps];	/* what each warp has */
	unsigned	n_neg_zero[kSumWarps];
	unsigned	top;			/* of the largest item in the first tile */
	LaneSums	lanes[kSlowLanes];
};

/* Add items one by one to this lane; the warp has the lock. */
template <typename T>
static __device__ __forceinline__ void
add_slowly(LaneSums &lanes, const Items<T> &items)
{
#pragma unroll
	for (int i = 0; i < kItems<T>; i++)
		lanes.add(double(items.item(i)));
}

/* Minus zeros among items. */
template <typename T>
static __device__ __forceinline__ unsigned
count_neg_zeros(const Items<T> &items)
{
	unsigned	n = 0;

#pragma unroll
	for (int i = 0; i < kItems<T>; i++)
		n += is_neg_zero(items.item(i));
	return n;
}

/* What a warp has summed of floats. */
template <typename T>
struct WarpFloats
{
	ThreadSum<T> sum;
	unsigned	n_neg_zero;
	int			n_slow;			/* tiles to come that are not even tried; < 0
								 * after a refusal */

	/* top is 0 if all items so far are zeros: then a later tile sets it. */
	__device__ __forceinline__ void
	start(unsigned top)
	{
		sum.clear();
		sum.set_anchor(top, 2);
		n_neg_zero = 0;
		n_slow = 0;
	}
};

/*
 * A tile that some lanes of the warp have no certificate for; those add their
 * items one by one.  The next tile may have its like: the anchor is set anew,
 * after what was summed with the old one is put with the rest.  All the items
 * are read again.
 */
template <typename T>
static __device__ __noinline__ WarpFloats<T>
refused_tile(LaneSums &lanes, WarpFloats<T> floats, const T *base, int first,
			 int end, int at, bool is_refused)
{
	ThreadSum<T> &sum = floats.sum;
	ThreadSum<T> anew;
	Run<T>		run(base, 0);
	Items<T>	items;
	unsigned	top;

	run.first = first;
	run.end = end;
	items.load(run, at, threadIdx.x, kSumThreads);
	top = group_max(largest_item(items), kWarp);
	anew.set_anchor(top, 2);
	lanes.lock();
	lanes.reserve(kItems<T> + Level<T>::kCount);
	if (is_refused)
		add_slowly(lanes, items);
	if (top != 0 && anew.exponent != sum.exponent)
	{
		for (int k = 0; k < Level<T>::kCount; k++)
			lanes.add_scaled(sum.total[k], Level<T>::place(sum.exponent) +
							 Level<T>::kSpacing * (Level<T>::kCount - 1 - k));
		sum.clear();
		sum.exponent = anew.exponent;
	}
	lanes.unlock();

	/* twice in a row is a habit */
	if (floats.n_slow == 0)
		floats.n_slow = -1;
	else if (floats.n_slow < 0)
		floats.n_slow = kSlowTiles;
	return floats;
}

/* Minus zeros among a tile's items, read again. */
template <typename T>
static __device__ __noinline__ unsigned
neg_zeros_of_tile(const T *base, int first, int end, int at)
{
	Run<T>		run(base, 0);
	Items<T>	items;

	run.first = first;
	run.end = end;
	items.load(run, at, threadIdx.x, kSumThreads);
	return count_neg_zeros(items);
}

/* Add a tile, of which the first n_vectors vectors have any items. */
template <typename T>
static __device__ __forceinline__ void
add_tile(LaneSums &lanes, WarpFloats<T> &floats, const Items<T> &items,
		 int n_vectors, const Run<T> &run, int at)
{
	bool		has_neg_zero = true;
	bool		is_refused = true;

	if (floats.n_slow <= 0)
		is_refused = !floats.sum.add(items, n_vectors, has_neg_zero);
	if (has_neg_zero)
		floats.n_neg_zero += neg_zeros_of_tile(run.base, run.first, run.end,
											   at);
	if (__any_sync(kAll, is_refused))
	{
		floats.n_slow -= floats.n_slow > 0;
		floats = refused_tile(lanes, floats, run.base, run.first, run.end, at,
							  is_refused);
	}
	else
		floats.n_slow = 0;
}

/* How many of a thread's vectors of the tile at a position have items. */
template <typename T>
static __device__ __forceinline__ int
vectors_in(const Run<T> &run, int at)
{
	constexpr int kRow = kSumThreads * Vector<T>::kSize;

	return min((run.end - at + kRow - 1) / kRow, kVectors<T>);
}

/* Sum a chunk's tiles; what a warp has goes to shared memory. */
template <typename T>
static __device__ __forceinline__ void
sum_chunk(BlockShared<T> &shared, const Run<T> &run, uint32_t chunk,
		  uint32_t n_chunks)
{
	constexpr int kTile = kSumThreads * kItems<T>;
	const int	step = int(n_chunks) * kTile;
	const int	thread = threadIdx.x;
	const int	warp = thread / kWarp;
	int			at = int(chunk) * kTile;
	Items<T>	next;

	next.load(run, at, thread, kSumThreads);
	if constexpr (ThreadSum<T>::kIsInt)
	{
		ThreadSum<T> sum;

		sum.clear();
		for (; at < run.end; at += step)
		{
			Items<T>	items = next;

			if (at + step < run.end)
				next.load(run, at + step, thread, kSumThreads);
			sum.add(items);
		}
		sum.add_group(kWarp);
		if (lane_id() == 0)
			shared.part[warp] = sum;
	}
	else
	{
		WarpFloats<T> floats;
		bool		is_first = true;

		for (; at < run.end; at += step)
		{
			Items<T>	items = next;

			if (at + step < run.end)
				next.load(run, at + step, thread, kSumThreads);
			if (is_first)
			{
				/* the same for all warps, so that they can be added at once */
				unsigned	top = group_max(largest_item(items), kWarp);

				if (lane_id() == 0)
					atomicMax_block(&shared.top, top);
				__syncthreads();
				floats.start(shared.top);
				is_first = false;
			}
			add_tile(shared.lanes[warp % kSlowLanes], floats, items,
					 vectors_in(run, at), run, at);
		}
		floats.sum.add_group(kWarp);
		floats.n_neg_zero = group_sum(floats.n_neg_zero, kWarp);
		if (lane_id() == 0)
		{
			shared.part[warp] = floats.sum;
			shared.n_neg_zero[warp] = floats.n_neg_zero;
		}
	}
}

/*
 * Add a chunk's sum to its array's; the last one turns it into the result.  A
 * whole warp.
 */
template <bool kIsInt>
static __device__ __noinline__ void
merge_chunk(const SumJob<LongArray> &job, const LongArray &array,
			uint32_t chunk, WarpSum sum)
{
	const uint32_t n_rows = array.n_chunks >= kManyChunks ? kRows : 1;
	int64_t    *rows = job.rows + int64_t(array.first_row) * kRowSize;
	int64_t    *row = rows + chunk % n_rows * kRowSize;
	uint32_t	n_before = 0;

#pragma unroll
	for (int g = 0; g < kSlotsPerLane; g++)
	{
		if (sum.value[g] != 0)
			atomicAdd((unsigned long long *) row + lane_id() + g * kWarp,
					  (unsigned long long) sum.value[g]);
	}
	__threadfence();
	__syncwarp();
	if (lane_id() == 0)
		n_before = atomicAdd((unsigned *) (rows + kRowChunks), 1);
	if (__shfl_sync(kAll, n_before, 0) != array.n_chunks - 1)
		return;

	__threadfence();
	sum.clear();
#pragma unroll
	for (int r = 0; r < kRows; r++)
	{
#pragma unroll
		for (int g = 0; g < kSlotsPerLane; g++)
		{
			int			slot = lane_id() + g * kWarp;

			if (slot < kSlots && r < n_rows)
				sum.value[g] += __ldcg((long long *) rows + r * kRowSize +
									   slot);
		}
	}
	for (int i = lane_id(); i < int(n_rows) * kRowSize; i += kWarp)
		rows[i] = 0;
	put_result<kIsInt>(job.out, array.result, sum);
}

/* A chunk is summed: on to its array; the block's first warp. */
template <typename T>
static __device__ __forceinline__ void
finish_chunk(BlockShared<T> &shared, const SumJob<LongArray> &job,
			 const LongArray &array, uint32_t chunk)
{
	constexpr bool kIsInt = ThreadSum<T>::kIsInt;
	const int	mine = lane_id() % kSumWarps;
	ThreadSum<T> part = shared.part[mine];
	unsigned	n_neg_zero = 0;
	bool		is_simple = true;
	WarpSum		sum;

	if constexpr (!kIsInt)
	{
		n_neg_zero = group_sum(shared.n_neg_zero[mine], kSumWarps);
		is_simple = part.exponent == shared.part[0].exponent;
		for (int i = 0; i < kSlowLanes; i++)
			is_simple &= !shared.lanes[i].is_used;
		is_simple = __all_sync(kAll, is_simple);
	}
	sum.clear();
	if (is_simple)
	{
		Limbs		limbs;

		part.add_group(kSumWarps);
		limbs = part.limbs();
		if (array.n_chunks == 1)
		{
			if (lane_id() == 0)
				put_narrow(job.out.results + array.result, limbs,
						   part.first_cell(), n_neg_zero);
			return;
		}
		sum.add(limbs, part.first_cell(), n_neg_zero);
	}
	else if constexpr (!kIsInt)
	{
		for (int w = 0; w < kSumWarps; w++)
			sum.add(shared.part[w].limbs(), shared.part[w].first_cell(),
					shared.n_neg_zero[w]);
		for (int i = 0; i < kSlowLanes; i++)
			shared.lanes[i].move_to(sum);
		if (array.n_chunks == 1)
		{
			put_result<kIsInt>(job.out, array.result, sum);
			return;
		}
	}
	merge_chunk<kIsInt>(job, array, chunk, sum);
}

#ifndef GA_LONG_BLOCKS
#define GA_LONG_BLOCKS 2
#endif
#ifndef GA_SHORT_BLOCKS
#define GA_SHORT_BLOCKS 2
#endif

/*
 * Long arrays: a block sums a chunk.  Shared memory: BlockShared.
 */
template <typename T>
static __global__ void __launch_bounds__(kSumThreads, GA_LONG_BLOCKS)
sum_long(const __grid_constant__ SumJob<LongArray> job)
{
	extern __shared__ __align__(16) unsigned char room[];
	BlockShared<T> &shared = *reinterpret_cast<BlockShared<T> *>(room);

	if constexpr (!ThreadSum<T>::kIsInt)
	{
		if (threadIdx.x < kSlowLanes)
			shared.lanes[threadIdx.x].init();
		if (threadIdx.x == 0)
			shared.top = 0;
		__syncthreads();
	}
	for (uint32_t chunk = blockIdx.x; chunk < job.n_chunks; chunk += gridDim.x)
	{
		const LongArray *arrays = job.arrays ? job.arrays : job.few;
		const LongArray array = arrays[find_array(
			job.n_arrays, chunk,
			[arrays] (uint32_t i) { return arrays[i].first_chunk; })];
		const uint32_t own = chunk - array.first_chunk;

		sum_chunk<T>(shared, Run<T>(array.data, array.n), own,
					 array.n_chunks);
		__syncthreads();
		if (threadIdx.x < kWarp)
		{
			finish_chunk(shared, job, array, own);
			if (threadIdx.x == 0)
				shared.top = 0;
		}
		__syncthreads();
	}
}

/* A short array that the fast path refused; a whole warp. */
template <typename T>
static __device__ __noinline__ void
sum_slowly(LaneSums &lanes, const Output &out, const ShortArray &array)
{
	Run<T>		run(array.data, array.n);
	unsigned	n_neg_zero = 0;
	WarpSum		sum;

	sum.clear();
	lanes.lock();
	for (int at = 0; at < run.end; at += kWarp * kItems<T>)
	{
		Items<T>	items;

		items.load(run, at, lane_id(), kWarp);
		lanes.reserve(kItems<T>);
		add_slowly(lanes, items);
		n_neg_zero += count_neg_zeros(items);
	}
	__syncwarp();
	lanes.move_to(sum);
	lanes.unlock();
	n_neg_zero = group_sum(n_neg_zero, kWarp);
	if (lane_id() == kSlotNegZero % kWarp)
		sum.value[kSlotNegZero / kWarp] += n_neg_zero;
	put_result<false>(out, array.result, sum);
}

/* One of the arrays that a group of threads sums, one after the other. */
template <typename T, int kGroup>
struct GroupArray
{
	ShortArray	array;
	Run<T>		run;
	int			n_rounds;		/* the most in the warp */
	bool		is_any;			/* otherwise there is none left for the group */

	/*
	 * Array number i of this group.  The order goes to and fro, so that of
	 * arrays sorted by length all groups get about the same.
	 */
	__device__ __forceinline__
	GroupArray(const SumJob<ShortArray> &job, uint32_t turn)
		: run(nullptr, 0)
	{
		constexpr int kRound = kGroup * kItems<T>;
		const ShortArray *arrays = job.arrays ? job.arrays : job.few;
		const uint32_t n_groups = gridDim.x * (kSumThreads / kGroup);
		const uint32_t group = (blockIdx.x * kSumThreads + threadIdx.x) /
			kGroup;
		const uint64_t i = uint64_t(turn) * n_groups +
			(turn % 2 ? n_groups - 1 - group : group);

		is_any = i < job.n_arrays;
		array = is_any ? arrays[i] : ShortArray{};
		run = Run<T>(array.data, array.n);
		n_rounds = group_max(max(int(run.end + kRound - 1) / kRound, 1),
							 kWarp);
	}
};

/* What a group has added up: the record, or the slow way; a whole warp. */
template <typename T, int kGroup>
static __device__ __forceinline__ void
finish_group(LaneSums &lanes, const Output &out, const ShortArray &array,
			 bool is_any, ThreadSum<T> &sum, unsigned n_neg_zero,
			 bool is_refused)
{
	const int	thread = threadIdx.x % kGroup;

	sum.add_group(kGroup);
	if constexpr (!ThreadSum<T>::kIsInt)
	{
		const unsigned group = (kGroup == kWarp ? kAll : (1u << kGroup) - 1) <<
			(lane_id() / kGroup * kGroup);
		const unsigned refused = __ballot_sync(kAll, is_refused);

		n_neg_zero = group_sum(n_neg_zero, kGroup);
		is_refused = (refused & group) != 0;
		for (unsigned left = __ballot_sync(kAll, is_refused && thread == 0);
			 left != 0; left &= left - 1)
		{
			const int	from = __ffs(left) - 1;
			ShortArray	slow;

			slow.data = (const void *) __shfl_sync(
				kAll, (unsigned long long) array.data, from);
			slow.n = __shfl_sync(kAll, array.n, from);
			slow.result = __shfl_sync(kAll, array.result, from);
			sum_slowly<T>(lanes, out, slow);
		}
	}
	if (thread == 0 && is_any && !is_refused)
		put_narrow(out.results + array.result, sum.limbs(), sum.first_cell(),
				   n_neg_zero);
}

/*
 * Short arrays: kGroup threads sum one.  All lanes of a warp stay together,
 * also where there is no array left; what comes next is loaded ahead, also
 * from the next array.  Shared memory: LaneSums, for floats.
 */
template <typename T, int kGroup>
static __global__ void __launch_bounds__(kSumThreads, GA_SHORT_BLOCKS)
sum_short(const __grid_constant__ SumJob<ShortArray> job)
{
	extern __shared__ __align__(16) unsigned char room[];
	LaneSums   &lanes = *reinterpret_cast<LaneSums *>(room);
	constexpr bool kIsInt = ThreadSum<T>::kIsInt;
	constexpr int kRound = kGroup * kItems<T>;
	constexpr uint32_t kGroups = kSumThreads / kGroup;
	const uint32_t n_turns = (job.n_arrays + gridDim.x * kGroups - 1) /
		(gridDim.x * kGroups);
	const int	thread = threadIdx.x % kGroup;
	GroupArray<T, kGroup> group(job, 0);
	Items<T>	next;

	if constexpr (!kIsInt)
	{
		if (threadIdx.x == 0)
			lanes.init();
		__syncthreads();
	}
	next.load(group.run, 0, thread, kGroup);
	for (uint32_t turn = 0; turn < n_turns; turn++)
	{
		GroupArray<T, kGroup> coming(job, turn + 1);
		ThreadSum<T> sum;
		unsigned	n_neg_zero = 0;
		bool		is_refused = false;

		sum.clear();
		for (int round = 0; round < group.n_rounds; round++)
		{
			Items<T>	items = next;

			if (round + 1 < group.n_rounds)
				next.load(group.run, (round + 1) * kRound, thread, kGroup);
			else if (turn + 1 < n_turns)
				next.load(coming.run, 0, thread, kGroup);
			if constexpr (kIsInt)
				sum.add(items);
			else
			{
				bool		has_neg_zero;

				if (round == 0)
					sum.set_anchor(group_max(largest_item(items), kGroup),
								   group.run.end > kRound ? 4 : 0);
				is_refused |= !sum.add(items, kVectors<T>, has_neg_zero);
				if (has_neg_zero)
					n_neg_zero += count_neg_zeros(items);
			}
		}
		finish_group<T, kGroup>(lanes, job.out, group.array, group.is_any, sum,
								n_neg_zero, is_refused);
		group = coming;
	}
}

template <typename T>
constexpr size_t kShortShared = ThreadSum<T>::kIsInt ? 0 : sizeof(LaneSums);

template <typename T>
constexpr size_t kLongShared = ThreadSum<T>::kIsInt ?
	offsetof(BlockShared<T>, lanes) : sizeof(BlockShared<T>);

template <typename T>
static cudaError_t
launch_short(int group, const SumJob<ShortArray> &job, int max_blocks,
			 cudaStream_t stream)
{
	uint32_t	per_block = kSumThreads / group;
	uint32_t	blocks = (job.n_arrays + per_block - 1) / per_block;

	blocks = blocks < uint32_t(max_blocks) ? blocks : max_blocks;
	if (group == kWarp)
		sum_short<T, kWarp><<<blocks, kSumThreads, kShortShared<T>,
			stream>>>(job);
	else
		sum_short<T, kTinyGroup><<<blocks, kSumThreads, kShortShared<T>,
			stream>>>(job);
	return cudaGetLastError();
}

template <typename T>
static cudaError_t
launch_long(const SumJob<LongArray> &job, int max_blocks, cudaStream_t stream)
{
	uint32_t	blocks = job.n_chunks < uint32_t(max_blocks) ?
		job.n_chunks : max_blocks;

	sum_long<T><<<blocks, kSumThreads, kLongShared<T>, stream>>>(job);
	return cudaGetLastError();
}

cudaError_t
launch_short_sums(GaElementType type, int group,
				  const SumJob<ShortArray> &job, int max_blocks,
				  cudaStream_t stream)
{
	switch (type)
	{
#define X(name, family, ctype) \
		case GA_##name: \
			return launch_short<ctype>(group, job, max_blocks, stream);
			GA_ELEMENT_TYPES(X)
#undef X
		default:
			return cudaErrorInvalidValue;
	}
}

cudaError_t
launch_long_sums(GaElementType type, const SumJob<LongArray> &job,
				 int max_blocks, cudaStream_t stream)
{
	switch (type)
	{
#define X(name, family, ctype) \
		case GA_##name: \
			return launch_long<ctype>(job, max_blocks, stream);
			GA_ELEMENT_TYPES(X)
#undef X
		default:
			return cudaErrorInvalidValue;
	}
}

/* Blocks of a kernel that fill the device, after it may use its memory. */
template <typename Kernel>
static cudaError_t
prepare(Kernel kernel, size_t shared_bytes, int n_multiprocessors, int *blocks)
{
	int			n = 0;
	cudaError_t result = cudaFuncSetAttribute(
		kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
		int(shared_bytes));

	if (result == cudaSuccess)
		result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
			&n, kernel, kSumThreads, shared_bytes);
	if (result == cudaSuccess && n == 0)
		result = cudaErrorLaunchOutOfResources;
	*blocks = n * n_multiprocessors;
	return result;
}

/* No kernel needs more blocks than those of float8. */
cudaError_t
prepare_sums(int n_multiprocessors, int *short_blocks, int *long_blocks)
{
	cudaError_t result = prepare(sum_long<float>, kLongShared<float>,
								 n_multiprocessors, long_blocks);

	if (result == cudaSuccess)
		result = prepare(sum_long<double>, kLongShared<double>,
						 n_multiprocessors, long_blocks);
	if (result == cudaSuccess)
		result = prepare(sum_short<double, kTinyGroup>, kShortShared<double>,
						 n_multiprocessors, short_blocks);
	return result;
}
