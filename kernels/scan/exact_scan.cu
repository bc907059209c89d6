/*
 * exact_scan.cu
 *		Running totals of floats for which no grid does, and the choice of
 *		grids; both need the exact sum itself, see exact_sum.cuh.
 *
 * An array that was refused, for exponents far apart, NaN, infinities or
 * totals near overflow, is cut into chunks.  Each chunk is summed by one
 * thread; the sums, as kSumWords integers, are scanned slot by slot; and then one
 * thread a chunk starts from what came before it, adds its elements one by
 * one, and rounds each total.  That takes a few hundred times the instructions
 * of a grid, but they run side by side.
 */
#include "exact_sum.cuh"
#include "choose_scales.cuh"

/* A sum's slots, which lie so far apart. */
static __device__ void
put_slots(const GaExactSum *sum, int64_t *slots, int64_t stride)
{
	for (int c = 0; c < GA_MAX_CELLS; c++)
	{
		int i = c - sum->first;

		slots[c * stride] = i >= 0 && i < sum->n_cells ? sum->cells[i] : 0;
	}
	slots[kWordNan * stride] = sum->n_nan;
	slots[kWordPosInf * stride] = sum->n_pos_inf;
	slots[kWordNegInf * stride] = sum->n_neg_inf;
	slots[kWordNegZero * stride] = sum->n_neg_zero;
}

/* The sum that slots stand for, of n inputs; its window as small as it can. */
static __device__ GaExactSum *
sum_of_slots(GaFullSum *room, const int64_t *slots, int64_t stride, int64_t n)
{
	GaExactSum *sum = ga_full_sum_init(room);
	int low = 0;
	int high = GA_MAX_CELLS - 1;

	while (high >= 0 && slots[high * stride] == 0)
		high--;
	while (low < high && slots[low * stride] == 0)
		low++;
	for (int c = low; c <= high; c++)
		sum->cells[c - low] = slots[c * stride];
	if (high >= 0)
	{
		sum->first = uint8_t(low);
		sum->n_cells = uint8_t(high - low + 1);
	}
	sum->n = n;
	sum->n_nan = slots[kWordNan * stride];
	sum->n_pos_inf = slots[kWordPosInf * stride];
	sum->n_neg_inf = slots[kWordNegInf * stride];
	sum->n_neg_zero = slots[kWordNegZero * stride];

	/* how large the cells are is not known: carry now */
	(void) ga_exact_sum_carry(sum);
	return sum;
}

/*
 * The elements from first to end, one by one, and their totals.  The sum
 * takes them all, those after an overflow, too.
 */
template <typename T>
static __device__ void
add_totals(GaExactSum *sum, const DeviceScan &array, uint32_t first,
		   uint32_t end, bool exclusive, ScanOutcome &outcome)
{
	const T *in = (const T *) array.in;
	T *out = (T *) array.out;

	for (uint32_t i = first; i < end; i++)
	{
		T before = 0;
		T total = 0;
		GaStatus status;

		if (sizeof(T) == 8)
		{
			if (exclusive)
				(void) ga_exact_sum_float8(sum, (double *) &before);
			(void) ga_exact_sum_add(sum, in[i]);
			status = ga_exact_sum_float8(sum, (double *) &total);
		}
		else
		{
			if (exclusive)
				(void) ga_exact_sum_float4(sum, (float *) &before);
			(void) ga_exact_sum_add(sum, in[i]);
			status = ga_exact_sum_float4(sum, (float *) &total);
		}
		if (status != GA_OK)
			atomicMax((unsigned long long *) &outcome.overflow,
					  ~(unsigned long long) i);
		out[i] = exclusive ? before : total;
	}
}

/* One thread an array. */
template <typename T>
static __global__ void
__launch_bounds__(kWideThreads)
	wide_short(const WideArray *arrays, uint32_t n_arrays, bool exclusive,
			   ScanOutcome *outcomes)
{
	uint32_t i = blockIdx.x * kWideThreads + threadIdx.x;

	if (i < n_arrays)
	{
		const WideArray wide = arrays[i];
		GaFullSum room;
		GaExactSum *sum = sum_of_slots(&room, wide.row, 1, wide.n_before);

		add_totals<T>(sum, wide.array, 0, wide.array.n, exclusive,
					  outcomes[wide.array.result]);
		(void) ga_exact_sum_carry(sum);
		put_slots(sum, wide.row, 1);
	}
}

/* One thread a chunk of the segment that begins at an element. */
template <typename T>
static __global__ void
__launch_bounds__(kWideThreads)
	wide_sums(const WideArray wide, uint32_t segment, uint32_t n_chunks,
			  int64_t *room)
{
	uint32_t chunk = blockIdx.x * kWideThreads + threadIdx.x;
	uint64_t first = uint64_t(segment) + chunk * kWideChunk;
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);

	if (chunk >= n_chunks)
		return;
	for (uint64_t i = first; i < first + kWideChunk && i < wide.array.n; i++)
		(void) ga_exact_sum_add(sum, ((const T *) wide.array.in)[i]);
	(void) ga_exact_sum_carry(sum);
	put_slots(sum, room + chunk, n_chunks);
}

/*
 * One block a slot: what each chunk finds before it; the row is brought up to
 * date.
 */
static __global__ void
__launch_bounds__(kSlotThreads)
	wide_before(int64_t *row, uint32_t n_chunks, int64_t *room)
{
	__shared__ int64_t warp_sum[kSlotThreads / kWarp];
	int64_t *slots = room + int64_t(blockIdx.x) * n_chunks;
	const int warp = threadIdx.x / kWarp;
	int64_t so_far = row[blockIdx.x];

	for (uint32_t at = threadIdx.x; at < n_chunks; at += kSlotThreads)
	{
		int64_t own = slots[at];
		int64_t sum = own;

		for (int step = 1; step < kWarp; step *= 2)
		{
			int64_t below = __shfl_up_sync(kFullMask, sum, step);

			sum += lane_id() >= step ? below : 0;
		}
		if (lane_id() == kWarp - 1)
			warp_sum[warp] = sum;
		__syncthreads();
		for (int w = 0; w < warp; w++)
			sum += warp_sum[w];
		slots[at] = so_far + sum - own;
		for (int w = 0; w < kSlotThreads / kWarp; w++)
			so_far += warp_sum[w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		row[blockIdx.x] = so_far;
}

template <typename T>
static __global__ void
__launch_bounds__(kWideThreads)
	wide_totals(const WideArray wide, uint32_t segment, uint32_t n_chunks,
				const int64_t *room, bool exclusive, ScanOutcome *outcomes)
{
	uint32_t chunk = blockIdx.x * kWideThreads + threadIdx.x;
	uint64_t first = uint64_t(segment) + chunk * kWideChunk;
	GaFullSum full;
	GaExactSum *sum;

	if (chunk >= n_chunks || first >= wide.array.n)
		return;
	sum = sum_of_slots(&full, room + chunk, n_chunks,
					   wide.n_before + int64_t(first));
	add_totals<T>(sum, wide.array, uint32_t(first),
				  uint32_t(min(first + kWideChunk, uint64_t(wide.array.n))),
				  exclusive, outcomes[wide.array.result]);
}

static uint32_t
blocks(uint64_t n_threads)
{
	return uint32_t((n_threads + kWideThreads - 1) / kWideThreads);
}

cudaError_t
launch_scan_starts(GaElementType type, const DeviceScan *arrays,
				   const void *const *before, ScanStart *starts,
				   uint32_t n_arrays, int least_levels, ScanOutcome *outcomes,
				   uint64_t *clear, uint32_t n_clear, cudaStream_t stream)
{
	uint32_t n_blocks = std::max(blocks(uint64_t(n_arrays) * kWarp),
								 std::min(blocks(n_clear), kClearBlocks));
	auto sums = (const GaExactSum *const *) before;

	if (type == GA_float8)
		choose_grids<double><<<n_blocks, kWideThreads, 0, stream>>>(
			arrays, sums, starts, n_arrays, least_levels, outcomes, clear,
			n_clear);
	else
		choose_grids<float><<<n_blocks, kWideThreads, 0, stream>>>(
			arrays, sums, starts, n_arrays, least_levels, outcomes, clear,
			n_clear);
	return cudaGetLastError();
}

cudaError_t
launch_wide_short(const ScanKind &kind, const WideArray *arrays,
				  uint32_t n_arrays, ScanOutcome *outcomes, cudaStream_t stream)
{
	if (kind.type == GA_float8)
		wide_short<double><<<blocks(n_arrays), kWideThreads, 0, stream>>>(
			arrays, n_arrays, kind.exclusive, outcomes);
	else
		wide_short<float><<<blocks(n_arrays), kWideThreads, 0, stream>>>(
			arrays, n_arrays, kind.exclusive, outcomes);
	return cudaGetLastError();
}

template <typename T>
static cudaError_t
launch_segments(const ScanKind &kind, const WideArray &wide, int64_t *room,
				ScanOutcome *outcomes, cudaStream_t stream)
{
	const uint32_t n_chunks = wide_chunks(wide.array.n);
	const uint32_t n_blocks = blocks(n_chunks);

	for (uint64_t at = 0; at < wide.array.n; at += kWideSegment)
	{
		wide_sums<T><<<n_blocks, kWideThreads, 0, stream>>>(wide, uint32_t(at),
															n_chunks, room);
		wide_before<<<kSumWords, kSlotThreads, 0, stream>>>(wide.row, n_chunks,
															room);
		wide_totals<T><<<n_blocks, kWideThreads, 0, stream>>>(
			wide, uint32_t(at), n_chunks, room, kind.exclusive, outcomes);
	}
	return cudaGetLastError();
}

cudaError_t
launch_wide_long(const ScanKind &kind, const WideArray &wide, int64_t *room,
				 ScanOutcome *outcomes, cudaStream_t stream)
{
	return kind.type == GA_float8 ?
			   launch_segments<double>(kind, wide, room, outcomes, stream) :
			   launch_segments<float>(kind, wide, room, outcomes, stream);
}
