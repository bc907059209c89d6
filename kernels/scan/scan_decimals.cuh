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
 *	- it decodes its vector to i and t / u, which stay in registers: pairs of
 *	  neighbours are in a lane, and the next ones in the lane behind it;
 *	- sums of pairs go to shared memory, are scanned there, and come back as
 *	  what precedes each pair in the vector;
 *	- the sum of the tile is published, the first warp looks back for what
 *	  precedes it, and each warp writes its totals.
 *
 * If some of the array's vectors, which are sampled, are not of that kind,
 * nothing happens, and scan_tiles() makes the totals.  If another one is not,
 * the array is refused: one of another form, with exceptions, or with larger
 * integers.
 *
 * Grid: a block for each tile; they take tiles by ticket.
 */
#ifndef GA_SCAN_DECIMALS_CUH
#define GA_SCAN_DECIMALS_CUH

#include "level_totals.cuh"
#include "look_back.cuh"
#include "packed/decimal_limbs.cuh"
#include "packed/mixed_tiles.cuh"
#include "packed/residues.cuh"

constexpr int kDecimalWarps = 4;
constexpr int kDecimalBlocks = 6; /* of a multiprocessor, at most */
constexpr int kDecimalThreads = kDecimalWarps * int(kWarp);
constexpr uint32_t kDecimalTile = kDecimalWarps * GA_PACKED_VECTOR;

/* Pairs of elements that a lane has of a vector. */
constexpr int kPairs = GA_PACKED_LANE / 2;

/*
 * The largest integer: |t| is less than 1.6 times as many units of u, and those
 * of a vector have their sums in 32 bits.
 */
constexpr int kMostInteger = int((INT64_C(1) << 31) / GA_PACKED_VECTOR * 5 / 8);

/* The most elements of an array, whose sums are below 2^50, then. */
constexpr uint32_t kMostDecimals = UINT32_C(1) << 29;

/* Sums within a vector are counted from here, as unsigned integers. */
constexpr uint32_t kMiddle = UINT32_C(1) << 31;

/* The sums of some elements of a vector. */
struct alignas(8) DecimalSums
{
	int integers;
	int differences; /* of t / u */
};

/*
 * For the pairs of a vector, in order, their sums, and then those before them:
 * two in 16 bytes.  Behind eight of these there is a gap, so that access lane
 * by lane and pair by pair are both free of bank conflicts.
 */
struct PairSums
{
	static constexpr int kTwos = kPairs / 2; /* of a lane in order */

	int4 two[kWarp * (kTwos + 1)];

	static_assert(kTwos == 8, "a gap is behind the pairs of a lane");

	/* Return pair k of those whose elements a lane has. */
	__device__ __forceinline__ DecimalSums &
	of_lane(int k)
	{
		const int i = k * int(kWarp) + lane_id();

		return reinterpret_cast<DecimalSums *>(two + i / 2 + i / 16)[i % 2];
	}

	/* Return the i-th two of a lane, in order. */
	__device__ __forceinline__ int4 &
	in_order(int i)
	{
		return two[lane_id() * (kTwos + 1) + i];
	}
};

struct DecimalShared
{
	PairSums pairs[kDecimalWarps];
	Levels<2> sum[kDecimalWarps];
	Levels<2> prefix[kDecimalWarps];
	unsigned form; /* of the array, or 0 */
	uint32_t tile;
};

/*
 * Make a vector one of an array of decimals, if its totals can be made with
 * the others': one of equal elements has the form of their bits.
 */
static __device__ __forceinline__ bool
make_decimals(unsigned form, PackedVector &vector)
{
	if (vector.form == GA_PACKED_INTEGERS && vector.width == 0)
	{
		const GaPackedScale scale = kPackedScales[ga_packed_places(form)];
		const double x = element_of<double>(uint64_t(vector.base));
		/* integers have no minus zero */
		const double integer = rint(x * scale.power) + 0.0;

		if (fabs(integer) <= kMostInteger &&
			bits_of(ga_packed_decimal(integer, scale)) == bits_of(x))
		{
			vector.form = form;
			vector.base = int(integer);
		}
	}
	return vector.form == form && vector.n_exceptions == 0 &&
		   Residues::takes(vector) && vector.base >= -kMostInteger &&
		   vector.base + (1 << vector.width) - 1 <= kMostInteger;
}

/* The second elements of a lane's pairs of a vector. */
struct DecimalVector
{
	DecimalSums second[kPairs];

	/* Let all elements be 0. */
	__device__ __forceinline__ void
	clear(PairSums &pairs)
	{
#pragma unroll
		for (int k = 0; k < kPairs; k++)
			pairs.of_lane(k) = second[k] = DecimalSums{};
	}

	/* Decode a vector, and put the sums of its pairs in shared memory. */
	__device__ __forceinline__ void
	decode(const PackedVector &vector, PairSums &pairs)
	{
		const Residues residues(ga_packed_places(vector.form));
		const int base = int(vector.base);
		uint32_t fields[GA_PACKED_LANE];
		DecimalSums first;
		int f = 0;

		if (vector.is_sparse)
		{
			const SparseMask mask(vector, lane_id());

#pragma unroll
			for (int j = 0; j < GA_PACKED_LANE; j++)
				fields[j] = mask.field(vector, j);
		}
		else
			with_width(vector.width,
					   [&](auto width) {
						   load_fields<true>(vector.payload, width.value,
											 lane_id(), 0, fields);
					   });
		residues.for_each(
			base, vector.width, fields,
			[&](uint32_t field, int residue)
			{
				const int i = base + int(field);
				const DecimalSums own{i, residues.difference(i, residue)};

				if (f % 2 == 0)
					first = own;
				else
				{
					second[f / 2] = own;
					pairs.of_lane(f / 2) =
						DecimalSums{first.integers + own.integers,
									first.differences + own.differences};
				}
				f++;
			});
	}

	/* Return the place of the first element of a lane's pair in the vector. */
	static __device__ __forceinline__ unsigned
	place(int k)
	{
		return unsigned(k * int(kWarp) + lane_id()) * 2;
	}

	/* Let elements from place `end` on be 0. */
	__device__ __forceinline__ void
	cut(uint32_t end, PairSums &pairs)
	{
#pragma unroll
		for (int k = 0; k < kPairs; k++)
		{
			DecimalSums &sums = pairs.of_lane(k);

			if (place(k) + 1 < end)
				continue;
			sums.integers -= second[k].integers;
			sums.differences -= second[k].differences;
			if (place(k) >= end)
				sums = DecimalSums{};
			second[k] = DecimalSums{};
		}
	}
};

/*
 * Replace sums of pairs by the sums up to there in the vector, from kMiddle on;
 * a whole warp.  Returns the sum of all.
 */
static __device__ __forceinline__ Levels<2>
scan_pairs(PairSums &pairs)
{
	DecimalSums own = {};
	DecimalSums sum;

#pragma unroll
	for (int i = 0; i < pairs.kTwos; i++)
	{
		const int4 two = pairs.in_order(i);

		own.integers += two.x + two.z;
		own.differences += two.y + two.w;
	}
	sum = own;
#pragma unroll
	for (int step = 1; step < int(kWarp); step *= 2)
	{
		const int integers = __shfl_up_sync(kFullMask, sum.integers, step);
		const int differences =
			__shfl_up_sync(kFullMask, sum.differences, step);

		sum.integers += lane_id() >= step ? integers : 0;
		sum.differences += lane_id() >= step ? differences : 0;
	}

	uint32_t integers = kMiddle + uint32_t(sum.integers - own.integers);
	uint32_t differences =
		kMiddle + uint32_t(sum.differences - own.differences);

#pragma unroll
	for (int i = 0; i < pairs.kTwos; i++)
	{
		int4 &two = pairs.in_order(i);
		const int4 sums = two;

		two.x = int(integers + uint32_t(sums.x));
		two.y = int(differences + uint32_t(sums.y));
		integers = uint32_t(two.x) + uint32_t(sums.z);
		differences = uint32_t(two.y) + uint32_t(sums.w);
		two.z = int(integers);
		two.w = int(differences);
	}
	return Levels<2>{{__shfl_sync(kFullMask, sum.integers, int(kWarp) - 1),
					  __shfl_sync(kFullMask, sum.differences, int(kWarp) - 1)}};
}

/*
 * Makes totals of what precedes a vector, and of sums in it.  These are the
 * last bits of doubles with the last place 1, or u, from which 2^52 + kMiddle
 * is taken away with what precedes the vector.
 */
struct DecimalTotals
{
	double high; /* h */
	double integers_before;
	double differences_before;
	int exponent; /* of 2^52 * u, as the high half of a double */

	__device__ __forceinline__
	DecimalTotals(unsigned places, const Levels<2> &before)
		: high(kPackedScales[places].high)
	{
		constexpr int64_t kAnchor = (INT64_C(1) << 52) + kMiddle;
		double unit;

		exponent = __double2hiint(high) & int(kHighInfinity);
		unit = __hiloint2double(exponent - (52 << 20), 0);
		integers_before = double(before.word[0] - kAnchor);
		differences_before = double(kAnchor - before.word[1]) * unit;
	}

	__device__ __forceinline__ double
	total(uint32_t integers, uint32_t differences) const
	{
		const double n =
			__hiloint2double(0x43300000, int(integers)) + integers_before;
		const double rest =
			differences_before - __hiloint2double(exponent, int(differences));
		const double product = n * high;

		return product + (__fma_rn(n, high, -product) + rest);
	}
};

/*
 * Write the totals of a lane's elements, of which n are in the array.
 * kIsWhole: all are.
 */
template <bool kIsWhole>
static __device__ __forceinline__ void
write_totals(double *out, uint32_t n, const DecimalVector &own,
			 const DecimalTotals &totals, PairSums &pairs)
{
#pragma unroll
	for (int k = 0; k < kPairs; k++)
	{
		const DecimalSums sums = pairs.of_lane(k);
		const DecimalSums &second = own.second[k];
		const unsigned at = DecimalVector::place(k);
		union
		{
			double total[2];
			int4 raw;
		} u;

		u.total[0] = totals.total(
			uint32_t(sums.integers) - uint32_t(second.integers),
			uint32_t(sums.differences) - uint32_t(second.differences));
		u.total[1] =
			totals.total(uint32_t(sums.integers), uint32_t(sums.differences));
		if (kIsWhole || at + 1 < n)
			__stcs(reinterpret_cast<int4 *>(out + at), u.raw);
		else if (at < n)
			out[at] = u.total[0];
	}
}

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

	const unsigned places = ga_packed_places(shared.form);
	const uint64_t at =
		uint64_t(shared.tile) * kDecimalTile + warp * GA_PACKED_VECTOR;
	const uint64_t later = at + uint64_t(ahead) * kDecimalTile;
	const uint32_t n =
		uint32_t(at < job.n ? min(uint64_t(GA_PACKED_VECTOR), job.n - at) : 0);
	bool is_refused = false;

	if (n > 0)
	{
		PackedVector vector(coding_at(job, at));
		GaPackedCoding coming = {};

		if (later < job.n)
			coming = coding_at(job, later);
		if (make_decimals(shared.form, vector))
			own.decode(vector, pairs);
		else
		{
			is_refused = true;
			own.clear(pairs);
		}
		if (n < GA_PACKED_VECTOR)
			own.cut(n, pairs);
		if (later < job.n)
			prefetch_payload<double>(coming);
		if (lane_id() == 0 && later + ahead * kDecimalTile < job.n)
			prefetch_l2(ga_packed_header(
				address_at(job, later + ahead * kDecimalTile), sizeof(double)));
	}
	else
		own.clear(pairs);
	__syncwarp();

	const Levels<2> sum = scan_pairs(pairs);

	if (lane_id() == 0)
		shared.sum[warp] = sum;
	__syncthreads();
	if (warp == 0)
		find_prefixes(shared, job, places);
	__syncthreads();

	const DecimalTotals totals(places, shared.prefix[warp]);
	double *const out = (double *) job.out + at;

	if (n == GA_PACKED_VECTOR)
		write_totals<true>(out, n, own, totals, pairs);
	else
		write_totals<false>(out, n, own, totals, pairs);
	if (is_refused && lane_id() == 0)
		job.outcome->refused = kDecimalLevels;
	if (shared.tile == 0 && threadIdx.x == 0)
		job.outcome->n_levels = kDecimalLevels;
}

#endif /* GA_SCAN_DECIMALS_CUH */
