/*
 * exact_scan.cu
 *		The kernels of running totals that need the exact sum itself
 *		(exact_sum.cuh): the exact fallback for floats, and prepare_scan.
 *
 * An array goes to the exact fallback if no scale does for it: because of
 * exponents far apart, NaN, infinities, or totals near overflow.  It is cut
 * into passes of kExactPass elements, and these into tiles of kExactTile, which
 * have a thread each:
 *
 *	- exact_sums: each thread sums its tile, as kSumWords integers;
 *	- exact_prefixes: these are scanned word by word;
 *	- exact_totals: each thread starts from the prefix of its tile, adds its
 *	  elements one by one, and rounds each total.
 *
 * An array of one tile takes the last kernel only.  All that costs a few
 * hundred times the instructions of a scale, but in parallel.
 *
 * Grid: as many blocks of kExactThreads as there are tiles for; of
 * exact_prefixes, one block of kWordThreads for each word.
 */
#include "exact_sum.cuh"
#include "prepare_scan.cuh"

/* Write a sum as words, which lie `stride` apart. */
static __device__ void
put_words(const GaExactSum *sum, int64_t *words, int64_t stride)
{
	for (int c = 0; c < GA_MAX_CELLS; c++)
	{
		int i = c - sum->first;

		words[c * stride] = i >= 0 && i < sum->n_cells ? sum->cells[i] : 0;
	}
	words[kWordNan * stride] = sum->n_nan;
	words[kWordPosInf * stride] = sum->n_pos_inf;
	words[kWordNegInf * stride] = sum->n_neg_inf;
	words[kWordNegZero * stride] = sum->n_neg_zero;
}

/* Return the sum of n elements that words stand for, with the fewest cells. */
static __device__ GaExactSum *
sum_of_words(GaFullSum *full, const int64_t *words, int64_t stride, int64_t n)
{
	GaExactSum *sum = ga_full_sum_init(full);
	int low = 0;
	int high = GA_MAX_CELLS - 1;

	while (high >= 0 && words[high * stride] == 0)
		high--;
	while (low < high && words[low * stride] == 0)
		low++;
	for (int c = low; c <= high; c++)
		sum->cells[c - low] = words[c * stride];
	if (high >= 0)
	{
		sum->first = uint8_t(low);
		sum->n_cells = uint8_t(high - low + 1);
	}
	sum->n = n;
	sum->n_nan = words[kWordNan * stride];
	sum->n_pos_inf = words[kWordPosInf * stride];
	sum->n_neg_inf = words[kWordNegInf * stride];
	sum->n_neg_zero = words[kWordNegZero * stride];

	/* the size of the cells is not known: carry now */
	(void) ga_exact_sum_carry(sum);
	return sum;
}

/*
 * Add the elements from first to end one by one, and write their totals.  The
 * sum takes all of them, also those after an overflow.
 */
template <typename T>
static __device__ void
add_totals(GaExactSum *sum, const ScanJob &job, uint32_t first, uint32_t end)
{
	const T *in = (const T *) job.in;
	T *out = (T *) job.out;

	for (uint32_t i = first; i < end; i++)
	{
		T total = 0;
		GaStatus status;

		(void) ga_exact_sum_add(sum, load_mixed(in + i));
		if (sizeof(T) == 8)
			status = ga_exact_sum_float8(sum, (double *) &total);
		else
			status = ga_exact_sum_float4(sum, (float *) &total);
		if (status != GA_OK)
			atomicMax((unsigned long long *) &job.outcome->overflow,
					  ~(unsigned long long) i);
		out[i] = total;
	}
}

/* Sum each tile of the pass that begins at element `pass`. */
template <typename T>
static __global__ void
__launch_bounds__(kExactThreads)
	exact_sums(const __grid_constant__ ScanJob job, uint32_t pass,
			   uint32_t n_tiles, int64_t *words)
{
	uint32_t tile = blockIdx.x * kExactThreads + threadIdx.x;
	uint64_t first = uint64_t(pass) + tile * kExactTile;
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);

	if (tile >= n_tiles)
		return;
	for (uint64_t i = first; i < first + kExactTile && i < job.n; i++)
		(void) ga_exact_sum_add(sum, load_mixed((const T *) job.in + i));
	(void) ga_exact_sum_carry(sum);
	put_words(sum, words + tile, n_tiles);
}

/*
 * One block a word: replace the sum of each tile by its prefix, and add them
 * all to sum_words.
 */
static __global__ void
__launch_bounds__(kWordThreads)
	exact_prefixes(int64_t *sum_words, uint32_t n_tiles, int64_t *words)
{
	__shared__ int64_t warp_sum[kWordThreads / kWarp];
	int64_t *own_words = words + int64_t(blockIdx.x) * n_tiles;
	const int warp = threadIdx.x / kWarp;
	int64_t so_far = sum_words[blockIdx.x];

	for (uint32_t at = threadIdx.x; at < n_tiles; at += kWordThreads)
	{
		int64_t own = own_words[at];
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
		own_words[at] = so_far + sum - own;
		for (int w = 0; w < kWordThreads / kWarp; w++)
			so_far += warp_sum[w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		sum_words[blockIdx.x] = so_far;
}

/*
 * Make the totals of each tile of a pass, given their prefixes.  The prefix of
 * an only tile becomes the sum of all.
 */
template <typename T>
static __global__ void
__launch_bounds__(kExactThreads)
	exact_totals(const __grid_constant__ ScanJob job, uint32_t pass,
				 uint32_t n_tiles, int64_t *prefixes, int64_t n_prefix)
{
	uint32_t tile = blockIdx.x * kExactThreads + threadIdx.x;
	uint64_t first = uint64_t(pass) + tile * kExactTile;
	GaFullSum full;
	GaExactSum *sum;

	if (tile >= n_tiles || first >= job.n)
		return;
	sum = sum_of_words(&full, prefixes + tile, n_tiles,
					   n_prefix + int64_t(first));
	add_totals<T>(sum, job, uint32_t(first),
				  uint32_t(min(first + kExactTile, uint64_t(job.n))));
	if (n_tiles == 1)
	{
		(void) ga_exact_sum_carry(sum);
		put_words(sum, prefixes, 1);
	}
}

static uint32_t
blocks(uint64_t n_threads)
{
	return uint32_t((n_threads + kExactThreads - 1) / kExactThreads);
}

cudaError_t
launch_prepare_scan(GaElementType type, const ScanJob &job, const void *prefix,
					size_t prefix_bytes, int least_levels, cudaStream_t stream)
{
	auto kernel =
		type == GA_float8 ? prepare_scan<double> : prepare_scan<float>;
	uint32_t n_blocks =
		std::min(std::max(blocks(job.n_clear), 1u), kClearBlocks);
	GaFullSum full = {};

	/* all zero is an empty sum */
	if (prefix != nullptr)
		memcpy(&full, prefix, prefix_bytes);
	kernel<<<n_blocks, kExactThreads, 0, stream>>>(job, full, least_levels);
	return cudaGetLastError();
}

template <typename T>
static cudaError_t
launch_passes(const ScanJob &job, int64_t *sum_words, int64_t n_prefix,
			  int64_t *words, cudaStream_t stream)
{
	const uint32_t n_tiles = exact_tiles(job.n);
	const uint32_t n_blocks = blocks(n_tiles);

	if (job.n <= kExactTile)
		exact_totals<T>
			<<<1, kExactThreads, 0, stream>>>(job, 0, 1, sum_words, n_prefix);
	else
	{
		for (uint64_t at = 0; at < job.n; at += kExactPass)
		{
			exact_sums<T><<<n_blocks, kExactThreads, 0, stream>>>(
				job, uint32_t(at), n_tiles, words);
			exact_prefixes<<<kSumWords, kWordThreads, 0, stream>>>(
				sum_words, n_tiles, words);
			exact_totals<T><<<n_blocks, kExactThreads, 0, stream>>>(
				job, uint32_t(at), n_tiles, words, n_prefix);
		}
	}
	return cudaGetLastError();
}

cudaError_t
launch_exact_scan(GaElementType type, const ScanJob &job, int64_t *sum_words,
				  int64_t n_prefix, int64_t *words, cudaStream_t stream)
{
	return type == GA_float8 ?
			   launch_passes<double>(job, sum_words, n_prefix, words, stream) :
			   launch_passes<float>(job, sum_words, n_prefix, words, stream);
}
