/*
 * scan_decimals.cuh
 *		Running totals of a packed array of decimals that have residues
 *		(packed/residues.cuh).
 *
 * With the names of sum/decimal_sum.cuh, an element is i * h - t, and a total
 * N * h - T, with the sums N of i and T of t up to there.  N * h is a double
 * and its error; the error less T is a double, too.  So their sum is the total,
 * rounded once.  doc/numerics.md has the proof.
 *
 * A block has a tile of kDecimalWarps vectors, and each warp one of them:
 *
 *	- it decodes its vector to i and t / u.  The second element of each pair
 *	  of neighbors stays in registers (decimal_vector.cuh);
 *	- the sums of pairs go to shared memory, and are replaced there by the
 *	  sums of the vector up to there;
 *	- the sum of the tile is published, the first warp looks back for what
 *	  precedes it, and each warp writes its totals.
 *
 * Vectors of another form, with exceptions, or with larger integers do not do.
 * If there are any among some that are sampled, nothing happens, and
 * scan_tiles() makes the totals.  If there are others, the array is refused.
 *
 * Grid: a block for each tile; they take tiles by ticket.
 */
#ifndef GA_SCAN_DECIMALS_CUH
#define GA_SCAN_DECIMALS_CUH

#include "decimal_vector.cuh"
#include "look_back.cuh"
#include "packed/decimal_limbs.cuh"
#include "packed/mixed_tiles.cuh"

constexpr int kDecimalWarps = 4;
constexpr int kDecimalBlocks = 6; /* of a multiprocessor, at most */
constexpr int kDecimalThreads = kDecimalWarps * int(kWarp);
constexpr uint32_t kDecimalTile = kDecimalWarps * GA_PACKED_VECTOR;

/* The most elements of an array, whose sums are below 2^50, then. */
constexpr uint32_t kMostDecimals = UINT32_C(1) << 29;

struct DecimalShared
{
	PairSums pairs[kDecimalWarps];
	Levels<2> sum[kDecimalWarps];
	Levels<2> prefix[kDecimalWarps];
	unsigned form; /* of the array, or 0 */
	uint32_t tile;
};

/* Publish the sum of a tile, and find what precedes each warp; one warp. */
static __device__ __forceinline__ void
find_prefixes(DecimalShared &shared, const ScanJob &job, unsigned places)
{
	uint64_t *const state = job.states + uint64_t(shared.tile) * kStateWords<2>;
	Levels<2> own = {};
	Levels<2> sum;
	Levels<2> before;

	if (lane_id() < kDecimalWarps)
		own = shared.sum[lane_id()];
	sum = own;
	sum.add_lanes();
	if (lane_id() == 0)
		publish(state, sum, kOwnSum);
	before = look_back<2>(job.states, kStateWords<2>, int(shared.tile));
	sum.add(before);
	if (lane_id() == 0)
	{
		publish(state, sum, kInclusiveSum);
		if (shared.tile == (job.n - 1) / kDecimalTile)
		{
			int cell;
			const Limbs limbs =
				decimal_limbs(sum.word[0], sum.word[1], places, &cell);

			store_compact(&job.outcome->sum, limbs, cell, 0);
		}
	}
	sum = own;
	sum.scan_lanes();
	sum.subtract(own);
	sum.add(before);
	if (lane_id() < kDecimalWarps)
		shared.prefix[lane_id()] = sum;
}

static __device__ __forceinline__ uintptr_t
address_at(const ScanJob &job, uint64_t at)
{
	return reinterpret_cast<uintptr_t>((const double *) job.in + at);
}

static __device__ __forceinline__ GaPackedCoding
coding_at(const ScanJob &job, uint64_t at)
{
	return load_coding<double>(address_at(job, at));
}

/*
 * Return the form of an array whose totals can be made so, as far as samples
 * tell, or 0; a whole warp.
 */
static __device__ __forceinline__ unsigned
sample_form(const ScanJob &job)
{
	PackedVector sample(
		coding_at(job, uint64_t(lane_id()) * job.n / uint64_t(kWarp)));
	const unsigned lanes =
		__ballot_sync(kFullMask, sample.has_plain_decimals());
	const unsigned form =
		__shfl_sync(kFullMask, sample.form, max(__ffs(int(lanes)) - 1, 0));

	return lanes != 0 &&
				   __all_sync(kFullMask, make_decimals(form, sample)) != 0 ?
			   form :
			   0;
}

/*
 * Decode the vector at a position, of which n elements are in the array.  The
 * one that is `ahead` elements behind it comes to the L2 cache, and the header
 * of the next one after as many.  Returns false, and all elements are 0, if the
 * vector does not do.
 */
static __device__ __forceinline__ bool
load_vector(const ScanJob &job, unsigned form, uint64_t at, uint32_t n,
			uint64_t ahead, DecimalVector &own, PairSums &pairs)
{
	const uint64_t later = at + ahead;
	PackedVector vector(coding_at(job, at));
	GaPackedCoding coming = {};

	if (later < job.n)
		coming = coding_at(job, later);

	const bool is_taken = make_decimals(form, vector);

	if (is_taken)
		own.decode(vector, pairs);
	else
		own.clear(pairs);
	if (n < GA_PACKED_VECTOR)
		own.cut(n, pairs);
	if (later < job.n)
		prefetch_payload<double>(coming);
	if (lane_id() == 0 && later + ahead < job.n)
		prefetch_l2(
			ga_packed_header(address_at(job, later + ahead), sizeof(double)));
	return is_taken;
}

/*
 * At most `ahead` tiles are under way; those behind them come to the L2 cache.
 */
static __global__ void
__launch_bounds__(kDecimalThreads, kDecimalBlocks)
	scan_decimals(const __grid_constant__ ScanJob job, uint32_t ahead)
{
	__shared__ DecimalShared shared;
	const int warp = threadIdx.x / kWarp;
	PairSums &pairs = shared.pairs[warp];
	DecimalVector own;

	if (warp == 0)
	{
		const unsigned form = sample_form(job);

		if (lane_id() == 0)
		{
			shared.form = form;
			if (form != 0)
				shared.tile = atomicAdd(job.ticket, 1);
		}
	}
	__syncthreads();
	if (shared.form == 0)
		return;
	for (uint32_t i = blockIdx.x * kDecimalThreads + threadIdx.x;
		 i < job.n_clear; i += gridDim.x * kDecimalThreads)
		job.clear[i] = int4{};

	const uint64_t at =
		uint64_t(shared.tile) * kDecimalTile + warp * GA_PACKED_VECTOR;
	const uint32_t n =
		uint32_t(at < job.n ? min(uint64_t(GA_PACKED_VECTOR), job.n - at) : 0);
	bool is_taken = true;

	if (n > 0)
		is_taken = load_vector(job, shared.form, at, n,
							   uint64_t(ahead) * kDecimalTile, own, pairs);
	else
		own.clear(pairs);
	__syncwarp();

	const Levels<2> sum = scan_pairs(pairs);

	if (lane_id() == 0)
		shared.sum[warp] = sum;
	__syncthreads();

	const unsigned places = ga_packed_places(shared.form);

	if (warp == 0)
		find_prefixes(shared, job, places);
	__syncthreads();

	const DecimalTotals totals(places, shared.prefix[warp]);
	double *const out = (double *) job.out + at;

	if (n == GA_PACKED_VECTOR)
		write_totals<true>(out, n, own, totals, pairs);
	else
		write_totals<false>(out, n, own, totals, pairs);
	if (!is_taken && lane_id() == 0)
		job.outcome->refused = kDecimalLevels;
	if (shared.tile == 0 && threadIdx.x == 0)
		job.outcome->n_levels = kDecimalLevels;
}

#endif /* GA_SCAN_DECIMALS_CUH */
